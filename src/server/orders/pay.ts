import { eq } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { isOpen, type PaymentRow } from '#server/payments/attempts.ts'
import { changeThenRead, Unavailable } from '#server/platform/db/client.ts'
import { guardViolation } from '#server/platform/db/guards.ts'
import { orders } from '#server/platform/db/schema.ts'
import { tooManyRequests } from '#server/platform/rate-limit.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { outOfStockError, selectUnitsLeft } from '#server/stock/availability.ts'

import { reserveUnitsAgain } from '#server/stock/reservations.ts'
import { methodOf, type Payment } from '#shared/payments/contract.ts'
import { insertAttempt, newAttempt, ORDER_EXPIRES_MS, phoneOf } from './new-attempt.ts'

import { changeOrder, type OrderRecord, selectOrderRecord, toOrderRecord } from './order-record.ts'
import { findOwnOrder, type OwnOrder } from './own-order.ts'
import { orderAndPayment, promptAgainInMs } from './payment-state.ts'
import { expireStatements, redeemPromotion } from './release.ts'
import { type PaymentError, type StartedPayment, startPayment } from './start-payment.ts'
import { requireStatus } from './transitions.ts'

const MAX_ATTEMPTS = 12

export type PayError =
  | PaymentError
  | ServiceError<'prompt_too_soon' | 'order_closed' | 'out_of_stock' | 'too_many_requests' | 'invalid_fields'>

/** Pays the signed-in shopper's own order; see {@link payOrder}. */
export async function payOwnOrder(
  { chosen, origin, ...which }: OwnOrder & { chosen: Payment; origin: string },
  ctx: ServiceContext,
): Promise<Result<StartedPayment, PayError | ServiceError<'unauthorized' | 'not_found'>>> {
  const found = await findOwnOrder(which, ctx)
  if (!found.ok) return found
  return payOrder({ record: found.data, chosen, origin, isRetry: false }, ctx)
}

type PayInput = { record: OrderRecord; chosen: Payment; origin: string }

/** `invalid_fields` unless checkout offers the chosen payment method. */
export function requireOffered(chosen: Payment, { payments }: ServiceContext) {
  return payments.ways.includes(methodOf(chosen)) ? undefined : notOffered
}

const notOffered = {
  code: 'invalid_fields',
  message: 'This payment method isn’t available. Please choose another.',
  fieldErrors: { payment: 'This payment method isn’t available. Please choose another.' },
} as const satisfies ServiceError

/**
 * Pays an existing order: for a retried request, for another prompt, and for another way to pay. While an attempt the same
 * way is open, no other is started; with `isRetry` that is no failure.
 */
export async function payOrder(
  { record, chosen, origin, isRetry }: PayInput & { isRetry: boolean },
  ctx: ServiceContext,
): Promise<Result<StartedPayment, PayError>> {
  const answer = orderAndPayment(record, ctx)
  const { status } = answer.payment
  if (status === 'paid') return { ok: true, data: { ...answer, isPaid: true } }
  if (status === 'expired' || status === 'cancelled') return closed(record, ctx)
  const refused = requireOffered(chosen, ctx)
  if (refused) return { ok: false, error: refused }

  const open = record.payments.findLast((payment) => isOpen(payment) && isSameWay(payment, chosen))
  if (open && isRepeatable(open, ctx))
    return startPayment({ record, payment: open, callbackToken: '', origin }, ctx)
  if (open && (isRetry || open.redirectTo)) return { ok: true, data: { ...answer, isPaid: false } }
  const last = record.payments.findLast((payment) => isSameWay(payment, chosen))
  const waitMs = last?.phone ? promptAgainInMs(last, ctx.clock()) : 0
  if (waitMs > 0)
    return {
      ok: false,
      error: { code: 'prompt_too_soon', retryAfterSeconds: Math.ceil(waitMs / 1000), details: answer },
    }
  if (record.payments.length >= MAX_ATTEMPTS) return { ok: false, error: tooManyRequests }
  return startNextAttempt({ record, chosen, origin }, ctx)
}

function isSameWay(payment: PaymentRow, chosen: Payment): boolean {
  return payment.provider === methodOf(chosen) && payment.phone === phoneOf(chosen)
}

