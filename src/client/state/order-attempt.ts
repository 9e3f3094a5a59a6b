import * as z from 'zod/mini'
import { IDEMPOTENCY_KEY, listOrders, type Order } from '#shared/contract/orders.ts'
import { callApi } from '../api.ts'
import { storedValue } from './stored-value.ts'

/** Browser storage key of the order being made: its idempotency key, kept beside the cart. */
const ATTEMPT_KEY = 'order'

/** `sentAtMs`: when it was last sent without a clear answer; such an attempt may have become an order. */
const attemptSchema = z.object({
  key: z.string().check(z.regex(IDEMPOTENCY_KEY)),
  sentAtMs: z.optional(z.number()),
})
type Attempt = z.infer<typeof attemptSchema>

/*
 * One key lives from the first opening of checkout until the server confirms an order under it, through reloads, other
 * tabs and changes of the cart alike, so that there is never more than one order. docs/decisions/003 has the reasoning.
 */
const stored = storedValue(ATTEMPT_KEY, attemptSchema)

/** The attempt under way, begun now where there is none. */
export function currentAttempt(): Attempt {
  const attempt = stored.read()
  if (attempt) return attempt
  stored.write({ key: newKey() })
  return stored.read() ?? { key: newKey() }
}

/** The attempt that was sent without a clear answer; undefined when there is none. */
export function unclearAttempt(): { key: string; sentAtMs: number } | undefined {
  const { key, sentAtMs } = stored.read() ?? {}
  return key !== undefined && sentAtMs !== undefined ? { key, sentAtMs } : undefined
}

/** Notes whether an attempt is unclear, unless it has been settled meanwhile. */
export function markAttempt(attempt: Attempt): void {
  if (stored.read()?.key === attempt.key) stored.write(attempt)
}

/** Whether the attempt under this key is still open; false once some tab has settled it. */
export function isCurrent(key: string): boolean {
  return stored.read()?.key === key
}

/** Forgets the key: its order is confirmed. */
export function endAttempt(): void {
  stored.write(undefined)
}

/** What became of the order under a key: the order, null when there is none yet, undefined when nobody could say. */
export async function orderUnder(key: string): Promise<Order | null | undefined> {
  const result = await callApi(listOrders)
  return result.ok ? (result.data.orders.find((order) => order.key === key) ?? null) : undefined
}

/** `crypto.randomUUID` exists in secure contexts only; a shop tried out over plain http needs keys too. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
