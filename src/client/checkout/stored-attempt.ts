import { atom } from 'jotai'
import * as z from 'zod/mini'
import { createStoredAtom } from '#client/app/stored-atom.ts'
import { IDEMPOTENCY_KEY_PATTERN } from '#shared/orders/contract.ts'

const checkoutAttemptSchema = z.object({
  key: z.string().check(z.regex(IDEMPOTENCY_KEY_PATTERN)),
  /**
   * Set from when the order is sent until there is a clear response. While it is set, the attempt may have become
   * an order.
   */
  sentAtMs: z.optional(z.number()),
  content: z.optional(z.string()),
  number: z.optional(z.string()),
})
type CheckoutAttempt = z.infer<typeof checkoutAttemptSchema>

/**
 * The checkout attempt. Its key prevents duplicate orders and lasts until its order is placed, expires or is
 * cancelled, across reloads, tabs and cart changes (docs/decisions/003).
 */
export const checkoutAttemptAtom = createStoredAtom<CheckoutAttempt | null>({
  key: 'order',
  empty: null,
  parse: (text) => checkoutAttemptSchema.parse(JSON.parse(text)),
})

export const updateCheckoutAttemptAtom = atom(null, (_get, set, checkoutAttempt: CheckoutAttempt) => {
  set(checkoutAttemptAtom, (now) => (now?.key === checkoutAttempt.key ? checkoutAttempt : now))
})

/**
 * Creates a random key without `crypto.randomUUID`, which requires a secure context. The shop may run on plain
 * HTTP.
 */
export function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
