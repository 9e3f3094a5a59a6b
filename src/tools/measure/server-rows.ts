import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { SETTINGS, sessionCookie } from './measured-shop.ts'
import { writeEmpty, writeLeast } from './references.ts'
import type { Report } from './report.ts'
import { startWorkerd, type Workerd } from './workerd.ts'
import { load, median } from './wrk.ts'

const PAGE = '/products'
const MICROSECONDS_PER_MS = 1000
/** Enough for the catalogue to be loaded and the page to be cached, too few to measure garbage. */
const MEMORY_VISITS = 20

export type Subject = { address: string; workerd: Workerd; headers?: Record<string, string> }
type Figures = { requestsPerSecond: number; cpuMicroseconds: number }
type ServerOptions = {
  root: string
  workFolder: string
  clientFolder: string
  manyFolder: string
  naiveFolder: string
  rounds: number
  seconds: number
  starts: number
}

/** S1–S3, S11 and S14's start: the built Worker beside its references, in turns. */
export async function serverRows(options: ServerOptions, report: Report): Promise<void> {
  const { root, workFolder, clientFolder, manyFolder, naiveFolder, starts } = options
  const diskFolder = path.join(workFolder, 'disk')
  mkdirSync(diskFolder, { recursive: true })
  const startShop = (assetsFolder: string, isInspected = false) =>
    startWorkerd({
      isInspected,
      worker: { folder: path.join(root, 'dist/server'), assetsFolder },
      ...{ diskFolder, settings: SETTINGS, readyPath: '/robots.txt', workFolder },
    })

  const shop = await startShop(clientFolder)
  const html = await warmPage(shop.url + PAGE)
  writeFileSync(path.join(diskFolder, 'products.html'), html)
  const leastFolder = await writeLeast(workFolder, await fetch(shop.url + PAGE))
  const least = await startWorkerd({ worker: { folder: leastFolder }, workFolder })
  const large = await startShop(manyFolder)
  const largeHtml = await warmPage(large.url + PAGE)
  const naive = await startWorkerd({ worker: { folder: naiveFolder }, readyPath: PAGE, workFolder })
  try {
    report.step(`Sending requests, ${options.rounds} rounds`)
    const visitor: Subject = { address: shop.url + PAGE, workerd: shop }
    const measured = await interleaved(
      {
        many: { address: large.url + PAGE, workerd: large },
        visitor,
        file: { address: `${shop.diskUrl}/products.html`, workerd: shop },
        least: { address: least.url + PAGE, workerd: least },
        signedIn: { ...visitor, headers: { Cookie: await sessionCookie() } },
        naive: { address: naive.url + PAGE, workerd: naive },
      },
      options,
    )
    speedRows(measured, report)
    const growth = largeHtml.length / html.length
    report.row({ id: 'S11', what: '5,000 products : 64, Shop HTML', value: growth, budget: { atMost: 1.1 } })
  } finally {
    for (const workerd of [shop, large, naive, least]) workerd.close()
  }
  report.row({
    id: 'S11',
    what: '5,000 products, memory of the isolate',
    value: await memoryOf(() => startShop(manyFolder, true)),
    unit: 'MB',
    budget: { atMost: 64 },
  })
  report.step(`Starting the Worker, ${starts} times`)
  const emptyFolder = writeEmpty(workFolder)
  const startOf = (folder: string) => () => startWorkerd({ worker: { folder }, workFolder })
  const rounds = await startsMs(
    { shop: () => startShop(clientFolder), naive: startOf(naiveFolder), empty: startOf(emptyFolder) },
    starts,
  )
  const beyondEmpty = (of: 'shop' | 'naive') => median(rounds.map((round) => round[of] - round.empty))
  const what = "start of the Worker beyond an empty one's"
  report.row({ id: 'S14', what, value: beyondEmpty('shop'), unit: 'ms', budget: { atMost: 25 } })
  report.row({ id: '', what: `${what}, naive`, value: beyondEmpty('naive'), unit: 'ms' })
  const empty = median(rounds.map((round) => round.empty))
  report.row({ id: '', what: 'start of workerd with an empty Worker', value: empty, unit: 'ms' })
}

