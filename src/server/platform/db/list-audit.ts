import { and, desc, eq, gte, lt } from 'drizzle-orm'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { auditLog } from './schema.ts'

export type AuditRow = typeof auditLog.$inferSelect

export const AUDIT_PAGE_SIZE = 50

export function listAudit(
  { subject, startMs, endMs }: { subject?: string; startMs?: number; endMs?: number },
  { db }: OwnerContext,
): Promise<AuditRow[]> {
  const byFilter = and(
    subject ? eq(auditLog.subject, subject) : undefined,
    startMs === undefined ? undefined : gte(auditLog.atMs, startMs),
    endMs === undefined ? undefined : lt(auditLog.atMs, endMs),
  )
  return db
    .select()
    .from(auditLog)
    .where(byFilter)
    .orderBy(desc(auditLog.atMs))
    .limit(AUDIT_PAGE_SIZE + 1)
}
