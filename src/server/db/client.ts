import { drizzle } from 'drizzle-orm/d1'
import { Unavailable } from './errors.ts'
import * as schema from './schema.ts'

/** Drizzle over a D1 binding, typed by the schema. */
export function openDatabase(binding: D1Database) {
  return drizzle(binding, { schema })
}

export type Database = ReturnType<typeof openDatabase>

/** How long a database that says nothing at all is waited for, in milliseconds. */
const SILENCE_MS = 1500
/** How many such spans one statement is waited for while others are answered: a busy database is not a lost one. */
const SPANS = 6

/**
 * The same database, given up when it falls silent: a statement rejects with {@link Unavailable} when nothing, for
 * anybody, was answered within {@link SILENCE_MS}, so that a call is told so instead of hanging. What was sent may
 * still be carried out, as when a connection breaks.
 */
export function withDatabaseTimeout(binding: D1Database, silenceMs = SILENCE_MS): D1Database {
  const originals = new WeakMap<object, D1PreparedStatement>()
  let answers = 0

  function inTime<Answer>(work: Promise<Answer>): Promise<Answer> {
    const { promise: silence, reject } = Promise.withResolvers<never>()
    let heard = answers
    let spans = SPANS
    const listen = () => {
      spans -= 1
      if (answers === heard || spans === 0) reject(new Unavailable('The database does not answer.'))
      heard = answers
      timer = setTimeout(listen, silenceMs)
    }
    let timer = setTimeout(listen, silenceMs)
    const answer = work.finally(() => {
      answers += 1
    })
    return Promise.race([answer, silence]).finally(() => clearTimeout(timer))
  }

  const timed = (statement: D1PreparedStatement): D1PreparedStatement => {
    const proxy = new Proxy(statement, {
      get(target, name) {
        if (name === 'bind') return (...values: unknown[]) => timed(target.bind(...values))
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        return (...args: unknown[]) => inTime(Reflect.apply(method, target, args))
      },
    })
    originals.set(proxy, statement)
    return proxy
  }

  return new Proxy(binding, {
    get(target, name) {
      if (name === 'prepare') return (text: string) => timed(target.prepare(text))
      if (name === 'batch') {
        return (statements: D1PreparedStatement[]) =>
          inTime(target.batch(statements.map((statement) => originals.get(statement) ?? statement)))
      }
      return Reflect.get(target, name)
    },
  })
}
