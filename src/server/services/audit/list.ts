import { and, desc, eq, gte, lt } from 'drizzle-orm'
import { auditLog } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'

export type AuditRow = typeof auditLog.$inferSelect

/** How many lines one page of the log shows. */
export const AUDIT_ROWS = 50

/** The lines of the audit log, the newest first: of one subject, of one day, or up to a moment. */
export function listAudit(
  { subject, startMs, endMs }: { subject?: string; startMs?: number; endMs?: number },
  { db }: Pick<Deps, 'db'>,
): Promise<AuditRow[]> {
  const isWanted = and(
    subject ? eq(auditLog.subject, subject) : undefined,
    startMs === undefined ? undefined : gte(auditLog.atMs, startMs),
    endMs === undefined ? undefined : lt(auditLog.atMs, endMs),
  )
  return db
    .select()
    .from(auditLog)
    .where(isWanted)
    .orderBy(desc(auditLog.atMs))
    .limit(AUDIT_ROWS + 1)
}
