import { and, asc, eq, getTableColumns, gt, or, type SQL } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { DataContext } from '#server/context.ts'
import { outbox } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'

/** All but the mail itself. */
const { html: _html, text: _text, ...columns } = getTableColumns(outbox)

const MAX_MAILS = 100
const hasFailed = eq(outbox.status, 'failed')
const isLate = and(eq(outbox.status, 'pending'), gt(outbox.attempts, 0))

/** The mails that failed at least once and are not delivered, the oldest first, without their texts. One round trip. */
export async function stuckMails({ db }: DataContext) {
  const oldest = (isIt: SQL | undefined) =>
    db.select(columns).from(outbox).where(isIt).orderBy(asc(outbox.createdAtMs)).limit(MAX_MAILS)
  // One condition for both would find the index of neither.
  const [failed, late] = await db.batch([oldest(hasFailed), oldest(isLate)])
  return [...failed, ...late].toSorted((a, b) => a.createdAtMs - b.createdAtMs).slice(0, MAX_MAILS)
}

export type StuckMail = Awaited<ReturnType<typeof stuckMails>>[number]

/** Has a stuck mail sent again at once. `mail_gone`: its text was deleted with the link that it held. */
export async function resendMail(
  { id, alongside = [] }: { id: string; alongside?: readonly BatchItem<'sqlite'>[] },
  { db, clock }: DataContext,
): Promise<Result<{ id: string }, ServiceError<'not_found' | 'mail_gone'>>> {
  const isIt = and(eq(outbox.id, id), or(hasFailed, isLate))
  const mail = await db.select({ text: outbox.text }).from(outbox).where(isIt).get()
  if (!mail) return { ok: false, error: { code: 'not_found' } }
  if (mail.text === '') return { ok: false, error: { code: 'mail_gone' } }
  await db.batch([
    db.update(outbox).set({ status: 'pending', attempts: 0, nextAttemptAtMs: clock() }).where(isIt),
    ...alongside,
  ])
  return { ok: true, data: { id } }
}
