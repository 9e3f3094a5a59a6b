import { and, eq, isNull, sql } from 'drizzle-orm'
import { getDeliveryTerms } from '#server/content/delivery-terms.ts'
import type { PricingContext, ServiceContext } from '#server/context.ts'
import { isOpen, type PaymentRow } from '#server/payments/payment-attempts.ts'
import { getProblemMessage } from '#server/payments/providers/registry.ts'
import type { Client } from '#server/platform/auth/client.ts'
import { isRequestAllowed } from '#server/platform/auth/login-attempts.ts'
import { changeThenRead, type Statements, UnavailableError } from '#server/platform/db/client.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import { orders } from '#server/platform/db/schema.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { byAvailability, createOutOfStockError, selectUnitsLeft } from '#server/stock/availability.ts'
import { reserveReleasedUnitsStatements } from '#server/stock/reservations.ts'
import { isCashOffered } from '#shared/checkout/delivery.ts'
import { centsToKsh } from '#shared/format.ts'
import { orderHref } from '#shared/orders/order-link.ts'
import { getPaymentMethod, type Payment } from '#shared/payments/contract.ts'
import { hasFlow } from '#shared/payments/providers.ts'
import { byPartPayment, calculateAmountDueCents } from './amount-due.ts'
import { findOwnOrder, type OwnOrder } from './find-own-order.ts'
import {
  createPaymentAttempt,
  getPromptPhone,
  insertAttemptStatements,
  type NewAttempt,
  ORDER_EXPIRES_MS,
} from './new-payment-attempt.ts'
import {
  calculateBalance,
  commitOrderChange,
  type OrderRecord,
  readOrderRecordById,
  selectOrderRecord,
  toOrderRecord,
} from './order-record.ts'
import { createOrderStatusGuard } from './order-transitions.ts'
import {
  getPromptCooldownMs,
  isAmountWithinLimits,
  listAttemptsSincePaid,
  redactForLinkHolder,
  toOrderAndPayment,
} from './payment-state.ts'
import { readPromptLimitError } from './prompt-limits.ts'
import { expireOrdersStatements, reservePromotionStatements } from './release-order.ts'
import { type PaymentError, type StartedPayment, startPayment } from './start-payment.ts'

const MAX_ATTEMPTS = 12

export type PayOrderError =
  | PaymentError
  | ServiceError<'prompt_too_soon' | 'order_closed' | 'out_of_stock' | 'too_many_requests' | 'invalid_fields'>

export async function payOwnOrder(
  { paymentDetails, origin, ...orderRef }: OwnOrder & { paymentDetails: Payment; origin: string },
  ctx: ServiceContext,
): Promise<Result<StartedPayment, PayOrderError | ServiceError<'unauthorized' | 'not_found'>>> {
  const found = await findOwnOrder(orderRef, ctx)
  if (!found.ok) return found
  return payOrder({ record: found.data, paymentDetails, origin, isByOwner: true, isRetry: false }, ctx)
}

/** Rate-limited by IP address and network, because it needs no account. */
export async function payByLink(
  { client, ...input }: OwnOrder & { key: string; client: Client; paymentDetails: Payment; origin: string },
  ctx: ServiceContext,
): Promise<Result<StartedPayment, PayOrderError | ServiceError<'unauthorized' | 'not_found'>>> {
  if (!(await isRequestAllowed('payment by link', client, false, ctx.limits)))
    return { ok: false, error: tooManyRequestsError }
  if (hasFlow(getPaymentMethod(input.paymentDetails), 'on-delivery'))
    return { ok: false, error: METHOD_NOT_OFFERED }
  const found = await findOwnOrder(input, ctx)
  if (!found.ok) return found
  const { paymentDetails, origin, key } = input
  const returnPath = orderHref({ number: found.data.row.number, key })
  const paid = await payOrder({ record: found.data, paymentDetails, origin, returnPath, isRetry: false }, ctx)
  if (paid.ok) return { ok: true, data: { ...paid.data, ...redactForLinkHolder(paid.data) } }
  const { details: _, ...error } = paid.error
  return { ok: false, error }
}

type PayOrderInput = {
  record: OrderRecord
  paymentDetails: Payment
  origin: string
  returnPath?: string | undefined
  isByOwner?: boolean
}

/** Doesn't check cash on delivery; {@link findCashOnDeliveryError} does. */
export function findMethodError(paymentDetails: Payment, { payments }: ServiceContext) {
  const method = getPaymentMethod(paymentDetails)
  return hasFlow(method, 'on-delivery') || payments.methods.includes(method) ? undefined : METHOD_NOT_OFFERED
}

const METHOD_NOT_OFFERED = {
  code: 'invalid_fields',
  message: 'This payment method isn’t available. Please choose another.',
  fieldErrors: { payment: 'This payment method isn’t available. Please choose another.' },
} as const satisfies ServiceError

type CashOrder = { pickup: string | null; county: string; totalCents: number }

