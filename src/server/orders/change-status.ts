import { and, eq, exists, gt, inArray, notExists, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { isOpen, type PaymentRow } from '#server/payments/payment-attempts.ts'
import { calculateRefundableCents, calculateRefundableTotalCents } from '#server/payments/refunds.ts'
import { newId } from '#server/platform/crypto.ts'
import type { Statements } from '#server/platform/db/client.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import {
  ORDER_STATUS_EMAILS,
  orderEvents,
  orders,
  outbox,
  payments,
  refunds,
} from '#server/platform/db/schema.ts'
import { deleteUnsentStatement, toOutboxRow } from '#server/platform/email/outbox.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { errorDefinitions } from '#shared/errors.ts'
import {
  findStatusNoteProblem,
  findTrackingUrlProblem,
  listNextStatuses,
  type OrderStatus,
} from '#shared/orders/order-status.ts'
import { findPackingProblem } from '#shared/orders/payment-status.ts'
import { isReturnable } from '#shared/orders/returns.ts'
import type { Actor } from '#shared/team/roles.ts'
import { calculateAmountDueCents } from './amount-due.ts'
import { cancelOrder } from './cancel-order.ts'
import {
  byOrderNumber,
  calculateBalance,
  commitAuditedOrderChange,
  type OrderRecord,
  selectOrderRecord,
  toOrderRecord,
} from './order-record.ts'
import { createNoReturnGuard, transitionOrderStatements } from './order-transitions.ts'
import { requireStatusPermission } from './packer-access.ts'
import { createOrderStatusEmail, getStatusEmailKind, type OrderEvent } from './status-emails.ts'
import { getUndoWindow, listUndoStatuses, STATUS_EMAIL_DELAY_MS } from './undo-window.ts'

type StatusChange = {
  number: string
  /** The status that the operator saw. If the order's status differs, the change fails. */
  from?: OrderStatus
  /** The revision of the order that the operator saw. If it differs, steps forward fail. */
  expectedRevision?: number | undefined
  /** The amount to refund or collect that the operator saw. If it differs, a cancellation or a collection fails. */
  expectedCents?: number | undefined
  to: OrderStatus
  /** A note that the shopper sees in the email and on the order's page. Undoing and cancelling ignore it. */
  note?: string
  trackingUrl?: string
  /** Whether the operator confirmed the change for an order that is fully refunded or not fully paid. */
  isConfirmed?: boolean
  /** Whether the amount due was collected in cash. If so, a change to `delivered` also records it as a payment. */
  isCollected?: boolean
  actor: Actor
}

export type StatusChangeError =
  | ServiceError<'not_found' | 'invalid_fields'>
  | (ServiceError<'payment_incomplete'> & { message: string })
  | (ServiceError<'status_changed' | 'status_not_allowed'> & {
      details: { status: OrderStatus; next: readonly OrderStatus[]; previous: readonly OrderStatus[] }
    })

type StatusChangeResult = { from: OrderStatus; to: OrderStatus; record: OrderRecord }

/** `payment_incomplete` means that the change needs `isConfirmed`. */
export async function changeOrderStatus(
  change: StatusChange,
  ctx: DataContext,
): Promise<Result<StatusChangeResult, StatusChangeError>> {
  const fieldErrors = findFieldErrors(change)
  if (fieldErrors) return { ok: false, error: { code: 'invalid_fields', fieldErrors } }
  const { from, to, expectedRevision, actor } = change
  const found = await readOrder(change, ctx)
  if (!found) return { ok: false, error: { code: 'not_found' } }
  const { record, previous } = found
  const { status } = record.row
  requireStatusPermission(actor, status, to)
  if (from !== undefined && status !== from) return createChangeError('status_changed', found)
  const isUndo = previous.includes(to)
  if (!isUndo && !listNextStatuses(record.row).includes(to))
    return createChangeError('status_not_allowed', found)
  if (!isUndo && expectedRevision !== undefined && expectedRevision !== record.row.revision)
    return createChangeError('status_changed', found)
  if (isUndo && !found.canUndo) return createChangeError('status_not_allowed', found, UNDO_ENDED_MESSAGE)
  if (hasOtherAmount(change, record)) return createChangeError('status_changed', found)
  if (to === 'cancelled') {
    const cancelled = await cancelOrder({ record, by: 'operator', actor }, ctx)
    if (!cancelled.ok)
      return cancelled.error.code === 'order_has_return'
        ? createChangeError('status_not_allowed', found, CANNOT_CANCEL_RETURN_MESSAGE)
        : createChangeError('status_changed', { ...found, record: cancelled.error.record })
    return { ok: true, data: { from: status, to, record: cancelled.data } }
  }
  const isChecked = !isUndo && PAYMENT_CHECKED_STATUSES.includes(to) && !record.row.isCashOnDelivery
  const problem = isChecked ? findPackingProblem(calculateBalance(record)) : undefined
  if (problem && !change.isConfirmed)
    return { ok: false, error: { code: 'payment_incomplete', message: problem } }
  const collectionStatements =
    to === 'delivered' && change.isCollected ? collectCashStatements(record, ctx) : []
  const statements = isUndo
    ? undoStatusStatements(found, to, ctx)
    : ([...fulfilOrderStatements(record, change, ctx), ...collectionStatements] as const)
  const audit = { actor, action: 'order.status', subject: record.row.number, from: status, to } as const
  try {
    const changed = await commitAuditedOrderChange({ id: record.row.id, statements, audit }, ctx)
    return { ok: true, data: { from: status, to, record: changed } }
  } catch (error) {
    const guard = getGuardViolation(error)?.guard
    const isUndoBlocked = guard === 'statusEmailSent' || guard === 'itemsReturned'
    if (!isUndoBlocked && !CHANGED_GUARDS.includes(guard)) throw error
    const current = (await readOrder(change, ctx)) ?? found
    if (!isUndoBlocked) return createChangeError('status_changed', current)
    return createChangeError(
      'status_not_allowed',
      current,
      guard === 'itemsReturned' ? HAS_RETURN_MESSAGE : UNDO_ENDED_MESSAGE,
    )
  }
}

