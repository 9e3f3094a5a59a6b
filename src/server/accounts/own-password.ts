import { eq } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import type { Client } from '#server/platform/auth/client.ts'
import { isKnownDevice, type SessionCookie } from '#server/platform/auth/cookies.ts'
import { type HashSlot, queueFullError } from '#server/platform/auth/hash-queue.ts'
import {
  clearCountsStatement,
  createLoginPausedError,
  type FailureCount,
  getPauseMs,
  isAttemptAllowed,
  recordFailure,
  selectCounts,
} from '#server/platform/auth/login-attempts.ts'
import { checkPassword } from '#server/platform/auth/passwords.ts'
import {
  type Credential,
  createSessionQuery,
  getCookieSecret,
  type SessionUser,
  UNAUTHORIZED,
} from '#server/platform/auth/sessions.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { users } from '#server/platform/db/schema.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result } from '#server/platform/result.ts'

/** The error isn't a 401, because a 401 would end the session in the browser (§ 8). */
function createWrongPasswordError(field: string) {
  const message = 'Password is incorrect.'
  return { code: 'invalid_fields', message, fieldErrors: { [field]: message } } as const
}

type PasswordVerificationInput = {
  credential: Credential | null
  client: Client
  password: string
  field: string
}

type VerifiedPassword = {
  credential: Credential
  user: SessionUser
  cookie: SessionCookie
  /** The hash that the password matched. A statement that relies on this hash must check that it is still stored. */
  passwordHash: string
  slot: HashSlot
  clearFailures: ReturnType<typeof clearCountsStatement>
}

/** Counts wrong passwords per session, which limits guesses with a stolen session. */
export async function withVerifiedPassword<Data>(
  { credential, client, password, field }: PasswordVerificationInput,
  ctx: ServiceContext,
  action: (verified: VerifiedPassword) => Promise<Result<Data>>,
): Promise<Result<Data>> {
  if (!credential) return UNAUTHORIZED
  const counts = [await createSessionFailureCount(credential)]
  const session = await createSessionQuery(credential, ctx)
  const [sessionRows, [stored], failures] = await ctx.db.batch([
    session.select,
    ctx.db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, session.userId)),
    selectCounts(counts, ctx),
  ])
  const live = session.readLiveSession(sessionRows)
  if (!live || !stored) return UNAUTHORIZED
  const { user, cookie } = live
  const isKnown = await isKnownDevice(client.device, user.email)
  if (!(await isAttemptAllowed('login', client, isKnown, ctx.limits)))
    return { ok: false, error: tooManyRequestsError }
  const waitMs = getPauseMs(counts, failures, ctx.clock())
  if (waitMs > 0) return { ok: false, error: createLoginPausedError(waitMs) }

  const slot = ctx.hashQueue.reserve(isKnown ? 'knownDevice' : 'unknownDevice')
  if (!slot) return { ok: false, error: queueFullError }
  try {
    const { passwordHash } = stored
    const { isCorrect } = await checkPassword(password, passwordHash, slot)
    const clearFailures = clearCountsStatement(counts, ctx)
    if (isCorrect) return await action({ credential, user, cookie, passwordHash, slot, clearFailures })
    await recordFailure(counts, ctx)
    return { ok: false, error: createWrongPasswordError(field) }
  } finally {
    slot.release()
  }
}

async function createSessionFailureCount(credential: Credential): Promise<FailureCount> {
  const secret = await getCookieSecret(credential)
  const key = await sha256Hex(JSON.stringify(['failed password', 'session', await sha256Hex(secret)]))
  return { key, kind: 'device' }
}