/** A free order needs no payment, so checkout sends it as cash on delivery, whether or not that is offered. */
export function findCashOnDeliveryError(
  paymentDetails: Payment,
  { pickup, county, totalCents }: CashOrder,
  ctx: Pick<PricingContext, 'delivery' | 'content'>,
): ServiceError<'invalid_fields'> | undefined {
  const delivery = getDeliveryTerms(ctx)
  const provider = getPaymentMethod(paymentDetails)
  const choice = { method: pickup === null ? 'delivery' : 'pickup', county } as const
  if (
    !hasFlow(provider, 'on-delivery') ||
    totalCents === 0 ||
    isCashOffered(delivery, { ...choice, totalKsh: centsToKsh(totalCents) })
  )
    return undefined
  const message = getProblemMessage(provider, 'amount_limit')
  return { code: 'invalid_fields', message, fieldErrors: { payment: message }, details: { delivery } }
}

export function findAmountError(
  paymentDetails: Payment,
  totalCents: number,
): ServiceError<'invalid_fields'> | undefined {
  const method = getPaymentMethod(paymentDetails)
  if (isAmountWithinLimits(method, totalCents)) return undefined
  const message = getProblemMessage(method, 'amount_limit')
  return { code: 'invalid_fields', message, fieldErrors: { payment: message } }
}

/** Reuses a matching open attempt if it is repeatable, has a payment page, or `isRetry` is true. */
export async function payOrder(
  { isRetry, ...input }: PayOrderInput & { isRetry: boolean },
  ctx: ServiceContext,
): Promise<Result<StartedPayment, PayOrderError>> {
  const { record, paymentDetails, origin, returnPath } = input
  const response = toOrderAndPayment(record, ctx)
  const { status, dueCents } = response.payment
  if (status === 'paid') return { ok: true, data: { ...response, isPaid: true } }
  if (status === 'expired' || status === 'cancelled') return createOrderClosedError(record, ctx)
  const { row } = record
  const isOverdue =
    row.status === 'awaiting_payment' &&
    row.paidCents <= row.refundCents &&
    (row.expiresAtMs ?? Infinity) <= ctx.clock()
  if (isOverdue) return expireOverdueOrder(record, ctx)
  const isPayOnDelivery = hasFlow(getPaymentMethod(paymentDetails), 'on-delivery')
  if (isPayOnDelivery && row.status !== 'awaiting_payment')
    return row.isCashOnDelivery
      ? { ok: true, data: { ...response, isPaid: false } }
      : { ok: false, error: METHOD_NOT_OFFERED }
  const { pickup, state: county } = row
  const methodError =
    findMethodError(paymentDetails, ctx) ??
    findAmountError(paymentDetails, dueCents) ??
    findCashOnDeliveryError(paymentDetails, { pickup, county, totalCents: dueCents }, ctx)
  if (methodError) return { ok: false, error: methodError }

  const openAttempt = record.payments.findLast(
    (payment) => isOpen(payment) && payment.amountCents === dueCents && isSameMethod(payment, paymentDetails),
  )
  // A repeatable provider makes no callbacks, so its attempts need no callback token.
  if (openAttempt && isRepeatable(openAttempt, ctx))
    return startPayment({ record, payment: openAttempt, callbackToken: '', origin, returnPath }, ctx)
  if (openAttempt && (isRetry || openAttempt.redirectTo))
    return { ok: true, data: { ...response, isPaid: false } }
  const last = listAttemptsSincePaid(record.payments).findLast((payment) =>
    isSameMethod(payment, paymentDetails),
  )
  const waitMs = last?.phone ? getPromptCooldownMs(last, ctx.clock()) : 0
  if (waitMs > 0)
    return {
      ok: false,
      error: { code: 'prompt_too_soon', retryAfterSeconds: Math.ceil(waitMs / 1000), details: response },
    }
  if (record.payments.length >= MAX_ATTEMPTS) return { ok: false, error: createTooManyAttemptsError(row) }
  return startNextAttempt(input, ctx)
}

function createTooManyAttemptsError({ status }: OrderRecord['row']) {
  const advice =
    status === 'awaiting_payment'
      ? 'Please cancel it and place a new one, or contact us.'
      : 'Please contact us.'
  const message = `You’ve tried to pay for this order ${MAX_ATTEMPTS} times. ${advice}`
  return { code: 'too_many_requests', message } as const satisfies ServiceError
}

function isSameMethod(payment: PaymentRow, paymentDetails: Payment): boolean {
  return (
    payment.provider === getPaymentMethod(paymentDetails) && payment.phone === getPromptPhone(paymentDetails)
  )
}

function isRepeatable({ provider }: PaymentRow, { payments }: ServiceContext): boolean {
  return payments.providers.some(({ name, isRepeatable }) => name === provider && isRepeatable)
}

