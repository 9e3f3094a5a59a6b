import { emailIdentity } from '#shared/rules/auth-forms.ts'
import type { Client } from '../../auth/client.ts'
import { busy } from '../../auth/hash-queue.ts'
import { breachedPassword, hashPassword, isBreached } from '../../auth/passwords.ts'
import { newId } from '../../crypto.ts'
import { brokenConstraint } from '../../db/client.ts'
import { outbox, sessions, users } from '../../db/schema.ts'
import type { PasswordServiceDeps } from '../../deps.ts'
import { welcomeMail } from '../../mail/account-mails.ts'
import { deliverInBackground, outboxRow } from '../../mail/outbox.ts'
import { tooManyRequests } from '../../rate-limit.ts'
import type { Result } from '../../result.ts'
import { recordActivity } from '../account/activity.ts'
import { verificationLink } from '../account/verify-email.ts'
import { countAttempt } from './attempts.ts'
import { type Credential, deleteSessions, matching, newSession, type SignedIn, userOf } from './sessions.ts'

type RegisterInput = {
  name: string
  email: string
  password: string
  client: Client
  /** The sessions that the browser already has; they end. */
  presented: readonly Credential[]
  /** The shop's public origin, for the link in the welcome mail. */
  origin: string
}

/** Creates an account with its first session. Of several for one address at once, exactly one succeeds. */
export async function register(input: RegisterInput, deps: PasswordServiceDeps): Promise<Result<SignedIn>> {
  if (!(await countAttempt('registration', input.client, false, deps.limits)))
    return { ok: false, error: tooManyRequests }
  const slot = deps.hashQueue.reserve('unknownDevice')
  if (!slot) return { ok: false, error: busy }
  try {
    if (await isBreached(input.password, deps))
      return {
        ok: false,
        error: {
          ...breachedPassword,
          code: 'invalid_fields',
          fieldErrors: { password: breachedPassword.message },
        },
      }
    const passwordHash = await hashPassword(input.password, { ...deps, ...slot })
    return await createAccount({ ...input, passwordHash }, deps)
  } finally {
    slot.release()
  }
}

async function createAccount(
  { name, email, passwordHash, client, presented, origin }: RegisterInput & { passwordHash: string },
  deps: PasswordServiceDeps,
): Promise<Result<SignedIn>> {
  const { db } = deps
  const identity = emailIdentity(email)
  const user = {
    id: newId(deps),
    email: identity,
    // Control characters become spaces: a name is one line.
    name: name
      .toWellFormed()
      .replace(/\p{Cc}+/gu, ' ')
      .trim(),
    passwordHash,
    createdAtMs: deps.clock(),
  }
  const { row, token, secret } = await newSession({ userId: user.id, client }, deps)
  const mail = welcomeMail({
    userId: user.id,
    email: identity,
    link: await verificationLink(user, origin, deps),
  })
  try {
    await db.batch([
      db.insert(users).values(user),
      db.insert(sessions).values(row),
      deleteSessions(await matching(presented), deps),
      recordActivity({ kind: 'registered', userId: user.id, client }, deps),
      db.insert(outbox).values(outboxRow(mail, deps)),
    ])
  } catch (error) {
    if (brokenConstraint(error) === 'users.email') return { ok: false, error: { code: 'email_taken' } }
    throw error
  }
  deliverInBackground(deps)
  const cookie = { id: row.id, secret, name: user.name, email: identity, expiresAtMs: row.expiresAtMs }
  return { ok: true, data: { user: userOf({ ...NO_PROFILE, ...user }), token, cookie } }
}

const NO_PROFILE = {
  ...{ firstName: null, lastName: null, address: null, address2: null, phone: null },
  ...{ country: null, state: null, zip: null },
}
