import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '../../test/support/free-port.ts'
import { registerBuyers } from './checkouts.ts'
import { runTool, ToolError } from './command.ts'
import { goEverywhere, type Kind, newTallies, percentile, shopFor, type Tallies } from './load-run.ts'
import { build, ensureLocalSecrets, prepareDatabase } from './local-shop.ts'
import { serveApart } from './served-apart.ts'
import { type Memory, settledMemory, withoutGarbage } from './workerd-memory.ts'

const SECONDS = 60
const MAX_SECONDS = 600
const BUYERS = 8
const MAX_GROWTH_MB = 20

// `npm run load`: a crowd shops at the built shop on this machine for a minute to warm up, for a minute, and for another
// (`-- 30`: 30 s each). It never asks another machine, and fails when there was an error, or memory grew in either.
await runTool(async () => {
  const seconds = Number(process.argv[2] ?? SECONDS)
  if (!(seconds > 0 && seconds <= MAX_SECONDS))
    throw new ToolError(`Say for how many seconds, at most ${MAX_SECONDS}: npm run load -- 60`)
  ensureLocalSecrets()
  await build()
  const stateFolder = await mkdtemp(path.join(tmpdir(), 'pamba-load-'))
  await prepareDatabase(stateFolder)
  const shop = await serveApart({ port: await freePort(), stateFolder, isInspected: true })
  try {
    const { url } = shop
    const crowd = { url, buyers: await registerBuyers(url, BUYERS) }
    const memoryNow = () => settledMemory(shop.processGroup, () => goEverywhere(crowd))
    console.log(`Shopping for ${seconds} s to warm up, then for 2 × ${seconds} s, at ${url} …`)
    const span = (tallies: Tallies) => withoutGarbage(shop.processGroup, shopFor(seconds, crowd, tallies))
    await span(newTallies())
    const tallies = newTallies()
    const memory = [await memoryNow()]
    for (let times = 0; times < 2; times++) {
      await span(tallies)
      memory.push(await memoryNow())
    }
    console.table(speedTable(tallies, 2 * seconds))
    const errors = Object.values(tallies).flatMap((tally) => [...tally.errors])
    const hasGrown = reportGrowth(memory)
    if (errors.length > 0)
      throw new ToolError(`Errors: ${errors.map(([what, times]) => `${what} (${times})`).join(', ')}`)
    if (hasGrown) throw new ToolError('Memory grew beyond its budget.')
  } finally {
    await shop.kill()
    await rm(stateFolder, { recursive: true, force: true })
  }
})

function speedTable(tallies: Tallies, seconds: number) {
  const rows = (Object.keys(tallies) as Kind[]).map((kind) => [kind, speedRow([tallies[kind]], seconds)])
  return Object.fromEntries([...rows, ['all', speedRow(Object.values(tallies), seconds)]])
}

function speedRow(tallies: Tallies[Kind][], seconds: number) {
  const ms = tallies.flatMap((tally) => tally.ms)
  return {
    requests: ms.length,
    'per second': Math.round((ms.length / seconds) * 10) / 10,
    'p50 ms': Math.round(percentile(ms, 0.5)),
    'p95 ms': Math.round(percentile(ms, 0.95)),
    'p99 ms': Math.round(percentile(ms, 0.99)),
    errors: tallies.flatMap(({ errors }) => [...errors.values()]).reduce((sum, times) => sum + times, 0),
  }
}

/** Prints what memory was held before and after each span; whether it grew beyond the budget. */
function reportGrowth(memory: readonly (Memory | undefined)[]): boolean {
  const [before, after, later] = memory
  if (!before || !after || !later) {
    console.log('Memory cannot be measured on this system.')
    return false
  }
  const row = (key: keyof Memory, budgetMb?: number) => {
    const [first, second] = [after[key] - before[key], later[key] - after[key]]
    return {
      'before MB': round(before[key]),
      'grown MB': round(first),
      'again MB': round(second),
      ...(budgetMb === undefined
        ? { budget: '' }
        : { budget: `${first <= budgetMb && second <= budgetMb ? 'kept' : 'MISSED'}: ≤ ${budgetMb}` }),
    }
  }
  const rows = {
    'workerd, garbage collected': row('workerdMb', MAX_GROWTH_MB),
    "the Worker's isolate in it": row('isolateMb', MAX_GROWTH_MB),
    "wrangler's proxy before it": row('proxyMb'),
  }
  console.table(rows)
  return Object.values(rows).some(({ budget }) => budget.startsWith('MISSED'))
}

function round(megabytes: number): number {
  // Not "-0".
  return Math.round(megabytes * 10) / 10 + 0
}
