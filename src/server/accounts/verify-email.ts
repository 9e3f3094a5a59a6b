import { and, eq, isNull, sql } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { recordActivityStatement } from '#server/platform/auth/activity.ts'
import type { Client } from '#server/platform/auth/client.ts'
import { createSignature, verifySignature } from '#server/platform/auth/signed-link.ts'
import { users } from '#server/platform/db/schema.ts'
import type { Result } from '#server/platform/result.ts'
import { VERIFY_EMAIL_PATH } from '#shared/routes.ts'

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

  const byUnverifiedUser = and(
    eq(users.id, id),
    eq(users.email, account.email),
    isNull(users.emailVerifiedAtMs),
  )
  const event = { kind: 'email_verified', userId: id, client } as const
  await db.batch([
    recordActivityStatement(event, ctx, sql`from ${users} where ${byUnverifiedUser}`),
    db.update(users).set({ emailVerifiedAtMs: ctx.clock() }).where(byUnverifiedUser),
  ])
  return { ok: true, data: { email: account.email } }
}

function getTextToSign({ id, email }: Account): string {
  return `${id} ${email}`
}
