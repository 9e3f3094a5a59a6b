import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { manyOrders } from '#test/support/many-orders.ts'
import items from '../../../public/Items.json' with { type: 'json' }
import { migrate, openLocalDatabase } from '../local-database.ts'
import { serve } from '../local-shop.ts'
import { freePort } from '../ports.ts'
import { workerBytes } from './build-sizes.ts'
import type { Report } from './report.ts'
import { median } from './wrk.ts'

const BOARD = ['/', '/?stage=pay', '/?stage=send', '/?stage=on-the-way', '/?stage=done', '/?q=amina']
const VISITS = 15
const NEW_PRICE = 7777
const POLL_MS = 250
const DEADLINE_MS = 70_000

/** S13, S15 and S16: round trips and rows as the tests count them, the board with 5,000 orders, a publish. */
export async function officeRows(workFolder: string, { row, step }: Report): Promise<void> {
  step('Counting round trips and rows read')
  type Call = { roundTrips?: number; startsPayment?: boolean }
  const calls = await notesOfTest<Call>('test/http/round-trips.test.ts', workFolder)
  const most = (some: readonly Call[]) => Math.max(...some.map(({ roundTrips = Number.NaN }) => roundTrips))
  const [starting, others] = [
    calls.filter((call) => call.startsPayment),
    calls.filter((call) => !call.startsPayment),
  ]
  row({ id: 'S13', what: 'D1 round trips to start a payment', value: most(starting), budget: { atMost: 3 } })
  row({ id: 'S13', what: 'D1 round trips of any other call', value: most(others), budget: { atMost: 2 } })
  type Page = { what?: string; rowsRead?: number }
  const pages = await notesOfTest<Page>('test/http/many-orders.test.ts', workFolder)
  const rows = pages.filter(({ what }) => /^(board|search)/.test(what ?? '')).map(({ rowsRead }) => rowsRead)
  row({
    id: 'S15',
    what: 'D1 rows read by a board or search',
    value: Math.max(...rows.map(Number)),
    budget: { atMost: 200 },
  })
  const kilobytes = workerBytes(process.cwd(), 'office') / 1000
  row({ id: 'S15', what: 'office, gzip', value: kilobytes, unit: 'KB', budget: { atMost: 400 } })

  step('Opening the office with 5,000 orders')
  const stateFolder = path.join(workFolder, 'office-state')
  const { db, close } = await openLocalDatabase(stateFolder)
  await migrate(db)
  for (const statement of manyOrders(Date.now())) await db.prepare(statement).run()
  await close()
  const ports = { port: await freePort(), officePort: await freePort() }
  const shop = await serve({ ...ports, stateFolder, onLog: () => {} })
  try {
    const times: number[] = []
    for (const page of BOARD) times.push(await firstByteMs(`${shop.officeUrl}${page}`))
    const what = 'board with 5,000 orders, slowest first byte'
    row({ id: 'S15', what, value: Math.max(...times), unit: 'ms', budget: { atMost: 100 } })
    step('Publishing a catalogue')
    const seconds = await publishSeconds(shop.url, shop.officeUrl ?? '')
    row({
      id: 'S16',
      what: 'until shoppers see a publish',
      value: seconds,
      unit: 's',
      budget: { atMost: 60 },
    })
  } finally {
    await shop.close()
  }
}

/** What each case of a test noted in `task.meta`. */
async function notesOfTest<Note>(test: string, workFolder: string): Promise<Note[]> {
  const file = path.join(workFolder, `${path.basename(test)}.json`)
  const options = ['--project', 'http', '--reporter=json', `--outputFile=${file}`]
  // A test that fails shows in its figures.
  await promisify(execFile)('vitest', ['run', ...options, test]).catch(() => {})
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as {
    testResults: { assertionResults: { meta: Note }[] }[]
  }
  return testResults.flatMap(({ assertionResults }) => assertionResults.map(({ meta }) => meta))
}

/** The median time to the first byte of a page that has been opened before. */
async function firstByteMs(address: string): Promise<number> {
  const times: number[] = []
  for (let visit = 0; visit <= VISITS; visit++) {
    const startMs = performance.now()
    const response = await fetch(address)
    if (visit > 0) times.push(performance.now() - startMs)
    await response.bytes()
    if (response.status !== 200) throw new Error(`The office answered ${response.status}: ${address}`)
  }
  return median(times)
}

/** Publishes a new price in the office; seconds until the Shop and the product's page show it. */
async function publishSeconds(url: string, officeUrl: string): Promise<number> {
  const text = (address: string) => fetch(address).then((response) => response.text())
  const post = async (address: string, body: FormData | URLSearchParams) => {
    const request = { method: 'POST', body, headers: { Origin: officeUrl }, redirect: 'manual' } as const
    const { status } = await fetch(officeUrl + address, request)
    if (status !== 303) throw new Error(`The office answered ${status}: ${address}`)
  }
  const [first] = items
  const pages = [`${url}/products`, `${url}/product/${first?.id}`]
  for (const page of pages) await text(page)
  const catalogue = [{ ...first, price: NEW_PRICE, sizes: undefined, scale: undefined }, ...items.slice(1)]
  const form = new FormData()
  form.set('file', new File([JSON.stringify(catalogue)], 'Items.json', { type: 'application/json' }))
  await post('/catalogue/import', form)
  const page = await text(`${officeUrl}/catalogue/publish`)
  const value = (name: string) => new RegExp(`name="${name}" value="(\\d+)"`).exec(page)?.[1] ?? ''
  const startMs = performance.now()
  await post('/catalogue/publish', new URLSearchParams({ base: value('base'), revision: value('revision') }))
  while (performance.now() - startMs < DEADLINE_MS) {
    const shown = await Promise.all(pages.map(text))
    if (shown.every((html) => html.includes(`KSH ${NEW_PRICE}`))) return (performance.now() - startMs) / 1000
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return Number.POSITIVE_INFINITY
}
