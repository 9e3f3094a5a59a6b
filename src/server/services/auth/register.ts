import { emailIdentity } from '#shared/rules/auth-forms.ts'
import { hashPassword } from '../../auth/passwords.ts'
import { newSession } from '../../auth/sessions.ts'
import { userOf } from '../../auth/user-of.ts'
import { newId } from '../../crypto.ts'
import { brokenConstraint } from '../../db/errors.ts'
import { sessions, users } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { isWithinRateLimit } from '../../rate-limit.ts'
import type { Refused, SignedIn } from './outcome.ts'

type RegisterDeps = Pick<Deps, 'db' | 'clock' | 'randomBytes' | 'deriveKey' | 'limits'>
type RegisterInput = { name: string; email: string; password: string; address: string }

/** Creates an account with its first session. Of several for one address at once, exactly one succeeds. */
export async function register(
  { name, email, password, address }: RegisterInput,
  deps: RegisterDeps,
): Promise<SignedIn | Refused<'email_taken' | 'too_many_requests'>> {
  const identity = emailIdentity(email)
  if (!(await isWithinRateLimit('registration', { address, account: identity }, deps.limits.attempts)))
    return { kind: 'refused', code: 'too_many_requests' }

  const user = {
    id: newId(deps),
    email: identity,
    // Control characters become the spaces they stand for: a name is one line.
    name: name
      .toWellFormed()
      .replace(/\p{Cc}+/gu, ' ')
      .trim(),
    passwordHash: await hashPassword(password, deps),
    createdAtMs: deps.clock(),
  }
  const { row, token, secret } = await newSession(user.id, deps)
  try {
    await deps.db.batch([deps.db.insert(users).values(user), deps.db.insert(sessions).values(row)])
  } catch (error) {
    if (brokenConstraint(error) === 'users.email') return { kind: 'refused', code: 'email_taken' }
    throw error
  }
  const { id, expiresAtMs } = row
  return {
    kind: 'signed-in',
    user: userOf({ ...unknownProfile, ...user }),
    token,
    cookie: { id, secret, name: user.name, email: identity, expiresAtMs },
  }
}

const unknownProfile = {
  ...{ firstName: null, lastName: null, address: null, address2: null },
  ...{ country: null, state: null, zip: null },
}
