import { and, eq, exists, gt, inArray, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { DataContext } from '#server/context.ts'
import { brokenConstraint, onlyIf } from '#server/platform/db/client.ts'
import { orderEvents, orders, outbox } from '#server/platform/db/schema.ts'
import { dropUnsent, outboxRow } from '#server/platform/email/outbox.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { errors } from '#shared/errors.ts'
import {
  nextStatuses,
  type OrderStatus,
  previousStatuses,
  statusNoteProblem,
  trackingAddressProblem,
} from '#shared/orders/order-status.ts'
import { cancelOrder } from './cancel.ts'
import { changeOrder, type OrderRecord, orderRecordOf, readOrderRecord } from './order-record.ts'
import { orderStepMail, stepMailKind } from './status-emails.ts'

/** How long a step's mail waits, so that a step taken by mistake can be taken back before anybody reads of it. */
export const STEP_MAIL_DELAY_MS = 60_000

type StatusChange = {
  /** The order's number, in any case. */
  number: string
  /** The status that whoever asks has seen; left out, any that allows the step. */
  from?: OrderStatus
  to: OrderStatus
  /** For the shopper, in the mail and on the order's page; not with a step back. */
  note?: string
  /** An https page that tracks the parcel. */
  trackingAddress?: string
  /** Statements of the same batch, given the status before: a line of the audit log. */
  alongside?: (from: OrderStatus) => readonly BatchItem<'sqlite'>[]
}

/** `details` says what the order is now, and which statuses it can be given: forward, and back. */
type ChangeError =
  | ServiceError<'not_found' | 'invalid_fields'>
  | (ServiceError<'status_changed' | 'status_not_allowed'> & {
      details: { status: OrderStatus; next: readonly OrderStatus[]; previous: readonly OrderStatus[] }
    })

type Changed = { from: OrderStatus; to: OrderStatus; record: OrderRecord }
/**
 * Takes an order a step further, with the time of the step and the shopper's mail in one batch; or a step back, while
 * that mail has not been sent. `status_changed`: the order is not `from` (any more), also when two do it at once;
 * `status_not_allowed`: no such step from there. A cancelled order's money is due to be given back.
 */
export async function changeOrderStatus(
  change: StatusChange,
  ctx: DataContext,
): Promise<Result<Changed, ChangeError>> {
  const fieldErrors = fieldErrorsOf(change)
  if (fieldErrors) return { ok: false, error: { code: 'invalid_fields', fieldErrors } }
  const { from, to, alongside = () => [] } = change
  const found = await read(change, ctx)
  if (!found) return { ok: false, error: { code: 'not_found' } }
  const { record, previous } = found
  const { status } = record.row
  if (from !== undefined && status !== from) return refused('status_changed', found)
  const isBack = previous.includes(to)
  if (!isBack && !nextStatuses(status).includes(to)) return refused('status_not_allowed', found)
  try {
    if (to === 'cancelled') {
      const cancelled = await cancelOrder({ record, by: 'operator', alongside: alongside(status) }, ctx)
      if (!cancelled.ok) return refused('status_changed', { ...found, record: cancelled.error.record })
      return { ok: true, data: { from: status, to, record: cancelled.data } }
    }
    const changed = isBack ? await stepBack(record, change, ctx) : await step(record, change, ctx)
    return { ok: true, data: { from: status, to, record: changed } }
  } catch (error) {
    if (!brokenConstraint(error)?.includes('orders.status')) throw error
  }
  const now = (await read(change, ctx)) ?? found
  if (now.record.row.status !== status) return refused('status_changed', now)
  return refused('status_not_allowed', now, 'The shopper has been told of this step already.')
}

type Found = { record: OrderRecord; previous: readonly OrderStatus[] }

/** The order, and the statuses it came through that a step back leads to. */
async function read({ number }: StatusChange, { db }: DataContext): Promise<Found | undefined> {
  const isIt = eq(orders.number, number.trim().toUpperCase())
  const id = db.select({ id: orders.id }).from(orders).where(isIt)
  const events = db
    .select({ status: orderEvents.status })
    .from(orderEvents)
    .where(inArray(orderEvents.orderId, id))
  const [reached, ...rows] = await db.batch([events, ...readOrderRecord(db, isIt)])
  const record = orderRecordOf(rows)
  if (!record) return undefined
  const previous = previousStatuses(record.row.status)
  const passed = previous.filter((step) => reached.some(({ status }) => status === step))
  return { record, previous: passed.length > 0 ? passed : previous }
}

function fieldErrorsOf({ note = '', trackingAddress = '' }: StatusChange) {
  const problems = { note: statusNoteProblem(note), trackingAddress: trackingAddressProblem(trackingAddress) }
  const found = Object.entries(problems).flatMap(([name, problem]) => (problem ? [[name, problem]] : []))
  return found.length > 0 ? Object.fromEntries(found) : undefined
}

function refused(
  code: 'status_changed' | 'status_not_allowed',
  { record, previous }: Found,
  message: string = errors[code].message,
): { ok: false; error: ChangeError } {
  const { status } = record.row
  const details = { status, next: nextStatuses(status), previous }
  return { ok: false, error: { code, message, details } }
}

/** Rejects for want of `orders.status` when the order is no longer what was read. */
function step({ row }: OrderRecord, change: StatusChange, ctx: DataContext): Promise<OrderRecord> {
  const { db, clock } = ctx
  const { to, note, trackingAddress, alongside = () => [] } = change
  const event = {
    orderId: row.id,
    status: to,
    atMs: clock(),
    note: note?.trim() || null,
    trackingAddress: trackingAddress?.trim() || null,
  }
  const mail = orderStepMail(row, event)
  return changeOrder(db, row.id, [
    db
      .update(orders)
      .set({ status: onlyIf(eq(orders.status, row.status), to) })
      .where(eq(orders.id, row.id)),
    db.insert(orderEvents).values(event),
    ...(mail ? [db.insert(outbox).values(outboxRow(mail, ctx, STEP_MAIL_DELAY_MS))] : []),
    ...alongside(row.status),
  ])
}

/** Rejects for want of `orders.status` when the order is no longer what was read, or its mail was sent. */
function stepBack({ row }: OrderRecord, change: StatusChange, ctx: DataContext): Promise<OrderRecord> {
  const { db } = ctx
  const { to, alongside = () => [] } = change
  const kind = stepMailKind(row.status)
  const isMail = and(eq(outbox.subjectId, row.id), kind && eq(outbox.kind, kind), gt(outbox.attempts, 0))
  const isSent = exists(db.select({ id: outbox.id }).from(outbox).where(isMail))
  const isUnchanged = sql`${orders.status} = ${row.status} and not ${isSent}`
  return changeOrder(db, row.id, [
    db
      .update(orders)
      .set({ status: onlyIf(isUnchanged, to) })
      .where(eq(orders.id, row.id)),
    ...(kind ? [dropUnsent(row.id, [kind], ctx)] : []),
    db.delete(orderEvents).where(and(eq(orderEvents.orderId, row.id), eq(orderEvents.status, row.status))),
    ...alongside(row.status),
  ])
}
