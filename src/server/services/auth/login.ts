import { eq } from 'drizzle-orm'
import { emailIdentity } from '#shared/rules/auth-forms.ts'
import { checkPassword, hashPassword } from '../../auth/passwords.ts'
import { newSession } from '../../auth/sessions.ts'
import { userOf } from '../../auth/user-of.ts'
import { sessions, users } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { isWithinRateLimit } from '../../rate-limit.ts'
import type { Refused, SignedIn } from './outcome.ts'

type LoginDeps = Pick<Deps, 'db' | 'clock' | 'randomBytes' | 'deriveKey' | 'limits'>
type LoginInput = { email: string; password: string; address: string }

/** Starts a session for whoever knows the password. An unknown address costs the same work as a wrong password. */
export async function logIn(
  { email, password, address }: LoginInput,
  deps: LoginDeps,
): Promise<SignedIn | Refused<'wrong_credentials' | 'too_many_requests'>> {
  const identity = emailIdentity(email)
  if (!(await isWithinRateLimit('login', { address, account: identity }, deps.limits.attempts)))
    return { kind: 'refused', code: 'too_many_requests' }

  const { db } = deps
  const found = await db.select().from(users).where(eq(users.email, identity)).get()
  const { isRight, isStale } = await checkPassword(password, found?.passwordHash, deps)
  if (!found || !isRight) return { kind: 'refused', code: 'wrong_credentials' }

  const { row, token, secret } = await newSession(found.id, deps)
  const insert = db.insert(sessions).values(row)
  if (isStale) {
    const passwordHash = await hashPassword(password, deps)
    await db.batch([insert, db.update(users).set({ passwordHash }).where(eq(users.id, found.id))])
  } else {
    await insert
  }
  const { id, expiresAtMs } = row
  const { name } = found
  return {
    kind: 'signed-in',
    user: userOf(found),
    token,
    cookie: { id, secret, name, email: identity, expiresAtMs },
  }
}
