import { lte, sql } from 'drizzle-orm'
import type { CatalogueSource } from '#server/catalogue/catalogue-source.ts'
import type { Database } from '#server/platform/db/client.ts'
import { stock } from '#server/platform/db/schema.ts'
import type { Catalogue, UnitsLeft } from '#shared/catalogue/catalogue.ts'
import { FEW_UNITS, withStock } from '#shared/catalogue/catalogue-stock.ts'

/** How old the snapshot gets before a request has it read again, in milliseconds. */
const REFRESH_MS = 10_000

/** What public pages know of the stock: the items of which few or no units are left. No request waits for it. */
export type StockSnapshot = {
  /** Empty until it has been read for the first time. */
  current(): UnitsLeft
  /** Counts the changes of what pages show. */
  version(): number
  /** Has it read in the background, if it is old enough. When the database fails, the last snapshot stays. */
  refresh(): void
}

/** A line of the log: the snapshot could not be read, for the first time since it could. */
export type StockLogLine = { level: 'error'; at: string; stock: 'not read'; reason: string }

type SnapshotDeps = {
  db: Database
  clock: () => number
  background: (work: Promise<unknown>) => void
  log: (line: StockLogLine) => void
}

/** A snapshot that is empty and is read from the database in the background. */
export function stockSnapshot({ db, clock, background, log }: SnapshotDeps): StockSnapshot {
  let current: UnitsLeft = {}
  let version = 0
  let dueAtMs = 0
  let hasFailed = false

  async function read(): Promise<void> {
    const left = sql<number>`${stock.onHand} - ${stock.held}`
    try {
      const rows = await db
        .select({ id: stock.itemId, left: left.as('units_left') })
        .from(stock)
        .where(lte(left, FEW_UNITS))
        .orderBy(stock.itemId)
      const read: UnitsLeft = Object.fromEntries(rows.map((row) => [row.id, row.left]))
      if (JSON.stringify(read) !== JSON.stringify(current)) {
        current = read
        version += 1
      }
      hasFailed = false
    } catch (error) {
      if (!hasFailed)
        log({
          level: 'error',
          at: new Date(clock()).toISOString(),
          stock: 'not read',
          reason: String(error instanceof Error ? (error.cause ?? error) : error),
        })
      hasFailed = true
    }
  }

  return {
    current: () => current,
    version: () => version,
    refresh() {
      const nowMs = clock()
      if (nowMs < dueAtMs) return
      dueAtMs = nowMs + REFRESH_MS
      background(read())
    },
  }
}

/** A catalogue whose products say what is left of them, and whose version follows what pages show of that. */
export function withStockSnapshot(source: CatalogueSource, snapshot: StockSnapshot): CatalogueSource {
  let made: { from: Catalogue; version: number; catalogue: Catalogue } | undefined

  function shown(from: Catalogue): Catalogue {
    const version = snapshot.version()
    if (made?.from !== from || made.version !== version)
      made = { from, version, catalogue: withStock(from, snapshot.current()) }
    return made.catalogue
  }

  return {
    current() {
      const known = source.current()
      return known && shown(known)
    },
    version() {
      const known = source.version()
      return known && `${known}.${snapshot.version()}`
    },
    load: async () => shown(await source.load()),
  }
}
