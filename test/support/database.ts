import { env } from 'cloudflare:workers'
import { connectDatabase, type Database } from '#server/platform/db/client.ts'

const { DB } = env as unknown as { DB: D1Database }

type SentStatement = {
  statement: D1PreparedStatement
  text: string
  values: readonly unknown[]
  method: string
}

/** `statement` is `batch` for a batch, and `sent` lists its statements. */
type OnRoundTrip = (
  run: () => Promise<unknown>,
  statement: string,
  sent: readonly SentStatement[],
) => Promise<unknown>

export const createUnreachableDatabase = (): Database =>
  createSpyDatabase(() => Promise.reject(new Error('D1_ERROR: Network connection lost.')))

export function createSpyDatabase(onRoundTrip: OnRoundTrip): Database {
  const originals = new WeakMap<object, Omit<SentStatement, 'method'>>()
  const wrapStatement = (
    statement: D1PreparedStatement,
    text: string,
    values: unknown[],
  ): D1PreparedStatement => {
    const proxy = new Proxy(statement, {
      get(target, name) {
        if (name === 'bind')
          return (...values: unknown[]) => wrapStatement(target.bind(...values), text, values)
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        const sent = { statement, text, values, method: String(name) }
        return (...args: unknown[]) => onRoundTrip(() => Reflect.apply(method, target, args), text, [sent])
      },
    })
    originals.set(proxy, { statement, text, values })
    return proxy
  }
  const binding = new Proxy(DB, {
    get(target, name) {
      if (name === 'prepare') return (text: string) => wrapStatement(target.prepare(text), text, [])
      if (name === 'batch') {
        return (statements: D1PreparedStatement[]) => {
          const sent = statements.flatMap((statement) => originals.get(statement) ?? [])
          return onRoundTrip(
            () => target.batch(sent.map(({ statement }) => statement)),
            'batch',
            sent.map((one) => ({ ...one, method: 'batch' })),
          )
        }
      }
      return Reflect.get(target, name)
    },
  })
  return connectDatabase(binding)
}

/** Emails are delivered after the response. */
export const isEmailDelivery = (statement: string, sent: readonly SentStatement[]): boolean =>
  statement.includes('from "outbox"') || sent.some(({ text }) => text.startsWith('update "outbox" set'))

/** Round trips that deliver emails don't count. */
export function createCountingDatabase() {
  const count = { roundTrips: 0 }
  const db = createSpyDatabase((run, statement, sent) => {
    if (!isEmailDelivery(statement, sent)) count.roundTrips += 1
    return run()
  })
  return { db, count }
}

type StatementProfile = {
  text: string
  rowsRead: number
  rowsWritten: number
  sqlMs: number
  plan: string[]
}

export function createProfilingDatabase() {
  const roundTrips: StatementProfile[][] = []
  const db = createSpyDatabase(async (run, _, sent) => {
    const [first] = sent
    // D1 doesn't report costs for `raw()`.
    const isRaw = first?.method === 'raw'
    const result = isRaw ? await first.statement.all<Record<string, unknown>>() : await run()
    const results = [result].flat() as Partial<D1Result<Record<string, unknown>>>[]
    const statements = sent.map(async ({ text, values }, index) => {
      const { rows_read = Number.NaN, rows_written = Number.NaN, duration = 0 } = results[index]?.meta ?? {}
      const explain = DB.prepare(`EXPLAIN QUERY PLAN ${text}`).bind(...values)
      const steps = (await explain.all<{ detail: string }>()).results
      const plan = steps.map(({ detail }) => detail)
      return { text, rowsRead: rows_read, rowsWritten: rows_written, sqlMs: duration, plan }
    })
    roundTrips.push(await Promise.all(statements))
    return isRaw ? results[0]?.results?.map(Object.values) : result
  })
  return { db, roundTrips }
}
