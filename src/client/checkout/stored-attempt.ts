import { atom } from 'jotai'
import * as z from 'zod/mini'
import { storedAtom } from '#client/app/stored-atom.ts'
import { IDEMPOTENCY_KEY } from '#shared/orders/contract.ts'

const attemptSchema = z.object({
  key: z.string().check(z.regex(IDEMPOTENCY_KEY)),
  /** When it was last sent without a clear response; such an attempt may have become an order. */
  sentAtMs: z.optional(z.number()),
  /** What was sent, in words; as long as the outcome is not known. */
  content: z.optional(z.string()),
  /** The order that it has become and that is not paid yet. */
  number: z.optional(z.string()),
})
type Attempt = z.infer<typeof attemptSchema>

/*
 * One key lives from the first opening of checkout until the server confirms that an order under it is paid, or has
 * come to nothing, through reloads, other tabs and changes of the cart alike, so that there is never more than one
 * order. docs/decisions/003 has the reasoning.
 */
export const attemptAtom = storedAtom<Attempt | null>({
  key: 'order',
  empty: null,
  parse: (text) => attemptSchema.parse(JSON.parse(text)),
})

/** Stores what is known of an attempt, unless it has been settled meanwhile. */
export const markAttemptAtom = atom(null, (_get, set, attempt: Attempt) => {
  set(attemptAtom, (now) => (now?.key === attempt.key ? attempt : now))
})

/** `crypto.randomUUID` exists in secure contexts only; a shop on plain http needs keys too. */
export function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
