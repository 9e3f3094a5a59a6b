import { and, eq, gte, lt, lte, notExists, or, type SQL, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { incomingPayments, orders, payments, refunds, withdrawals } from '#server/platform/db/schema.ts'
import type { RefundState } from '#shared/payments/refunds.ts'
import { DAY_MS, type TimeRange } from '#shared/time.ts'
import type { StatementProvider } from './statement.ts'

/** Operators may record a refund days after the money moved. */
const SUGGESTION_WINDOW_MS = 7 * DAY_MS
const MAX_SUGGESTIONS = 3

/** M-Pesa's statements also list the till payments, which the shop stores as manual. */
export function byStatementProvider(provider: StatementProvider): SQL | undefined {
  const byProvider = eq(payments.provider, provider)
  return provider === 'mpesa' ? or(byProvider, eq(payments.manualType, 'till')) : byProvider
}

/** A refund or a returned payment that the shop recorded. */
export type OutgoingPayment = {
  /** `withdrawals.matchedTo` stores this key. */
  key: string
  atMs: number
  amountCents: number
  number: string | null
  receipt: string | null
}

const refundFields = {
  key: refunds.id,
  atMs: sql<number>`coalesce(${refunds.completedAtMs}, ${refunds.createdAtMs})`,
  amountCents: refunds.amountCents,
  number: orders.number,
  receipt: payments.receipt,
}
const returnedPaymentKey = sql<string>`'returned ' || ${incomingPayments.receipt}`
const returnedPaymentFields = {
  key: returnedPaymentKey,
  atMs: sql<number>`${incomingPayments.returnedAtMs}`,
  amountCents: incomingPayments.amountCents,
  number: sql<null>`null`,
  receipt: incomingPayments.receipt,
}

const selectMatchedWithdrawals = (key: SQL | typeof refunds.id, db: DataContext['db']) =>
  db.select({ receipt: withdrawals.receipt }).from(withdrawals).where(sql`${withdrawals.matchedTo} = ${key}`)

export function selectWithdrawals(
  provider: StatementProvider,
  { startMs, endMs }: TimeRange,
  { db }: DataContext,
) {
  return [
    db
      .select({
        withdrawal: withdrawals,
        number: orders.number,
        // In a batch, the columns of a query must have different names.
        refundedCents: sql<number | null>`${refunds.amountCents}`.as('refunded'),
        refundState: sql<RefundState | null>`${refunds.state}`.as('refund_state'),
        refundedPaymentId: refunds.paymentId,
        returnedAtMs: sql<number | null>`${incomingPayments.returnedAtMs}`.as('returned'),
      })
      .from(withdrawals)
      .leftJoin(refunds, eq(refunds.id, withdrawals.matchedTo))
      .leftJoin(orders, eq(orders.id, refunds.orderId))
      .leftJoin(
        incomingPayments,
        and(
          eq(incomingPayments.provider, withdrawals.provider),
          eq(incomingPayments.receipt, sql`substr(${withdrawals.matchedTo}, length('returned ') + 1)`),
        ),
      )
      .where(
        and(eq(withdrawals.provider, provider), gte(withdrawals.atMs, startMs), lt(withdrawals.atMs, endMs)),
      ),
    ...selectUnmatchedOutgoingPayments(provider, { from: startMs, to: endMs - 1 }, { db }),
  ] as const
}

function selectUnmatchedOutgoingPayments(
  provider: StatementProvider,
  { from, to, amounts }: { from: number; to: number; amounts?: SQL },
  { db }: Pick<DataContext, 'db'>,
) {
  return [
    db
      .select(refundFields)
      .from(refunds)
      .innerJoin(payments, eq(payments.id, refunds.paymentId))
      .innerJoin(orders, eq(orders.id, refunds.orderId))
      .where(
        and(
          gte(refunds.completedAtMs, from),
          lte(refunds.completedAtMs, to),
          amounts && sql`${refunds.amountCents} in ${amounts}`,
          byStatementProvider(provider),
          notExists(selectMatchedWithdrawals(refunds.id, db)),
        ),
      ),
    db
      .select(returnedPaymentFields)
      .from(incomingPayments)
      .where(
        and(
          eq(incomingPayments.provider, provider),
          gte(incomingPayments.returnedAtMs, from),
          lte(incomingPayments.returnedAtMs, to),
          amounts && sql`${incomingPayments.amountCents} in ${amounts}`,
          notExists(selectMatchedWithdrawals(returnedPaymentKey, db)),
        ),
      ),
  ] as const
}

type UnmatchedWithdrawal = Pick<typeof withdrawals.$inferSelect, 'receipt' | 'amountCents' | 'atMs'>

/** The keys are the withdrawals' receipts. The closest suggestions come first. */
export async function suggestOutgoingPayments(
  provider: StatementProvider,
  rows: readonly UnmatchedWithdrawal[],
  { db }: DataContext,
): Promise<Map<string, OutgoingPayment[]>> {
  if (rows.length === 0) return new Map()
  const times = rows.map(({ atMs }) => atMs)
  const amounts = sql`(select value from json_each(${JSON.stringify(rows.map(({ amountCents }) => amountCents))}))`
  const period = {
    from: Math.min(...times) - SUGGESTION_WINDOW_MS,
    to: Math.max(...times) + SUGGESTION_WINDOW_MS,
    amounts,
  }
  const byOpenRefund = and(
    sql`${refunds.state} <> 'done'`,
    lte(refunds.createdAtMs, period.to),
    sql`${refunds.amountCents} in ${amounts}`,
    byStatementProvider(provider),
    notExists(selectMatchedWithdrawals(refunds.id, db)),
  )
  const unmatchedRows = await db.batch([
    ...selectUnmatchedOutgoingPayments(provider, period, { db }),
    db
      .select(refundFields)
      .from(refunds)
      .innerJoin(payments, eq(payments.id, refunds.paymentId))
      .innerJoin(orders, eq(orders.id, refunds.orderId))
      .where(byOpenRefund),
  ])
  const all: OutgoingPayment[] = unmatchedRows.flat()
  const findNearest = ({ amountCents, atMs }: UnmatchedWithdrawal) =>
    all
      .filter((sent) => sent.amountCents === amountCents)
      .map((sent) => ({ sent, distanceMs: Math.abs(sent.atMs - atMs) }))
      .filter(({ distanceMs }) => distanceMs <= SUGGESTION_WINDOW_MS)
      .toSorted((a, b) => a.distanceMs - b.distanceMs)
      .slice(0, MAX_SUGGESTIONS)
      .map(({ sent }) => sent)
  return new Map(rows.map((row) => [row.receipt, findNearest(row)]))
}

/**
 * A withdrawal that the statement matched to a refund names its payment, so it can only be a refund of that payment. The
 * keys are the withdrawals' receipts.
 */
export async function suggestOtherRefunds(
  rows: readonly { withdrawal: UnmatchedWithdrawal; refundedPaymentId: string | null }[],
  { db }: DataContext,
): Promise<Map<string, OutgoingPayment[]>> {
  if (rows.length === 0) return new Map()
  const paymentIds = sql`(select value from json_each(${JSON.stringify(rows.map((row) => row.refundedPaymentId))}))`
  const all = await db
    .select({ ...refundFields, paymentId: refunds.paymentId })
    .from(refunds)
    .innerJoin(payments, eq(payments.id, refunds.paymentId))
    .innerJoin(orders, eq(orders.id, refunds.orderId))
    .where(
      and(sql`${refunds.paymentId} in ${paymentIds}`, notExists(selectMatchedWithdrawals(refunds.id, db))),
    )
  return new Map(
    rows.map(({ withdrawal: { receipt, amountCents }, refundedPaymentId }) => [
      receipt,
      all.filter((sent) => sent.paymentId === refundedPaymentId && sent.amountCents === amountCents),
    ]),
  )
}
