import { and, eq, sql } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import { isOpen, type PaymentRow } from '#server/payments/attempts.ts'
import { brokenConstraint, changeThenRead, onlyIf, Unavailable } from '#server/platform/db/client.ts'
import { orders, promotions } from '#server/platform/db/schema.ts'
import { tooManyRequests } from '#server/platform/rate-limit.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { outOfStock, readLeft } from '#server/stock/availability.ts'
import { isOutOfStock, takeUnitsAgain } from '#server/stock/reservations.ts'
import { methodOf, type Payment } from '#shared/payments/contract.ts'
import { findOwnOrder, type OwnOrder } from './check-payment.ts'
import { changeOrder, type OrderRecord, orderRecordOf, readOrderRecord } from './order-record.ts'
import { orderAndPayment, promptAgainInMs } from './payment-state.ts'
import { codeOf, expireStatements } from './release.ts'
import {
  begin,
  insertAttempt,
  newAttempt,
  type PaymentError,
  phoneOf,
  type StartedPayment,
} from './start-payment.ts'

/** How long an order waits for its money after the last attempt to pay it. */
export const ORDER_EXPIRES_MS = 30 * 60_000
const MAX_ATTEMPTS = 12

export type PayError =
  | PaymentError
  | ServiceError<'prompt_too_soon' | 'order_closed' | 'out_of_stock' | 'too_many_requests' | 'invalid_fields'>

/** Pays the order of whoever is signed in by a credential; see {@link payOrder}. */
export async function payOwnOrder(
  { chosen, origin, ...which }: OwnOrder & { chosen: Payment; origin: string },
  ctx: ServiceContext,
): Promise<Result<StartedPayment, PayError | ServiceError<'unauthorized' | 'not_found'>>> {
  const found = await findOwnOrder(which, ctx)
  if (!found.ok) return found
  return payOrder({ record: found.data, chosen, origin, isRetry: false }, ctx)
}

type PayInput = { record: OrderRecord; chosen: Payment; origin: string }

/** Whether checkout offers the way that was chosen; `invalid_fields` otherwise. */
export function requireOffered(chosen: Payment, { payments }: ServiceContext) {
  return payments.ways.includes(methodOf(chosen)) ? undefined : notOffered
}

const notOffered = {
  code: 'invalid_fields',
  message: 'This way to pay is not offered. Please choose another.',
  fieldErrors: { payment: 'This way to pay is not offered. Please choose another.' },
} as const satisfies ServiceError

/**
 * Pays an order that is already there: for a request that is sent again, for another prompt, and for another way.
 * While an attempt the same way is open, no money is asked for; `isRetry` says that this is then no failure.
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
  if (open && isRepeatable(open, ctx)) return begin({ record, payment: open, callbackToken: '', origin }, ctx)
  if (open && (isRetry || open.redirectTo)) return { ok: true, data: { ...answer, isPaid: false } }
  const last = record.payments.findLast((payment) => isSameWay(payment, chosen))
  const waitMs = last?.phone ? promptAgainInMs(last, ctx.clock()) : 0
  if (waitMs > 0)
    return {
      ok: false,
      error: { code: 'prompt_too_soon', retryAfterSeconds: Math.ceil(waitMs / 1000), details: answer },
    }
  if (record.payments.length >= MAX_ATTEMPTS) return { ok: false, error: tooManyRequests }
  return startNext({ record, chosen, origin }, ctx)
}

function isSameWay(payment: PaymentRow, chosen: Payment): boolean {
  return payment.provider === methodOf(chosen) && payment.phone === phoneOf(chosen)
}

function isRepeatable({ provider }: PaymentRow, { payments }: ServiceContext): boolean {
  return payments.providers.some(({ name, isRepeatable }) => name === provider && isRepeatable)
}

/** Writes another attempt down and begins it. */
async function startNext(
  { record, chosen, origin }: PayInput,
  ctx: ServiceContext,
): Promise<Result<StartedPayment, PayError>> {
  const { db } = ctx
  const { id: orderId, totalCents: amountCents } = record.row
  const attempt = (record.payments.at(-1)?.attempt ?? 0) + 1
  const next = await newAttempt({ orderId, attempt, amountCents, chosen }, ctx)
  const isIt = eq(orders.id, orderId)
  try {
    const written = await changeOrder(db, orderId, [
      db
        .update(promotions)
        .set({ uses: sql`${promotions.uses} + 1` })
        .where(eq(promotions.code, codeOf(orderId, false, ctx))),
      db
        .update(orders)
        .set({
          status: onlyIf(eq(orders.status, 'awaiting_payment'), 'awaiting_payment'),
          holdsPromotion: true,
          expiresAtMs: ctx.clock() + ORDER_EXPIRES_MS,
        })
        .where(isIt),
      ...takeUnitsAgain(record.row, ctx),
      insertAttempt(next, ctx),
    ])
    const payment = written.payments.find(({ id }) => id === next.row.id)
    if (!payment) throw new Error('An attempt that was just written cannot be read.')
    return begin({ record: written, payment, callbackToken: next.callbackToken, origin }, ctx)
  } catch (error) {
    const broken = brokenConstraint(error) ?? ''
    if (broken.includes('payments.state')) return { ok: false, error: tooManyRequests }
    if (isOutOfStock(broken)) return soldOut(record, ctx)
    if (broken.includes('promotions_within_limit')) {
      const rows = await changeThenRead(db, expireUnpaid(orderId, ctx), readOrderRecord(db, isIt))
      const usedUp = 'The promo code has been used up meanwhile. Please order again.'
      return closed(orderRecordOf(rows) ?? record, ctx, usedUp)
    }
    // Paid, cancelled, expired, or another attempt begun meanwhile.
    if (!broken.includes('orders.status') && !broken.includes('payments.attempt')) throw error
    const now = orderRecordOf(await db.batch(readOrderRecord(db, isIt)))
    if (!now) throw new Unavailable('An order that was there a moment ago cannot be read.')
    const { status } = orderAndPayment(now, ctx).payment
    if (status === 'expired' || status === 'cancelled') return closed(now, ctx)
    return { ok: true, data: { ...orderAndPayment(now, ctx), isPaid: status === 'paid' } }
  }
}

/** Somebody else has the units of an order whose payment failed: it expires. */
async function soldOut(record: OrderRecord, ctx: ServiceContext): Promise<Result<StartedPayment, PayError>> {
  const { db } = ctx
  const { id, userId } = record.row
  const lines = record.lines.map(({ productId, title, size, qty }) => ({ id: productId, title, size, qty }))
  const ids = lines.map((line) => line.id)
  const [left, ...now] = await changeThenRead(db, expireUnpaid(id, ctx), [
    readLeft(ids, userId, ctx),
    ...readOrderRecord(db, eq(orders.id, id)),
  ])
  const expired = orderRecordOf(now) ?? record
  const short = outOfStock(lines, left)
  if (!short) return closed(expired, ctx)
  const { order, payment } = orderAndPayment(expired, ctx)
  const { message = payment.message } = short
  return {
    ok: false,
    error: { ...short, details: { ...short.details, order, payment: { ...payment, message } } },
  }
}

function expireUnpaid(orderId: string, ctx: DataContext) {
  return expireStatements(and(eq(orders.id, orderId), eq(orders.status, 'awaiting_payment')), ctx)
}

function closed(
  record: OrderRecord,
  ctx: ServiceContext,
  message?: string,
): Result<StartedPayment, PayError> {
  const details = orderAndPayment(record, ctx)
  return { ok: false, error: { code: 'order_closed', details, ...(message ? { message } : {}) } }
}