function isRepeatable({ provider }: PaymentRow, { payments }: ServiceContext): boolean {
  return payments.providers.some(({ name, isRepeatable }) => name === provider && isRepeatable)
}

/** Inserts another attempt and starts it. */
async function startNextAttempt(
  { record, chosen, origin }: PayInput,
  ctx: ServiceContext,
): Promise<Result<StartedPayment, PayError>> {
  const { db } = ctx
  const { id: orderId, totalCents: amountCents } = record.row
  const attempt = (record.payments.at(-1)?.attempt ?? 0) + 1
  const next = await newAttempt({ orderId, attempt, amountCents, chosen }, ctx)
  const byId = eq(orders.id, orderId)
  try {
    const stored = await changeOrder(
      orderId,
      [
        redeemPromotion(orderId, { isReleased: true }, ctx),
        requireStatus(orderId, ['awaiting_payment'], ctx),
        db
          .update(orders)
          .set({ holdsPromotion: true, expiresAtMs: ctx.clock() + ORDER_EXPIRES_MS })
          .where(byId),
        ...reserveUnitsAgain(record.row, ctx),
        ...insertAttempt(next, ctx),
      ],
      ctx,
    )
    const payment = stored.payments.find(({ id }) => id === next.row.id)
    if (!payment) throw new Error('An attempt that was just inserted cannot be read.')
    return startPayment({ record: stored, payment, callbackToken: next.callbackToken, origin }, ctx)
  } catch (error) {
    switch (guardViolation(error)?.guard) {
      case 'promptLimitReached':
        return { ok: false, error: tooManyRequests }
      case 'outOfStock':
        return soldOut(record, ctx)
      case 'promotionExhausted': {
        const rows = await changeThenRead(db, expireStatements(byId, ctx), selectOrderRecord(db, byId))
        const usedUp = 'The promo code reached its limit in the meantime. Please order again.'
        return closed(toOrderRecord(rows) ?? record, ctx, usedUp)
      }
      // Paid, cancelled, expired, or another attempt was inserted.
      case 'orderChanged':
      case 'attemptNumberTaken':
        return currentState(orderId, ctx)
      default:
        throw error
    }
  }
}

/** The order as it is now, after another request has changed it. */
async function currentState(orderId: string, ctx: ServiceContext): Promise<Result<StartedPayment, PayError>> {
  const now = toOrderRecord(await ctx.db.batch(selectOrderRecord(ctx.db, eq(orders.id, orderId))))
  if (!now) throw new Unavailable('An order that was just read cannot be read again.')
  const answer = orderAndPayment(now, ctx)
  const { status } = answer.payment
  if (status === 'expired' || status === 'cancelled') return closed(now, ctx)
  return { ok: true, data: { ...answer, isPaid: status === 'paid' } }
}

/** Expires an order whose payment failed and whose units were sold since. */
async function soldOut(record: OrderRecord, ctx: ServiceContext): Promise<Result<StartedPayment, PayError>> {
  const { db } = ctx
  const { id, userId } = record.row
  const lines = record.lines.map(({ productId, title, size, qty }) => ({ id: productId, title, size, qty }))
  const ids = lines.map((line) => line.id)
  const [left, ...now] = await changeThenRead(db, expireStatements(eq(orders.id, id), ctx), [
    selectUnitsLeft(ids, userId, ctx),
    ...selectOrderRecord(db, eq(orders.id, id)),
  ])
  const expired = toOrderRecord(now) ?? record
  const short = outOfStockError(lines, left)
  if (!short) return closed(expired, ctx)
  const { order, payment } = orderAndPayment(expired, ctx)
  const { message = payment.message } = short
  return {
    ok: false,
    error: { ...short, details: { ...short.details, order, payment: { ...payment, message } } },
  }
}

function closed(
  record: OrderRecord,
  ctx: ServiceContext,
  message?: string,
): Result<StartedPayment, PayError> {
  const details = orderAndPayment(record, ctx)
  return { ok: false, error: { code: 'order_closed', details, ...(message ? { message } : {}) } }
}
