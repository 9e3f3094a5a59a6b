import { and, eq, isNotNull, notExists, or } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { isOpen } from '#server/payments/payment-attempts.ts'
import { newId } from '#server/platform/crypto.ts'
import { commitAudited, requirePermission } from '#server/platform/db/audit.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import { incomingPayments, incomingRefunds, payments } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { formatMoney } from '#shared/format.ts'
import { MANUAL_PAYMENT_LABELS, type ManualPaymentType } from '#shared/payments/providers.ts'
import type { Actor } from '#shared/team/roles.ts'
import { calculatePayableCents, createUnchangedAmountGuard } from './amount-due.ts'
import { byOrderNumber, type OrderRow, selectOrderRecord, toOrderRecord } from './order-record.ts'

const REFERENCE_PATTERN = /^[\w./-]{3,40}$/

const ALREADY_RECORDED_MESSAGE =
  'A payment is already recorded for this order. Its status will update shortly.'

type ManualPaymentInput = {
  number: string
  type: ManualPaymentType
  /** The reference number from M-Pesa, the bank or a receipt book. May be empty. */
  reference: string
  /** The amount due that the operator saw. If it differs now, nothing is recorded. */
  expectedCents?: number | undefined
  actor: Actor
}

type ManualPaymentError = ServiceError<
  'not_found' | 'invalid_fields' | 'not_awaiting_payment' | 'receipt_taken' | 'status_changed'
>

/** Records the payment as pending. It settles in the next housekeeping run, or when the customer opens the order. */
export async function recordManualPayment(
  { number, type, reference, expectedCents, actor }: ManualPaymentInput,
  ctx: DataContext,
): Promise<Result<{ order: OrderRow; amountCents: number; reference: string | null }, ManualPaymentError>> {
  requirePermission(actor, 'order.paid')
  const { db, clock } = ctx
  const receipt = reference.trim().toUpperCase() || null
  if (receipt !== null && !REFERENCE_PATTERN.test(receipt))
    return createReferenceError(
      'Reference must be 3 to 40 characters long, using only letters, digits, dots, hyphens and slashes.',
    )
  const byIncomingReceipt = eq(incomingPayments.receipt, receipt ?? '')
  const [[incoming], ...rows] = await db.batch([
    db.select().from(incomingPayments).where(byIncomingReceipt),
    ...selectOrderRecord(db, byOrderNumber(number)),
  ])
  const record = toOrderRecord(rows)
  if (!record) return { ok: false, error: { code: 'not_found' } }
  const { row, payments: attempts } = record
  const amountCents = calculatePayableCents(record)
  if (amountCents === 0) return { ok: false, error: { code: 'not_awaiting_payment' } }
  if (expectedCents !== undefined && expectedCents !== amountCents) {
    const message = `${formatMoney(amountCents)} is due for this order now. Nothing was recorded. Please check the amount and try again.`
    return { ok: false, error: { code: 'status_changed', message } }
  }
  // Without this check, submitting the form twice would record two payments, and one would have to be refunded.
  if (attempts.some((payment) => payment.provider === 'manual' && isOpen(payment)))
    return { ok: false, error: { code: 'not_awaiting_payment', message: ALREADY_RECORDED_MESSAGE } }
  const isUnassigned = incoming?.verifiedAtMs != null && incoming.paymentId === null
  if (isUnassigned && incoming.returnedAtMs === null && incoming.amountCents !== amountCents)
    return createReferenceError(
      `Receipt ${incoming.receipt} is a payment of ${formatMoney(incoming.amountCents)}, not ${formatMoney(amountCents)}. Assign it under More → Payments to assign.`,
    )
  const nowMs = clock()
  const attempt = {
    id: newId(ctx),
    orderId: row.id,
    attempt: (attempts.at(-1)?.attempt ?? 0) + 1,
    provider: 'manual' as const,
    state: 'pending' as const,
    amountCents,
    manualType: type,
    receipt,
    createdAtMs: nowMs,
    nextCheckAtMs: nowMs,
  }
  const label = MANUAL_PAYMENT_LABELS[type]
  const to = [formatMoney(amountCents), label, receipt].filter(Boolean).join(', ')
  const audit = { actor, action: 'order.paid', subject: row.number, from: row.status, to } as const
  const refunded = db
    .select({ receipt: incomingPayments.receipt })
    .from(incomingPayments)
    .leftJoin(
      incomingRefunds,
      and(
        eq(incomingRefunds.provider, incomingPayments.provider),
        eq(incomingRefunds.receipt, incomingPayments.receipt),
      ),
    )
    .where(
      and(byIncomingReceipt, or(isNotNull(incomingPayments.returnedAtMs), isNotNull(incomingRefunds.state))),
    )
  const statements = [
    createUnchangedAmountGuard(row, ctx),
    failUnless(notExists(refunded), 'incomingChanged', ctx),
    db.insert(payments).values(attempt),
  ] as const
  try {
    await commitAudited({ statements, audit }, ctx)
    return { ok: true, data: { order: row, amountCents, reference: receipt } }
  } catch (error) {
    switch (getGuardViolation(error)?.guard) {
      case 'receiptAlreadyUsed':
        return { ok: false, error: { code: 'receipt_taken' } }
      case 'incomingChanged':
        return createReferenceError(
          'This payment was refunded, or its refund is in progress. Check the receipt number.',
        )
      case 'orderChanged':
        return { ok: false, error: { code: 'status_changed' } }
      case 'attemptNumberTaken':
        return { ok: false, error: { code: 'not_awaiting_payment' } }
      default:
        throw error
    }
  }
}

function createReferenceError(message: string): { ok: false; error: ManualPaymentError } {
  return { ok: false, error: { code: 'invalid_fields', message, fieldErrors: { reference: message } } }
}
