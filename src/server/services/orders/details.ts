import { and, asc, desc, eq, inArray, isNotNull } from 'drizzle-orm'
import { type OrderStatus, previousStatuses } from '#shared/rules/order-status.ts'
import { auditLog, orderEvents, orderNotes, orders, outbox } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { type OrderEvent, stepMailKind } from '../../mail/order-status-mails.ts'
import type { AuditRow } from '../audit.ts'
import { type OrderRecord, orderRecordOf, readOrderRecord } from './stored-order.ts'

const AUDIT_LINES = 20

/** Everything the operator can know of an order. */
export type OrderDetails = OrderRecord & {
  events: readonly OrderEvent[]
  notes: readonly (typeof orderNotes.$inferSelect)[]
  /** The mails to the shopper, without their texts. */
  mails: readonly Pick<
    typeof outbox.$inferSelect,
    'id' | 'kind' | 'status' | 'attempts' | 'createdAtMs' | 'sentAtMs'
  >[]
  /** What was done to it in the office, the newest first. */
  audit: readonly AuditRow[]
  /** What its last step can be taken back to; none once the shopper has been told of it. */
  previous: readonly OrderStatus[]
}

/** An order by its number, in any case; undefined when there is none. One round trip. */
export async function readOrderDetails(
  number: string,
  { db }: Pick<Deps, 'db'>,
): Promise<OrderDetails | undefined> {
  const name = number.trim().toUpperCase()
  const isIt = eq(orders.number, name)
  const id = db.select({ id: orders.id }).from(orders).where(isIt)
  const [events, notes, mails, audit, ...rows] = await db.batch([
    db.select().from(orderEvents).where(inArray(orderEvents.orderId, id)).orderBy(asc(orderEvents.atMs)),
    db.select().from(orderNotes).where(inArray(orderNotes.orderId, id)).orderBy(desc(orderNotes.atMs)),
    db
      .select({
        id: outbox.id,
        kind: outbox.kind,
        status: outbox.status,
        attempts: outbox.attempts,
        createdAtMs: outbox.createdAtMs,
        sentAtMs: outbox.sentAtMs,
      })
      .from(outbox)
      .where(and(inArray(outbox.subjectId, id), isNotNull(outbox.orderAddress))),
    db
      .select()
      .from(auditLog)
      .where(eq(auditLog.subject, name))
      .orderBy(desc(auditLog.atMs))
      .limit(AUDIT_LINES),
    ...readOrderRecord(db, isIt),
  ])
  const record = orderRecordOf(rows)
  if (!record) return undefined
  const { status } = record.row
  const told = mails.some(({ kind, attempts }) => kind === stepMailKind(status) && attempts > 0)
  const reached = previousStatuses(status).filter((step) => events.some((event) => event.status === step))
  const previous = told ? [] : reached.length > 0 ? reached : previousStatuses(status)
  return { ...record, events, notes, mails, audit, previous }
}
