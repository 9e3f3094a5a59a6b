import { and, eq, exists, notExists, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { canTransitionRefund, getRefundTransition } from '#server/payments/payment-transitions.ts'
import {
  calculateRefundableTotalCents,
  type RefundRow,
  selectMatchedWithdrawal,
  splitRefund,
} from '#server/payments/refunds.ts'
import { newId } from '#server/platform/crypto.ts'
import { type AuditEntry, commitAudited } from '#server/platform/db/audit.ts'
import type { Statements } from '#server/platform/db/client.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import { orders, refunds } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { CENTS_PER_KSH, formatMoney } from '#shared/format.ts'
import { getRefundReasonLabel, type RefundReason } from '#shared/payments/refunds.ts'
import type { Actor } from '#shared/team/roles.ts'
import { type OrderRecord, readOrderRecord } from './order-record.ts'
import { insertRefundedEmailStatements } from './process-refunds.ts'

type RefundableOrder = Pick<OrderRecord, 'row' | 'payments' | 'refunds'>

/** An order awaiting payment can only be cancelled, because a refund would also lower its amount due. */
export function isRefundable(record: RefundableOrder): boolean {
  return record.row.status !== 'awaiting_payment' && calculateRefundableTotalCents(record) > 0
}

type RefundInput = {
  record: RefundableOrder
  amountCents: number
  reason: RefundReason
  returnId?: string | null
}

/**
 * Returns undefined if less than `amountCents` can be refunded. A concurrent refund can fail the batch with
 * `refundExceedsPayment`.
 */
export function insertOrderRefundStatements(
  { record, amountCents, reason, returnId = null }: RefundInput,
  ctx: DataContext,
) {
  const nowMs = ctx.clock()
  const { row, payments } = record
  return splitRefund(amountCents, payments, record.refunds)?.map((part) =>
    ctx.db.insert(refunds).values({
      id: newId(ctx),
      orderId: row.id,
      paymentId: part.payment.id,
      amountCents: part.amountCents,
      reason,
      returnId,
      nextAtMs: nowMs,
      createdAtMs: nowMs,
    }),
  )
}

type RequestRefundInput = {
  number: string
  /** The default is the whole refundable amount. */
  amountCents?: number | undefined
  reason?: RefundReason | undefined
  /** The refundable amount that the operator saw. If it differs now, the request fails. */
  expectedRefundableCents?: number | undefined
  actor: Actor
}

type RefundError = ServiceError<'not_found' | 'invalid_fields' | 'refund_not_possible'>
type RequestedRefund = { number: string; amountCents: number }

const REFUND_CHANGED_MESSAGE = 'This refund has changed since you opened it. Please check its current status.'
const NO_PAYMENT_MESSAGE = 'This order has no payment to refund.'
const PART_PAID_MESSAGE = 'This order isn’t fully paid yet. To refund what was paid, cancel the order.'

/** The next housekeeping run sends the refund. */
export async function requestRefund(
  { number, amountCents, reason = 'other', expectedRefundableCents, actor }: RequestRefundInput,
  ctx: DataContext,
): Promise<Result<RequestedRefund, RefundError>> {
  const record = await readOrderRecord(number, ctx)
  if (!record) return { ok: false, error: { code: 'not_found' } }
  const refundableCents = calculateRefundableTotalCents(record)
  if (refundableCents === 0)
    return createRefundError(record.refunds.length > 0 ? ALREADY_REFUNDED_MESSAGE : NO_PAYMENT_MESSAGE)
  if (!isRefundable(record))
    return { ok: false, error: { code: 'invalid_fields', message: PART_PAID_MESSAGE } }
  const totalCents = amountCents ?? refundableCents
  const isValid = totalCents > 0 && totalCents % CENTS_PER_KSH === 0
  const statements = isValid
    ? insertOrderRefundStatements({ record, amountCents: totalCents, reason }, ctx)
    : undefined
  const [first, ...others] = statements ?? []
  if (!first) {
    const message = `Amount must be from ${formatMoney(CENTS_PER_KSH)} to ${formatMoney(refundableCents)}, in whole shillings.`
    return { ok: false, error: { code: 'invalid_fields', message, fieldErrors: { amount: message } } }
  }
  const row = record.row
  const to = formatMoney(totalCents) + (reason === 'other' ? '' : ` (${getRefundReasonLabel(reason)})`)
  const audit = { actor, action: 'order.refund', subject: row.number, from: 'kept', to } as const
  try {
    const guard = createRefundableGuard(row.id, expectedRefundableCents ?? refundableCents, ctx)
    await commitAudited({ statements: [guard, first, ...others], audit }, ctx)
    return { ok: true, data: { number: row.number, amountCents: totalCents } }
  } catch (error) {
    const guard = getGuardViolation(error)?.guard
    if (guard !== 'refundExceedsPayment' && guard !== 'refundChanged') throw error
    return createRefundError(REFUND_CHANGED_MESSAGE)
  }
}

function createRefundableGuard(orderId: string, cents: number, ctx: DataContext) {
  const order = ctx.db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.id, orderId), sql`${orders.paidCents} - ${orders.refundCents} = ${cents}`))
  return failUnless(exists(order), 'refundChanged', ctx)
}

