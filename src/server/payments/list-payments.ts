import { and, asc, eq, gte, lt, or } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import { isMismatch, isUndecided, type PaymentRow } from './payment-attempts.ts'
import { isRefundOpen } from './payment-transitions.ts'

const MAX_PAYMENTS = 200

export type ListedPayment = Omit<PaymentRow, 'callbackHash'> & { number: string }

/**
 * Payments that are undecided or have an open refund; with a period, the payments received in it. Oldest
 * first.
 */
export async function listPayments(
  { period }: { period?: { startMs: number; endMs: number } | undefined },
  { db }: DataContext,
): Promise<ListedPayment[]> {
  const needsAttention = or(isUndecided, isMismatch, isRefundOpen)
  const isInPeriod =
    period &&
    and(
      eq(payments.state, 'settled'),
      gte(payments.endedAtMs, period.startMs),
      lt(payments.endedAtMs, period.endMs),
    )
  const rows = await db
    .select({ payment: payments, number: orders.number })
    .from(payments)
    .innerJoin(orders, eq(orders.id, payments.orderId))
    .where(isInPeriod ?? needsAttention)
    .orderBy(asc(payments.createdAtMs))
    .limit(MAX_PAYMENTS)
  return rows.map(({ payment: { callbackHash: _, ...payment }, number }) => ({ number, ...payment }))
}
