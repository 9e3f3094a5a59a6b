import { and, asc, eq, inArray, lte, type SQL, sql } from 'drizzle-orm'
import { newId } from '../crypto.ts'
import { outbox } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { headerText, type Mail } from './mailer.ts'
import { RESET_TTL_SECONDS } from './password-reset.ts'

const MINUTE_MS = 60_000
/** Pauses after the first, second, … try; together a day, after which one last try follows. */
export const PAUSES_MS = [2, 5, 15, 30, 60, 120, 240, 480, 490].map((minutes) => minutes * MINUTE_MS)
/** How long a mail server may take, in milliseconds; less than the first pause, so that no other run begins meanwhile. */
const SEND_DEADLINE_MS = 30_000
/** How many mails one claim takes; they are sent side by side. */
const CLAIM_ROWS = 10

type Row = typeof outbox.$inferSelect
type DeliveryDeps = Pick<Deps, 'db' | 'clock' | 'mailer' | 'log'>

/** The outbox row of an e-mail: insert it in the same batch as the record the mail is about. */
export function outboxRow(mail: Mail, deps: Pick<Deps, 'clock' | 'randomBytes'>): typeof outbox.$inferInsert {
  const nowMs = deps.clock()
  return {
    ...mail,
    subject: headerText(mail.subject),
    id: newId(deps),
    createdAtMs: nowMs,
    nextAttemptAtMs: nowMs,
  }
}

/** Delivers what is due, after the answer has gone out; what fails stays for the scheduled run. */
export function deliverInBackground(deps: DeliveryDeps & Pick<Deps, 'background'>): void {
  deps.background(deliverDue(deps))
}

/** Delivers everything due, claim by claim. Rejects only when the database fails. */
export async function deliverAllDue(deps: DeliveryDeps): Promise<void> {
  while ((await deliverDue(deps)) === CLAIM_ROWS);
}

/**
 * Tries the due mails, the fresh ones first, and returns how many it took on (at most 10).
 * Mails are delivered at least once: after a Worker that died on the way, a later run tries again.
 */
export async function deliverDue(deps: DeliveryDeps): Promise<number> {
  const claimed = await claimDue(deps)
  await Promise.all(claimed.map((row) => deliver(row, deps)))
  return claimed.length
}

/**
 * Takes due rows in one statement, which two runs cannot both win, and counts the try before it is made: the next one
 * is already set when a Worker dies, and a mail that kills Workers is given up like any other.
 */
function claimDue({ db, clock }: DeliveryDeps): Promise<Row[]> {
  const nowMs = clock()
  const due = db
    .select({ id: outbox.id })
    .from(outbox)
    .where(and(eq(outbox.status, 'pending'), lte(outbox.nextAttemptAtMs, nowMs)))
    .orderBy(asc(outbox.attempts), asc(outbox.nextAttemptAtMs))
    .limit(CLAIM_ROWS)
  return db
    .update(outbox)
    .set({ attempts: sql`${outbox.attempts} + 1`, nextAttemptAtMs: sql`${nowMs} + ${pauseAfterThisTry()}` })
    .where(inArray(outbox.id, due))
    .returning()
}

/** The pause that follows the try being claimed; the last try only needs time to end. */
function pauseAfterThisTry(): SQL {
  const cases = PAUSES_MS.map((pauseMs, tries) => sql`when ${tries} then ${pauseMs}`)
  return sql`case ${outbox.attempts} ${sql.join(cases, sql` `)} else ${PAUSES_MS[0]} end`
}

async function deliver(row: Row, deps: DeliveryDeps): Promise<void> {
  const tries = PAUSES_MS.length + 1
  if (row.attempts > tries) return settle(row, 'failed', row.lastError ?? 'No try came to an end.', deps)
  if (isPointless(row, deps.clock()))
    return settle(row, 'failed', `Its link has expired. ${row.lastError ?? ''}`.trim(), deps)
  try {
    await inTime(deps.mailer.send(mailOf(row)))
  } catch (error) {
    return settle(row, row.attempts < tries ? 'pending' : 'failed', reasonOf(error), deps)
  }
  await settle(row, 'sent', null, deps)
}

/** A reset mail says that its link works for an hour: afterwards it would only mislead. */
function isPointless({ kind, createdAtMs }: Row, nowMs: number): boolean {
  return kind === 'password-reset' && nowMs >= createdAtMs + RESET_TTL_SECONDS * 1000
}

function mailOf({ id, kind, subjectId, recipient, replyTo, subject, text, html }: Row) {
  const mail = { kind, subjectId, recipient, subject, text, html, messageId: id }
  return replyTo ? { ...mail, replyTo } : mail
}

/**
 * Records how a try ended. A later try that has meanwhile been claimed is left alone, unless this one did send.
 * A reset link is forgotten with its mail: the database holds no usable one.
 */
async function settle(row: Row, status: Row['status'], lastError: string | null, deps: DeliveryDeps) {
  const isOver = status !== 'pending'
  await deps.db
    .update(outbox)
    .set({
      status,
      lastError,
      ...(status === 'sent' ? { sentAtMs: deps.clock() } : {}),
      ...(isOver && row.kind === 'password-reset' ? { text: '', html: '' } : {}),
    })
    .where(
      status === 'sent'
        ? eq(outbox.id, row.id)
        : and(eq(outbox.id, row.id), eq(outbox.status, 'pending'), eq(outbox.attempts, row.attempts)),
    )
  deps.log({
    level: status === 'sent' ? 'info' : 'error',
    at: new Date(deps.clock()).toISOString(),
    mail: row.id,
    kind: row.kind,
    attempt: row.attempts,
    outcome: status === 'pending' ? 'retry' : status,
    ...(lastError ? { reason: lastError } : {}),
  })
}

function inTime(work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const deadline = setTimeout(
    () => reject(new Error(`No answer within ${SEND_DEADLINE_MS / 1000} seconds.`)),
    SEND_DEADLINE_MS,
  )
  return Promise.race([work, promise]).finally(() => clearTimeout(deadline))
}

/** Why a try failed, for the operator; the mail service's own code first, where there is one. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? `${error.code}: ${error.message}` : error.message
}
