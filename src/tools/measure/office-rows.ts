import path from 'node:path'
import { createManyOrdersSql } from '#test/support/many-orders.ts'
import { migrateDatabase, openLocalDatabase } from '../local-database.ts'
import { serveShop } from '../local-shop.ts'
import { findFreePort } from '../ports.ts'
import { calculateMedian, type Report } from './report.ts'

const BOARD_PATHS = ['/', '/?stage=pay', '/?stage=send', '/?stage=on-the-way', '/?stage=done', '/?q=amina']
const VISITS = 15

/** Measures the time to first byte in row S15 (§ 9). */
export async function measureOfficeRows(workFolder: string, { step, atMost }: Report): Promise<void> {
  step('Opening the office with 5,000 orders')
  const stateFolder = path.join(workFolder, 'office-state')
  const { db, close } = await openLocalDatabase(stateFolder)
  await migrateDatabase(db)
  for (const statement of createManyOrdersSql(Date.now())) await db.prepare(statement).run()
  await close()
  const ports = { port: await findFreePort(), officePort: await findFreePort() }
  const server = await serveShop({ ...ports, stateFolder, onLog: () => {} })
  try {
    const times: number[] = []
    for (const page of BOARD_PATHS) times.push(await measureFirstByteMs(`${server.officeUrl}${page}`))
    atMost('S15', 'board with 5,000 orders, slowest first byte', Math.max(...times), 100, 'ms')
  } finally {
    await server.close()
  }
}

async function measureFirstByteMs(url: string): Promise<number> {
  const times: number[] = []
  for (let visit = 0; visit <= VISITS; visit++) {
    const startMs = performance.now()
    const response = await fetch(url)
    if (visit > 0) times.push(performance.now() - startMs)
    await response.bytes()
    if (response.status !== 200) throw new Error(`The office returned ${response.status}: ${url}`)
  }
  return calculateMedian(times)
}
