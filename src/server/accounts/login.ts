import { and, eq, sql } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { recordActivityStatement } from '#server/platform/auth/activity.ts'
import { isChallengeSolved } from '#server/platform/auth/challenge.ts'
import type { Client } from '#server/platform/auth/client.ts'
import { isKnownDevice } from '#server/platform/auth/cookies.ts'
import { type HashSlot, queueFullError } from '#server/platform/auth/hash-queue.ts'
import {
  clearCountsStatement,
  createLoginPausedError,
  getPauseMs,
  isAttemptAllowed,
  listFailureCounts,
  recordFailure,
  selectCounts,
} from '#server/platform/auth/login-attempts.ts'
import { checkPassword, hashPassword } from '#server/platform/auth/passwords.ts'
import {
  byCredentials,
  type Credential,
  deleteSessionsStatement,
  generateSession,
  insertSessionStatement,
  type StartedSession,
  toUser,
} from '#server/platform/auth/sessions.ts'
import { sessions, users } from '#server/platform/db/schema.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { toEmailIdentity } from '#shared/accounts/auth-forms.ts'

type LoginInput = {
  email: string
  password: string
  challenge?: string | undefined
  client: Client
  presentedCredentials: readonly Credential[]
}
/** A login ends the presented sessions. A solved challenge skips the pause after repeated failures. */
export async function logIn(input: LoginInput, ctx: ServiceContext): Promise<Result<StartedSession>> {
  const { client } = input
  const identity = toEmailIdentity(input.email)
  const isKnown = await isKnownDevice(client.device, identity)
  if (!(await isAttemptAllowed('login', client, isKnown, ctx.limits)))
    return { ok: false, error: tooManyRequestsError }
  const slot = ctx.hashQueue.reserve(isKnown ? 'knownDevice' : 'unknownDevice')
  if (!slot) return { ok: false, error: queueFullError }
  try {
    return await verifyAndStartSession({ ...input, identity, isKnown, slot }, ctx)
  } finally {
    slot.release()
  }
}

type LoginVerificationInput = LoginInput & { identity: string; isKnown: boolean; slot: HashSlot }

async function verifyAndStartSession(
  { identity, password, challenge, client, isKnown, presentedCredentials, slot }: LoginVerificationInput,
  ctx: ServiceContext,
): Promise<Result<StartedSession>> {
  const { db } = ctx
  const counts = await listFailureCounts(identity, client, isKnown)
  const [[found], failures] = await db.batch([
    db.select().from(users).where(eq(users.email, identity)),
    selectCounts(counts, ctx),
  ])
  const waitMs = getPauseMs(counts, failures, ctx.clock())
  if (waitMs > 0 && !(await isChallengeSolved(challenge, client, ctx)))
    return { ok: false, error: createPauseError(waitMs, challenge, ctx) }

  const { isCorrect, needsRehash } = await checkPassword(password, found?.passwordHash, slot)
  if (!found || !isCorrect) {
    await recordFailure(counts, ctx)
    return WRONG_CREDENTIALS
  }

  const { row, token, secret } = await generateSession({ userId: found.id, client }, ctx)
  const byUnchangedPassword = and(eq(users.id, found.id), eq(users.passwordHash, found.passwordHash))
  const rehash = needsRehash
    ? [
        db
          .update(users)
          .set({ passwordHash: await hashPassword(password, { ...ctx, ...slot }) })
          .where(byUnchangedPassword),
      ]
    : []
  const byStartedSession = sql`exists (select 1 from ${sessions} where ${sessions.id} = ${row.id})`
  const [inserted] = await db.batch([
    insertSessionStatement(row, found.passwordHash, ctx),
    deleteSessionsStatement(sql`${await byCredentials(presentedCredentials)} and ${byStartedSession}`, ctx),
    recordActivityStatement(
      { kind: 'signed_in', userId: found.id, client },
      ctx,
      sql`where ${byStartedSession}`,
    ),
    clearCountsStatement(counts, ctx),
    ...rehash,
  ])
  // The password was changed or the account deleted during verification, so the session wasn't inserted.
  if (inserted.length === 0) return WRONG_CREDENTIALS
  const { id, expiresAtMs } = row
  const cookie = { id, secret, name: found.name, email: identity, expiresAtMs }
  return { ok: true, data: { user: toUser(found), token, cookie } }
}

const WRONG_CREDENTIALS = { ok: false, error: { code: 'wrong_credentials' } } as const

function createPauseError(
  waitMs: number,
  challenge: string | undefined,
  { config }: ServiceContext,
): ServiceError {
  const { TURNSTILE_SITE_KEY: siteKey } = config
  if (!siteKey) return createLoginPausedError(waitMs)
  const reason = challenge === undefined ? undefined : 'The security check failed.'
  return { ...createLoginPausedError(waitMs, reason), details: { challenge: { siteKey } } }
}
