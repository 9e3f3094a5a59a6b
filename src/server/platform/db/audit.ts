import { and, desc, eq, gte, lt } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { DataContext } from '#server/context.ts'
import { newId } from '#server/platform/crypto.ts'
import { changeThenRead, type Statements } from './client.ts'
import { auditLog } from './schema.ts'

/** The labels of the actions that the audit log records. */
export const AUDIT_ACTIONS = {
  'order.status': 'Status changed',
  'order.cancel': 'Order cancelled',
  'order.refund': 'Refund started',
  'order.refunded': 'Marked as refunded',
  'order.paid': 'Payment recorded',
  'order.note': 'Note added',
  'order.release': 'Reservation released',
  'promotion.create': 'Promo code created',
  'promotion.end': 'Promo code ended',
  'message.read': 'Message marked as read',
  'message.answered': 'Message marked as answered',
  'mail.resend': 'Email resent',
  'stock.count': 'Stock counted',
  'catalogue.save': 'Product saved',
  'catalogue.hide': 'Product hidden',
  'catalogue.show': 'Product made visible',
  'catalogue.move': 'Product moved',
  'catalogue.delete': 'Product deleted',
  'catalogue.import': 'Draft replaced',
  'catalogue.publish': 'Catalogue published',
  'account.erase': 'Account deleted',
} as const

export type AuditAction = keyof typeof AUDIT_ACTIONS

/** The actor of changes made with `npm run shop`, which has no login. */
export const COMMAND_LINE = 'command line'

export type AuditEntry = {
  actor: string
  act: AuditAction
  subject: string
  from?: string | null
  to?: string | null
}

export function formatStockCount(onHand: number | null): string {
  return onHand === null ? 'made to order' : String(onHand)
}

type AuditedChange = { statements: Statements; audit: AuditEntry | readonly AuditEntry[] }

export async function commitAudited({ statements, audit }: AuditedChange, ctx: DataContext): Promise<void> {
  await ctx.db.batch([...statements, ...auditStatements(audit, ctx)])
}

export function commitAuditedThenRead<Reads extends readonly BatchItem<'sqlite'>[]>(
  { statements, audit, reads }: AuditedChange & { reads: readonly [...Reads] },
  ctx: DataContext,
) {
  return changeThenRead(ctx.db, [...statements, ...auditStatements(audit, ctx)], reads)
}

function auditStatements(audit: AuditedChange['audit'], ctx: DataContext) {
  return [audit]
    .flat()
    .map((entry) => ctx.db.insert(auditLog).values({ ...entry, id: newId(ctx), atMs: ctx.clock() }))
}

export type AuditRow = typeof auditLog.$inferSelect

export const AUDIT_PAGE_SIZE = 50

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
    .limit(AUDIT_PAGE_SIZE + 1)
}
