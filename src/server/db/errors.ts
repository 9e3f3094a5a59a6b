import { DrizzleQueryError } from 'drizzle-orm'

/** Database, catalogue or provider cannot be reached: nothing was done, and the same request may be sent again. */
export class Unavailable extends Error {
  override name = 'Unavailable'
}

/**
 * The constraint that a failed statement violates, as D1 names it: `orders.user_id, orders.idempotency_key`, or a
 * CHECK's name. Undefined for every other failure.
 */
export function brokenConstraint(error: unknown): string | undefined {
  return /(?:UNIQUE|CHECK|NOT NULL|FOREIGN KEY) constraint failed(?:: (.+?))?(?:: SQLITE_|$)/.exec(
    databaseMessage(error),
  )?.[1]
}

/** Whether an error is temporary: {@link Unavailable}, or any failure of D1 but a violated constraint. */
export function isOutage(error: unknown): boolean {
  if (error instanceof Unavailable) return true
  const isOfDatabase = error instanceof DrizzleQueryError || databaseMessage(error).startsWith('D1_')
  return isOfDatabase && brokenConstraint(error) === undefined
}

function databaseMessage(error: unknown): string {
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  return cause instanceof Error ? cause.message : ''
}
