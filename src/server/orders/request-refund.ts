import { and, eq, exists, isNull } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { acceptedPayment, type PaymentRow } from '#server/payments/payment-attempts.ts'
import { canRefund, type RefundTransition, refundTransition } from '#server/payments/payment-transitions.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { failUnless, guardViolation } from '#server/platform/db/guards.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { formatMoney } from '#shared/format.ts'
import type { Actor } from '#shared/team/roles.ts'
import { selectOrderRecord, toOrderRecord } from './order-record.ts'
import { refundedEmail } from './process-refunds.ts'

type RefundInput = {
  number: string
  /**
   * `refund`: the provider refunds it in the next run, also after a failure. `complete`: someone has refunded
   * it manually.
   */
  change: 'refund' | 'complete'
  /** The state the operator saw, `kept` for no refund. The change fails if it differs. */
  seen?: string
  actor: Actor
}

const CHANGED = 'Someone else has changed this refund since you opened it. Please check its current status.'
const NO_PAYMENT = 'This order has no payment to refund.'

type RefundError = ServiceError<'not_found' | 'refund_not_possible'>

/** Starts a refund, or records a manual one. Concurrent calls make one change. */
export async function changeRefund(
  { number, change, seen, actor }: RefundInput,
  ctx: DataContext,
): Promise<Result<PaymentRow, RefundError>> {
  const { db } = ctx
  const byNumber = eq(orders.number, number.trim().toUpperCase())
  const record = toOrderRecord(await db.batch(selectOrderRecord(db, byNumber)))
  if (!record) return { ok: false, error: { code: 'not_found' } }
  const open = record.payments.find(({ refundState }) => refundState !== null && refundState !== 'done')
  const payment = open ?? (change === 'refund' ? acceptedPayment(record.payments) : undefined)
  if (!payment) return notPossible(NO_PAYMENT)
  if (seen !== undefined && seen !== toStateName(payment)) return notPossible(CHANGED)
  const problem = findProblem(payment, change)
  if (problem) return notPossible(problem)

  const transition = refundTransition(toTransition(payment, change))
  const nowMs = ctx.clock()
  const values =
    change === 'complete'
      ? { refundedAtMs: nowMs, nextRefundAtMs: null, refundError: null }
      : { nextRefundAtMs: nowMs, refundAttempts: 0 }
  const audit = {
    actor,
    act: change === 'refund' ? 'order.refund' : 'order.refunded',
    subject: record.row.number,
    from: toStateName(payment),
    to: formatMoney(payment.amountCents),
  } as const
  try {
    const statements = [
      requireUnchanged(payment, ctx),
      db
        .update(payments)
        .set({ ...values, ...transition.set })
        .where(and(eq(payments.id, payment.id), transition.where)),
      ...(change === 'complete' ? refundedEmail(record.row, payment, ctx) : []),
    ] as const
    await commitAudited({ statements, audit }, ctx)
    return { ok: true, data: payment }
  } catch (error) {
    if (guardViolation(error)?.guard !== 'refundChanged') throw error
    return notPossible(CHANGED)
  }
}

function toTransition({ refundState }: PaymentRow, change: RefundInput['change']): RefundTransition {
  if (change === 'complete') return 'completeManually'
  return refundState === null ? 'refund' : 'restart'
}

function findProblem(payment: PaymentRow, change: RefundInput['change']): string | undefined {
  const { refundState, refundError } = payment
  if (refundState === 'due' && change === 'refund' && !refundError)
    return 'A refund has already been requested and will start shortly.'
  if (canRefund(refundState, toTransition(payment, change))) return undefined
  return refundState === 'requested'
    ? 'The provider is already processing this refund.'
    : 'This payment has already been refunded.'
}

function requireUnchanged({ id, refundState }: PaymentRow, ctx: DataContext) {
  const isState = refundState === null ? isNull(payments.refundState) : eq(payments.refundState, refundState)
  const unchanged = ctx.db
    .select({ id: payments.id })
    .from(payments)
    .where(and(eq(payments.id, id), isState))
  return failUnless(exists(unchanged), 'refundChanged', ctx)
}

function toStateName({ refundState }: PaymentRow): string {
  return refundState ?? 'kept'
}

function notPossible(message: string): { ok: false; error: RefundError } {
  return { ok: false, error: { code: 'refund_not_possible', message } }
}