async function startNextAttempt(
  { record, paymentDetails, origin, returnPath, isByOwner = false }: PayOrderInput,
  ctx: ServiceContext,
): Promise<Result<StartedPayment, PayOrderError>> {
  const { db } = ctx
  const { id: orderId, userId } = record.row
  const amountCents = calculateBalance(record).dueCents
  const attempt = (record.payments.at(-1)?.attempt ?? 0) + 1
  const next = await createPaymentAttempt(
    { orderId, userId, attempt, amountCents, paymentDetails, isByOwner },
    ctx,
  )
  const byId = eq(orders.id, orderId)
  try {
    const stored = await commitOrderChange(orderId, startNextAttemptStatements(record, next, ctx), ctx)
    const payment = stored.payments.find(({ id }) => id === next.row.id)
    if (!payment) throw new Error('The payment attempt is missing right after it was inserted.')
    return startPayment(
      { record: stored, payment, callbackToken: next.callbackToken, origin, returnPath },
      ctx,
    )
  } catch (error) {
    const guard = getGuardViolation(error)?.guard
    switch (guard) {
      case 'promptLimitReached':
        return { ok: false, error: await readPromptLimitError({ userId, phone: next.row.phone ?? '' }, ctx) }
      case 'unitsUnavailable':
      case 'outOfStock':
        return expireSoldOutOrder(record, ctx)
      case 'promotionUsed':
      case 'promotionExhausted': {
        const rows = await changeThenRead(db, expireOrdersStatements(byId, ctx), selectOrderRecord(db, byId))
        const reason =
          guard === 'promotionUsed'
            ? 'You’ve already used your promo code'
            : 'Your promo code has just reached its limit'
        const message = `${reason}, so we closed this order. You haven’t been charged. Please order again.`
        return createOrderClosedError(toOrderRecord(rows) ?? record, ctx, message)
      }
      case 'orderChanged':
      case 'attemptNumberTaken':
        return reloadPayment(orderId, ctx)
      default:
        throw error
    }
  }
}

function startNextAttemptStatements(
  { row, lines }: OrderRecord,
  next: NewAttempt,
  ctx: ServiceContext,
): Statements {
  const { id, status } = row
  const byAmountDue = sql`${calculateAmountDueCents(id)} = ${next.row.amountCents}`
  const attempt = [
    createOrderStatusGuard(id, [status], ctx),
    failUnless(byAmountDue, 'orderChanged', ctx),
    ...insertAttemptStatements(next, ctx),
  ] as const
  if (status !== 'awaiting_payment') return attempt
  return [
    createOrderStatusGuard(id, [status], ctx),
    failUnless(byAvailability(lines, row.userId, ctx), 'unitsUnavailable', ctx),
    ...reservePromotionStatements(row, ctx),
    ...reserveReleasedUnitsStatements(row, ctx),
    ...setReservationExpiryStatements(id, ctx),
    ...attempt,
  ]
}

/** `expiresAtMs` of a partly paid order is when its reservations expire. The order itself stays open. */
function setReservationExpiryStatements(orderId: string, { db, clock }: ServiceContext) {
  const byMissingExpiry = and(eq(orders.id, orderId), byPartPayment, isNull(orders.expiresAtMs))
  return [
    db
      .update(orders)
      .set({ expiresAtMs: clock() + ORDER_EXPIRES_MS })
      .where(byMissingExpiry),
  ] as const
}

async function reloadPayment(
  orderId: string,
  ctx: ServiceContext,
): Promise<Result<StartedPayment, PayOrderError>> {
  const current = await readOrderRecordById(orderId, ctx)
  if (!current) throw new UnavailableError('The order can’t be read again.')
  const response = toOrderAndPayment(current, ctx)
  const { status } = response.payment
  if (status === 'expired' || status === 'cancelled') return createOrderClosedError(current, ctx)
  return { ok: true, data: { ...response, isPaid: status === 'paid' } }
}

async function expireOverdueOrder(
  { row }: OrderRecord,
  ctx: ServiceContext,
): Promise<Result<StartedPayment, PayOrderError>> {
  return createOrderClosedError(
    await commitOrderChange(row.id, expireOrdersStatements(eq(orders.id, row.id), ctx), ctx),
    ctx,
  )
}

async function expireSoldOutOrder(
  record: OrderRecord,
  ctx: ServiceContext,
): Promise<Result<StartedPayment, PayOrderError>> {
  const { db } = ctx
  const { id, userId } = record.row
  const lines = record.lines.map(({ productId, title, size, qty }) => ({ id: productId, title, size, qty }))
  const ids = lines.map((line) => line.id)
  const [unitsLeft, ...rows] = await changeThenRead(db, expireOrdersStatements(eq(orders.id, id), ctx), [
    selectUnitsLeft(ids, userId, ctx),
    ...selectOrderRecord(db, eq(orders.id, id)),
  ])
  const expired = toOrderRecord(rows) ?? record
  const outOfStock = createOutOfStockError(lines, unitsLeft)
  if (!outOfStock) return createOrderClosedError(expired, ctx)
  const { order, payment } = toOrderAndPayment(expired, ctx)
  const { message = payment.message } = outOfStock
  return {
    ok: false,
    error: { ...outOfStock, details: { ...outOfStock.details, order, payment: { ...payment, message } } },
  }
}

function createOrderClosedError(
  record: OrderRecord,
  ctx: ServiceContext,
  message?: string,
): Result<StartedPayment, PayOrderError> {
  const details = toOrderAndPayment(record, ctx)
  return { ok: false, error: { code: 'order_closed', details, ...(message ? { message } : {}) } }
}
