import { and, eq, exists, gt, inArray, type SQL, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { bySettledState, insertPaymentRefundsStatement } from '#server/payments/refunds.ts'
import { failUnless } from '#server/platform/db/guards.ts'
import { orders, payments, refunds } from '#server/platform/db/schema.ts'
import { PAID_STATUSES } from '#shared/orders/order-status.ts'
import { isCreditReason, REFUND_REASONS } from '#shared/payments/refunds.ts'
import { calculateBalance, type OrderRecord, type OrderRow } from './order-record.ts'

const CREDIT_REASONS = REFUND_REASONS.filter(isCreditReason)

/** Must follow the same rules as `calculateOrderBalance`. The amount is negative if the customer has paid too much. */
export function calculateAmountDueCents(orderId: string): SQL<number> {
  const byOrder = eq(refunds.orderId, orderId)
  const sum = (column: SQL, where: SQL | undefined) =>
    sql`(select coalesce(sum(${column}), 0) from ${refunds} where ${where})`
  const requested = sum(sql`${refunds.amountCents}`, byOrder)
  const credit = sum(sql`${refunds.amountCents}`, and(byOrder, inArray(refunds.reason, CREDIT_REASONS)))
  const paidCents = sql`(select coalesce(sum(${payments.amountCents}), 0) from ${payments} where ${and(eq(payments.orderId, orderId), bySettledState)})`
  const owed = sql`(select case when ${byClosedStatus} then 0 else max(${orders.totalCents} - ${orders.creditedCents} - ${credit}, 0) end from ${orders} where ${eq(orders.id, orderId)})`
  return sql<number>`(${owed} - ${paidCents} + ${requested})`
}

/** A late payment can still place an expired order, although the order's `dueCents` is 0. */
export function calculatePayableCents(record: OrderRecord): number {
  const { row } = record
  const netPaidCents = row.paidCents - row.refundCents
  return row.status === 'expired'
    ? Math.max(row.totalCents - netPaidCents, 0)
    : calculateBalance(record).dueCents
}

/** Fails with `orderChanged` if the order's status or the sums behind its amount due have changed since it was read. */
export function createUnchangedAmountGuard(
  { id, status, totalCents, paidCents, refundCents, creditedCents }: OrderRow,
  ctx: DataContext,
) {
  const byUnchangedAmount = and(
    eq(orders.id, id),
    eq(orders.status, status),
    eq(orders.totalCents, totalCents),
    eq(orders.paidCents, paidCents),
    eq(orders.refundCents, refundCents),
    eq(orders.creditedCents, creditedCents),
  )
  const unchangedOrder = ctx.db.select({ id: orders.id }).from(orders).where(byUnchangedAmount)
  return failUnless(exists(unchangedOrder), 'orderChanged', ctx)
}

export const byPartPayment = and(
  eq(orders.status, 'awaiting_payment'),
  gt(orders.paidCents, orders.refundCents),
)

const byClosedStatus = inArray(orders.status, ['cancelled', 'expired'])

/** Must follow the statement that settles the payment, in the same batch. */
export function insertSurplusRefundStatements(
  { id, orderId }: { id: string; orderId: string },
  ctx: DataContext,
) {
  const reason = sql`(select case when ${byClosedStatus} then 'late_payment' else 'extra_payment' end from ${orders} where ${eq(orders.id, orderId)})`
  const surplus = sql`min(${payments.amountCents}, max(-${calculateAmountDueCents(orderId)}, 0))`
  return [
    insertPaymentRefundsStatement({ where: eq(payments.id, id), amountCents: surplus, reason }, ctx),
    markUnrefundedStatement(orderId, ctx),
  ] as const
}

/**
 * Must follow the statements that insert refunds of a surplus. A trigger marks an order as refunded once all that was
 * paid is refunded, but an order that is free or still costs something has to be packed and sent.
 */
export function markUnrefundedStatement(orderId: string, { db }: DataContext) {
  const byOpenStatus = inArray(orders.status, [...PAID_STATUSES])
  const byOwnCost = sql`(${orders.totalCents} = 0 or ${orders.totalCents} > ${orders.creditedCents} + ${orders.creditRefundCents})`
  return db
    .update(orders)
    .set({ isRefunded: false })
    .where(and(eq(orders.id, orderId), byOpenStatus, byOwnCost))
}
