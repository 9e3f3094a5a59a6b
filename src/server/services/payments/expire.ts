import { inArray, type SQL, sql } from 'drizzle-orm'
import { orders, payments, promotions } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { releaseUnits } from '../stock/holds.ts'
import { isOpenState } from './stored-payment.ts'

/** Lets the unpaid orders that meet a condition expire, in one batch; see {@link expireStatements}. */
export async function expireOrders(condition: SQL | undefined, deps: Pick<Deps, 'db'>): Promise<void> {
  await deps.db.batch(expireStatements(condition, deps))
}

/**
 * The statements that let orders expire: their promo codes and units are free again. Their open attempts are still
 * asked about, because money that comes later revives the order.
 */
export function expireStatements(condition: SQL | undefined, { db }: Pick<Deps, 'db'>) {
  const ids = db.select({ id: orders.id }).from(orders).where(condition)
  const held = sql`(select count(*) from ${orders} where ${orders.promoCode} = ${promotions.code} and ${orders.holdsPromotion} = 1 and ${condition})`
  const codes = db.select({ code: orders.promoCode }).from(orders).where(condition)
  return [
    ...releaseUnits(ids, { db }),
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
