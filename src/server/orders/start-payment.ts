import type { ServiceContext } from '#server/context.ts'
import type { PaymentRow } from '#server/payments/attempts.ts'

import { withTimeout } from '#server/payments/providers/call-provider.ts'
import type { StartResult } from '#server/payments/providers/provider.ts'
import { problemMessage } from '#server/payments/providers/registry.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { Order } from '#shared/orders/contract.ts'
import type { PaymentState } from '#shared/payments/contract.ts'
import { hasFlow } from '#shared/payments/providers.ts'

import { href } from '#shared/routes.ts'
import { applyPaymentResult } from './apply-payment-result.ts'
import { type OrderRecord, toAttempt } from './order-record.ts'
import { orderAndPayment } from './payment-state.ts'

/** The timeout of starting a payment; after it, the response is that it is under way. */
const ANSWER_WITHIN_MS = 1500

/** The answer of a call that starts a payment. `isPaid` is false while the shopper or the provider has something to do. */
export type StartedPayment = { order: Order; payment: PaymentState; isPaid: boolean }
export type PaymentError = ServiceError<'payment_declined' | 'payment_unavailable'>
type StartInput = { record: OrderRecord; payment: PaymentRow; callbackToken: string; origin: string }

/**
 * Asks the provider for the money of a stored attempt, and applies its result. A slow provider is not awaited; its result
 * is applied in the background. Rejects when the database fails.
 */
export async function startPayment(
  { record, payment, callbackToken, origin }: StartInput,
  ctx: ServiceContext,
): Promise<Result<StartedPayment, PaymentError>> {
  const provider = ctx.payments.providers.find(({ name }) => name === payment.provider)
  const addresses = {
    callbackUrl: `${origin}/api/payments/${callbackToken}`,
    returnUrl: new URL(href('checkout', {}, { order: record.row.number }), origin).href,
  }
  const requested: Promise<StartResult> =
    provider?.startPayment(toAttempt(payment, record), addresses) ??
    Promise.resolve({ outcome: 'unknown', error: 'This provider isn’t configured.' })
  const applied = requested
    .catch((error): StartResult => ({ outcome: 'unknown', error: String(error) }))
    .then((result) => applyPaymentResult({ record, payment, result, origin }, ctx))
  if (hasFlow(payment.provider, 'card')) return resultOf(await applied, payment.id, ctx)
  const inTime = await withTimeout(ANSWER_WITHIN_MS, applied)
  if (!inTime) ctx.background(applied)
  return resultOf(inTime ?? record, payment.id, ctx)
}

/**
 * The order, or why it is not being paid. A provider that gave no usable answer is a failure too, although the order may
 * still be paid.
 */
function resultOf(
  record: OrderRecord,
  paymentId: string,
  ctx: ServiceContext,
): Result<StartedPayment, PaymentError> {
  const answer = orderAndPayment(record, ctx)
  const attempt = record.payments.find(({ id }) => id === paymentId)
  const isPaid = answer.payment.status === 'paid'
  if (isPaid || !attempt) return { ok: true, data: { ...answer, isPaid } }
  if (isUnanswered(attempt)) {
    const { message } = answer.payment
    return { ok: false, error: { code: 'payment_unavailable', message, details: answer } }
  }
  if (attempt.state !== 'declined') return { ok: true, data: { ...answer, isPaid } }
  const isBusy = attempt.problem === 'provider_busy'
  const code = isBusy ? 'payment_unavailable' : 'payment_declined'
  const message = attempt.problem ? problemMessage(attempt.provider, attempt.problem) : answer.payment.message
  return { ok: false, error: { code, message, details: answer } }
}

/** Whether nothing can be done before a provider answers. A prompt may be on its way to the phone; a page is not. */
function isUnanswered({ state, provider }: PaymentRow): boolean {
  return state === 'unknown' || (state === 'sending' && hasFlow(provider, 'redirect'))
}
