import { eq, isNull } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { DataContext } from '#server/context.ts'
import { acceptedPayment, type PaymentRow } from '#server/payments/attempts.ts'
import { brokenConstraint, onlyIf } from '#server/platform/db/client.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { orderRecordOf, readOrderRecord } from './order-record.ts'
import { refundedMail } from './refund.ts'

type RefundInput = {
  /** The order's number, in any case. */
  number: string
  /** `ask`: the provider gives it back at the next run, once more where that failed; `done`: a person gave it back. */
  change: 'ask' | 'done'
  /** The state of the refund that whoever asks has seen, `kept` before any; left out, any. */
  seen?: string
  /** Statements of the same batch, given the payment: a line of the audit log. */
  alongside?: (payment: PaymentRow) => readonly BatchItem<'sqlite'>[]
}

const CHANGED = 'This refund has changed meanwhile. Please look at what it is now.'

type RefundError = ServiceError<'not_found' | 'refund_not_possible'>

/** Has an order's payment given back, or notes that a person has given it back. Twice at once is once. */
export async function changeRefund(
  { number, change, seen, alongside = () => [] }: RefundInput,
  ctx: DataContext,
): Promise<Result<PaymentRow, RefundError>> {
  const { db, clock } = ctx
  const isIt = eq(orders.number, number.trim().toUpperCase())
  const record = orderRecordOf(await db.batch(readOrderRecord(db, isIt)))
  if (!record) return { ok: false, error: { code: 'not_found' } }
  const open = record.payments.find(({ refundState }) => refundState !== null && refundState !== 'done')
  const payment = open ?? (change === 'ask' ? acceptedPayment(record.payments) : undefined)
  const refused = problemOf(payment, change)
  if (payment && seen !== undefined && seen !== (payment.refundState ?? 'kept')) return impossible(CHANGED)
  if (refused || !payment) return impossible(refused ?? 'This order has no payment to give back.')
  const nowMs = clock()
  const isUnchanged =
    payment.refundState === null
      ? isNull(payments.refundState)
      : eq(payments.refundState, payment.refundState)
  const values =
    change === 'done'
      ? { refundState: 'done' as const, refundedAtMs: nowMs, nextRefundAtMs: null, refundError: null }
      : { refundState: 'due' as const, nextRefundAtMs: nowMs, refundAttempts: 0 }
  const update = db
    .update(payments)
    .set({ ...values, state: onlyIf(isUnchanged, payment.state) })
    .where(eq(payments.id, payment.id))
  try {
    const told = change === 'done' ? refundedMail(record.row, payment, ctx) : []
    await db.batch([update, ...told, ...alongside(payment)])
    return { ok: true, data: payment }
  } catch (error) {
    if (!brokenConstraint(error)?.includes('payments.state')) throw error
    return impossible(CHANGED)
  }
}

/** Why a payment's refund cannot take this step; undefined when it can. */
function problemOf(payment: PaymentRow | undefined, change: RefundInput['change']): string | undefined {
  if (!payment) return 'This order has no payment to give back.'
  const { refundState, refundError } = payment
  if (refundState === 'done') return 'This payment was given back already.'
  if (refundState === 'requested' && change === 'ask')
    return 'The provider has been asked and is giving it back.'
  if (refundState === 'due' && change === 'ask' && !refundError)
    return 'This payment is about to be given back.'
  return undefined
}

function impossible(message: string): { ok: false; error: RefundError } {
  return { ok: false, error: { code: 'refund_not_possible', message } }
}
