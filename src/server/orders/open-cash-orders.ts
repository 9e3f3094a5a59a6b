import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { orders, reservationSources } from '#server/platform/db/schema.ts'

/** How many undelivered cash-on-delivery orders new customers can have per account, device, phone or network. */
const MAX_ORDERS_PER_SOURCE = 5

export const byOpenCashOrder = sql`(${eq(orders.isCashOnDelivery, true)} and ${eq(orders.isRefunded, false)} and ${inArray(orders.status, ['placed', 'packed', 'shipped', 'ready'])})`

/** An account can have one undelivered cash-on-delivery order at a time. */
export function selectOpenCashOrders(userId: string, { db }: DataContext) {
  return db
    .select({ number: orders.number })
    .from(orders)
    .where(and(eq(orders.userId, userId), byOpenCashOrder))
}

/** Never matches orders without reservation sources: those of known customers, and those that the operator creates. */
export function byExceededCashLimit(orderId: string): SQL {
  const fromSameSource = sql`select count(*) from ${reservationSources} same cross join ${orders} on ${orders.id} = same.order_id
    where same.source = mine.source and same.order_id <> ${orderId} and ${byOpenCashOrder}`
  return sql`exists (select 1 from ${reservationSources} mine where mine.order_id = ${orderId} and (${fromSameSource}) >= ${MAX_ORDERS_PER_SOURCE})`
}