/** The order or its payments have changed since they were read. */
const CHANGED_GUARDS: readonly unknown[] = ['orderChanged', 'attemptNumberTaken', 'refundExceedsPayment']

function hasOtherAmount({ to, isCollected, expectedCents }: StatusChange, record: OrderRecord): boolean {
  if (expectedCents === undefined) return false
  if (to === 'cancelled') return expectedCents !== calculateRefundableTotalCents(record)
  return to === 'delivered' && isCollected === true && expectedCents !== calculateBalance(record).dueCents
}

const UNDO_ENDED_MESSAGE =
  'You can’t undo this step because more than a minute has passed or we’ve emailed the customer about it.'
const HAS_RETURN_MESSAGE =
  'You can’t undo this step because the order has a return or exchange. If its items haven’t arrived, cancel the return or exchange first.'
const CANNOT_CANCEL_RETURN_MESSAGE =
  'You can’t cancel this order because it has a return or exchange. If its items haven’t arrived, cancel the return or exchange first.'
const PAYMENT_CHECKED_STATUSES: readonly OrderStatus[] = ['packed', 'shipped', 'ready']

type FoundOrder = {
  record: OrderRecord
  events: readonly OrderEvent[]
  previous: readonly OrderStatus[]
  canUndo: boolean
}

async function readOrder({ number }: StatusChange, ctx: DataContext): Promise<FoundOrder | undefined> {
  const { db } = ctx
  const byNumber = byOrderNumber(number)
  const id = db.select({ id: orders.id }).from(orders).where(byNumber)
  const [events, emails, ...rows] = await db.batch([
    db.select().from(orderEvents).where(inArray(orderEvents.orderId, id)),
    db
      .select({ kind: outbox.kind, attempts: outbox.attempts, nextAttemptAtMs: outbox.nextAttemptAtMs })
      .from(outbox)
      .where(inArray(outbox.subjectId, id)),
    ...selectOrderRecord(db, byNumber),
  ])
  const record = toOrderRecord(rows)
  if (!record) return undefined
  const { status } = record.row
  const { isOpen } = getUndoWindow({ status, events, emails }, ctx.clock())
  return { record, events, previous: listUndoStatuses(status, events), canUndo: isOpen }
}

function findFieldErrors({ note = '', trackingUrl = '' }: StatusChange) {
  const problems = { note: findStatusNoteProblem(note), trackingUrl: findTrackingUrlProblem(trackingUrl) }
  const foundProblems = Object.entries(problems).flatMap(([name, problem]) =>
    problem ? [[name, problem]] : [],
  )
  return foundProblems.length > 0 ? Object.fromEntries(foundProblems) : undefined
}

function createChangeError(
  code: 'status_changed' | 'status_not_allowed',
  { record, previous }: Pick<FoundOrder, 'record' | 'previous'>,
  message: string = errorDefinitions[code].message,
): { ok: false; error: StatusChangeError } {
  const { status } = record.row
  const details = { status, next: listNextStatuses(record.row), previous }
  return { ok: false, error: { code, message, details } }
}

function fulfilOrderStatements(record: OrderRecord, change: StatusChange, ctx: DataContext): Statements {
  const { db, clock } = ctx
  const { row } = record
  const { to, note, trackingUrl } = change
  const event = {
    orderId: row.id,
    status: to,
    atMs: clock(),
    note: note?.trim() || null,
    trackingUrl: trackingUrl?.trim() || null,
  }
  const email = createOrderStatusEmail(record, event)
  // The batch fails if the order has been edited or fully refunded since it was read, so that the operator can decide
  // again.
  const unchangedOrder = db
    .select({ id: orders.id })
    .from(orders)
    .where(
      and(eq(orders.id, row.id), eq(orders.revision, row.revision), eq(orders.isRefunded, row.isRefunded)),
    )
  return [
    failUnless(exists(unchangedOrder), 'orderChanged', ctx),
    ...transitionOrderStatements(
      { orderId: row.id, transition: 'fulfil', to, expectedStatus: row.status },
      ctx,
    ),
    db.insert(orderEvents).values(event),
    deleteUnsentStatement(row.id, ORDER_STATUS_EMAILS, ctx),
    ...(email ? [db.insert(outbox).values(toOutboxRow(email, ctx, STATUS_EMAIL_DELAY_MS))] : []),
  ]
}

