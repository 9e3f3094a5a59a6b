import { and, eq, exists, inArray, not, type SQL, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { isOpenState } from '#server/payments/attempts.ts'
import { orders, payments, promotions } from '#server/platform/db/schema.ts'
import { releaseUnits } from '#server/stock/reservations.ts'

/** Lets the unpaid orders that meet a condition expire, in one batch; see {@link expireStatements}. */
export async function expireOrders(condition: SQL | undefined, ctx: DataContext): Promise<void> {
  await ctx.db.batch(expireStatements(condition, ctx))
}

/**
 * The statements that let orders expire: their promo codes and units are free again. Their open attempts are still
 * asked about, because money that comes later revives the order.
 */
export function expireStatements(condition: SQL | undefined, ctx: DataContext) {
  const { db } = ctx
  const ids = db.select({ id: orders.id }).from(orders).where(condition)
  const held = sql`(select count(*) from ${orders} where ${orders.promoCode} = ${promotions.code} and ${orders.holdsPromotion} = 1 and ${condition})`
  const codes = db.select({ code: orders.promoCode }).from(orders).where(condition)
  return [
    ...releaseUnits(ids, ctx),
    db
      .update(promotions)
      .set({ uses: sql`${promotions.uses} - ${held}` })
      .where(inArray(promotions.code, codes)),
    db
      .update(payments)
      .set({ state: 'expired' })
      .where(sql`${isOpenState} and ${inArray(payments.orderId, ids)}`),
    db.update(orders).set({ status: 'expired', holdsPromotion: false }).where(condition),
  ] as const
}

/** The statements that give back an order's units and its use of a promo code, if it meets `condition`. */
export function releaseStatements(orderId: string, condition: ReturnType<typeof and>, ctx: DataContext) {
  const { db } = ctx
  const ids = db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.id, orderId), condition))
  const isIt = and(eq(orders.id, orderId), eq(orders.holdsPromotion, true), condition)
  const code = db.select({ code: orders.promoCode }).from(orders).where(isIt)
  return [
    ...releaseUnits(ids, ctx),
    db
      .update(promotions)
      .set({ uses: sql`${promotions.uses} - 1` })
      .where(inArray(promotions.code, code)),
    db.update(orders).set({ holdsPromotion: false }).where(isIt),
  ] as const
}

/** An order's promo code, if the order holds a use of it or not, as asked; matches no code otherwise. */
export function codeOf(orderId: string, holdsPromotion: boolean, { db }: DataContext) {
  const isIt = and(eq(orders.id, orderId), eq(orders.holdsPromotion, holdsPromotion))
  return sql`(${db.select({ code: orders.promoCode }).from(orders).where(isIt)})`
}

/** The statements that give back what an unpaid order holds, once no attempt is open any more. */
export function releaseUnlessOpen(orderId: string, ctx: DataContext) {
  const { db } = ctx
  const open = db
    .select({ id: payments.id })
    .from(payments)
    .where(and(eq(payments.orderId, orderId), isOpenState))
  const isLetGo = and(eq(orders.status, 'awaiting_payment'), not(exists(open)))
  return releaseStatements(orderId, isLetGo, ctx)
}
