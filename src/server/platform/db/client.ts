import { DrizzleQueryError, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import { drizzle } from 'drizzle-orm/d1'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

export function connectDatabase(binding: D1Database) {
  return drizzle(binding)
}

export type Database = ReturnType<typeof connectDatabase>

const TIMEOUT_MS = 1500
/** How many timeouts a statement waits while others complete, because the database is then busy rather than down. */
const MAX_STATEMENT_TIMEOUTS = 6

/**
 * A statement rejects with {@link UnavailableError} if no statement completes within `timeoutMs`, or after
 * `MAX_STATEMENT_TIMEOUTS` timeouts. The rejected statement may still run.
 */
export function withDatabaseTimeout(binding: D1Database, timeoutMs = TIMEOUT_MS): D1Database {
  const originals = new WeakMap<object, D1PreparedStatement>()
  let completedCount = 0

  function withTimeout<Value>(work: Promise<Value>): Promise<Value> {
    const { promise: timeout, reject } = Promise.withResolvers<never>()
    let completedBefore = completedCount
    let timeoutsLeft = MAX_STATEMENT_TIMEOUTS
    const check = () => {
      timeoutsLeft -= 1
      if (completedCount === completedBefore || timeoutsLeft === 0)
        reject(new UnavailableError('The database isn’t responding.'))
      completedBefore = completedCount
      timer = setTimeout(check, timeoutMs)
    }
    let timer = setTimeout(check, timeoutMs)
    const counted = work.finally(() => {
      completedCount += 1
    })
    return Promise.race([counted, timeout]).finally(() => clearTimeout(timer))
  }

  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const proxy = new Proxy(statement, {
      get(target, name) {
        if (name === 'bind') return (...values: unknown[]) => wrap(target.bind(...values))
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        return (...args: unknown[]) => withTimeout(Reflect.apply(method, target, args))
      },
    })
    originals.set(proxy, statement)
    return proxy
  }

  return new Proxy(binding, {
    get(target, name) {
      if (name === 'prepare') return (query: string) => wrap(target.prepare(query))
      if (name === 'batch') {
        return (statements: D1PreparedStatement[]) =>
          withTimeout(target.batch(statements.map((statement) => originals.get(statement) ?? statement)))
      }
      return Reflect.get(target, name)
    },
  })
}

export function insertRowWhere(table: SQLiteTable, row: Record<string, unknown>, from: SQL): SQL {
  const values = Object.entries(getTableColumns(table)).map(
    ([name, column]) => sql`${row[name] ?? column.default ?? null}`,
  )
  return sql`select ${sql.join(values, sql`, `)} ${from}`
}

export type Statements = readonly [BatchItem<'sqlite'>, ...BatchItem<'sqlite'>[]]

export async function changeThenRead<Reads extends readonly BatchItem<'sqlite'>[]>(
  db: Database,
  statements: Statements,
  reads: readonly [...Reads],
): Promise<Readonly<BatchResponse<[...Reads]>>> {
  const results: readonly unknown[] = await db.batch([...statements, ...reads])
  // Drizzle can't type a batch that starts with an unknown number of statements.
  return results.slice(-reads.length) as unknown as BatchResponse<[...Reads]>
}

/**
 * Thrown if the database, the catalogue or another service doesn't respond. A statement already sent may still
 * run, so only idempotent requests can be retried safely.
 */
export class UnavailableError extends Error {
  override name = 'UnavailableError'
}

export function isOutage(error: unknown): boolean {
  if (error instanceof UnavailableError) return true
  const message = getDatabaseMessage(error)
  const isDatabaseError = error instanceof DrizzleQueryError || message.startsWith('D1_')
  return isDatabaseError && !/constraint failed|guard violated/.test(message)
}

export function getDatabaseMessage(error: unknown): string {
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  return cause instanceof Error ? cause.message : ''
}
