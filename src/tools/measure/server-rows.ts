import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'vite'
import { SETTINGS, sessionCookie, withCatalogue } from './measured-shop.ts'
import type { Row } from './report.ts'
import { startWorkerd, type Workerd } from './workerd.ts'
import { load, median } from './wrk.ts'

const PAGE = '/products'
const MICROSECONDS_PER_MS = 1000
/** Enough for the catalogue to be loaded and the page to be cached, too few to measure garbage. */
const MEMORY_VISITS = 20
const OF_THE_CONNECTION = ['content-length', 'transfer-encoding', 'connection', 'date']

type Subject = { address: string; workerd: Workerd; headers?: Record<string, string> }
type Figures = { requestsPerSecond: number; cpuMicroseconds: number }
export type ServerOptions = { root: string; workFolder: string; rounds: number; seconds: number }

/** S1–S3, S11 and S14's start: the built Worker beside the naive page and a static file, interleaved. */
export async function serverRows({ root, workFolder, rounds, seconds }: ServerOptions): Promise<Row[]> {
  const client = path.join(root, 'dist/client')
  const usualFolder = withCatalogue('usual', client, workFolder)
  const manyFolder = withCatalogue('many', client, workFolder)
  const naiveFolder = await buildNaive(root, workFolder, path.join(usualFolder, 'Items.json'))
  const diskFolder = path.join(workFolder, 'disk')
  mkdirSync(diskFolder, { recursive: true })
  const startShop = (assetsFolder: string, isInspected = false) =>
    startWorkerd({
      isInspected,
      worker: { folder: path.join(root, 'dist/server'), assetsFolder },
      ...{ diskFolder, settings: SETTINGS, readyPath: '/robots.txt', workFolder },
    })

  const shop = await startShop(usualFolder)
  const html = await warmPage(shop.url + PAGE)
  writeFileSync(path.join(diskFolder, 'products.html'), html)
  const leastFolder = await writeLeast(workFolder, await fetch(shop.url + PAGE))
  const startLeast = () => startWorkerd({ worker: { folder: leastFolder }, workFolder })
  const least = await startLeast()
  const large = await startShop(manyFolder)
  const largeHtml = await warmPage(large.url + PAGE)
  const naive = await startWorkerd({ worker: { folder: naiveFolder }, workFolder })
  try {
    const {
      visitor,
      file,
      least: leastFigures,
      signedIn,
      naive: naiveTotals,
      many,
    } = await interleaved(
      {
        visitor: { address: shop.url + PAGE, workerd: shop },
        file: { address: `${shop.diskUrl}/products.html`, workerd: shop },
        least: { address: least.url + PAGE, workerd: least },
        signedIn: { address: shop.url + PAGE, workerd: shop, headers: { Cookie: await sessionCookie() } },
        naive: { address: naive.url + PAGE, workerd: naive },
        many: { address: large.url + PAGE, workerd: large },
      },
      { rounds, seconds },
    )
    const start = await startMs(() => startShop(usualFolder), startLeast, rounds)
    const rate = (of: Figures, against: Figures) => of.requestsPerSecond / against.requestsPerSecond
    const cpu = (of: Figures, against: Figures) => of.cpuMicroseconds / against.cpuMicroseconds
    return [
      ...figuresOf('cached page', visitor),
      ...figuresOf('the same bytes as a static file', file),
      ...figuresOf('the same bytes from a Worker that does nothing else', leastFigures),
      ...figuresOf('live page, signed in', signedIn),
      ...figuresOf('naive page', naiveTotals),
      {
        id: 'S1',
        what: 'cached page : static file, requests/s',
        value: rate(visitor, file),
        budget: { atLeast: 0.5 },
      },
      { id: '', what: 'Worker that does nothing else : static file', value: rate(leastFigures, file) },
      {
        id: 'S2',
        what: 'cached page : naive page, CPU',
        value: cpu(visitor, naiveTotals),
        budget: { atMost: 0.055 },
      },
      {
        id: 'S3',
        what: 'live page : naive page, requests/s',
        value: rate(signedIn, naiveTotals),
        budget: { atLeast: 1.45 },
      },
      {
        id: 'S11',
        what: '5,000 products : 56, Shop HTML',
        value: largeHtml.length / html.length,
        budget: { atMost: 1.1 },
      },
      {
        id: 'S11',
        what: '5,000 products : 56, requests/s',
        value: rate(many, visitor),
        budget: { atLeast: 0.8 },
      },
      {
        id: 'S11',
        what: '5,000 products, memory of the shop',
        value: await memoryOf(() => startShop(manyFolder, true)),
        unit: 'MB',
        budget: { atMost: 64 },
      },
      { id: 'S14', what: 'start of the Worker', value: start.longer, unit: 'ms', budget: { atMost: 50 } },
      {
        id: '',
        what: 'start of workerd itself, with a Worker that does nothing',
        value: start.other,
        unit: 'ms',
      },
    ]
  } finally {
    for (const workerd of [shop, large, naive, least]) workerd.close()
  }
}

function figuresOf(what: string, { requestsPerSecond, cpuMicroseconds }: Figures): Row[] {
  return [
    { id: '', what: `${what}: requests/s`, value: requestsPerSecond },
    { id: '', what: `${what}: CPU a request`, value: cpuMicroseconds / MICROSECONDS_PER_MS, unit: 'ms' },
  ]
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

/** Writes the least Worker there can be: it answers everything with the same bytes and headers. */
async function writeLeast(workFolder: string, answer: Response): Promise<string> {
  const folder = path.join(workFolder, 'least')
  mkdirSync(folder)
  const headers = Object.fromEntries(
    [...answer.headers].filter(([name]) => !OF_THE_CONNECTION.includes(name)),
  )
  writeFileSync(
    path.join(folder, 'index.js'),
    `const bytes = new TextEncoder().encode(${JSON.stringify(await answer.text())})
const headers = new Headers(${JSON.stringify(headers)})
export default { fetch: () => new Response(bytes, { headers }) }
`,
  )
  return folder
}

/** Rounds of A B C … A B C …, so that what else the machine does falls on all alike; medians of the rounds. */
async function interleaved<Name extends string>(
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
async function warmPage(address: string): Promise<Uint8Array> {
  await (await fetch(address)).text()
  return (await fetch(address)).bytes()
}

async function buildNaive(root: string, workFolder: string, itemsFile: string): Promise<string> {
  const outDir = path.join(workFolder, 'naive')
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    resolve: {
      alias: [{ find: /^.*\/Items\.json$/, replacement: itemsFile }],
      conditions: ['workerd', 'worker'],
    },
    define: { 'process.env.NODE_ENV': '"production"' },
    ssr: { target: 'webworker', noExternal: true },
    build: {
      ssr: 'src/tools/measure/naive.tsx',
      outDir,
      minify: true,
      rolldownOptions: { output: { entryFileNames: 'index.js' } },
    },
  })
  return outDir
}
