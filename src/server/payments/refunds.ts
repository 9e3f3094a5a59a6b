import { and, eq, inArray, isNull, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { type Database, insertRowWhere } from '#server/platform/db/client.ts'
import { payments, refunds, withdrawals } from '#server/platform/db/schema.ts'
import type { RefundReason } from '#shared/payments/refunds.ts'
import type { PaymentRow } from './payment-attempts.ts'

export type RefundRow = typeof refunds.$inferSelect

/** The plus prevents SQLite from using the index on the state instead of a more selective one. */
export const bySettledState: SQL = sql`+${payments.state} = 'settled'`

export function selectRefunds(db: Database, orderIds: SQLWrapper) {
  return db.select().from(refunds).where(inArray(refunds.orderId, orderIds)).orderBy(refunds.createdAtMs)
}

/** Selects the withdrawal with which a statement shows the refund. */
export function selectMatchedWithdrawal(refundId: string | SQLWrapper, { db }: Pick<DataContext, 'db'>) {
  return db
    .select({ receipt: withdrawals.receipt })
    .from(withdrawals)
    .where(and(eq(withdrawals.matchedTo, refundId), isNull(withdrawals.dismissedAtMs)))
}

export function calculateRefundableCents(
  { id, state, amountCents }: Pick<PaymentRow, 'id' | 'state' | 'amountCents'>,
  all: readonly Pick<RefundRow, 'paymentId' | 'amountCents'>[],
): number {
  if (state !== 'settled') return 0
  const own = all.filter(({ paymentId }) => paymentId === id)
  return own.reduce((left, refund) => left - refund.amountCents, amountCents)
}

export function calculateRefundableTotalCents(order: {
  payments: readonly PaymentRow[]
  refunds: readonly RefundRow[]
}): number {
  return order.payments.reduce((sum, payment) => sum + calculateRefundableCents(payment, order.refunds), 0)
}

/** Leaves out cash that was recorded with a delivery and reversed with its undo, because the customer didn't pay it. */
export function omitUncollectedCash<Payment extends Pick<PaymentRow, 'id'>>(
  payments: readonly Payment[],
  refunds: readonly Pick<RefundRow, 'paymentId' | 'reason'>[],
): Payment[] {
  return payments.filter(
    ({ id }) => !refunds.some(({ paymentId, reason }) => paymentId === id && reason === 'not_collected'),
  )
}

export function listSettledPayments(all: readonly PaymentRow[], refunds: readonly RefundRow[]): PaymentRow[] {
  return omitUncollectedCash(all, refunds).filter(({ state }) => state === 'settled')
}

export function findSettledPayment(
  all: readonly PaymentRow[],
  refunds: readonly RefundRow[],
): PaymentRow | undefined {
  const settled = listSettledPayments(all, refunds)
  return settled.find((payment) => calculateRefundableCents(payment, refunds) > 0) ?? settled.at(-1)
}

type RefundPart = { payment: PaymentRow; amountCents: number }

export function splitRefund(
  amountCents: number,
  all: readonly PaymentRow[],
  earlier: readonly RefundRow[],
): RefundPart[] | undefined {
  let leftCents = amountCents
  const parts: RefundPart[] = []
  for (const payment of all.toReversed()) {
    const partCents = Math.min(leftCents, calculateRefundableCents(payment, earlier))
    if (partCents > 0) parts.push({ payment, amountCents: partCents })
    leftCents -= partCents
  }
  return leftCents === 0 ? parts : undefined
}

/** `amountCents` is an SQL expression that can use the columns of `payments`. */
export function insertPaymentRefundsStatement(
  { where, amountCents, reason }: { where: SQL | undefined; amountCents: SQL; reason: RefundReason | SQL },
  { db, clock }: DataContext,
) {
  const row = {
    id: sql`lower(hex(randomblob(16)))`,
    orderId: payments.orderId,
    paymentId: payments.id,
    amountCents,
    reason,
    state: 'due',
    nextAtMs: clock(),
    createdAtMs: clock(),
  }
  const from = sql`from ${payments} where ${and(bySettledState, where)} and ${amountCents} > 0`
  return db.insert(refunds).select(insertRowWhere(refunds, row, from))
}

/** Use it in a query that selects from `payments`. */
export const unrefundedCents: SQL<number> = sql<number>`(${payments.amountCents}
  - (select coalesce(sum(${refunds.amountCents}), 0) from ${refunds} where ${refunds.paymentId} = ${payments.id}))`
