import { drizzle } from 'drizzle-orm/d1'
import { Unavailable } from './errors.ts'
import * as schema from './schema.ts'

/** Drizzle over a D1 binding, typed by the schema. */
export function openDatabase(binding: D1Database) {
  return drizzle(binding, { schema })
}

export type Database = ReturnType<typeof openDatabase>

const TIMEOUT_MS = 1500
/** How many timeouts a statement may wait while others are answered: the database is then busy, not down. */
const MAX_TIMEOUTS = 6

/**
 * The same database with a timeout: a statement rejects with {@link Unavailable} when no statement of anybody was
 * answered within `timeoutMs`. Like after a lost connection, a statement that was sent may still be executed.
 */
export function withDatabaseTimeout(binding: D1Database, timeoutMs = TIMEOUT_MS): D1Database {
  const originals = new WeakMap<object, D1PreparedStatement>()
  let answered = 0

  function withTimeout<Answer>(work: Promise<Answer>): Promise<Answer> {
    const { promise: timeout, reject } = Promise.withResolvers<never>()
    let answeredBefore = answered
    let timeoutsLeft = MAX_TIMEOUTS
    const check = () => {
      timeoutsLeft -= 1
      if (answered === answeredBefore || timeoutsLeft === 0)
        reject(new Unavailable('The database does not answer.'))
      answeredBefore = answered
      timer = setTimeout(check, timeoutMs)
    }
    let timer = setTimeout(check, timeoutMs)
    const answer = work.finally(() => {
      answered += 1
    })
    return Promise.race([answer, timeout]).finally(() => clearTimeout(timer))
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
