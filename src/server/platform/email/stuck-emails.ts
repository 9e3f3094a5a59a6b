import { and, asc, eq, getTableColumns, gt, or, type SQL } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { commitAudited, requirePermission } from '#server/platform/db/audit.ts'
import { outbox } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { Actor } from '#shared/team/roles.ts'

const { html: _html, text: _text, ...columns } = getTableColumns(outbox)

const MAX_EMAILS = 100
const byFailedEmail = eq(outbox.status, 'failed')
const byLateEmail = and(eq(outbox.status, 'pending'), gt(outbox.attempts, 0))

export async function listStuckEmails({ db }: OwnerContext) {
  const oldest = (condition: SQL | undefined) =>
    db.select(columns).from(outbox).where(condition).orderBy(asc(outbox.createdAtMs)).limit(MAX_EMAILS)
  // A query per condition, because each condition has its own index.
  const [failed, late] = await db.batch([oldest(byFailedEmail), oldest(byLateEmail)])
  return [...failed, ...late].toSorted((a, b) => a.createdAtMs - b.createdAtMs).slice(0, MAX_EMAILS)
}

export type StuckEmail = Awaited<ReturnType<typeof listStuckEmails>>[number]

export async function resendEmail(
  { id, actor }: { id: string; actor: Actor },
  ctx: DataContext,
): Promise<Result<{ id: string }, ServiceError<'not_found' | 'email_text_deleted'>>> {
  requirePermission(actor, 'mail.resend')
  const { db } = ctx
  const byId = and(eq(outbox.id, id), or(byFailedEmail, byLateEmail))
  const email = await db.select({ text: outbox.text }).from(outbox).where(byId).get()
  if (!email) return { ok: false, error: { code: 'not_found' } }
  if (email.text === '') return { ok: false, error: { code: 'email_text_deleted' } }
  const retry = { status: 'pending', attempts: 0, nextAttemptAtMs: ctx.clock() } as const
  const statements = [db.update(outbox).set(retry).where(byId)] as const
  await commitAudited({ statements, audit: { actor, action: 'mail.resend', subject: id } }, ctx)
  return { ok: true, data: { id } }
}
