import { and, desc, eq, gt, isNotNull, isNull, ne, notExists, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { DataContext } from '#server/context.ts'
import type { PaymentRow } from '#server/payments/payment-attempts.ts'
import { failUnless } from '#server/platform/db/guards.ts'
import { payments } from '#server/platform/db/schema.ts'
import { hasFlow } from '#shared/payments/providers.ts'

type PaidAttempt = Pick<PaymentRow, 'id' | 'orderId' | 'attempt' | 'provider' | 'amountCents' | 'receipt'>

/**
 * Selects the manual payment that is the same money as the attempt: the one with its receipt, or else a till payment of
 * its amount that was recorded after the prompt was sent. The latter is ruled out by two different receipts or by
 * another attempt for the same manual payment.
 */
export function selectRecordedPayment(
  { id, orderId, attempt, provider, amountCents, receipt }: PaidAttempt,
  { db }: DataContext,
) {
  const recorded = alias(payments, 'recorded')
  const other = alias(payments, 'other')
  const byOtherAttempt = and(eq(other.orderId, orderId), eq(other.recordedAs, recorded.id), ne(other.id, id))
  // The plus prevents SQLite from using the index on the receipt, which has many nulls, instead of the order's.
  const recordedReceipt = sql`+${recorded.receipt}`
  const bySameReceipt = receipt === null ? undefined : eq(recordedReceipt, receipt)
  const byLaterTillPayment = and(
    eq(recorded.manualType, 'till'),
    eq(recorded.amountCents, amountCents),
    gt(recorded.attempt, attempt),
    receipt === null ? undefined : isNull(recordedReceipt),
    notExists(db.select({ id: other.id }).from(other).where(byOtherAttempt)),
  )
  const isPrompt = hasFlow(provider, 'prompt')
  return db
    .select({ id: recorded.id })
    .from(recorded)
    .where(
      and(
        eq(recorded.orderId, orderId),
        isNotNull(recorded.manualType),
        ne(recorded.id, id),
        isPrompt ? or(bySameReceipt, byLaterTillPayment) : (bySameReceipt ?? sql`false`),
      ),
    )
    .orderBy(desc(sql`${recordedReceipt} is ${receipt}`), recorded.attempt)
    .limit(1)
}

/** The batch fails with `paymentRecorded` if the operator has recorded the attempt's money by hand. */
export function createUnrecordedGuard(paid: PaidAttempt, ctx: DataContext) {
  return failUnless(notExists(selectRecordedPayment(paid, ctx)), 'paymentRecorded', ctx)
}
