import { eq, type SQL } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import type { PaymentRow } from '#server/payments/attempts.ts'
import { type MpesaCallback, parseMpesaCallback } from '#server/payments/providers/mpesa/mpesa.ts'
import { isPaystackSignature, parsePaystackEvent } from '#server/payments/providers/paystack/paystack.ts'
import type { CheckResult, RefundResult } from '#server/payments/providers/provider.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { kshOf } from '#shared/format.ts'
import { applyPaymentResult } from './apply-payment-result.ts'
import { queryProvider } from './check-payment.ts'
import { type OrderRecord, orderRecordOf, readOrderRecord } from './order-record.ts'
import { recordRefund } from './refund.ts'

type Received = Result<undefined, ServiceError<'bad_request' | 'not_found'>>

const received: Received = { ok: true, data: undefined }
const TOKEN = /^[0-9a-f]{64}$/

/**
 * Takes what Daraja reports to an attempt's own address. A claim only: M-Pesa is asked before anything is believed, so
 * that it may come twice, early, late or forged. `not_found` for an address that no attempt has. Rejects when the
 * database fails.
 */
export async function receiveMpesaCallback(
  { token, body, origin }: { token: string; body: unknown; origin: string },
  ctx: ServiceContext,
): Promise<Received> {
  if (!TOKEN.test(token)) return { ok: false, error: { code: 'not_found' } }
  const found = await findAttempt(eq(payments.callbackHash, await sha256Hex(token)), ctx)
  if (found?.payment.provider !== 'mpesa') return { ok: false, error: { code: 'not_found' } }
  const callback = parseMpesaCallback(body)
  if (!callback) return { ok: false, error: { code: 'bad_request' } }
  if (callback.about === 'reversal') await recordRefund({ ...found, result: refundResult(callback) }, ctx)
  else await handleStkCallback({ ...found, callback, origin }, ctx)
  return received
}

type Found = { record: OrderRecord; payment: PaymentRow }

async function handleStkCallback(
  {
    record,
    payment,
    callback,
    origin,
  }: Found & { callback: Extract<MpesaCallback, { about: 'prompt' }>; origin: string },
  ctx: ServiceContext,
): Promise<void> {
  const { reference } = callback
  if (payment.reference !== null && payment.reference !== reference) return
  // An attempt whose acknowledgement was lost gets its name from here.
  const named = { ...payment, reference }
  const result: CheckResult =
    payment.state === 'settled'
      ? { outcome: 'settled', reference, receipt: null }
      : await queryProvider({ record, payment: named }, ctx)
  if (result.outcome === 'settled') {
    // The query tells no receipt.
    const isWhole = callback.isPaid && callback.amountKsh === kshOf(payment.amountCents)
    result.receipt = isWhole ? callback.receipt : null
  }
  await applyPaymentResult({ record, payment: named, result, origin }, ctx)
}

function refundResult(callback: Extract<MpesaCallback, { about: 'reversal' }>): RefundResult {
  switch (callback.outcome) {
    case 'done':
      return { outcome: 'done' }
    case 'unknown_payment':
      return { outcome: 'by_hand', error: callback.error }
    case 'failed':
      return { outcome: 'failed', error: callback.error }
  }
}

/**
 * Takes one of Paystack's events. A payment is verified with Paystack before it is believed; refunds are told by the
 * signature alone. `bad_request` for a wrong signature, `not_found` where Paystack is not configured.
 */
export async function receivePaystackEvent(
  { signature, rawBody, origin }: { signature: string; rawBody: string; origin: string },
  ctx: ServiceContext,
): Promise<Received> {
  const { PAYSTACK_SECRET_KEY } = ctx.config
  if (!PAYSTACK_SECRET_KEY) return { ok: false, error: { code: 'not_found' } }
  if (!(await isPaystackSignature(signature, rawBody, PAYSTACK_SECRET_KEY)))
    return { ok: false, error: { code: 'bad_request' } }
  const event = parsePaystackEvent(jsonOf(rawBody))
  const found = event && (await findAttempt(eq(payments.id, event.reference), ctx))
  // Events that are not about the shop's own payments are taken and forgotten: Paystack would send them again.
  if (!event || found?.payment.provider !== 'paystack') return received
  if (event.event === 'charge') {
    if (found.payment.state === 'settled') return received
    const result = await queryProvider(found, ctx)
    await applyPaymentResult({ ...found, result, origin }, ctx)
    return received
  }
  const result: RefundResult =
    event.event === 'refund_done'
      ? { outcome: 'done' }
      : { outcome: 'by_hand', error: 'Paystack could not give the money back.' }
  await recordRefund({ ...found, result }, ctx)
  return received
}

async function findAttempt(wherePayment: SQL, { db }: DataContext): Promise<Found | undefined> {
  const orderId = db.select({ id: payments.orderId }).from(payments).where(wherePayment)
  const [[match], ...rows] = await db.batch([
    db.select({ id: payments.id }).from(payments).where(wherePayment),
    ...readOrderRecord(db, eq(orders.id, orderId)),
  ])
  const record = orderRecordOf(rows)
  const payment = record?.payments.find(({ id }) => id === match?.id)
  return record && payment && { record, payment }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