function collectCashStatements({ row, payments: attempts, ...record }: OrderRecord, ctx: DataContext) {
  const { dueCents } = calculateBalance({ row, payments: attempts, ...record })
  // A payment recorded by hand settles in the next housekeeping run.
  const recordedCents = attempts
    .filter((payment) => payment.provider === 'manual' && isOpen(payment))
    .reduce((sum, { amountCents }) => sum + amountCents, 0)
  const collectedCents = dueCents - recordedCents
  if (collectedCents <= 0) return []
  const nowMs = ctx.clock()
  return [
    failUnless(sql`${calculateAmountDueCents(row.id)} = ${dueCents}`, 'orderChanged', ctx),
    ctx.db.insert(payments).values({
      id: newId(ctx),
      orderId: row.id,
      attempt: (attempts.at(-1)?.attempt ?? 0) + 1,
      ...({ provider: 'manual', manualType: 'cash', state: 'settled', amountCents: collectedCents } as const),
      createdAtMs: nowMs,
      endedAtMs: nowMs,
    }),
  ] as const
}

/** A payment recorded with the delivery settles when it is created and has no receipt. One recorded separately settles later. */
const isRecordedWithDelivery = ({ createdAtMs, endedAtMs, receipt }: PaymentRow) =>
  endedAtMs === createdAtMs && receipt === null

function findCollectedCash({ record, events }: FoundOrder): PaymentRow | undefined {
  const { row, payments: attempts, refunds: earlier } = record
  if (!row.isCashOnDelivery || row.status !== 'delivered') return undefined
  const deliveredAtMs = events.find(({ status }) => status === 'delivered')?.atMs ?? Infinity
  return attempts.find(
    (payment) =>
      payment.manualType === 'cash' &&
      payment.createdAtMs >= deliveredAtMs &&
      isRecordedWithDelivery(payment) &&
      calculateRefundableCents(payment, earlier) === payment.amountCents,
  )
}

/** Makes the cash that was recorded with the delivery due again. */
function reverseCashStatements(collected: PaymentRow, ctx: DataContext) {
  const { id: paymentId, orderId, amountCents } = collected
  const nowMs = ctx.clock()
  return [
    ctx.db.insert(refunds).values({
      id: newId(ctx),
      orderId,
      paymentId,
      amountCents,
      reason: 'not_collected',
      state: 'done',
      createdAtMs: nowMs,
      completedAtMs: nowMs,
    }),
    // A trigger on `refunds` may have marked the order as refunded, although it still has to be delivered.
    ctx.db.update(orders).set({ isRefunded: false }).where(eq(orders.id, orderId)),
  ] as const
}

function undoStatusStatements(found: FoundOrder, to: OrderStatus, ctx: DataContext): Statements {
  const { db } = ctx
  const { record, events } = found
  const { row, payments: attempts } = record
  const kind = getStatusEmailKind(row.status)
  const sentEmails = db
    .select({ id: outbox.id })
    .from(outbox)
    .where(and(eq(outbox.subjectId, row.id), kind && eq(outbox.kind, kind), gt(outbox.attempts, 0)))
  const leavesSentStatuses = isReturnable(row.status) && !isReturnable(to)
  const earlier = events.find(({ status }) => status === to)
  const collected = findCollectedCash(found)
  const uncollected = { ...record, payments: attempts.filter((payment) => payment !== collected) }
  const email = earlier && createOrderStatusEmail(uncollected, earlier)
  return [
    ...transitionOrderStatements(
      { orderId: row.id, transition: 'undo', to, expectedStatus: row.status },
      ctx,
    ),
    failUnless(notExists(sentEmails), 'statusEmailSent', ctx),
    ...(leavesSentStatuses ? [createNoReturnGuard(row.id, ctx)] : []),
    ...(collected ? reverseCashStatements(collected, ctx) : []),
    ...(kind ? [deleteUnsentStatement(row.id, [kind], ctx)] : []),
    db.delete(orderEvents).where(and(eq(orderEvents.orderId, row.id), eq(orderEvents.status, row.status))),
    // Inserts nothing if this email was sent earlier, because each status email is sent at most once per order.
    ...(email
      ? [
          db
            .insert(outbox)
            .values(toOutboxRow(email, ctx, STATUS_EMAIL_DELAY_MS))
            .onConflictDoNothing(),
        ]
      : []),
  ]
}
