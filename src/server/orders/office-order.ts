import { and, asc, desc, eq, inArray, isNotNull, or } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { type OrderDocument, selectDocuments, toDocuments } from '#server/invoices/documents.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { newId } from '#server/platform/crypto.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import type { AuditRow } from '#server/platform/db/list-audit.ts'
import {
  auditLog,
  orderEvents,
  orderNotes,
  orders,
  outbox,
  payments,
  refunds,
} from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { formatNumber } from '#shared/format.ts'
import type { OrderStatus } from '#shared/orders/order-status.ts'
import type { Actor } from '#shared/team/roles.ts'
import { byOrderNumber, type OrderRecord, selectOrderRecord, toOrderRecord } from './order-record.ts'
import { type OrderReturn, selectReturns, toReturns } from './order-returns.ts'
import { maySeeStatus, maySetStatus } from './packer-access.ts'
import { getStatusEmailKind, type OrderEvent } from './status-emails.ts'
import { getUndoWindow, listUndoStatuses, type UndoWindow } from './undo-window.ts'

const MAX_AUDIT_ROWS = 20

export type OrderDetails = OrderRecord & {
  documents: readonly OrderDocument[]
  events: readonly OrderEvent[]
  notes: readonly (typeof orderNotes.$inferSelect)[]
  emails: readonly Pick<
    typeof outbox.$inferSelect,
    'id' | 'kind' | 'status' | 'attempts' | 'nextAttemptAtMs' | 'createdAtMs' | 'sentAtMs'
  >[]
  audit: readonly AuditRow[]
  returns: readonly OrderReturn[]
  /** Empty if the last change can't be undone. */
  previous: readonly OrderStatus[]
  /** Null for statuses that can't be undone. */
  undo: (UndoWindow & { email: Pick<typeof outbox.$inferSelect, 'status' | 'sentAtMs'> | undefined }) | null
}

export function readOrderDetails(number: string, ctx: OwnerContext): Promise<OrderDetails | undefined> {
  return readOrderDetailsUnchecked(number, ctx)
}

export async function readOrderForViewer(
  viewer: Actor,
  number: string,
  ctx: DataContext,
): Promise<OrderDetails | undefined> {
  const order = await readOrderDetailsUnchecked(number, ctx)
  return order && maySeeStatus(viewer, order.row.status) ? order : undefined
}

export type ChangedOrder = Pick<OrderDetails, 'row' | 'previous'>

/** Returns an order that the viewer has just changed, even if their role can't open orders with its new status. */
export async function readChangedOrder(
  viewer: Actor,
  number: string,
  ctx: DataContext,
): Promise<ChangedOrder | undefined> {
  const order = await readOrderDetailsUnchecked(number, ctx)
  return order && maySetStatus(viewer, order.row.status) ? order : undefined
}

async function readOrderDetailsUnchecked(
  number: string,
  { db, clock }: DataContext,
): Promise<OrderDetails | undefined> {
  const orderNumber = number.trim().toUpperCase()
  const byNumber = eq(orders.number, orderNumber)
  const id = db.select({ id: orders.id }).from(orders).where(byNumber)
  const byOrder = or(
    inArray(outbox.subjectId, id),
    inArray(
      outbox.subjectId,
      db.select({ id: payments.id }).from(payments).where(inArray(payments.orderId, id)),
    ),
    inArray(
      outbox.subjectId,
      db.select({ id: refunds.id }).from(refunds).where(inArray(refunds.orderId, id)),
    ),
  )
  const [returns, returnedLines, events, notes, emails, audit, invoices, invoiceLines, ...rows] =
    await db.batch([
      ...selectReturns(db, id),
      db.select().from(orderEvents).where(inArray(orderEvents.orderId, id)).orderBy(asc(orderEvents.atMs)),
      db.select().from(orderNotes).where(inArray(orderNotes.orderId, id)).orderBy(desc(orderNotes.atMs)),
      db
        .select({
          id: outbox.id,
          kind: outbox.kind,
          status: outbox.status,
          attempts: outbox.attempts,
          nextAttemptAtMs: outbox.nextAttemptAtMs,
          createdAtMs: outbox.createdAtMs,
          sentAtMs: outbox.sentAtMs,
        })
        .from(outbox)
        .where(and(byOrder, isNotNull(outbox.orderUrl))),
      db
        .select()
        .from(auditLog)
        .where(eq(auditLog.subject, orderNumber))
        .orderBy(desc(auditLog.atMs))
        .limit(MAX_AUDIT_ROWS),
      ...selectDocuments(db, id),
      ...selectOrderRecord(db, byNumber),
    ])
  const record = toOrderRecord(rows)
  if (!record) return undefined
  const { status } = record.row
  const undoWindow = getUndoWindow({ status, events, emails }, clock())
  const undoStatuses = listUndoStatuses(status, events)
  const previous = undoWindow.isOpen ? undoStatuses : []
  const email = emails.find(({ kind }) => kind === getStatusEmailKind(status))
  const undo = undoStatuses.length > 0 ? { ...undoWindow, email } : null
  return {
    ...record,
    events,
    notes,
    emails,
    audit,
    previous,
    undo,
    returns: toReturns(returns, returnedLines),
    documents: toDocuments(invoices, invoiceLines),
  }
}

const NOTE_MAX_CHARACTERS = 1000

export async function addOrderNote(
  { number, text, actor }: { number: string; text: string; actor: Actor },
  ctx: DataContext,
): Promise<Result<{ number: string }, ServiceError<'not_found' | 'invalid_fields'>>> {
  const note = text.trim()
  if (note === '' || note.length > NOTE_MAX_CHARACTERS)
    return {
      ok: false,
      error: {
        code: 'invalid_fields',
        message: `Please enter a note of up to ${formatNumber(NOTE_MAX_CHARACTERS)} characters.`,
      },
    }
  const { db } = ctx
  const order = await db
    .select({ id: orders.id, number: orders.number, status: orders.status })
    .from(orders)
    .where(byOrderNumber(number))
    .get()
  if (!order || !maySeeStatus(actor, order.status)) return { ok: false, error: { code: 'not_found' } }
  const row = { id: newId(ctx), orderId: order.id, author: actor.email, text: note, atMs: ctx.clock() }
  const audit = { actor, action: 'order.note', subject: order.number, to: note.slice(0, 80) } as const
  await commitAudited({ statements: [db.insert(orderNotes).values(row)], audit }, ctx)
  return { ok: true, data: { number: order.number } }
}
