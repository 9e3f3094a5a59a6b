import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import type { PaymentRow } from '#server/payments/payment-attempts.ts'
import type {
  PaymentProvider,
  PaymentQueryResult,
  ProviderWebhook,
  WebhookEvent,
  WebhookRequest,
} from '#server/payments/providers/provider.ts'
import type { RefundRow } from '#server/payments/refunds.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { orders, payments, refunds } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { centsToKsh } from '#shared/format.ts'
import { applyPaymentResult } from './apply-payment-result.ts'
import { type OrderRecord, selectOrderRecord, toOrderRecord } from './order-record.ts'
import { queryRefunds, recordRefundResult } from './process-refunds.ts'
import { queryProvider } from './query-payment.ts'

type WebhookResult = Result<ProviderWebhook['acknowledgement'], ServiceError<'bad_request' | 'not_found'>>
type WebhookInput = { request: WebhookRequest; origin: string }

const NOT_FOUND = { ok: false, error: { code: 'not_found' } } as const
const INVALID_EVENT = { ok: false, error: { code: 'bad_request' } } as const
const CALLBACK_TOKEN_PATTERN = /^[0-9a-f]{64}$/

/** A payment settles only after a query, because callbacks can be forged, repeated or late. */
export async function handleCallback(
  { token, request, origin }: WebhookInput & { token: string },
  ctx: ServiceContext,
): Promise<WebhookResult> {
  if (!CALLBACK_TOKEN_PATTERN.test(token)) return NOT_FOUND
  const hash = await sha256Hex(token)
  const refundedPayments = ctx.db
    .select({ id: refunds.paymentId })
    .from(refunds)
    .where(eq(refunds.callbackHash, hash))
  const byAttempt = sql`${eq(payments.callbackHash, hash)} or ${inArray(payments.id, refundedPayments)}`
  const found = await findAttempt(byAttempt, ctx)
  const provider = ctx.payments.providers.find(({ name }) => name === found?.payment.provider)
  if (!found || provider?.webhook?.url !== 'attempt') return NOT_FOUND
  const event = await provider.parseWebhook(request)
  if (event.kind === 'invalid') return INVALID_EVENT
  if (event.kind === 'payment' && found.payment.callbackHash === hash)
    await handlePayment({ ...found, event, origin }, ctx)
  if (event.kind === 'refund') {
    const own = found.record.refunds.find(({ callbackHash }) => callbackHash === hash)
    await handleRefund({ ...found, event, refund: own ?? findOldestOpenRefund(found, event) }, ctx)
  }
  return { ok: true, data: provider.webhook.acknowledgement }
}

export async function handleWebhookEvent(
  { provider, request, origin }: WebhookInput & { provider: PaymentProvider },
  ctx: ServiceContext,
): Promise<WebhookResult> {
  const event = await provider.parseWebhook(request)
  if (event.kind === 'invalid') return INVALID_EVENT
  const acknowledged: WebhookResult = { ok: true, data: provider.webhook?.acknowledgement ?? {} }
  if (event.kind !== 'ignored' && event.attemptId !== null) {
    const found = await findAttempt(eq(payments.id, event.attemptId), ctx)
    if (found?.payment.provider !== provider.name) return acknowledged
    if (event.kind === 'payment') await handlePayment({ ...found, event, origin }, ctx)
    if (event.kind === 'refund_changed')
      await queryRefunds({ ...found.record, payment: found.payment }, provider, ctx)
  }
  return acknowledged
}

type FoundAttempt = { record: OrderRecord; payment: PaymentRow }
type PaymentEvent = Extract<WebhookEvent, { kind: 'payment' }>
type RefundEvent = Extract<WebhookEvent, { kind: 'refund' }>

/**
 * Identifies a refund by payment and amount, for refunds that were requested before refunds had their own callback
 * URLs.
 */
function findOldestOpenRefund(
  { record: { refunds }, payment: { id } }: FoundAttempt,
  { amountCents }: RefundEvent,
): RefundRow | undefined {
  const openRefunds = refunds.filter(({ paymentId, state }) => paymentId === id && state !== 'done')
  return openRefunds.find((refund) => amountCents === null || refund.amountCents === amountCents)
}

async function handleRefund(
  { record, payment, event, refund }: FoundAttempt & { event: RefundEvent; refund: RefundRow | undefined },
  ctx: ServiceContext,
): Promise<void> {
  const isOther = refund && event.amountCents !== null && event.amountCents !== refund.amountCents
  if (!refund || isOther) return
  await recordRefundResult({ refund, payment, row: record.row, result: event.result }, ctx)
}

async function handlePayment(
  { record, payment, event, origin }: FoundAttempt & { event: PaymentEvent; origin: string },
  ctx: ServiceContext,
): Promise<void> {
  const reference = event.reference ?? payment.reference
  if (payment.reference !== null && payment.reference !== reference) return
  // If the provider's response to the request was lost, only the callback contains the reference.
  const referenced = { ...payment, reference }
  const isFullAmount = event.paid?.amountKsh === centsToKsh(payment.amountCents)
  const receipt = isFullAmount ? (event.paid?.receipt ?? null) : null
  if (payment.state === 'settled' && receipt === null) return
  const result: PaymentQueryResult =
    payment.state === 'settled'
      ? { outcome: 'settled', reference: reference ?? payment.id, receipt }
      : await queryProvider({ record, payment: referenced }, ctx)
  // Some providers send the receipt only by webhook.
  if (result.outcome === 'settled') result.receipt ??= receipt
  await applyPaymentResult({ record, payment: referenced, result, origin }, ctx)
}

async function findAttempt(byAttempt: SQL, { db }: DataContext): Promise<FoundAttempt | undefined> {
  const orderId = db.select({ id: payments.orderId }).from(payments).where(byAttempt)
  const [[match], ...rows] = await db.batch([
    db.select({ id: payments.id }).from(payments).where(byAttempt),
    ...selectOrderRecord(db, eq(orders.id, orderId)),
  ])
  const record = toOrderRecord(rows)
  const payment = record?.payments.find(({ id }) => id === match?.id)
  return record && payment && { record, payment }
}
