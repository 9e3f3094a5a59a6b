import { DrizzleQueryError } from 'drizzle-orm'

/** The records or the catalogue are out of reach: nothing was done, and the same request may be sent again. */
export class Unavailable extends Error {
  override name = 'Unavailable'
}

/**
 * What a failed statement says broke a rule of the schema, in D1's words: `orders.user_id, orders.idempotency_key`
 * or a CHECK's name. Undefined for every other failure.
 */
export function brokenConstraint(error: unknown): string | undefined {
  return /(?:UNIQUE|CHECK|FOREIGN KEY) constraint failed(?:: (.+?))?(?:: SQLITE_|$)/.exec(
    databaseMessage(error),
  )?.[1]
}

/** Whether an error is an outage, worth another try later: of D1, unless a rule of the schema was broken, or {@link Unavailable}. */
export function isOutage(error: unknown): boolean {
  if (error instanceof Unavailable) return true
  const isOfDatabase = error instanceof DrizzleQueryError || databaseMessage(error).startsWith('D1_')
  return isOfDatabase && brokenConstraint(error) === undefined
}

function databaseMessage(error: unknown): string {
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  return cause instanceof Error ? cause.message : ''
}