type ChangeRefundInput = {
  number: string
  /** The default is the order's oldest refund that isn't complete. */
  refundId?: string | undefined
  /** `restart`: the next housekeeping run sends the refund again. `complete`: the operator has made the refund. */
  change: 'restart' | 'complete'
  expectedState?: string | undefined
  actor: Actor
  /** Committed in the same batch, before the refund changes. */
  withdrawalMatch?: { statements: Statements; audit: AuditEntry }
}

export async function changeRefund(
  { number, refundId, change, expectedState, actor, withdrawalMatch }: ChangeRefundInput,
  ctx: DataContext,
): Promise<Result<RefundRow, RefundError>> {
  const { db } = ctx
  const record = await readOrderRecord(number, ctx)
  if (!record) return { ok: false, error: { code: 'not_found' } }
  const { row, payments } = record
  const refund = record.refunds.find(({ id, state }) => (refundId ? id === refundId : state !== 'done'))
  const payment = payments.find(({ id }) => id === refund?.paymentId)
  if (!refund || !payment)
    return createRefundError(record.refunds.length > 0 ? ALREADY_REFUNDED_MESSAGE : NO_PAYMENT_MESSAGE)
  if (expectedState !== undefined && expectedState !== refund.state)
    return createRefundError(REFUND_CHANGED_MESSAGE)
  const problem = findProblem(refund, change)
  if (problem) return createRefundError(problem)

  const transition = getRefundTransition(change)
  const nowMs = ctx.clock()
  const values =
    change === 'complete'
      ? { completedAtMs: nowMs, nextAtMs: null, error: null }
      : { nextAtMs: nowMs, attempts: 0 }
  const audit = {
    actor,
    action: change === 'restart' ? 'order.refund' : 'order.refunded',
    subject: row.number,
    from: refund.state,
    to: formatMoney(refund.amountCents),
  } as const
  try {
    const statements = [
      createUnchangedRefundGuard(refund, ctx),
      ...(change === 'restart' ? [createNoWithdrawalGuard(refund, ctx)] : []),
      ...(withdrawalMatch?.statements ?? []),
      db
        .update(refunds)
        .set({ ...values, ...transition.set })
        .where(and(eq(refunds.id, refund.id), transition.where)),
      ...(change === 'complete' ? await insertRefundedEmailStatements({ row, payment, refund }, ctx) : []),
    ] as const
    await commitAudited({ statements, audit: withdrawalMatch ? [audit, withdrawalMatch.audit] : audit }, ctx)
    return { ok: true, data: refund }
  } catch (error) {
    const guard = getGuardViolation(error)?.guard
    if (guard === 'refundOnStatement') return createRefundError(ON_STATEMENT_MESSAGE)
    if (guard !== 'refundChanged') throw error
    return createRefundError(REFUND_CHANGED_MESSAGE)
  }
}

const ON_STATEMENT_MESSAGE =
  'The provider’s statement shows a refund of this payment and amount. If it’s this refund, mark it as refunded. If it’s another, match it to that one or mark it as not a refund under More → Reconciliation, then retry.'
const ALREADY_REFUNDED_MESSAGE = 'This payment has already been refunded.'

function findProblem({ state, error }: RefundRow, change: ChangeRefundInput['change']): string | undefined {
  if (state === 'due' && change === 'restart' && !error)
    return 'A refund has already been requested and will start shortly.'
  if (canTransitionRefund(state, change)) return undefined
  return state === 'requested' ? 'The provider is already processing this refund.' : ALREADY_REFUNDED_MESSAGE
}

function createUnchangedRefundGuard({ id, state, attempts }: RefundRow, ctx: DataContext) {
  const unchangedRefund = ctx.db
    .select({ id: refunds.id })
    .from(refunds)
    .where(and(eq(refunds.id, id), eq(refunds.state, state), eq(refunds.attempts, attempts)))
  return failUnless(exists(unchangedRefund), 'refundChanged', ctx)
}

function createNoWithdrawalGuard({ id }: RefundRow, ctx: DataContext) {
  return failUnless(notExists(selectMatchedWithdrawal(id, ctx)), 'refundOnStatement', ctx)
}

function createRefundError(message: string): { ok: false; error: RefundError } {
  return { ok: false, error: { code: 'refund_not_possible', message } }
}
