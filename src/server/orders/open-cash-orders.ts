import { and, eq, gt, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { orders, reservationSources } from '#server/platform/db/schema.ts'
import { DAY_MS } from '#shared/time.ts'

/** How many cash-on-delivery orders count towards the limit of new customers per account, device, phone or network. */
const MAX_ORDERS_PER_SOURCE = 5

const byOpenCashOrder = sql`(${eq(orders.isCashOnDelivery, true)} and ${eq(orders.isRefunded, false)} and ${inArray(orders.status, ['placed', 'packed', 'shipped', 'ready'])})`

/** An account can have one undelivered cash-on-delivery order at a time. */
export function selectOpenCashOrders(userId: string, { db }: DataContext) {
  return db
    .select({ number: orders.number })
    .from(orders)
    .where(and(eq(orders.userId, userId), byOpenCashOrder))
}

/** Cancelled orders count for a day, because each has sent the operator emails. */
export function byCountedCashOrder({ clock }: Pick<DataContext, 'clock'>): SQL {
  const cancelledToday = and(
    eq(orders.isCashOnDelivery, true),
    eq(orders.status, 'cancelled'),
    gt(orders.createdAtMs, clock() - DAY_MS),
  )
  return sql`(${or(byOpenCashOrder, cancelledToday)})`
}

/** Never matches orders without reservation sources: those of known customers, and those that the operator creates. */
export function byExceededCashLimit(orderId: string, ctx: Pick<DataContext, 'clock'>): SQL {
  const fromSameSource = sql`select count(*) from ${reservationSources} same cross join ${orders} on ${orders.id} = same.order_id
    where same.source = mine.source and same.order_id <> ${orderId} and ${byCountedCashOrder(ctx)}`
  return sql`exists (select 1 from ${reservationSources} mine where mine.order_id = ${orderId} and (${fromSameSource}) >= ${MAX_ORDERS_PER_SOURCE})`
}
