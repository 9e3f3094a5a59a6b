import path from 'node:path'
import { migrate, openLocalDatabase } from '../local-database.ts'
import { serve } from '../local-shop.ts'
import { freePort } from '../ports.ts'
import { workerBytes } from './build-sizes.ts'
import { manyOrders } from './many-orders.ts'
import type { Report } from './report.ts'
import { figuresOfTest } from './test-figures.ts'
import { median } from './wrk.ts'

const TEST = 'test/http/many-orders.test.ts'
const BYTES_PER_KB = 1000
/** The pages of the board, and a search. */
const PAGES = ['/', '/?stage=pay', '/?stage=send', '/?stage=on-the-way', '/?stage=done', '/?q=amina']
const VISITS = 15

const MANY_MORE = 1_000_000
const MAX_ROWS = 200
const MEGABYTE = 1_000_000

/** What the test of a shop with many orders notes of a page, a call or a run. */
type Figures = {
  what?: string
  /** The most that one of its statements read. */
  rowsAtOnce?: number
  rowsRead?: number
  rowsWritten?: number
  sqlMs?: number
  /** How many of its statements read a whole table. */
  scans?: number
  perOrder?: { ms: number; bytes: number }
  /** The size of the database after each statement that stored the orders. */
  sizes?: { table: string; bytes: number }[]
}

/** What pages, calls and the scheduled run read and write in a shop with 1,000,000 orders, and their size. Takes minutes. */
export async function growthRows(workFolder: string, report: Report): Promise<void> {
  report.step('Storing 1,000,000 orders, and opening the shop and the office')
  const figures = await figuresOfTest<Figures>(TEST, workFolder, { ORDERS: String(MANY_MORE) })
  for (const { what, rowsAtOnce, rowsRead, rowsWritten, sqlMs, scans, perOrder, sizes } of figures) {
    if (what && rowsAtOnce !== undefined)
      report.row({
        id: '',
        what: `${what} (${rowsRead} read, ${rowsWritten} written, ${sqlMs} ms), most at once`,
        value: scans === 0 ? rowsAtOnce : Number.POSITIVE_INFINITY,
        budget: { atMost: MAX_ROWS },
      })
    if (perOrder) {
      report.row({ id: '', what: 'an order placed and paid, wall time', value: perOrder.ms, unit: 'ms' })
      report.row({ id: '', what: 'an order placed and paid, stored', value: perOrder.bytes, unit: 'B' })
    }
    for (const [table, bytes] of bytesByTable(sizes ?? []))
      report.row({ id: '', what: `${table}, with indexes and counts`, value: bytes / MEGABYTE, unit: 'MB' })
  }
}

function bytesByTable(sizes: readonly { table: string; bytes: number }[]): Map<string, number> {
  const byTable = new Map<string, number>()
  for (const [index, { table, bytes }] of sizes.entries())
    byTable.set(table, (byTable.get(table) ?? 0) + bytes - (sizes[index - 1]?.bytes ?? 0))
  return byTable
}

/** S15: the office's size, and its board with 5,000 orders. */
export async function officeRows(root: string, workFolder: string, report: Report): Promise<void> {
  report.step('Opening the office with 5,000 orders')
  report.row({
    id: 'S15',
    what: 'office, gzip',
    value: workerBytes(root, 'office') / BYTES_PER_KB,
    unit: 'KB',
    budget: { atMost: 400 },
  })
  report.row({
    id: 'S15',
    what: `board, first byte (the slowest of ${PAGES.length} pages, median)`,
    value: await slowestFirstByteMs(path.join(workFolder, 'office-state')),
    unit: 'ms',
    budget: { atMost: 100 },
  })
  const figures = await figuresOfTest<Figures>(TEST, workFolder)
  const lists = figures.filter(({ what }) => /^(board|search)/.test(what ?? ''))
  const counted = lists.map(({ rowsRead = Number.NaN }) => rowsRead)
  report.row({
    id: 'S15',
    what: `D1 rows read, the most of ${counted.length} boards and searches`,
    value: counted.length > 0 ? Math.max(...counted) : Number.NaN,
    budget: { atMost: 200 },
  })
}

async function slowestFirstByteMs(stateFolder: string): Promise<number> {
  const { db, close } = await openLocalDatabase(stateFolder)
  await migrate(db)
  for (const statement of manyOrders(Date.now())) await db.prepare(statement).run()
  await close()
  const ports = { port: await freePort(), officePort: await freePort() }
  const shop = await serve({ ...ports, stateFolder, onLog: () => {} })
  try {
    const times: number[] = []
    for (const page of PAGES) times.push(await firstByteMs(`${shop.officeUrl}${page}`))
    return Math.max(...times)
  } finally {
    await shop.close()
  }
}

/** The median time to the first byte of a page that has been opened before. */
async function firstByteMs(address: string): Promise<number> {
  const times: number[] = []
  for (let visit = 0; visit <= VISITS; visit++) {
    const startMs = performance.now()
    const { status, body } = await fetch(address)
    const firstMs = performance.now() - startMs
    if (status !== 200) throw new Error(`The office answered ${status}: ${address}`)
    for await (const _ of body ?? []);
    if (visit > 0) times.push(firstMs)
  }
  return median(times)
}