type Measured = Record<'visitor' | 'file' | 'least' | 'signedIn' | 'naive' | 'many', Figures[]>

function speedRows({ visitor, file, least, signedIn, naive, many }: Measured, { row }: Report): void {
  const rate = (of: Figures[], against: Figures[]) => ratioOf(of, against, 'requestsPerSecond')
  const cpu = (of: Figures[], against: Figures[]) => ratioOf(of, against, 'cpuMicroseconds')
  const names = Object.entries({
    'cached page': visitor,
    'static file': file,
    'least Worker': least,
    'page for somebody signed in': signedIn,
    'naive page': naive,
  })
  for (const [what, rounds] of names) {
    const middle = (figure: keyof Figures) => median(rounds.map((round) => round[figure]))
    row({ id: '', what: `${what}: requests/s`, value: middle('requestsPerSecond') })
    const cpuMs = middle('cpuMicroseconds') / MICROSECONDS_PER_MS
    row({ id: '', what: `${what}: CPU a request`, value: cpuMs, unit: 'ms' })
  }
  row({
    id: 'S1',
    what: 'cached page : least, requests/s',
    value: rate(visitor, least),
    budget: { atLeast: 0.9 },
  })
  row({ id: '', what: 'cached page : file, requests/s', value: rate(visitor, file) })
  row({ id: 'S2', what: 'cached page : least, CPU', value: cpu(visitor, least), budget: { atMost: 1.2 } })
  row({ id: 'S2', what: 'cached page : naive, CPU', value: cpu(visitor, naive), budget: { atMost: 0.07 } })
  row({
    id: 'S3',
    what: 'signed in : naive, requests/s',
    value: rate(signedIn, naive),
    budget: { atLeast: 2 },
  })
  row({
    id: 'S11',
    what: '5,000 products : 64, requests/s',
    value: rate(many, visitor),
    budget: { atLeast: 0.8 },
  })
}

/** How long workerd takes to its first answer with each Worker, in ms, by round. */
async function startsMs<Name extends string>(
  workers: Record<Name, () => Promise<Workerd>>,
  rounds: number,
): Promise<Record<Name, number>[]> {
  const times: Record<Name, number>[] = []
  for (let round = 0; round < rounds; round++) {
    const time = {} as Record<Name, number>
    for (const name in workers) {
      const workerd = await workers[name]()
      time[name] = workerd.startMs
      workerd.close()
    }
    times.push(time)
  }
  return times
}

/** What the isolate of a shop holds once it has answered for a while, in MB. */
async function memoryOf(start: () => Promise<Workerd>): Promise<number> {
  const shop = await start()
  for (let visit = 0; visit < MEMORY_VISITS; visit++) await (await fetch(shop.url + PAGE)).text()
  const megabytes = await shop.heapMegabytes()
  shop.close()
  return megabytes
}

/** The figures of each round of A B C … A B C …, so that what else the machine does falls on all alike. */
export async function interleaved<Name extends string>(
  subjects: Record<Name, Subject>,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Record<Name, Figures[]>> {
  const measured = {} as Record<Name, Figures[]>
  for (let round = 0; round < rounds; round++) {
    for (const name in subjects) {
      const { address, workerd, headers } = subjects[name]
      const before = workerd.cpuMicroseconds()
      const { requests, requestsPerSecond, failures } = await load(address, seconds, headers)
      if (failures > 0 || requests === 0)
        throw new Error(`${failures} of ${requests} requests failed: ${name}.`)
      measured[name] ??= []
      measured[name].push({
        requestsPerSecond,
        cpuMicroseconds: (workerd.cpuMicroseconds() - before) / requests,
      })
    }
  }
  return measured
}

/** The median of the rounds' ratios: what slows the machine for a while slows both of a round. */
export function ratioOf(of: readonly Figures[], against: readonly Figures[], figure: keyof Figures): number {
  return median(of.map((round, n) => round[figure] / (against[n]?.[figure] ?? Number.NaN)))
}

/** The page as it is once the Worker has the catalogue and has cached the page. */
export async function warmPage(address: string): Promise<Uint8Array> {
  await (await fetch(address)).text()
  return (await fetch(address)).bytes()
}
