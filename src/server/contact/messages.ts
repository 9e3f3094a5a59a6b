import { desc, eq } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { commitAudited, requirePermission } from '#server/platform/db/audit.ts'
import { byCursor } from '#server/platform/db/page-cursor.ts'
import { contactMessages, outbox } from '#server/platform/db/schema.ts'
import { renderEmail } from '#server/platform/email/layout.ts'
import type { Email } from '#server/platform/email/mailer.ts'
import { deliverEmailsInBackground, toOutboxRow } from '#server/platform/email/outbox.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { CONTACT_HONEYPOT_FIELD } from '#shared/contact/contact-form.ts'
import type { MessageRequest } from '#shared/contact/contract.ts'
import { shop } from '#shared/shop.ts'
import type { Actor } from '#shared/team/roles.ts'
import { DAY_MS } from '#shared/time.ts'

const ID_CHARACTERS = 32

type ContactMessageInput = MessageRequest & { ipAddress: string }
/** Emails the shop at most once a day about the same message, and never if the honeypot field is filled in. */
export async function sendContactMessage(
  { name, email, message, [CONTACT_HONEYPOT_FIELD]: trapValue, ipAddress }: ContactMessageInput,
  ctx: ServiceContext,
): Promise<Result<{ id: string }, ServiceError<'too_many_requests'>>> {
  if (!(await ctx.limits.writes(`contact from ${ipAddress}`)))
    return { ok: false, error: tooManyRequestsError }

  const createdAtMs = ctx.clock()
  const day = Math.floor(createdAtMs / DAY_MS)
  const digest = await sha256Hex(JSON.stringify([day, email.toLowerCase(), name, message]))
  const id = digest.slice(0, ID_CHARACTERS)
  const { db } = ctx
  const row = { id, name, email, message, createdAtMs, isSuspicious: Boolean(trapValue) }
  const insert = db.insert(contactMessages).values(row).onConflictDoNothing()
  if (row.isSuspicious) {
    await insert
    return { ok: true, data: { id } }
  }
  const contactEmail = createOperatorContactEmail({ id, name, email, message }, ctx.config.OPERATOR_EMAIL)
  const outboxRow = { ...toOutboxRow(contactEmail, ctx), id: `contact-${id}` }
  await db.batch([insert, db.insert(outbox).values(outboxRow).onConflictDoNothing()])
  deliverEmailsInBackground(ctx)
  return { ok: true, data: { id } }
}

export type MessageRow = typeof contactMessages.$inferSelect

export const MESSAGE_PAGE_SIZE = 20

/** Lists the newest messages first. `before` is the cursor of the last message on the previous page. */
export function listMessages(
  { limit = MESSAGE_PAGE_SIZE, before }: { limit?: number; before?: string | undefined },
  { db }: OwnerContext,
): Promise<MessageRow[]> {
  return db
    .select()
    .from(contactMessages)
    .where(byCursor({ atMs: contactMessages.createdAtMs, id: contactMessages.id }, before))
    .orderBy(desc(contactMessages.createdAtMs), desc(contactMessages.id))
    .limit(limit)
}

export async function markMessage(
  { id, as, actor }: { id: string; as: 'read' | 'answered'; actor: Actor },
  ctx: DataContext,
): Promise<Result<MessageRow, ServiceError<'not_found'>>> {
  requirePermission(actor, `message.${as}`)
  const { db, clock } = ctx
  const byId = eq(contactMessages.id, id)
  const message = await db.select().from(contactMessages).where(byId).get()
  if (!message) return { ok: false, error: { code: 'not_found' } }
  const nowMs = clock()
  const times = {
    readAtMs: message.readAtMs ?? nowMs,
    answeredAtMs: as === 'answered' ? (message.answeredAtMs ?? nowMs) : message.answeredAtMs,
  }
  const statements = [db.update(contactMessages).set(times).where(byId)] as const
  const audit = { actor, action: `message.${as}`, subject: id, to: message.email } as const
  await commitAudited({ statements, audit }, ctx)
  return { ok: true, data: { ...message, ...times } }
}

type Message = Pick<typeof contactMessages.$inferSelect, 'id' | 'name' | 'email' | 'message'>

function createOperatorContactEmail({ id, name, email, message }: Message, operatorEmail: string): Email {
  return {
    kind: 'contact-notice',
    subjectId: id,
    recipient: operatorEmail,
    replyTo: email,
    subject: `Message from ${name}`,
    ...renderEmail(`New message from ${name}`, [
      { kind: 'quote', text: message },
      {
        kind: 'paragraph',
        text: `Reply to this email to answer ${email}. We promise customers a reply ${shop.replyPromise}.`,
      },
    ]),
  }
}
