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
        visitor,
        file: { address: `${shop.diskUrl}/products.html`, workerd: shop },
        least: { address: least.url + PAGE, workerd: least },
        signedIn: { ...visitor, headers: { Cookie: await sessionCookie() } },
        naive: { address: naive.url + PAGE, workerd: naive },
        many: { address: large.url + PAGE, workerd: large },
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
  const startEmpty = () => startWorkerd({ worker: { folder: emptyFolder }, workFolder })
  const start = await startMs(() => startShop(clientFolder), startEmpty, starts)
  const what = "start of the Worker beyond an empty one's"
  report.row({ id: 'S14', what, value: start.longer, unit: 'ms', budget: { atMost: 25 } })
  report.row({ id: '', what: 'start of workerd with an empty Worker', value: start.other, unit: 'ms' })
}

type Measured = Record<'visitor' | 'file' | 'least' | 'signedIn' | 'naive' | 'many', Figures>

function speedRows({ visitor, file, least, signedIn, naive, many }: Measured, { row }: Report): void {
  const rate = (of: Figures, against: Figures) => of.requestsPerSecond / against.requestsPerSecond
  const cpu = (of: Figures, against: Figures) => of.cpuMicroseconds / against.cpuMicroseconds
  const names = Object.entries({
    'cached page': visitor,
    'static file': file,
    'least Worker': least,
    'page for somebody signed in': signedIn,
    'naive page': naive,
  })
  for (const [what, { requestsPerSecond, cpuMicroseconds }] of names) {
    row({ id: '', what: `${what}: requests/s`, value: requestsPerSecond })
    row({ id: '', what: `${what}: CPU a request`, value: cpuMicroseconds / MICROSECONDS_PER_MS, unit: 'ms' })
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

/** How long workerd takes to its first answer with the other Worker, and how much longer with the one, in ms. */
async function startMs(
  one: () => Promise<Workerd>,
  other: () => Promise<Workerd>,
  rounds: number,
): Promise<{ longer: number; other: number }> {
  const times: { longer: number; other: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const [long, short] = [await one(), await other()]
    times.push({ longer: long.startMs - short.startMs, other: short.startMs })
    long.close()
    short.close()
  }
  const middle = (figure: 'longer' | 'other') => median(times.map((time) => time[figure]))
  return { longer: middle('longer'), other: middle('other') }
}

/** What the isolate of a shop holds once it has answered for a while, in MB. */
async function memoryOf(start: () => Promise<Workerd>): Promise<number> {
  const shop = await start()
  for (let visit = 0; visit < MEMORY_VISITS; visit++) await (await fetch(shop.url + PAGE)).text()
  const megabytes = await shop.heapMegabytes()
  shop.close()
  return megabytes
}

/** Rounds of A B C … A B C …, so that what else the machine does falls on all alike; medians of the rounds. */
export async function interleaved<Name extends string>(
  subjects: Record<Name, Subject>,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Record<Name, Figures>> {
  const samples = Object.fromEntries(Object.keys(subjects).map((name) => [name, []])) as unknown as Record<
    Name,
    Figures[]
  >
  for (let round = 0; round < rounds; round++) {
    for (const name in subjects) {
      const { address, workerd, headers } = subjects[name]
      const before = workerd.cpuMicroseconds()
      const { requests, requestsPerSecond, failures } = await load(address, seconds, headers)
      if (failures > 0 || requests === 0)
        throw new Error(`${failures} of ${requests} requests failed: ${name}.`)
      samples[name].push({
        requestsPerSecond,
        cpuMicroseconds: (workerd.cpuMicroseconds() - before) / requests,
      })
    }
  }
  const middle = (name: Name, figure: keyof Figures) => median(samples[name].map((sample) => sample[figure]))
  return Object.fromEntries(
    Object.keys(subjects).map((name) => [
      name,
      {
        requestsPerSecond: middle(name as Name, 'requestsPerSecond'),
        cpuMicroseconds: middle(name as Name, 'cpuMicroseconds'),
      },
    ]),
  ) as Record<Name, Figures>
}

/** The page as it is once the Worker has the catalogue and has cached the page. */
export async function warmPage(address: string): Promise<Uint8Array> {
  await (await fetch(address)).text()
  return (await fetch(address)).bytes()
}
