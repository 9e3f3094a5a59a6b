import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import type { Client } from '#server/platform/auth/client.ts'
import { createSignature, verifySignature } from '#server/platform/auth/signed-link.ts'
import { setEmailVerified } from '#server/platform/auth/verified-email.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { outbox, users } from '#server/platform/db/schema.ts'
import { deliverEmailsInBackground, toOutboxRow } from '#server/platform/email/outbox.ts'
import { createTooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { VERIFY_EMAIL_PATH } from '#shared/routes.ts'
import { HOUR_MS } from '#shared/time.ts'
import { createWelcomeEmail } from './emails.ts'

const SIGNATURE_PURPOSE = 'verify e-mail address'

type Account = Pick<typeof users.$inferSelect, 'id' | 'email'>

export async function createVerificationLink(
  { id, email }: Account,
  origin: string,
  ctx: ServiceContext,
): Promise<string> {
  const code = `${id}.${await createSignature(SIGNATURE_PURPOSE, getTextToSign({ id, email }), ctx)}`
  return `${origin}${VERIFY_EMAIL_PATH}?${new URLSearchParams({ code })}`
}

/** Includes the email of the registration. */
const MAX_LINKS_PER_HOUR = 4

export async function sendVerificationLink(
  { id, email, origin }: Account & { origin: string },
  ctx: ServiceContext,
): Promise<Result<null, ServiceError<'too_many_requests'>>> {
  const { db } = ctx
  const link = await createVerificationLink({ id, email }, origin, ctx)
  const row = toOutboxRow(createWelcomeEmail({ userId: id, email, link }), ctx)
  const byUnverifiedUser = and(eq(users.id, id), eq(users.email, email), isNull(users.emailVerifiedAtMs))
  const byEarlierLink = and(
    eq(outbox.recipient, email),
    eq(outbox.kind, row.kind),
    gt(outbox.createdAtMs, ctx.clock() - HOUR_MS),
  )
  const links = sql`(select count(*) from ${outbox} where ${byEarlierLink})`
  const from = sql`from ${users} where ${byUnverifiedUser} and ${links} < ${MAX_LINKS_PER_HOUR}`
  const [inserted, unverified] = await db.batch([
    db
      .insert(outbox)
      .select(insertRowWhere(outbox, row, from))
      .returning({ id: outbox.id }),
    db.select({ id: users.id }).from(users).where(byUnverifiedUser),
  ])
  if (inserted.length === 0 && unverified.length > 0)
    return {
      ok: false,
      error: createTooManyRequestsError(HOUR_MS, { reason: 'We’ve already sent you several emails.' }),
    }
  deliverEmailsInBackground(ctx)
  return { ok: true, data: null }
}

export async function verifyEmail(
  { code, client }: { code: string; client: Client },
  ctx: ServiceContext,
): Promise<Result<{ email: string }>> {
  const { db } = ctx
  const [id = '', signature = ''] = code.split('.')
  const account = await db
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(eq(users.id, id))
    .get()
  if (!account || !(await verifySignature(signature, SIGNATURE_PURPOSE, getTextToSign(account), ctx)))
    return { ok: false, error: { code: 'verification_link_invalid' } }

  await setEmailVerified(and(eq(users.id, id), eq(users.email, account.email)), client, ctx)
  return { ok: true, data: { email: account.email } }
}

function getTextToSign({ id, email }: Account): string {
  return `${id} ${email}`
}
