import * as z from 'zod/mini'
import {
  type Answer,
  ask,
  type CheckResult,
  type Declined,
  type PaymentProvider,
} from '#server/payments/providers/provider.ts'
import { shop } from '#shared/shop.ts'

export type PaystackSettings = {
  /** https://api.paystack.co, without a slash at the end. */
  base: string
  secretKey: string
}

const CALL_TIMEOUT_MS = 20_000
const CHANNELS = ['card']

const initializedSchema = z.object({
  status: z.literal(true),
  data: z.object({ authorization_url: z.url({ protocol: /^https?$/ }), reference: z.string() }),
})
const verifiedSchema = z.object({
  status: z.literal(true),
  data: z.object({
    id: z.union([z.int(), z.string()]),
    status: z.string(),
    reference: z.string(),
    amount: z.int(),
    currency: z.string(),
  }),
})
const refundSchema = z.object({ status: z.literal(true), data: z.object({ status: z.string() }) })
const refusalSchema = z.object({
  status: z.literal(false),
  message: z.optional(z.string()),
  code: z.optional(z.string()),
})

const DECLINED: Declined = {
  outcome: 'declined',
  problem: 'declined',
  message: 'The card payment did not go through. Nothing was charged. Please try again, or pay another way.',
}
const GIVEN_BACK: Declined = {
  outcome: 'declined',
  problem: 'declined',
  message: 'This card payment was given back. Please pay again, or pay another way.',
}
const BUSY: Declined = {
  outcome: 'declined',
  problem: 'provider_busy',
  message: 'Card payments cannot be taken just now. Nothing was charged. Please try again in a minute.',
}

const REFUNDED = 'transaction_reversed'
const UNKNOWN_REFERENCE = 'transaction_not_found'

/** Payments on Paystack's own page. The shop names each attempt, so that it can be asked about without any answer. */
export function paystackProvider({ base, secretKey }: PaystackSettings): PaymentProvider {
  const headers = { Authorization: `Bearer ${secretKey}` }
  const currency = shop.currencyIso

  return {
    name: 'paystack',
    isRepeatable: false,

    async begin({ id, email, amountCents }, { returnUrl }) {
      const json = {
        email,
        amount: amountCents,
        currency,
        reference: id,
        callback_url: returnUrl,
        channels: CHANNELS,
      }
      const answer = await ask({
        ...{ url: `${base}/transaction/initialize`, headers, json, timeoutMs: CALL_TIMEOUT_MS },
      })
      const initialized = initializedSchema.safeParse(bodyOf(answer))
      if (initialized.success && initialized.data.data.reference === id)
        return { outcome: 'pending', reference: id, redirectTo: initialized.data.data.authorization_url }
      // Nobody can pay at an address that nobody has been told: nothing was charged.
      return { ...BUSY, error: errorOf(answer) }
    },

    async check({ id, amountCents }): Promise<CheckResult> {
      const url = `${base}/transaction/verify/${encodeURIComponent(id)}`
      const answer = await ask({ url, method: 'GET', headers, timeoutMs: CALL_TIMEOUT_MS })
      const refusal = refusalSchema.safeParse(bodyOf(answer))
      if (refusal.success && refusal.data.code === UNKNOWN_REFERENCE) return BUSY
      const verified = verifiedSchema.safeParse(bodyOf(answer))
      if (!verified.success) return { outcome: 'unknown', error: errorOf(answer) }
      const { status, reference, amount, id: receipt, currency: paidIn } = verified.data.data
      switch (status) {
        case 'success':
          if (reference === id && amount === amountCents && paidIn === currency)
            return { outcome: 'settled', reference, receipt: String(receipt) }
          return {
            outcome: 'unknown',
            error: `Paystack reports ${paidIn} ${amount} for ${reference}, not ${currency} ${amountCents}.`,
          }
        case 'failed':
          return DECLINED
        case 'reversed':
          return GIVEN_BACK
        default:
          // `abandoned` too: its page stays open, and can still be paid.
          return { outcome: 'pending' }
      }
    },

    async refund({ id, amountCents }) {
      const json = { transaction: id, amount: amountCents }
      const answer = await ask({ url: `${base}/refund`, headers, json, timeoutMs: CALL_TIMEOUT_MS })
      const refund = refundSchema.safeParse(bodyOf(answer))
      if (refund.success) {
        const { status } = refund.data.data
        if (status === 'processed') return { outcome: 'done' }
        if (status === 'failed' || status === 'needs-attention')
          return { outcome: 'by_hand', error: `Paystack says: ${status}` }
        return { outcome: 'requested' }
      }
      const refusal = refusalSchema.safeParse(bodyOf(answer))
      if (refusal.success && refusal.data.code === REFUNDED) return { outcome: 'done' }
      return { outcome: 'failed', error: errorOf(answer) }
    },
  }
}

const bodyOf = (answer: Answer) => ('failure' in answer ? undefined : answer.body)
const errorOf = (answer: Answer) =>
  'failure' in answer ? answer.failure : `${answer.status} ${JSON.stringify(answer.body)}`

const eventSchema = z.object({
  event: z.string(),
  data: z.object({
    reference: z.optional(z.string()),
    transaction_reference: z.optional(z.string()),
  }),
})

/** What a webhook is about: the attempt, and whether its refund has ended. */
export type PaystackEvent = {
  event: 'charge' | 'refund_done' | 'refund_failed'
  reference: string
}

const EVENTS: Record<string, PaystackEvent['event']> = {
  'charge.success': 'charge',
  'refund.processed': 'refund_done',
  'refund.failed': 'refund_failed',
  'refund.needs-attention': 'refund_failed',
}

/** Whether `signature` (hex) is the HMAC-SHA512 of the raw body under the secret key; compared in constant time. */
export async function isPaystackSignature(
  signature: string,
  rawBody: string,
  secretKey: string,
): Promise<boolean> {
  if (!/^[0-9a-f]{128}$/i.test(signature)) return false
  const bytes = Uint8Array.from(signature.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-512' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secretKey), algorithm, false, ['verify'])
  return crypto.subtle.verify('HMAC', key, bytes, encoder.encode(rawBody))
}

/** The event in a webhook's body; undefined when it is none that matters here. */
export function parsePaystackEvent(body: unknown): PaystackEvent | undefined {
  const parsed = eventSchema.safeParse(body)
  if (!parsed.success) return undefined
  const { event, data } = parsed.data
  const reference = data.transaction_reference ?? data.reference
  const kind = EVENTS[event]
  return kind && reference ? { event: kind, reference } : undefined
}
