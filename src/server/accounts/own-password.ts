import { eq } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import {
  clearCounts,
  countAttempt,
  type FailureCount,
  pausedError,
  pauseMs,
  readCounts,
  recordFailure,
} from '#server/platform/auth/attempts.ts'
import type { Client } from '#server/platform/auth/client.ts'
import { isKnownDevice, type SessionCookie } from '#server/platform/auth/cookies.ts'
import { busy, type HashSlot } from '#server/platform/auth/hash-queue.ts'
import { checkPassword } from '#server/platform/auth/passwords.ts'
import {
  authenticate,
  type Credential,
  cookieSecretOf,
  type SessionUser,
} from '#server/platform/auth/sessions.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { users } from '#server/platform/db/schema.ts'
import { tooManyRequests } from '#server/platform/rate-limit.ts'
import type { Result } from '#server/platform/result.ts'

/** The error of a service that was given a wrong password. No 401: that would end the session in the browser (§ 8). */
function wrongPassword(field: string) {
  const message = 'This is not your present password.'
  return { code: 'invalid_fields', message, fieldErrors: { [field]: message } } as const
}

type OwnPassword = {
  credential: Credential | null
  client: Client
  password: string
  /** The form's name for it. */
  field: string
}

type Verified = {
  credential: Credential
  user: SessionUser
  /** The session's cookie, renewed where it was due. */
  cookie: SessionCookie
  /** The hash that was verified: act only while it is still the stored one. */
  passwordHash: string
  slot: HashSlot
  /** The statement that forgets the failures before; for the batch that acts. */
  forgetFailures: ReturnType<typeof clearCounts>
}

/**
 * Lets a signed-in person act who knows the password, under the limits of signing in. Wrong ones are counted for the
 * session: whoever holds it gets no other one without the password.
 */
export async function withOwnPassword<Data>(
  { credential, client, password, field }: OwnPassword,
  ctx: ServiceContext,
  act: (verified: Verified) => Promise<Result<Data>>,
): Promise<Result<Data>> {
  if (!credential) return { ok: false, error: { code: 'unauthorized' } }
  const counts = [await failureCountOf(credential)]
  const authenticated = await authenticate({ credential, renew: true }, ctx, (userId) => [
    ctx.db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId)),
    readCounts(counts, ctx),
  ])
  if (!authenticated.ok) return authenticated
  const { user, cookie, read } = authenticated.data
  const [[own], failures] = read
  if (!cookie || !own) throw new Error('A session that was just read has no user or no cookie.')
  const isKnown = await isKnownDevice(client.device, user.email)
  if (!(await countAttempt('login', client, isKnown, ctx.limits)))
    return { ok: false, error: tooManyRequests }
  const waitMs = pauseMs(counts, failures, ctx.clock())
  if (waitMs > 0) return { ok: false, error: pausedError(waitMs) }

  const slot = ctx.hashQueue.reserve(isKnown ? 'knownDevice' : 'unknownDevice')
  if (!slot) return { ok: false, error: busy }
  try {
    const { passwordHash } = own
    const { isRight } = await checkPassword(password, passwordHash, slot)
    const forgetFailures = clearCounts(counts, ctx)
    if (isRight) return await act({ credential, user, cookie, passwordHash, slot, forgetFailures })
    await recordFailure(counts, ctx)
    return { ok: false, error: wrongPassword(field) }
  } finally {
    slot.release()
  }
}

/** A session's own count, the same by cookie and by token. */
async function failureCountOf(credential: Credential): Promise<FailureCount> {
  const secret = 'token' in credential ? await cookieSecretOf(credential.token) : credential.secret
  const key = await sha256Hex(JSON.stringify(['failed password', 'session', await sha256Hex(secret)]))
  return { key, kind: 'device' }
}
