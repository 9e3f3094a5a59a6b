import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '../../test/support/free-port.ts'
import { runTool, ToolError } from './command.ts'
import { crowd, type Kind, percentile } from './load-run.ts'
import { build, ensureLocalSecrets, prepareDatabase } from './local-shop.ts'
import { serveApart } from './served-apart.ts'

const SECONDS = 60
const MAX_SECONDS = 600
/** Until pages are kept, code is compiled and memory is what it stays. */
const WARM_UP_SECONDS = 15
/** For garbage to be collected before memory is read. */
const REST_SECONDS = 5
const MAX_GROWTH_MB = 20

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/** What workerd's processes of a group hold, in MB; undefined where the system has no /proc. */
function memoryMb(processGroup: number): number | undefined {
  try {
    const kilobytes = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => {
        try {
          const [, program, rest = ''] = /\((.+)\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
          if (program !== 'workerd' || Number(rest.split(' ')[2]) !== processGroup) return 0
          return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
        } catch {
          // It has ended meanwhile.
          return 0
        }
      })
      .reduce((sum, amount) => sum + amount, 0)
    return kilobytes / 1024
  } catch {
    return undefined
  }
}

// `npm run load`: a crowd shops at the built shop on this machine for a minute (`-- 30`: for 30 s). It never asks
// another machine, and fails when there was an error or memory grew.
await runTool(async () => {
  const seconds = Number(process.argv[2] ?? SECONDS)
  if (!(seconds > 0 && seconds <= MAX_SECONDS))
    throw new ToolError(`Say for how many seconds, at most ${MAX_SECONDS}: npm run load -- 60`)
  ensureLocalSecrets()
  await build()
  const stateFolder = await mkdtemp(path.join(tmpdir(), 'pamba-load-'))
  await prepareDatabase(stateFolder)
  const shop = await serveApart({ port: await freePort(), stateFolder })
  try {
    console.log(`Warming up for ${WARM_UP_SECONDS} s, then shopping for ${seconds} s at ${shop.url} …`)
    const shoppers = await crowd(shop.url)
    await pause(WARM_UP_SECONDS)
    const beforeMb = memoryMb(shop.processGroup)
    shoppers.recount()
    await pause(seconds)
    const { tallies } = shoppers
    const counted = { ...tallies }
    await shoppers.leave()
    await pause(REST_SECONDS)
    const afterMb = memoryMb(shop.processGroup)

    const rows = (Object.keys(counted) as Kind[]).map((kind) => [kind, row(counted[kind], seconds)] as const)
    const all = Object.values(counted).flatMap(({ ms }) => ms)
    const errors = Object.values(counted).flatMap((tally) => [...tally.errors])
    console.table(Object.fromEntries([...rows, ['all', row({ ms: all, errors: new Map(errors) }, seconds)]]))
    const growthMb = beforeMb !== undefined && afterMb !== undefined ? afterMb - beforeMb : undefined
    console.log(
      growthMb === undefined
        ? 'Memory cannot be measured on this system.'
        : `Memory of workerd: ${beforeMb?.toFixed(0)} MB before, ${afterMb?.toFixed(0)} MB after, ${growthMb.toFixed(1)} MB more (budget ${MAX_GROWTH_MB}).`,
    )
    if (errors.length > 0)
      throw new ToolError(`Errors: ${errors.map(([what, times]) => `${what} (${times})`).join(', ')}`)
    if ((growthMb ?? 0) > MAX_GROWTH_MB) throw new ToolError('Memory grew beyond its budget.')
  } finally {
    await shop.kill()
    await rm(stateFolder, { recursive: true, force: true })
  }
})

function row(
  { ms, errors }: { ms: readonly number[]; errors: ReadonlyMap<string, number> },
  seconds: number,
) {
  return {
    requests: ms.length,
    'per second': Math.round((ms.length / seconds) * 10) / 10,
    'p50 ms': Math.round(percentile(ms, 0.5)),
    'p95 ms': Math.round(percentile(ms, 0.95)),
    'p99 ms': Math.round(percentile(ms, 0.99)),
    errors: [...errors.values()].reduce((sum, times) => sum + times, 0),
  }
}
