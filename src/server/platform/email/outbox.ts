import { and, asc, count, desc, eq, gt, inArray, lte, notLike, type SQL, sql } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import { createUnsubscribeLink, signOrderUrl } from '#server/platform/auth/signed-link.ts'
import { newId } from '#server/platform/crypto.ts'
import { outbox } from '#server/platform/db/schema.ts'
import { escapeHtml } from '#server/platform/escape-html.ts'
import { getPublicOrigin } from '#server/platform/http/request.ts'
import { RESET_TTL_SECONDS } from '#shared/accounts/password-reset.ts'
import { HOUR_MS, MINUTE_MS } from '#shared/time.ts'
import {
  type Email,
  fillContactDetails,
  ORDER_LINK,
  SHOP_EMAIL,
  toHeaderText,
  UndeliverableError,
} from './mailer.ts'

/** The last attempt is about a day after the first. */
export const RETRY_DELAYS_MS = [2, 5, 15, 30, 60, 120, 240, 480, 490].map((minutes) => minutes * MINUTE_MS)
const MAX_ATTEMPTS = RETRY_DELAYS_MS.length + 1
/** Must be shorter than every retry delay, or another run could claim the email during an attempt. */
const SEND_TIMEOUT_MS = 30_000
const MAX_CLAIMED_EMAILS = 10

export const MAX_EMAILS_PER_HOUR = 10

type OutboxRow = typeof outbox.$inferSelect
const SECRET_KINDS: readonly OutboxRow['kind'][] = ['password-reset', 'welcome']
/**
 * The rows of these emails are deleted once they are sent or have failed, because a row can be the shop's only record
 * of the recipient.
 */
const DELETED_KINDS: readonly OutboxRow['kind'][] = ['account-deleted', 'back-in-stock']

/**
 * Insert the row in the same batch as the record that the email is about. The trigger `outbox_without_recipient` skips
 * rows whose `recipient` isn't an email address.
 */
export function toOutboxRow(email: Email, ctx: DataContext, delayMs = 0): typeof outbox.$inferInsert {
  const nowMs = ctx.clock()
  return {
    ...email,
    subject: toHeaderText(email.subject),
    id: newId(ctx),
    createdAtMs: nowMs,
    nextAttemptAtMs: nowMs + delayMs,
  }
}

export function deleteUnsentStatement(
  subjectId: string,
  kinds: readonly OutboxRow['kind'][],
  { db }: DataContext,
) {
  return db
    .delete(outbox)
    .where(and(eq(outbox.subjectId, subjectId), inArray(outbox.kind, [...kinds]), eq(outbox.attempts, 0)))
}

export function deliverEmailsInBackground(ctx: ServiceContext): void {
  ctx.waitUntil(deliverDueEmails(ctx))
}

export async function deliverAllDueEmails(ctx: ServiceContext): Promise<void> {
  while ((await deliverDueEmails(ctx)) === MAX_CLAIMED_EMAILS);
}

/**
 * Returns how many emails it claimed. Those with the fewest attempts come first, so that a backlog doesn't delay new
 * emails.
 */
export async function deliverDueEmails(ctx: ServiceContext): Promise<number> {
  const { claimed, sentCounts } = await claimDueEmails(ctx)
  const overLimit = findEmailsOverLimit(claimed, sentCounts)
  await Promise.all(
    claimed.map((row) =>
      overLimit.has(row)
        ? recordFailure(row, 'The recipient has received too many emails.', ctx)
        : deliverEmail(row, ctx),
    ),
  )
  if (claimed.some(isNotice)) await ctx.deliverAlerts?.()
  return claimed.length
}

type SentCount = Pick<OutboxRow, 'recipient' | 'kind'> & { emails: number }

/** Notices are for the shop. */
const isNotice = ({ kind }: OutboxRow) => kind.endsWith('-notice')

/**
 * Anyone can enter any email address, so each address receives a limited number of emails per kind and hour. Notices are
 * unlimited.
 */
function findEmailsOverLimit(
  claimed: readonly OutboxRow[],
  sentCounts: readonly SentCount[],
): Set<OutboxRow> {
  const toKey = ({ recipient, kind }: Pick<OutboxRow, 'recipient' | 'kind'>) => `${kind} ${recipient}`
  const counts = new Map(sentCounts.map((sent) => [toKey(sent), sent.emails]))
  return new Set(
    claimed.filter((row) => {
      if (isNotice(row)) return false
      const emails = (counts.get(toKey(row)) ?? 0) + 1
      counts.set(toKey(row), emails)
      return emails > MAX_EMAILS_PER_HOUR
    }),
  )
}

/**
 * Counts the attempt in advance, so that an email that crashes the Worker is eventually abandoned. `sentCounts` cover the
 * last hour.
 */
