import { and, eq, gt, inArray, isNull } from 'drizzle-orm'
import { passwordProblem } from '#shared/rules/auth-forms.ts'
import { hashPassword } from '../../auth/passwords.ts'
import { sha256Hex } from '../../crypto.ts'
import { passwordResets, sessions, users } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { isWithinRateLimit } from '../../rate-limit.ts'

type ResetDeps = Pick<Deps, 'db' | 'clock' | 'randomBytes' | 'deriveKey' | 'limits'>
type ResetInput = { oobCode: string; newPassword: string; address: string }

export type ResetOutcome =
  | { kind: 'done'; email: string }
  | { kind: 'weak'; message: string }
  | { kind: 'expired' | 'invalid' | 'too-many' }

/**
 * Gives the owner of a reset link the new password, ends all of their sessions and uses up all of their links.
 * Of several uses of one link at once, exactly one succeeds.
 */
export async function resetPassword(
  { oobCode, newPassword, address }: ResetInput,
  deps: ResetDeps,
): Promise<ResetOutcome> {
  const weakness = passwordProblem({ password: newPassword })
  if (weakness) return { kind: 'weak', message: weakness.message }
  if (!(await isWithinRateLimit('reset', { address }, deps.limits.attempts))) return { kind: 'too-many' }

  const { db } = deps
  const codeHash = await sha256Hex(oobCode)
  const nowMs = deps.clock()
  const found = await db.select().from(passwordResets).where(eq(passwordResets.codeHash, codeHash)).get()
  if (!found) return { kind: 'invalid' }
  if (found.usedAtMs !== null || found.expiresAtMs <= nowMs) return { kind: 'expired' }

  const passwordHash = await hashPassword(newPassword, deps)
  const isUsable = and(
    eq(passwordResets.codeHash, codeHash),
    isNull(passwordResets.usedAtMs),
    gt(passwordResets.expiresAtMs, nowMs),
  )
  const owner = db.select({ id: passwordResets.userId }).from(passwordResets).where(isUsable)
  // The link is used up last: until then the other statements find its owner by it.
  const [changed] = await db.batch([
    db.update(users).set({ passwordHash }).where(inArray(users.id, owner)).returning({ email: users.email }),
    db.delete(sessions).where(inArray(sessions.userId, owner)),
    db.update(passwordResets).set({ usedAtMs: nowMs }).where(inArray(passwordResets.userId, owner)),
  ])
  const [user] = changed
  return user ? { kind: 'done', email: user.email } : { kind: 'expired' }
}
