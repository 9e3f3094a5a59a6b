import { and, asc, eq, inArray, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { Order } from '#shared/contract/orders.ts'
import type { Database } from '../../db/client.ts'
import { orderLines, orders } from '../../db/schema.ts'
import { acceptedPayment, type PaymentRow } from '../payments/stored-payment.ts'

export type OrderRow = typeof orders.$inferSelect
export type OrderLineRow = typeof orderLines.$inferSelect

/** The order a user placed under a key, as a condition. */
export function isUnderKey(userId: string | SQL, key: string) {
  return and(eq(orders.userId, userId), eq(orders.idempotencyKey, key))
}

/** The statement that selects the lines of orders, sorted by position. */
export function linesOf(db: Database, orderIds: SQLWrapper) {
  return db
    .select()
    .from(orderLines)
    .where(inArray(orderLines.orderId, orderIds))
    .orderBy(asc(orderLines.position))
}

/** A stored order as its owner sees it; `lines` and `payments` may hold those of other orders. */
export function orderOf(
  row: OrderRow,
  lines: readonly OrderLineRow[],
  payments: readonly PaymentRow[],
): Order {
  const own = payments.filter(({ orderId }) => orderId === row.id)
  const payment = acceptedPayment(own)
  const { cardBrand, cardLastFour } = payment ?? own.at(-1) ?? {}
  const { subtotalCents, discountCents, shippingCents, vatCents, totalCents } = row
  const roundingCents = totalCents - (subtotalCents - discountCents + shippingCents + vatCents)
  return {
    key: row.idempotencyKey,
    number: row.number,
    status: row.status,
    placedAtMs: row.createdAtMs,
    lines: lines
      .filter(({ orderId }) => orderId === row.id)
      .map(({ productId, title, size, image, unitPriceCents, qty }) => ({
        productId,
        title,
        size,
        image,
        unitPriceCents,
        qty,
      })),
    totals: { subtotalCents, discountCents, shippingCents, vatCents, roundingCents, totalCents },
    deliveryZone: row.deliveryZone,
    pickup: row.pickup,
    promoCode: row.promoCode,
    email: row.email,
    card: cardBrand && cardLastFour ? { brand: cardBrand, lastFour: cardLastFour } : null,
    payment: payment
      ? { provider: payment.provider, receipt: payment.receipt, refund: refundOf(payment) }
      : null,
  }
}

/** For the shopper, money is on its way back until it is there. */
function refundOf({ refundState }: PaymentRow): 'due' | 'done' | null {
  return refundState === null || refundState === 'done' ? refundState : 'due'
}
