import { atom } from 'jotai'
import * as z from 'zod/mini'
import { createStoredAtom } from '#client/app/stored-atom.ts'
import { IDEMPOTENCY_KEY_PATTERN } from '#shared/orders/contract.ts'

const checkoutAttemptSchema = z.object({
  key: z.string().check(z.regex(IDEMPOTENCY_KEY_PATTERN)),
  /** Set while there is no clear response: the attempt may then have become an order. */
  sentAtMs: z.optional(z.number()),
  content: z.optional(z.string()),
  number: z.optional(z.string()),
})
export type CheckoutAttempt = z.infer<typeof checkoutAttemptSchema>

/** Its key prevents duplicate orders across reloads, tabs and cart changes (docs/decisions/003). */
export const checkoutAttemptAtom = createStoredAtom<CheckoutAttempt | null>({
  key: 'order',
  empty: null,
  parse: (text) => checkoutAttemptSchema.parse(JSON.parse(text)),
})

export const updateCheckoutAttemptAtom = atom(null, (_get, set, checkoutAttempt: CheckoutAttempt) => {
  set(checkoutAttemptAtom, (now) => (now?.key === checkoutAttempt.key ? checkoutAttempt : now))
})

/** Doesn't use `crypto.randomUUID`, which requires a secure context: the shop may run on plain HTTP. */
export function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
