import * as z from 'zod/mini'
import type { WebhookEvent, WebhookRequest } from '#server/payments/providers/provider.ts'

const eventSchema = z.object({
  event: z.string(),
  data: z.object({
    reference: z.optional(z.string()),
    transaction_reference: z.optional(z.string()),
  }),
})

const REFUND_EVENTS = ['refund.processed', 'refund.failed', 'refund.needs-attention']

/** Unrelated events are `ignored`, because Paystack would resend rejected ones. */
export async function parsePaystackEvent(
  { rawBody, body, header }: WebhookRequest,
  secretKey: string,
): Promise<WebhookEvent> {
  if (!(await hasValidSignature(rawBody, header('x-paystack-signature'), secretKey)))
    return { kind: 'invalid' }
  const { data: parsed } = eventSchema.safeParse(body)
  // A transaction's reference is the attempt's id.
  const attemptId = parsed?.data.transaction_reference ?? parsed?.data.reference
  if (!parsed || !attemptId) return { kind: 'ignored' }
  if (parsed.event === 'charge.success') return { kind: 'payment', attemptId, reference: null, paid: null }
  return REFUND_EVENTS.includes(parsed.event) ? { kind: 'refund_changed', attemptId } : { kind: 'ignored' }
}

async function hasValidSignature(rawBody: string, signature: string, secretKey: string): Promise<boolean> {
  if (!/^[0-9a-f]{128}$/i.test(signature)) return false
  const bytes = Uint8Array.from(signature.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-512' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secretKey), algorithm, false, ['verify'])
  return crypto.subtle.verify('HMAC', key, bytes, encoder.encode(rawBody))
}
