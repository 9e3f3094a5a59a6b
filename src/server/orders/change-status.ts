import { and, eq, gt, inArray, notExists } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import type { Statements } from '#server/platform/db/client.ts'
import { failUnless, guardViolation } from '#server/platform/db/guards.ts'
import { orderEvents, orders, outbox } from '#server/platform/db/schema.ts'
import { deleteUnsent, toOutboxRow } from '#server/platform/email/outbox.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { errors } from '#shared/errors.ts'
import {
  nextStatuses,
  type OrderStatus,
  previousStatuses,
  statusNoteProblem,
  trackingAddressProblem,
} from '#shared/orders/order-status.ts'
import { cancelOrder } from './cancel-order.ts'
import { changeOrderAudited, type OrderRecord, selectOrderRecord, toOrderRecord } from './order-record.ts'
import { transitionOrder } from './order-transitions.ts'
import { orderStatusEmail, statusEmailKind } from './status-emails.ts'

/** The time to undo a mistaken change before the shopper is emailed. */
export const STATUS_EMAIL_DELAY_MS = 60_000

type StatusChange = {
  number: string
  /** The status the operator saw. The change fails if it differs. */
  from?: OrderStatus
  to: OrderStatus
  /** Shown to the shopper in the email and on the order's page; ignored when undoing. */
  note?: string
  trackingAddress?: string
  actor: string
}

/**
 * `details` holds the current status and the statuses it can change to, forward (`next`) and back
 * (`previous`).
 */
type ChangeError =
  | ServiceError<'not_found' | 'invalid_fields'>
  | (ServiceError<'status_changed' | 'status_not_allowed'> & {
      details: { status: OrderStatus; next: readonly OrderStatus[]; previous: readonly OrderStatus[] }
    })

type Changed = { from: OrderStatus; to: OrderStatus; record: OrderRecord }

/**
 * Fulfils, undoes or cancels. `status_changed`: the order is no longer `from`, also after a concurrent
 * change. `status_not_allowed`: no such transition, or its email was already sent.
 */
export async function changeOrderStatus(
  change: StatusChange,
  ctx: DataContext,
): Promise<Result<Changed, ChangeError>> {
  const fieldErrors = validate(change)
  if (fieldErrors) return { ok: false, error: { code: 'invalid_fields', fieldErrors } }
  const { from, to, actor } = change
  const found = await readOrder(change, ctx)
  if (!found) return { ok: false, error: { code: 'not_found' } }
  const { record, previous } = found
  const { status } = record.row
  if (from !== undefined && status !== from) return changeError('status_changed', found)
  const isUndo = previous.includes(to)
  if (!isUndo && !nextStatuses(status).includes(to)) return changeError('status_not_allowed', found)
  if (to === 'cancelled') {
    const cancelled = await cancelOrder({ record, by: 'operator', actor }, ctx)
    if (!cancelled.ok) return changeError('status_changed', { ...found, record: cancelled.error.record })
    return { ok: true, data: { from: status, to, record: cancelled.data } }
  }
  const statements = isUndo ? undo(record, to, ctx) : fulfil(record, change, ctx)
  const audit = { actor, act: 'order.status', subject: record.row.number, from: status, to } as const
  try {
    const changed = await changeOrderAudited({ id: record.row.id, statements, audit }, ctx)
    return { ok: true, data: { from: status, to, record: changed } }
  } catch (error) {
    const guard = guardViolation(error)?.guard
    if (guard !== 'orderChanged' && guard !== 'statusEmailSent') throw error
    const now = (await readOrder(change, ctx)) ?? found
    if (guard === 'orderChanged') return changeError('status_changed', now)
    return changeError('status_not_allowed', now, 'We’ve already emailed the customer about this step.')
  }
}

type OrderWithPrevious = { record: OrderRecord; previous: readonly OrderStatus[] }

async function readOrder(
  { number }: StatusChange,
  { db }: DataContext,
): Promise<OrderWithPrevious | undefined> {
  const byNumber = eq(orders.number, number.trim().toUpperCase())
  const id = db.select({ id: orders.id }).from(orders).where(byNumber)
  const events = db
    .select({ status: orderEvents.status })
    .from(orderEvents)
    .where(inArray(orderEvents.orderId, id))
  const [reached, ...rows] = await db.batch([events, ...selectOrderRecord(db, byNumber)])
  const record = toOrderRecord(rows)
  if (!record) return undefined
  const previous = previousStatuses(record.row.status)
  const passed = previous.filter((step) => reached.some(({ status }) => status === step))
  return { record, previous: passed.length > 0 ? passed : previous }
}

function validate({ note = '', trackingAddress = '' }: StatusChange) {
  const problems = { note: statusNoteProblem(note), trackingAddress: trackingAddressProblem(trackingAddress) }
  const found = Object.entries(problems).flatMap(([name, problem]) => (problem ? [[name, problem]] : []))
  return found.length > 0 ? Object.fromEntries(found) : undefined
}

function changeError(
  code: 'status_changed' | 'status_not_allowed',
  { record, previous }: OrderWithPrevious,
  message: string = errors[code].message,
): { ok: false; error: ChangeError } {
  const { status } = record.row
  const details = { status, next: nextStatuses(status), previous }
  return { ok: false, error: { code, message, details } }
}

function fulfil({ row }: OrderRecord, change: StatusChange, ctx: DataContext): Statements {
  const { db, clock } = ctx
  const { to, note, trackingAddress } = change
  const event = {
    orderId: row.id,
    status: to,
    atMs: clock(),
    note: note?.trim() || null,
    trackingAddress: trackingAddress?.trim() || null,
  }
  const email = orderStatusEmail(row, event)
  return [
    ...transitionOrder({ orderId: row.id, transition: 'fulfil', to, seen: row.status }, ctx),
    db.insert(orderEvents).values(event),
    ...(email ? [db.insert(outbox).values(toOutboxRow(email, ctx, STATUS_EMAIL_DELAY_MS))] : []),
  ]
}

function undo({ row }: OrderRecord, to: OrderStatus, ctx: DataContext): Statements {
  const { db } = ctx
  const kind = statusEmailKind(row.status)
  const sent = db
    .select({ id: outbox.id })
    .from(outbox)
    .where(and(eq(outbox.subjectId, row.id), kind && eq(outbox.kind, kind), gt(outbox.attempts, 0)))
  return [
    ...transitionOrder({ orderId: row.id, transition: 'undo', to, seen: row.status }, ctx),
    failUnless(notExists(sent), 'statusEmailSent', ctx),
    ...(kind ? [deleteUnsent(row.id, [kind], ctx)] : []),
    db.delete(orderEvents).where(and(eq(orderEvents.orderId, row.id), eq(orderEvents.status, row.status))),
  ]
}