async function claimDueEmails({ db, clock }: ServiceContext) {
  const nowMs = clock()
  const dueEmails = db
    .select({ id: outbox.id })
    .from(outbox)
    .where(and(eq(outbox.status, 'pending'), lte(outbox.nextAttemptAtMs, nowMs)))
    .orderBy(asc(outbox.attempts), desc(outbox.createdAtMs))
    .limit(MAX_CLAIMED_EMAILS)
  const limitedEmails = db
    .select({ recipient: outbox.recipient, kind: outbox.kind })
    .from(outbox)
    .where(and(inArray(outbox.id, dueEmails), notLike(outbox.kind, '%-notice')))
  const [sentCounts, claimed] = await db.batch([
    db
      .select({ recipient: outbox.recipient, kind: outbox.kind, emails: count() })
      .from(outbox)
      .where(
        and(
          sql`(${outbox.recipient}, ${outbox.kind}) in ${limitedEmails}`,
          gt(outbox.sentAtMs, nowMs - HOUR_MS),
        ),
      )
      .groupBy(outbox.recipient, outbox.kind),
    db
      .update(outbox)
      .set({
        attempts: sql`${outbox.attempts} + 1`,
        nextAttemptAtMs: sql`${nowMs} + ${getRetryDelayMs()}`,
      })
      .where(inArray(outbox.id, dueEmails))
      .returning(),
  ])
  return { claimed, sentCounts }
}

/** After the last attempt, the delay only has to exceed `SEND_TIMEOUT_MS`. */
function getRetryDelayMs(): SQL {
  const cases = RETRY_DELAYS_MS.map((pauseMs, attempts) => sql`when ${attempts} then ${pauseMs}`)
  return sql`case ${outbox.attempts} ${sql.join(cases, sql` `)} else ${RETRY_DELAYS_MS[0]} end`
}

async function deliverEmail(row: OutboxRow, ctx: ServiceContext): Promise<void> {
  if (row.attempts > MAX_ATTEMPTS)
    return recordDelivery(row, 'failed', row.lastError ?? 'Every attempt to send it was interrupted.', ctx)
  if (isExpired(row, ctx.clock()))
    return recordDelivery(row, 'failed', `Its link has expired. ${row.lastError ?? ''}`.trim(), ctx)
  try {
    await withTimeout(ctx.mailer.send(await toEmail(row, ctx)))
  } catch (error) {
    if (error instanceof UndeliverableError) return recordDelivery(row, 'failed', error.message, ctx)
    return recordFailure(row, getErrorReason(error), ctx)
  }
  await recordDelivery(row, 'sent', null, ctx)
}

function recordFailure(row: OutboxRow, reason: string, ctx: ServiceContext): Promise<void> {
  return recordDelivery(row, row.attempts < MAX_ATTEMPTS ? 'pending' : 'failed', reason, ctx)
}

function isExpired({ kind, createdAtMs }: OutboxRow, nowMs: number): boolean {
  return kind === 'password-reset' && nowMs >= createdAtMs + RESET_TTL_SECONDS * 1000
}

async function toEmail(row: OutboxRow, ctx: ServiceContext) {
  const { id, kind, subjectId, recipient, replyTo, subject, orderUrl } = row
  const orderPageUrl = orderUrl && new URL(orderUrl, getPublicOrigin(ctx.config))
  const link = orderPageUrl ? await signOrderUrl(orderPageUrl, ctx) : ORDER_LINK
  const { contact } = (await ctx.content.load()).pages
  const body = fillContactDetails(row, contact)
  const text = body.text.replaceAll(ORDER_LINK, link)
  const html = body.html.replaceAll(ORDER_LINK, escapeHtml(link))
  const origin = getPublicOrigin(ctx.config)
  const unsubscribe =
    kind === 'back-in-stock' ? { unsubscribeLink: await createUnsubscribeLink(recipient, origin, ctx) } : {}
  const email = { kind, subjectId, recipient, subject, text, html, messageId: id, ...unsubscribe }
  return replyTo ? { ...email, replyTo: replyTo.replace(SHOP_EMAIL, contact.email) } : email
}

async function recordDelivery(
  row: OutboxRow,
  status: OutboxRow['status'],
  lastError: string | null,
  ctx: ServiceContext,
) {
  const isFinished = status !== 'pending'
  // A failure must not overwrite the result of a later attempt.
  const byThisAttempt =
    status === 'sent'
      ? eq(outbox.id, row.id)
      : and(eq(outbox.id, row.id), eq(outbox.status, 'pending'), eq(outbox.attempts, row.attempts))
  if (isFinished && DELETED_KINDS.includes(row.kind)) await ctx.db.delete(outbox).where(byThisAttempt)
  else
    await ctx.db
      .update(outbox)
      .set({
        status,
        lastError,
        ...(status === 'sent' ? { sentAtMs: ctx.clock() } : {}),
        ...(isFinished && SECRET_KINDS.includes(row.kind) ? { text: '', html: '' } : {}),
      })
      .where(byThisAttempt)
  ctx.log({
    level: status === 'sent' ? 'info' : 'error',
    at: new Date(ctx.clock()).toISOString(),
    emailId: row.id,
    kind: row.kind,
    attempt: row.attempts,
    outcome: status === 'pending' ? 'retry' : status,
    ...(lastError ? { reason: lastError } : {}),
  })
}

function withTimeout(work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`No response within ${SEND_TIMEOUT_MS / 1000} seconds.`)),
    SEND_TIMEOUT_MS,
  )
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

/** Errors of email services can contain the recipient's address, but logs must not. */
const EMAIL_ADDRESS_PATTERN = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g

function getErrorReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : ''
  return (code + message).replace(EMAIL_ADDRESS_PATTERN, '[address]')
}
