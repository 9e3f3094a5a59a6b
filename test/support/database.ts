import { env } from 'cloudflare:workers'
import { type Database, openDatabase } from '#server/db/client.ts'

const { DB } = env as unknown as { DB: D1Database }

/** Makes a round trip, or does what the test wants before, after or instead. `statement` is `batch` for several at once. */
type OnTrip = (go: () => Promise<unknown>, statement: string) => Promise<unknown>

/** A database that cannot be reached. */
export const downDatabase = (): Database =>
  spiedDatabase(() => Promise.reject(new Error('D1_ERROR: Network connection lost.')))

/** The real database, each of whose round trips goes through `onTrip`. */
export function spiedDatabase(onTrip: OnTrip): Database {
  const originals = new WeakMap<object, D1PreparedStatement>()
  const spied = (statement: D1PreparedStatement, text: string): D1PreparedStatement => {
    const spy = new Proxy(statement, {
      get(target, name) {
        if (name === 'bind') return (...values: unknown[]) => spied(target.bind(...values), text)
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        return (...args: unknown[]) => onTrip(() => Reflect.apply(method, target, args), text)
      },
    })
    originals.set(spy, statement)
    return spy
  }
  const binding = new Proxy(DB, {
    get(target, name) {
      if (name === 'prepare') return (text: string) => spied(target.prepare(text), text)
      if (name === 'batch') {
        return (statements: D1PreparedStatement[]) =>
          onTrip(
            () => target.batch(statements.map((statement) => originals.get(statement) ?? statement)),
            'batch',
          )
      }
      return Reflect.get(target, name)
    },
  })
  return openDatabase(binding)
}

/** The real database, with the round trips to it counted; mails are delivered in the background and do not count. */
export function countedDatabase() {
  const count = { roundTrips: 0 }
  const db = spiedDatabase((go, statement) => {
    if (!/"outbox" set|from "outbox"/.test(statement)) count.roundTrips += 1
    return go()
  })
  return { db, count }
}
