import { inArray, type SQLWrapper } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { refunds } from '#server/platform/db/schema.ts'
import { calculateOrderBalance, type OrderBalance } from '#shared/orders/payment-status.ts'
import type { OrderRow } from './order-record.ts'

type ListedRow = Pick<OrderRow, 'id' | 'status' | 'totalCents' | 'creditedCents' | 'paidCents'>
type ListedRefund = Pick<typeof refunds.$inferSelect, 'orderId' | 'state' | 'reason' | 'amountCents'>

/** Pass the rows to {@link withBalances}. */
export function selectListedRefunds(orderIds: SQLWrapper, { db }: DataContext) {
  const { orderId, state, reason, amountCents } = refunds
  return db.select({ orderId, state, reason, amountCents }).from(refunds).where(inArray(orderId, orderIds))
}

export function withBalances<Row extends ListedRow>(
  rows: readonly Row[],
  refunds: readonly ListedRefund[],
): (Row & { balance: OrderBalance })[] {
  return rows.map((order) => {
    const payments = [{ state: 'settled', amountCents: order.paidCents }]
    const own = refunds.filter(({ orderId }) => orderId === order.id)
    return { ...order, balance: calculateOrderBalance({ order, payments, refunds: own }) }
  })
}
