import { and, eq, exists, inArray, ne, not, notExists, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { DataContext } from '#server/context.ts'
import { byOpenState } from '#server/payments/payment-attempts.ts'
import { getAttemptTransition } from '#server/payments/payment-transitions.ts'
import { insertPaymentRefundsStatement, unrefundedCents } from '#server/payments/refunds.ts'
import { failUnless } from '#server/platform/db/guards.ts'
import { orders, payments, promotions } from '#server/platform/db/schema.ts'
import { byReservationLimit } from '#server/stock/reservation-limits.ts'
import { releaseUnitsStatements } from '#server/stock/reservations.ts'
import { PAID_STATUSES } from '#shared/orders/order-status.ts'
import { byTransition } from './order-transitions.ts'

export async function expireOrders(byOrder: SQL | undefined, ctx: DataContext): Promise<void> {
  await ctx.db.batch(expireOrdersStatements(byOrder, ctx))
}

/**
 * Also releases the reservations and promo code uses, and inserts refunds of what was paid. Expired payment attempts
 * are still checked, because a late payment can place the order.
 */
export function expireOrdersStatements(byOrder: SQL | undefined, ctx: DataContext) {
  const { db } = ctx
  const byExpiringOrder = and(byTransition('expire', 'expired'), byOrder)
  const ids = db.select({ id: orders.id }).from(orders).where(byExpiringOrder)
  const releasedUses = sql`(select count(*) from ${orders} where ${orders.promoCode} = ${promotions.code} and ${orders.hasPromotionUse} = 1 and ${byExpiringOrder})`
  const codes = db.select({ code: orders.promoCode }).from(orders).where(byExpiringOrder)
  const expireAttempt = getAttemptTransition('expire')
  return [
    ...releaseUnitsStatements(ids, ctx),
    db
      .update(promotions)
      .set({ uses: sql`${promotions.uses} - ${releasedUses}` })
      .where(inArray(promotions.code, codes)),
    db
      .update(payments)
      .set(expireAttempt.set)
      .where(and(expireAttempt.where, inArray(payments.orderId, ids))),
    insertPaymentRefundsStatement(
      { where: inArray(payments.orderId, ids), amountCents: unrefundedCents, reason: 'late_payment' },
      ctx,
    ),
    db.update(orders).set({ status: 'expired', hasPromotionUse: false }).where(byExpiringOrder),
  ] as const
}

export function releaseReservationsStatements(byOrder: SQL | undefined, ctx: DataContext) {
  const { db } = ctx
  const ids = db.select({ id: orders.id }).from(orders).where(byOrder)
  const byPromotionUse = and(eq(orders.hasPromotionUse, true), byOrder)
  const codes = db.select({ code: orders.promoCode }).from(orders).where(byPromotionUse)
  const uses = sql`(select count(*) from ${orders} where ${orders.promoCode} = ${promotions.code} and ${byPromotionUse})`
  return [
    ...releaseUnitsStatements(ids, ctx),
    db
      .update(promotions)
      .set({ uses: sql`${promotions.uses} - ${uses}` })
      .where(inArray(promotions.code, codes)),
    db.update(orders).set({ hasPromotionUse: false }).where(byPromotionUse),
  ] as const
}

type OrderIds = { id: string; userId: string }

/** Releases the reservations of the user's other unpaid orders, which can still be paid. */
export function releaseOtherOrdersStatements({ id, userId }: OrderIds, ctx: DataContext) {
  const byOtherOrder = and(
    eq(orders.userId, userId),
    eq(orders.status, 'awaiting_payment'),
    ne(orders.id, id),
  )
  const byInsertedOrder = exists(ctx.db.select({ id: orders.id }).from(orders).where(eq(orders.id, id)))
  return releaseReservationsStatements(and(byOtherOrder, byInsertedOrder), ctx)
}

export function releaseUnpaidOrderStatements(orderId: string, ctx: DataContext) {
  const { db } = ctx
  const openAttempts = db
    .select({ id: payments.id })
    .from(payments)
    .where(and(eq(payments.orderId, orderId), byOpenState))
  const byUnpaidOrder = and(eq(orders.id, orderId), eq(orders.status, 'awaiting_payment'))
  return releaseReservationsStatements(and(byUnpaidOrder, not(exists(openAttempts))), ctx)
}

/** The batch can fail with `promotionExhausted` or `promotionUsed`. */
export function redeemPromotionStatements(orderId: string, ctx: DataContext) {
  const byUnreservedPromotion = and(eq(orders.id, orderId), eq(orders.hasPromotionUse, false))
  return [
    createPromotionUseGuard(orderId, ctx),
    countPromotionUseStatement(byUnreservedPromotion, ctx),
  ] as const
}

/** The batch can fail with `promotionExhausted` or `promotionUsed`. */
export function reservePromotionStatements(order: OrderIds, ctx: DataContext) {
  const byReservablePromotion = and(
    eq(orders.id, order.id),
    eq(orders.hasPromotionUse, false),
    byReservationLimit(order),
  )
  return [
    createPromotionUseGuard(order.id, ctx),
    countPromotionUseStatement(byReservablePromotion, ctx),
    ctx.db.update(orders).set({ hasPromotionUse: true }).where(byReservablePromotion),
  ] as const
}

function countPromotionUseStatement(byOrder: SQL | undefined, { db }: DataContext) {
  const code = db.select({ code: orders.promoCode }).from(orders).where(byOrder)
  return db
    .update(promotions)
    .set({ uses: sql`${promotions.uses} + 1` })
    .where(eq(promotions.code, sql`(${code})`))
}

function createPromotionUseGuard(orderId: string, ctx: DataContext) {
  const { db } = ctx
  const earlierOrders = alias(orders, 'used')
  const byEarlierUse = and(
    eq(earlierOrders.userId, orders.userId),
    eq(earlierOrders.promoCode, orders.promoCode),
    ne(earlierOrders.id, orders.id),
    inArray(earlierOrders.status, [...PAID_STATUSES]),
  )
  const repeated = db
    .select({ id: orders.id })
    .from(orders)
    .innerJoin(promotions, eq(promotions.code, orders.promoCode))
    .innerJoin(earlierOrders, byEarlierUse)
    .where(and(eq(orders.id, orderId), eq(promotions.oncePerAccount, true)))
  return failUnless(notExists(repeated), 'promotionUsed', ctx)
}
