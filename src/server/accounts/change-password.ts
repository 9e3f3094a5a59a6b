import { and, eq, isNull, ne, sql } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { recordActivityStatement } from '#server/platform/auth/activity.ts'
import type { Client } from '#server/platform/auth/client.ts'
import { commonPasswordError, hashPassword, isCommonPassword } from '#server/platform/auth/passwords.ts'
import {
  byCredentials,
  type Credential,
  generateSession,
  type StartedSession,
  toUser,
} from '#server/platform/auth/sessions.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { outbox, passwordResets, sessions, users } from '#server/platform/db/schema.ts'
import { deliverEmailsInBackground, toOutboxRow } from '#server/platform/email/outbox.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { findPasswordProblem } from '#shared/accounts/auth-forms.ts'
import { createPasswordChangedEmail } from './emails.ts'
import { withVerifiedPassword } from './own-password.ts'

type ChangePasswordInput = {
  credential: Credential | null
  oldPassword: string
  newPassword: string
  client: Client
  origin: string
}

export async function changePassword(
  { oldPassword, newPassword, origin, ...input }: ChangePasswordInput,
  ctx: ServiceContext,
): Promise<Result<StartedSession>> {
  const weakness = findPasswordProblem({ password: newPassword })
  if (weakness) return { ok: false, error: createWeakPasswordError(weakness.message) }
  const passwordInput = { ...input, password: oldPassword, field: 'oldPassword' }
  return withVerifiedPassword(passwordInput, ctx, async (verified) => {
    if (await isCommonPassword(newPassword, ctx))
      return { ok: false, error: createWeakPasswordError(commonPasswordError.message) }
    const { credential, user, cookie, passwordHash, slot, clearFailures } = verified
    const { client } = input
    const newHash = await hashPassword(newPassword, { ...ctx, ...slot })
    const { row, token, secret } = await generateSession({ userId: user.id, client }, ctx)
    const { tokenHash, cookieHash } = row
    const { db } = ctx
    const bySession = await byCredentials([credential])
    const byLiveSession = sql`exists (select 1 from ${sessions} where ${bySession})`
    const byChangedPassword = sql`exists (select 1 from ${users} where ${users.id} = ${user.id} and ${users.passwordHash} = ${newHash})`
    const emailRow = toOutboxRow(
      createPasswordChangedEmail({ userId: user.id, email: user.email, client, origin }),
      ctx,
    )
    const [changed] = await db.batch([
      db
        .update(users)
        .set({ passwordHash: newHash })
        .where(and(eq(users.id, user.id), eq(users.passwordHash, passwordHash), byLiveSession))
        .returning({ id: users.id }),
      db.update(sessions).set({ tokenHash, cookieHash }).where(and(bySession, byChangedPassword)),
      db
        .delete(sessions)
        .where(and(eq(sessions.userId, user.id), ne(sessions.tokenHash, tokenHash), byChangedPassword)),
      db
        .update(passwordResets)
        .set({ usedAtMs: ctx.clock() })
        .where(and(eq(passwordResets.userId, user.id), isNull(passwordResets.usedAtMs), byChangedPassword)),
      recordActivityStatement(
        { kind: 'password_changed', userId: user.id, client },
        ctx,
        sql`where ${byChangedPassword}`,
      ),
      db.insert(outbox).select(insertRowWhere(outbox, emailRow, sql`where ${byChangedPassword}`)),
      clearFailures,
    ])
    // The password was changed or this session ended while the old password was verified.
    if (changed.length === 0) return { ok: false, error: { code: 'unauthorized' } }
    deliverEmailsInBackground(ctx)
    return { ok: true, data: { user: toUser(user), token, cookie: { ...cookie, secret } } }
  })
}

function createWeakPasswordError(message: string): ServiceError {
  return { code: 'invalid_fields', message, fieldErrors: { newPassword: message } }
}
