import { and, eq, inArray } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { orders } from '#server/platform/db/schema.ts'

/** The account's undelivered cash-on-delivery orders; it can have one at a time. */
export function selectOpenCashOrders(userId: string, { db }: DataContext) {
  return db
    .select({ number: orders.number })
    .from(orders)
    .where(
      and(
        eq(orders.userId, userId),
        eq(orders.isCashOnDelivery, true),
        inArray(orders.status, ['placed', 'packed', 'shipped', 'ready']),
      ),
    )
}
