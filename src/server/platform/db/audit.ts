import { and, desc, eq, gte, lt } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { DataContext } from '#server/context.ts'
import { newId } from '#server/platform/crypto.ts'
import { changeThenRead, type Statements } from './client.ts'
import { auditLog } from './schema.ts'

/** Everything that can be done to the shop's records by hand, and how the audit log calls it. */
export const AUDIT_ACTS = {
  'order.status': 'Order’s status',
  'order.cancel': 'Order cancelled',
  'order.refund': 'Refund',
  'order.refunded': 'Refunded by hand',
  'order.paid': 'Payment recorded',
  'order.note': 'Note',
  'promotion.create': 'Promo code created',
  'promotion.end': 'Promo code ended',
  'message.read': 'Message read',
  'message.answered': 'Message answered',
  'mail.resend': 'Email resent',
  'stock.count': 'Stock counted',
  'catalogue.save': 'Product changed',
  'catalogue.hide': 'Product hidden',
  'catalogue.show': 'Product shown',
  'catalogue.move': 'Product moved',
  'catalogue.delete': 'Product deleted',
  'catalogue.import': 'Draft replaced',
  'catalogue.publish': 'Catalogue published',
  'account.erase': 'Account deleted',
} as const

export type AuditAct = keyof typeof AUDIT_ACTS

/** Who acted, where it was `npm run shop`: it cannot know its user. */
export const COMMAND_LINE = 'command line'

/** Who did what to what, and what it was before and after. */
export type AuditEntry = {
  /** An e-mail address, or {@link COMMAND_LINE}. */
  actor: string
  act: AuditAct
  /** An order's number, a promo code, a message's or a mail's id, an item's or an account's id. */
  subject: string
  from?: string | null
  to?: string | null
}

/** The count of an item as the audit log has it. */
export function countText(onHand: number | null): string {
  return onHand === null ? 'to order' : String(onHand)
}

type AuditedChange = { statements: Statements; audit: AuditEntry }

/** Runs an office action: its statements and its audit entry in one batch. */
export async function commitAudited({ statements, audit }: AuditedChange, ctx: DataContext): Promise<void> {
  await ctx.db.batch([...statements, auditStatement(audit, ctx)])
}

/** {@link commitAudited} that returns what the `reads` after it have read. */
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

/** How many lines one page of the log shows. */
export const AUDIT_ROWS = 50

/** The lines of the audit log, the newest first: of one subject, of one day, or up to a moment. */
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
