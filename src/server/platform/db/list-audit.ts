import { and, desc, eq, gte, lt, sql } from 'drizzle-orm'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { auditLog } from './schema.ts'

export type AuditRow = typeof auditLog.$inferSelect

export const AUDIT_PAGE_SIZE = 50

type AuditFilter = {
  subject?: string
  startMs?: number
  endMs?: number
  /** Lists only the entries before the one with this id. */
  before?: string
}

export function listAudit(
  { subject, startMs, endMs, before }: AuditFilter,
  { db }: OwnerContext,
): Promise<AuditRow[]> {
  // One change can add many entries, all at the same time, so these are in the order in which they were inserted.
  const position = sql`${auditLog.atMs}, ${auditLog}.rowid`
  const byFilter = and(
    subject ? eq(auditLog.subject, subject) : undefined,
    startMs === undefined ? undefined : gte(auditLog.atMs, startMs),
    endMs === undefined ? undefined : lt(auditLog.atMs, endMs),
    before === undefined
      ? undefined
      : sql`(${position}) < (select ${position} from ${auditLog} where ${eq(auditLog.id, before)})`,
  )
  return db
    .select()
    .from(auditLog)
    .where(byFilter)
    .orderBy(desc(auditLog.atMs), desc(sql`${auditLog}.rowid`))
    .limit(AUDIT_PAGE_SIZE + 1)
}
