import { and, eq, exists, inArray, not, type SQL, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { isOpenState } from '#server/payments/payment-attempts.ts'
import { attemptTransition } from '#server/payments/payment-transitions.ts'
import { orders, payments, promotions } from '#server/platform/db/schema.ts'
import { releaseUnits } from '#server/stock/reservations.ts'
import { mayTransition } from './order-transitions.ts'

export async function expireOrders(condition: SQL | undefined, ctx: DataContext): Promise<void> {
  await ctx.db.batch(expireStatements(condition, ctx))
}

/**
 * Expires the unpaid orders that match and releases their promo codes and units. Open attempts are still
 * checked, because a late payment revives the order.
 */
export function expireStatements(condition: SQL | undefined, ctx: DataContext) {
  const { db } = ctx
  const isExpiring = and(mayTransition('expire', 'expired'), condition)
  const ids = db.select({ id: orders.id }).from(orders).where(isExpiring)
  const reserved = sql`(select count(*) from ${orders} where ${orders.promoCode} = ${promotions.code} and ${orders.holdsPromotion} = 1 and ${isExpiring})`
  const codes = db.select({ code: orders.promoCode }).from(orders).where(isExpiring)
  const expireAttempt = attemptTransition('expire')
  return [
    ...releaseUnits(ids, ctx),
    db
      .update(promotions)
      .set({ uses: sql`${promotions.uses} - ${reserved}` })
      .where(inArray(promotions.code, codes)),
    db
      .update(payments)
      .set(expireAttempt.set)
      .where(and(expireAttempt.where, inArray(payments.orderId, ids))),
    db.update(orders).set({ status: 'expired', holdsPromotion: false }).where(isExpiring),
  ] as const
}

export function releaseStatements(orderId: string, condition: SQL | undefined, ctx: DataContext) {
  const { db } = ctx
  const ids = db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.id, orderId), condition))
  const holdsCode = and(eq(orders.id, orderId), eq(orders.holdsPromotion, true), condition)
  const code = db.select({ code: orders.promoCode }).from(orders).where(holdsCode)
  return [
    ...releaseUnits(ids, ctx),
    db
      .update(promotions)
      .set({ uses: sql`${promotions.uses} - 1` })
      .where(inArray(promotions.code, code)),
    db.update(orders).set({ holdsPromotion: false }).where(holdsCode),
  ] as const
}

export function releaseUnlessOpen(orderId: string, ctx: DataContext) {
  const { db } = ctx
  const open = db
    .select({ id: payments.id })
    .from(payments)
    .where(and(eq(payments.orderId, orderId), isOpenState))
  return releaseStatements(orderId, and(eq(orders.status, 'awaiting_payment'), not(exists(open))), ctx)
}

/**
 * Counts the use of an order's promo code: for a new order, or one whose use was released. The batch fails
 * with `promotionExhausted` if none is left.
 */
export function redeemPromotion(
  orderId: string,
  { isReleased }: { isReleased: boolean },
  { db }: DataContext,
) {
  const order = and(eq(orders.id, orderId), eq(orders.holdsPromotion, !isReleased))
  const code = db.select({ code: orders.promoCode }).from(orders).where(order)
  return db
    .update(promotions)
    .set({ uses: sql`${promotions.uses} + 1` })
    .where(eq(promotions.code, sql`(${code})`))
}
