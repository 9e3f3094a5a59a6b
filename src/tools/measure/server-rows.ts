import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { POINTER_KEY, versionKey } from '#server/catalogue/published-catalogue.ts'
import { SETTINGS, sessionCookie, withCatalogue } from './measured-shop.ts'
import { writeEmpty, writeLeast } from './references.ts'
import type { Report } from './report.ts'
import { startWorkerd, type Workerd } from './workerd.ts'
import { load, median } from './wrk.ts'

const PAGE = '/products'
/** Enough for the catalogue to be loaded and the page to be cached, too few to measure garbage. */
const MEMORY_VISITS = 20
/** Of every fourth item, two, one or no units are left. */
const SHORT_ITEMS = Array.from({ length: 50 }, (_, n) => [1 + n * 4, n % 3] as const)

type Subject = { address: string; workerd: Workerd; headers?: Record<string, string> }
type Figures = { requestsPerSecond: number; cpu: number }
type Options = { workFolder: string; naiveFolder: string; rounds: number; seconds: number; starts: number }

/** S1–S3, S11, S14's start and S16's speed: the built Worker and its references, in turns. */
export async function serverRows(options: Options, { row, step }: Report): Promise<void> {
  const { workFolder, naiveFolder, rounds, starts } = options
  const catalogue = (size: Parameters<typeof withCatalogue>[0]) =>
    withCatalogue(size, 'dist/client', workFolder)
  const startShop = (assetsFolder: string, more: { isInspected?: boolean; records?: Records } = {}) =>
    startWorkerd({
      worker: { folder: path.resolve('dist/server'), assetsFolder },
      ...{ settings: SETTINGS, readyPath: '/robots.txt', workFolder, ...more },
    })
  const photosFolder = catalogue('photos')
  const published = storeOf(readFileSync(path.join(photosFolder, 'Items.json'), 'utf8'))
  const shop = await startShop(catalogue('usual'))
  const large = await startShop(catalogue('many'))
  const plain = await startShop(catalogue('photos-unsized'), {
    records: { database: databaseOf([]), store: storeOf() },
  })
  const stocked = await startShop(photosFolder, {
    records: { database: databaseOf(SHORT_ITEMS), store: published },
  })
  const naive = await startWorkerd({ worker: { folder: naiveFolder }, readyPath: PAGE, workFolder })
  const running = [shop, large, plain, stocked, naive]
  try {
    const [html, largeHtml] = [await warmPage(shop), await warmPage(large)]
    await warmPage(plain)
    if (!(await warmPage(stocked)).includes('Sold out')) throw new Error('The measured shop has no stock.')
    const leastFolder = await writeLeast(workFolder, await fetch(shop.url + PAGE))
    const least = await startWorkerd({ worker: { folder: leastFolder }, workFolder })
    running.push(least)
    step(`Sending requests, ${rounds} rounds`)
    const at = (workerd: Workerd, headers = {}): Subject => ({
      address: workerd.url + PAGE,
      workerd,
      headers,
    })
    const signedIn = at(shop, { Cookie: await sessionCookie() })
    const subjects = { many: at(large), cached: at(shop), least: at(least), signedIn, naive: at(naive) }
    const all = { ...subjects, stocked: at(stocked), plain: at(plain) }
    const measured = await interleaved(all, options)
    const ratio = (
      of: keyof typeof all,
      against: keyof typeof all,
      figure: keyof Figures = 'requestsPerSecond',
    ) =>
      median(measured[of].map((round, n) => round[figure] / (measured[against][n]?.[figure] ?? Number.NaN)))
    const atLeast = (id: string, what: string, value: number, least: number) =>
      row({ id, what, value, budget: { atLeast: least } })
    const atMost = (id: string, what: string, value: number, most: number) =>
      row({ id, what, value, budget: { atMost: most } })
    atLeast('S1', 'cached page : least, requests/s', ratio('cached', 'least'), 0.85)
    atMost('S2', 'cached page : least, CPU', ratio('cached', 'least', 'cpu'), 1.25)
    atMost('S2', 'cached page : naive, CPU', ratio('cached', 'naive', 'cpu'), 0.075)
    atLeast('S3', 'signed in : naive, requests/s', ratio('signedIn', 'naive'), 2)
    atMost('S11', '5,000 products : 64, Shop HTML', largeHtml.length / html.length, 1.1)
    atLeast('S11', '5,000 products : 64, requests/s', ratio('many', 'cached'), 0.8)
    atLeast(
      'S16',
      'with stock and published catalogue : without, requests/s',
      ratio('stocked', 'plain'),
      0.95,
    )
  } finally {
    for (const workerd of running) workerd.close()
  }
  const inspected = await startShop(catalogue('many'), { isInspected: true })
  for (let visit = 0; visit < MEMORY_VISITS; visit++) await (await fetch(inspected.url + PAGE)).text()
  const megabytes = await inspected.heapMegabytes()
  inspected.close()
  row({ id: 'S11', what: '5,000 products, isolate', value: megabytes, unit: 'MB', budget: { atMost: 64 } })

  step(`Starting the Worker, ${starts} times`)
  const emptyFolder = writeEmpty(workFolder)
  const ratios: number[] = []
  for (let n = 0; n < starts; n++) {
    const empty = await startMs(startWorkerd({ worker: { folder: emptyFolder }, workFolder }))
    const own = await startMs(startShop(photosFolder))
    const reference = await startMs(startWorkerd({ worker: { folder: naiveFolder }, workFolder }))
    ratios.push((own - empty) / (reference - empty))
  }
  row({
    id: 'S14',
    what: 'start beyond an empty Worker : naive',
    value: median(ratios),
    budget: { atMost: 1.5 },
  })
}

async function startMs(starting: Promise<Workerd>): Promise<number> {
  const workerd = await starting
  workerd.close()
  return workerd.startMs
}

/** The figures of each round of A B C … A B C …, so that what else the machine does falls on all alike. */
async function interleaved<Name extends string>(
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
      measured[name].push({ requestsPerSecond, cpu: (workerd.cpuMicroseconds() - before) / requests })
    }
  }
  return measured
}

/** The page once the Worker has the catalogue and has cached the page. */
async function warmPage({ url }: Workerd): Promise<string> {
  await (await fetch(url + PAGE)).text()
  return (await fetch(url + PAGE)).text()
}

type Records = { database: string; store: string }

/** A D1, as a Worker's text, whose every query finds these items, each with its units left. */
function databaseOf(rows: readonly (readonly [itemId: number, left: number])[]): string {
  const answer = { success: true, results: { columns: ['item_id', 'units_left'], rows }, meta: {} }
  return `export default { fetch: () => Response.json(${JSON.stringify(answer)}) }`
}

/** A KV namespace, as a Worker's text, in which a catalogue is published, or nothing. */
function storeOf(catalogue?: string): string {
  const hash = createHash('sha256')
    .update(catalogue ?? '')
    .digest('hex')
  const published = { [POINTER_KEY]: JSON.stringify({ number: 1, hash }), [versionKey(hash)]: catalogue }
  return `const values = ${JSON.stringify(catalogue ? published : {})}
export default {
  fetch({ url }) {
    const value = values[decodeURIComponent(new URL(url).pathname.slice(1))]
    return new Response(value, { status: value === undefined ? 404 : 200 })
  },
}`
}
