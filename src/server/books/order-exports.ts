import { and, asc, eq, gte, lt, sql } from 'drizzle-orm'
import { orderLines, orders } from '#server/platform/db/schema.ts'
import { calculateRoundingCents } from '#shared/checkout/pricing.ts'
import { getOrderStatusLabel } from '#shared/orders/order-status.ts'
import type { TimeRange } from '#shared/time.ts'
import {
  EXPORT_PAGE_ROWS,
  type ExportDefinition,
  moneyColumn,
  numberColumn,
  textColumn,
  timeColumn,
} from './export-columns.ts'

type OrderRow = typeof orders.$inferSelect
type LineRow = { order: OrderRow; line: typeof orderLines.$inferSelect }

export const orderExport: ExportDefinition<OrderRow> = {
  label: 'Orders',
  columns: {
    number: textColumn('Order', ({ number }) => number),
    orderedAt: timeColumn('Ordered', ({ createdAtMs }) => createdAtMs),
    status: textColumn('Status', (order) => getOrderStatusLabel(order.status, order)),
    firstName: textColumn('First name', ({ firstName }) => firstName),
    lastName: textColumn('Last name', ({ lastName }) => lastName),
    email: textColumn('Email', ({ email }) => email),
    phone: textColumn('Phone', ({ phone }) => phone),
    county: textColumn('County', ({ state }) => state),
    delivery: textColumn('Delivery', ({ pickup, deliveryZone }) =>
      pickup ? 'Pickup' : (deliveryZone ?? 'Delivery'),
    ),
    promoCode: textColumn('Promo code', ({ promoCode }) => promoCode),
    subtotalCents: moneyColumn('Subtotal', ({ subtotalCents }) => subtotalCents),
    discountCents: moneyColumn('Discount', ({ discountCents }) => discountCents),
    shippingCents: moneyColumn('Shipping', ({ shippingCents }) => shippingCents),
    vatPercent: numberColumn('VAT rate (%)', ({ vatPercent }) => vatPercent),
    vatCents: moneyColumn('VAT', ({ vatCents }) => vatCents),
    roundingCents: moneyColumn('Rounding', calculateRoundingCents),
    totalCents: moneyColumn('Total', ({ totalCents }) => totalCents),
  },
  readPage(period, last, { db }) {
    const byPageStart = last && sql`(${orders.createdAtMs}, ${orders.id}) > (${last.createdAtMs}, ${last.id})`
    return db
      .select()
      .from(orders)
      .where(and(byPeriod(period, last), byPageStart))
      .orderBy(asc(orders.createdAtMs), asc(orders.id))
      .limit(EXPORT_PAGE_ROWS)
  },
}

export const lineExport: ExportDefinition<LineRow> = {
  label: 'Order lines',
  columns: {
    number: textColumn('Order', ({ order }) => order.number),
    orderedAt: timeColumn('Ordered', ({ order }) => order.createdAtMs),
    status: textColumn('Status', ({ order }) => getOrderStatusLabel(order.status, order)),
    line: numberColumn('Line', ({ line }) => line.position + 1),
    itemId: numberColumn('Item', ({ line }) => line.productId),
    title: textColumn('Product', ({ line }) => line.title),
    size: textColumn('Size', ({ line }) => line.size),
    qty: numberColumn('Quantity', ({ line }) => line.qty),
    unitPriceCents: moneyColumn('Unit price', ({ line }) => line.unitPriceCents),
    lineTotalCents: moneyColumn('Line total', ({ line }) => line.unitPriceCents * line.qty),
    vatPercent: numberColumn('VAT rate (%)', ({ order }) => order.vatPercent),
  },
  readPage(period, last, { db }) {
    const byPageStart =
      last &&
      sql`(${orders.createdAtMs}, ${orders.id}, ${orderLines.position})
        > (${last.order.createdAtMs}, ${last.order.id}, ${last.line.position})`
    return db
      .select({ order: orders, line: orderLines })
      .from(orders)
      .innerJoin(orderLines, eq(orderLines.orderId, orders.id))
      .where(and(byPeriod(period, last?.order), byPageStart))
      .orderBy(asc(orders.createdAtMs), asc(orders.id), asc(orderLines.position))
      .limit(EXPORT_PAGE_ROWS)
  },
}

/**
 * A page starts at the time of the last order on the previous page, so that SQLite can use the index to skip earlier
 * orders.
 */
function byPeriod({ startMs, endMs }: TimeRange, last: OrderRow | undefined) {
  return and(gte(orders.createdAtMs, last?.createdAtMs ?? startMs), lt(orders.createdAtMs, endMs))
}
