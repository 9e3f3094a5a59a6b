import { and, asc, eq, getTableColumns, gt, or } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { outbox } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import type { Result, ServiceError } from '../result.ts'

/** All but the mail itself. */
const { html: _html, text: _text, ...columns } = getTableColumns(outbox)

const MAX_MAILS = 100
const isStuck = or(eq(outbox.status, 'failed'), and(eq(outbox.status, 'pending'), gt(outbox.attempts, 0)))

/** The mails that failed at least once and are not delivered, the oldest first, without their texts. */
export function stuckMails({ db }: Pick<Deps, 'db'>) {
  return db.select(columns).from(outbox).where(isStuck).orderBy(asc(outbox.createdAtMs)).limit(MAX_MAILS)
}

export type StuckMail = Awaited<ReturnType<typeof stuckMails>>[number]

/** Has a stuck mail sent again at once. `mail_gone`: its text was deleted with the link that it held. */
export async function resendMail(
  { id, alongside = [] }: { id: string; alongside?: readonly BatchItem<'sqlite'>[] },
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
): Promise<Result<{ id: string }, ServiceError<'not_found' | 'mail_gone'>>> {
  const isIt = and(eq(outbox.id, id), isStuck)
  const mail = await db.select({ text: outbox.text }).from(outbox).where(isIt).get()
  if (!mail) return { ok: false, error: { code: 'not_found' } }
  if (mail.text === '') return { ok: false, error: { code: 'mail_gone' } }
  await db.batch([
    db.update(outbox).set({ status: 'pending', attempts: 0, nextAttemptAtMs: clock() }).where(isIt),
    ...alongside,
  ])
  return { ok: true, data: { id } }
}
