import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { getVersionKey, POINTER_KEY } from '#server/catalogue/published-catalogue.ts'
import { ToolError } from '../command.ts'
import { copyWithCatalogue, createSessionCookie, MEASURED_SHOP_SETTINGS } from './measured-shop.ts'
import { createMinimalWorker } from './references.ts'
import { calculateMedian, type Report } from './report.ts'
import { EMPTY_WORKER_SOURCE, type StartOptions, startWorkerd, type Workerd } from './workerd.ts'

const PAGE = '/products'
/** Pairs of an item id and its units left. */
const LOW_STOCK_ITEMS = Array.from({ length: 50 }, (_, n) => [1 + n * 4, n % 3] as const)

const CONNECTIONS = 16
const ROUNDS = 3
const ROUND_SECONDS = 2
const MEASURED_STARTS = 7

type Subject = { workerd: Workerd; headers?: Record<string, string> }
type Figures = { requestsPerSecond: number; cpuMicroseconds: number }

/** Measures the rows S1–S3 and S11, the start time of S14 and the speed of S16 (§ 9). */
export async function measureServerRows(workFolder: string, naiveFolder: string, report: Report) {
  const { step, atLeast, atMost } = report
  const createAssetsFolder = (which: Parameters<typeof copyWithCatalogue>[0]) =>
    copyWithCatalogue(which, 'dist/client', workFolder)
  const startShop = (assetsFolder: string, more: Partial<StartOptions> = {}) =>
    startWorkerd({
      ...{ worker: { folder: path.resolve('dist/server') }, assetsFolder, settings: MEASURED_SHOP_SETTINGS },
      ...{ readyPath: '/robots.txt', workFolder, ...more },
    })
  const photosFolder = createAssetsFolder('photos')
  const published = readFileSync(path.join(photosFolder, 'Items.json'), 'utf8')
  const shop = await startShop(createAssetsFolder('usual'))
  const large = await startShop(createAssetsFolder('many'))
  const plain = await startShop(createAssetsFolder('photos-unsized'), {
    database: createFakeDatabaseSource([]),
  })
  const stocked = await startShop(photosFolder, {
    database: createFakeDatabaseSource(LOW_STOCK_ITEMS),
    store: createFakeStoreSource(published),
  })
  const naive = await startWorkerd({ worker: { folder: naiveFolder }, readyPath: PAGE, workFolder })
  const running = [shop, large, plain, stocked, naive]
  try {
    for (const workerd of [shop, large, plain]) await warmUp(workerd)
    if (!(await warmUp(stocked)).includes('Sold out')) throw new Error('The measured shop has no stock.')
    const source = await createMinimalWorker(await fetch(shop.url + PAGE))
    const minimal = await startWorkerd({ worker: { source }, workFolder })
    running.push(minimal)
    step(`Sending requests, ${ROUNDS} rounds`)
    const subjects = {
      many: { workerd: large },
      cached: { workerd: shop },
      minimal: { workerd: minimal },
      signedIn: { workerd: shop, headers: { Cookie: await createSessionCookie() } },
      naive: { workerd: naive },
      stocked: { workerd: stocked },
      plain: { workerd: plain },
    }
    const measured = await measureInterleaved(subjects)
    type Name = keyof typeof subjects
    const ratio = (of: Name, against: Name, figure: keyof Figures = 'requestsPerSecond') =>
      calculateMedian(
        measured[of].map((round, n) => round[figure] / (measured[against][n]?.[figure] ?? Number.NaN)),
      )
    atLeast('S1', 'Cached page vs minimal Worker, requests/s ratio', ratio('cached', 'minimal'), 0.85)
    atMost(
      'S2',
      'Cached page vs minimal Worker, CPU ratio',
      ratio('cached', 'minimal', 'cpuMicroseconds'),
      1.25,
    )
    atMost('S2', 'Cached page vs naive app, CPU ratio', ratio('cached', 'naive', 'cpuMicroseconds'), 0.075)
    atLeast('S3', 'Signed-in page vs naive app, requests/s ratio', ratio('signedIn', 'naive'), 2)
    atLeast('S11', '5,000 vs 64 products, requests/s', ratio('many', 'cached'), 0.8)
    atLeast('S16', 'With vs without stock and publishing, requests/s', ratio('stocked', 'plain'), 0.95)
  } finally {
    for (const workerd of running) workerd.close()
  }
  const inspected = await startShop(createAssetsFolder('many'), { isInspected: true })
  await warmUp(inspected)
  const megabytes = await inspected.heapMegabytes()
  inspected.close()
  atMost('S11', '5,000 products, isolate', megabytes, 64, 'MB')

  step(`Starting the Worker, ${MEASURED_STARTS} times`)
  const ratios: number[] = []
  for (let n = 0; n < MEASURED_STARTS; n++) {
    const empty = await measureStartMs(startWorkerd({ worker: { source: EMPTY_WORKER_SOURCE }, workFolder }))
    const own = await measureStartMs(startShop(photosFolder))
    const reference = await measureStartMs(startWorkerd({ worker: { folder: naiveFolder }, workFolder }))
    ratios.push((own - empty) / (reference - empty))
  }
  atMost('S14', "Start time beyond an empty Worker's, vs naive app", calculateMedian(ratios), 1.5)
}

async function measureStartMs(starting: Promise<Workerd>): Promise<number> {
  const workerd = await starting
  workerd.close()
  return workerd.startMs
}

/** Measures the subjects in turn for several rounds, so that other load on the machine affects them alike. */
async function measureInterleaved<Name extends string>(subjects: Record<Name, Subject>) {
  const measured = {} as Record<Name, Figures[]>
  for (let round = 0; round < ROUNDS; round++) {
    for (const name in subjects) {
      const { workerd, headers } = subjects[name]
      const before = workerd.cpuMicroseconds()
      const { requests, requestsPerSecond, failures } = await load(workerd.url + PAGE, ROUND_SECONDS, headers)
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

async function load(url: string, seconds: number, headers: Record<string, string> = {}) {
  const headerArguments = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const options = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, ...headerArguments, url]
  const { stdout } = await promisify(execFile)('wrk', options).catch((error: Error) => {
    throw new ToolError(`Couldn't run wrk (apt-get install wrk): ${error.message}`)
  })
  const numberIn = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? 0)
  return {
    requestsPerSecond: numberIn(/Requests\/sec:\s+([\d.]+)/),
    requests: numberIn(/(\d+) requests in/),
    failures: numberIn(/Non-2xx or 3xx responses: (\d+)/),
  }
}

async function warmUp({ url }: Workerd): Promise<string> {
  await (await fetch(url + PAGE)).text()
  return (await fetch(url + PAGE)).text()
}

function createFakeDatabaseSource(rows: readonly (readonly [itemId: number, left: number])[]): string {
  const answer = { success: true, results: { columns: ['item_id', 'units_left'], rows }, meta: {} }
  return `export default { fetch: () => Response.json(${JSON.stringify(answer)}) }`
}

function createFakeStoreSource(catalogue: string): string {
  const hash = createHash('sha256').update(catalogue).digest('hex')
  const published = { [POINTER_KEY]: JSON.stringify({ number: 1, hash }), [getVersionKey(hash)]: catalogue }
  return `const values = ${JSON.stringify(published)}
export default {
  fetch({ url }) {
    const value = values[decodeURIComponent(new URL(url).pathname.slice(1))]
    return new Response(value, { status: value === undefined ? 404 : 200 })
  },
}`
}
