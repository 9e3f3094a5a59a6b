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
  const figures = await figuresOfTest<{ rowsRead?: number }>(TEST, workFolder)
  const counted = figures.flatMap(({ rowsRead }) => rowsRead ?? [])
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
