import type { ServiceContext } from '#server/context.ts'
import { recordActivityStatement } from '#server/platform/auth/activity.ts'
import type { Client } from '#server/platform/auth/client.ts'
import { queueFullError } from '#server/platform/auth/hash-queue.ts'
import { isAttemptAllowed } from '#server/platform/auth/login-attempts.ts'
import { commonPasswordError, hashPassword, isCommonPassword } from '#server/platform/auth/passwords.ts'
import {
  byCredentials,
  type Credential,
  deleteSessionsStatement,
  generateSession,
  type StartedSession,
  toUser,
} from '#server/platform/auth/sessions.ts'
import { newId } from '#server/platform/crypto.ts'
import { getGuardViolation } from '#server/platform/db/guards.ts'
import { outbox, sessions, users } from '#server/platform/db/schema.ts'
import { deliverEmailsInBackground, toOutboxRow } from '#server/platform/email/outbox.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result } from '#server/platform/result.ts'
import { toEmailIdentity } from '#shared/accounts/auth-forms.ts'
import { createWelcomeEmail } from './emails.ts'
import { createVerificationLink } from './verify-email.ts'

type RegisterInput = {
  name: string
  email: string
  password: string
  client: Client
  presentedCredentials: readonly Credential[]
  origin: string
}

export async function register(input: RegisterInput, ctx: ServiceContext): Promise<Result<StartedSession>> {
  if (!(await isAttemptAllowed('registration', input.client, false, ctx.limits)))
    return { ok: false, error: tooManyRequestsError }
  const slot = ctx.hashQueue.reserve('unknownDevice')
  if (!slot) return { ok: false, error: queueFullError }
  try {
    if (await isCommonPassword(input.password, ctx))
      return {
        ok: false,
        error: {
          ...commonPasswordError,
          code: 'invalid_fields',
          fieldErrors: { password: commonPasswordError.message },
        },
      }
    const passwordHash = await hashPassword(input.password, { ...ctx, ...slot })
    return await createAccount({ ...input, passwordHash }, ctx)
  } finally {
    slot.release()
  }
}

async function createAccount(
  {
    name,
    email,
    passwordHash,
    client,
    presentedCredentials,
    origin,
  }: RegisterInput & { passwordHash: string },
  ctx: ServiceContext,
): Promise<Result<StartedSession>> {
  const { db } = ctx
  const identity = toEmailIdentity(email)
  const user = {
    id: newId(ctx),
    email: identity,
    // A name is a single line, so control characters become spaces.
    name: name
      .toWellFormed()
      .replace(/\p{Cc}+/gu, ' ')
      .trim(),
    passwordHash,
    createdAtMs: ctx.clock(),
  }
  const { row, token, secret } = await generateSession({ userId: user.id, client }, ctx)
  const welcome = createWelcomeEmail({
    userId: user.id,
    email: identity,
    link: await createVerificationLink(user, origin, ctx),
  })
  try {
    await db.batch([
      db.insert(users).values(user),
      db.insert(sessions).values(row),
      deleteSessionsStatement(await byCredentials(presentedCredentials), ctx),
      recordActivityStatement({ kind: 'registered', userId: user.id, client }, ctx),
      db.insert(outbox).values(toOutboxRow(welcome, ctx)),
    ])
  } catch (error) {
    if (getGuardViolation(error)?.guard === 'emailTaken') return { ok: false, error: { code: 'email_taken' } }
    throw error
  }
  deliverEmailsInBackground(ctx)
  const cookie = { id: row.id, secret, name: user.name, email: identity, expiresAtMs: row.expiresAtMs }
  return { ok: true, data: { user: toUser({ ...EMPTY_PROFILE, ...user }), token, cookie } }
}

const EMPTY_PROFILE = {
  firstName: null,
  lastName: null,
  address: null,
  address2: null,
  phone: null,
  mpesaPhone: null,
  country: null,
  state: null,
  zip: null,
  landmark: null,
}
