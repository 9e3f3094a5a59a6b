import { and, desc, eq, gte, lt } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { DataContext } from '#server/context.ts'
import { newId } from '#server/platform/crypto.ts'
import { changeThenRead, type Statements } from './client.ts'
import { auditLog } from './schema.ts'

/** The labels of the actions that the audit log records. */
export const AUDIT_ACTS = {
  'order.status': 'Status changed',
  'order.cancel': 'Order cancelled',
  'order.refund': 'Refund started',
  'order.refunded': 'Marked as refunded',
  'order.paid': 'Payment recorded',
  'order.note': 'Note added',
  'promotion.create': 'Promo code created',
  'promotion.end': 'Promo code ended',
  'message.read': 'Message marked as read',
  'message.answered': 'Message marked as answered',
  'mail.resend': 'Email resent',
  'stock.count': 'Stock counted',
  'catalogue.save': 'Product changed',
  'catalogue.hide': 'Product hidden',
  'catalogue.show': 'Product made visible',
  'catalogue.move': 'Product moved',
  'catalogue.delete': 'Product deleted',
  'catalogue.import': 'Draft replaced',
  'catalogue.publish': 'Catalogue published',
  'account.erase': 'Account deleted',
} as const

export type AuditAct = keyof typeof AUDIT_ACTS

/** The actor of `npm run shop`, which doesn't know its user. */
export const COMMAND_LINE = 'command line'

export type AuditEntry = {
  /** An email address, or {@link COMMAND_LINE}. */
  actor: string
  act: AuditAct
  /** An order number, a promo code, a product's name, or the id of a message, email, item or account. */
  subject: string
  from?: string | null
  to?: string | null
}

export function countText(onHand: number | null): string {
  return onHand === null ? 'to order' : String(onHand)
}

type AuditedChange = { statements: Statements; audit: AuditEntry }

/** Runs an office action: its statements and its audit entry in one batch. */
export async function commitAudited({ statements, audit }: AuditedChange, ctx: DataContext): Promise<void> {
  await ctx.db.batch([...statements, auditStatement(audit, ctx)])
}

/** {@link commitAudited} that returns the results of `reads`, which run after it. */
export function commitAuditedThenRead<Reads extends readonly BatchItem<'sqlite'>[]>(
  { statements, audit, reads }: AuditedChange & { reads: readonly [...Reads] },
  ctx: DataContext,
) {
  return changeThenRead(ctx.db, [...statements, auditStatement(audit, ctx)], reads)
}

function auditStatement(entry: AuditEntry, ctx: DataContext) {
  return ctx.db.insert(auditLog).values({ ...entry, id: newId(ctx), atMs: ctx.clock() })
}

export type AuditRow = typeof auditLog.$inferSelect

export const AUDIT_ROWS = 50

/** The newest {@link AUDIT_ROWS} entries that match, and one more if there are any. */
export function listAudit(
  { subject, startMs, endMs }: { subject?: string; startMs?: number; endMs?: number },
  { db }: DataContext,
): Promise<AuditRow[]> {
  const whereEntry = and(
    subject ? eq(auditLog.subject, subject) : undefined,
    startMs === undefined ? undefined : gte(auditLog.atMs, startMs),
    endMs === undefined ? undefined : lt(auditLog.atMs, endMs),
  )
  return db
    .select()
    .from(auditLog)
    .where(whereEntry)
    .orderBy(desc(auditLog.atMs))
    .limit(AUDIT_ROWS + 1)
}
