import { and, asc, eq, gte, lt, sql } from 'drizzle-orm'
import { orderLines, orders } from '#server/platform/db/schema.ts'
import { ORDER_STATUS_LABELS } from '#shared/orders/order-status.ts'
import { EXPORT_PAGE_ROWS, type Export, money, number, type Period, text, time } from './export-columns.ts'

type OrderRow = typeof orders.$inferSelect
type LineRow = { order: OrderRow; line: typeof orderLines.$inferSelect }

export const orderExport: Export<OrderRow> = {
  label: 'Orders',
  columns: {
    number: text('Order', ({ number }) => number),
    orderedAt: time('Ordered', ({ createdAtMs }) => createdAtMs),
    status: text('Status', ({ status }) => ORDER_STATUS_LABELS[status]),
    firstName: text('First name', ({ firstName }) => firstName),
    lastName: text('Last name', ({ lastName }) => lastName),
    email: text('Email', ({ email }) => email),
    phone: text('Phone', ({ phone }) => phone),
    county: text('County', ({ state }) => state),
    delivery: text('Delivery', ({ pickup, deliveryZone }) =>
      pickup ? 'Pickup' : (deliveryZone ?? 'Delivery'),
    ),
    promoCode: text('Promo code', ({ promoCode }) => promoCode),
    subtotalCents: money('Subtotal', ({ subtotalCents }) => subtotalCents),
    discountCents: money('Discount', ({ discountCents }) => discountCents),
    shippingCents: money('Shipping', ({ shippingCents }) => shippingCents),
    vatPercent: number('VAT rate (%)', ({ vatPercent }) => vatPercent),
    vatCents: money('VAT', ({ vatCents }) => vatCents),
    roundingCents: money('Rounding', roundingCents),
    totalCents: money('Total', ({ totalCents }) => totalCents),
  },
  readPage(period, last, { db }) {
    const isLater = last && sql`(${orders.createdAtMs}, ${orders.id}) > (${last.createdAtMs}, ${last.id})`
    return db
      .select()
      .from(orders)
      .where(and(whereOrderedInPeriod(period, last), isLater))
      .orderBy(asc(orders.createdAtMs), asc(orders.id))
      .limit(EXPORT_PAGE_ROWS)
  },
}

export const lineExport: Export<LineRow> = {
  label: 'Order lines',
  columns: {
    number: text('Order', ({ order }) => order.number),
    orderedAt: time('Ordered', ({ order }) => order.createdAtMs),
    status: text('Status', ({ order }) => ORDER_STATUS_LABELS[order.status]),
    line: number('Line', ({ line }) => line.position + 1),
    itemId: number('Item', ({ line }) => line.productId),
    title: text('Product', ({ line }) => line.title),
    size: text('Size', ({ line }) => line.size),
    qty: number('Quantity', ({ line }) => line.qty),
    unitPriceCents: money('Unit price', ({ line }) => line.unitPriceCents),
    lineTotalCents: money('Line total', ({ line }) => line.unitPriceCents * line.qty),
    vatPercent: number('VAT rate (%)', ({ order }) => order.vatPercent),
  },
  readPage(period, last, { db }) {
    const isLater =
      last &&
      sql`(${orders.createdAtMs}, ${orders.id}, ${orderLines.position})
        > (${last.order.createdAtMs}, ${last.order.id}, ${last.line.position})`
    return db
      .select({ order: orders, line: orderLines })
      .from(orders)
      .innerJoin(orderLines, eq(orderLines.orderId, orders.id))
      .where(and(whereOrderedInPeriod(period, last?.order), isLater))
      .orderBy(asc(orders.createdAtMs), asc(orders.id), asc(orderLines.position))
      .limit(EXPORT_PAGE_ROWS)
  },
}

/** SQLite uses the index only for a plain comparison with the last order. */
function whereOrderedInPeriod({ startMs, endMs }: Period, last: OrderRow | undefined) {
  return and(gte(orders.createdAtMs, last?.createdAtMs ?? startMs), lt(orders.createdAtMs, endMs))
}

function roundingCents({ totalCents, subtotalCents, discountCents, shippingCents, vatCents }: OrderRow) {
  return totalCents - (subtotalCents - discountCents + shippingCents + vatCents)
}
