import { lte, sql } from 'drizzle-orm'
import type { CatalogueSource } from '#server/catalogue/catalogue-source.ts'
import type { Database } from '#server/platform/db/client.ts'
import { stock } from '#server/platform/db/schema.ts'
import type { Catalogue, UnitsLeft } from '#shared/catalogue/catalogue.ts'
import { LOW_STOCK_UNITS, withStock } from '#shared/catalogue/catalogue-stock.ts'

const REFRESH_MS = 10_000

/**
 * Contains only the items with few or no units left. Requests use the current snapshot without waiting for a newer one.
 */
export type StockSnapshot = {
  current(): UnitsLeft
  /** Increases when the stock shown on pages changes. */
  version(): number
  /** Reads the stock in the background if the snapshot is old. If the database fails, the snapshot doesn't change. */
  refresh(): void
}

export type StockLogLine = { level: 'error'; at: string; stock: 'not read'; reason: string }

type SnapshotDeps = {
  db: Database
  clock: () => number
  waitUntil: (work: Promise<unknown>) => void
  log: (line: StockLogLine) => void
}

export function createStockSnapshot({ db, clock, waitUntil, log }: SnapshotDeps): StockSnapshot {
  let current: UnitsLeft = {}
  let version = 0
  let dueAtMs = 0
  let hasFailed = false

  async function read(): Promise<void> {
    const left = sql<number>`${stock.onHand} - ${stock.reserved}`
    try {
      const rows = await db
        .select({ id: stock.itemId, left: left.as('units_left') })
        .from(stock)
        .where(lte(left, LOW_STOCK_UNITS))
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
      waitUntil(read())
    },
  }
}

/** The version of the returned catalogue also changes when the stock shown on pages changes. */
export function withStockSnapshot(source: CatalogueSource, snapshot: StockSnapshot): CatalogueSource {
  let cached: { from: Catalogue; version: number; catalogue: Catalogue } | undefined

  function addStock(from: Catalogue): Catalogue {
    const version = snapshot.version()
    if (cached?.from !== from || cached.version !== version)
      cached = { from, version, catalogue: withStock(from, snapshot.current()) }
    return cached.catalogue
  }

  return {
    current() {
      const catalogue = source.current()
      return catalogue && addStock(catalogue)
    },
    version() {
      const version = source.version()
      return version && `${version}.${snapshot.version()}`
    },
    load: async () => addStock(await source.load()),
  }
}
