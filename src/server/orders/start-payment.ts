import type { ServiceContext } from '#server/context.ts'
import type { PaymentRow } from '#server/payments/payment-attempts.ts'
import { withTimeout } from '#server/payments/providers/call-provider.ts'
import type { PaymentStartResult } from '#server/payments/providers/provider.ts'
import { getProblemMessage } from '#server/payments/providers/registry.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { Order } from '#shared/orders/contract.ts'
import type { PaymentState } from '#shared/payments/contract.ts'
import { hasFlow } from '#shared/payments/providers.ts'
import { href } from '#shared/routes.ts'
import { applyPaymentResult } from './apply-payment-result.ts'
import { type OrderRecord, toPaymentAttempt } from './order-record.ts'
import { toOrderAndPayment } from './payment-state.ts'
import { createFreeResult } from './query-payment.ts'

const START_TIMEOUT_MS = 1500

export type StartedPayment = { order: Order; payment: PaymentState; isPaid: boolean }
export type PaymentError = ServiceError<'payment_declined' | 'payment_unavailable'>
type StartPaymentInput = {
  record: OrderRecord
  payment: PaymentRow
  callbackToken: string
  origin: string
  /** The path to which the provider's page returns the shopper. The default depends on the order's status. */
  returnPath?: string | undefined
}

/** If the provider is slow, returns early and applies the result in the background. The `card` flow always waits. */
export async function startPayment(
  { record, payment, callbackToken, origin, returnPath }: StartPaymentInput,
  ctx: ServiceContext,
): Promise<Result<StartedPayment, PaymentError>> {
  const provider = ctx.payments.providers.find(({ name }) => name === payment.provider)
  const urls = {
    callbackUrl: `${origin}/api/payments/${callbackToken}`,
    returnUrl: new URL(returnPath ?? getReturnPath(record.row), origin).href,
  }
  const free = createFreeResult(payment)
  const requested: Promise<PaymentStartResult> = free
    ? Promise.resolve(free)
    : (provider?.startPayment(toPaymentAttempt(payment, record), urls) ??
      Promise.resolve({ outcome: 'unknown', error: 'This payment provider isn’t configured.' }))
  const applied = requested
    .catch((error): PaymentStartResult => ({ outcome: 'unknown', error: String(error) }))
    .then((result) => applyPaymentResult({ record, payment, result, origin }, ctx))
  if (hasFlow(payment.provider, 'card')) return toResult(await applied, payment.id, ctx)
  const inTime = await withTimeout(START_TIMEOUT_MS, applied)
  if (!inTime) ctx.waitUntil(applied)
  return toResult(inTime ?? record, payment.id, ctx)
}

/** Checkout shows a placed order as paid. */
function getReturnPath({ number, status }: OrderRecord['row']): string {
  const isPlaced = status !== 'awaiting_payment' && status !== 'expired'
  return isPlaced ? href('order', { number }) : href('checkout', {}, { order: number })
}

/** An attempt without a response (`lacksResponse`) is reported as failed, although the payment may still arrive. */
function toResult(
  record: OrderRecord,
  paymentId: string,
  ctx: ServiceContext,
): Result<StartedPayment, PaymentError> {
  const response = toOrderAndPayment(record, ctx)
  const attempt = record.payments.find(({ id }) => id === paymentId)
  const isPaid = response.payment.status === 'paid'
  if (isPaid || !attempt) return { ok: true, data: { ...response, isPaid } }
  if (lacksResponse(attempt)) {
    const { message } = response.payment
    return { ok: false, error: { code: 'payment_unavailable', message, details: response } }
  }
  if (attempt.state !== 'declined') return { ok: true, data: { ...response, isPaid } }
  const isBusy = attempt.problem === 'provider_busy'
  const code = isBusy ? 'payment_unavailable' : 'payment_declined'
  const message = attempt.problem
    ? getProblemMessage(attempt.provider, attempt.problem)
    : response.payment.message
  return { ok: false, error: { code, message, details: response } }
}

/** A prompt may reach the phone before the provider responds, but a payment page can't open without its URL. */
function lacksResponse({ state, provider }: PaymentRow): boolean {
  return state === 'unknown' || (state === 'sending' && hasFlow(provider, 'redirect'))
}
