import { and, asc, eq, inArray, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { Order } from '#shared/contract/orders.ts'
import type { Database } from '../../db/client.ts'
import { orderLines, orders } from '../../db/schema.ts'

export type OrderRow = typeof orders.$inferSelect
export type OrderLineRow = typeof orderLines.$inferSelect

/** The statements that select a user's order by its idempotency key, and its lines: for one batch. */
export function orderUnderKey(db: Database, userId: string | SQL, key: string) {
  const isIt = and(eq(orders.userId, userId), eq(orders.idempotencyKey, key))
  const id = db.select({ id: orders.id }).from(orders).where(isIt)
  return [db.select().from(orders).where(isIt), linesOf(db, id)] as const
}

/** The statement that selects the lines of orders, sorted by position. */
export function linesOf(db: Database, orderIds: SQLWrapper) {
  return db
    .select()
    .from(orderLines)
    .where(inArray(orderLines.orderId, orderIds))
    .orderBy(asc(orderLines.position))
}

/** A stored order as its owner sees it. */
export function orderOf(row: OrderRow, lines: readonly OrderLineRow[]): Order {
  const { subtotalCents, discountCents, shippingCents, vatCents, totalCents } = row
  const roundingCents = totalCents - (subtotalCents - discountCents + shippingCents + vatCents)
  return {
    key: row.idempotencyKey,
    number: row.number,
    status: row.status,
    placedAtMs: row.createdAtMs,
    lines: lines
      .filter(({ orderId }) => orderId === row.id)
      .map(({ productId, title, image, unitPriceCents, qty }) => ({
        productId,
        title,
        image,
        unitPriceCents,
        qty,
      })),
    totals: { subtotalCents, discountCents, shippingCents, vatCents, roundingCents, totalCents },
    promoCode: row.promoCode,
    email: row.email,
    card: row.cardBrand && row.cardLastFour ? { brand: row.cardBrand, lastFour: row.cardLastFour } : null,
  }
}
