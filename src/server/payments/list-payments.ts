import { and, asc, eq, gt, gte, inArray, lt, or } from 'drizzle-orm'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { orders, payments, refunds } from '#server/platform/db/schema.ts'
import type { TimeRange } from '#shared/time.ts'
import { byMismatch, byUndecidedState, type PaymentRow } from './payment-attempts.ts'
import { byOpenRefundState } from './payment-transitions.ts'
import type { RefundRow } from './refunds.ts'

export const MAX_LISTED_PAYMENTS = 200

export type ListedPayment = Omit<PaymentRow, 'callbackHash'> & {
  number: string
  refunds: Omit<RefundRow, 'callbackHash'>[]
}

export async function listPayments(
  { period }: { period?: TimeRange | undefined },
  { db }: OwnerContext,
): Promise<ListedPayment[]> {
  const openRefunds = db.select({ id: refunds.paymentId }).from(refunds).where(byOpenRefundState)
  const byNeedForAttention = or(byUndecidedState, byMismatch, inArray(payments.id, openRefunds))
  const byPeriod =
    period &&
    and(
      eq(payments.state, 'settled'),
      // A free order has a payment of 0.
      gt(payments.amountCents, 0),
      gte(payments.endedAtMs, period.startMs),
      lt(payments.endedAtMs, period.endMs),
    )
  const page = db
    .select({ id: payments.id })
    .from(payments)
    .where(byPeriod ?? byNeedForAttention)
    .orderBy(asc(payments.createdAtMs))
    .limit(MAX_LISTED_PAYMENTS)
  const [rows, refundRows] = await db.batch([
    db
      .select({ payment: payments, number: orders.number })
      .from(payments)
      .innerJoin(orders, eq(orders.id, payments.orderId))
      .where(inArray(payments.id, page))
      .orderBy(asc(payments.createdAtMs)),
    db.select().from(refunds).where(inArray(refunds.paymentId, page)).orderBy(asc(refunds.createdAtMs)),
  ])
  const withoutHash = ({ callbackHash: _, ...refund }: RefundRow) => refund
  return rows.map(({ payment: { callbackHash: _, ...payment }, number }) => ({
    number,
    ...payment,
    refunds: refundRows.filter(({ paymentId }) => paymentId === payment.id).map(withoutHash),
  }))
}
