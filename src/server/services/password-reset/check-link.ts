import { eq } from 'drizzle-orm'
import type { Client } from '../../auth/client.ts'
import { sha256Hex } from '../../crypto.ts'
import { passwordResets } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { tooManyRequests } from '../../rate-limit.ts'
import type { Result } from '../../result.ts'
import { countAttempt } from '../auth/attempts.ts'

type CheckDeps = Pick<Deps, 'db' | 'clock' | 'limits'>

/**
 * Whether a reset link can be used, and nothing else about it: fails with `reset_link_expired` once it was used or its
 * time is over, with `reset_link_invalid` when it was never made. Uses up nothing.
 */
export async function checkResetLink(
  { oobCode, client }: { oobCode: string; client: Client },
  { db, clock, limits }: CheckDeps,
): Promise<Result<null>> {
  if (!(await countAttempt('reset link', client, false, limits))) return { ok: false, error: tooManyRequests }
  const [reset] = await db
    .select({ usedAtMs: passwordResets.usedAtMs, expiresAtMs: passwordResets.expiresAtMs })
    .from(passwordResets)
    .where(eq(passwordResets.codeHash, await sha256Hex(oobCode)))
  if (!reset) return { ok: false, error: { code: 'reset_link_invalid' } }
  const isUsable = reset.usedAtMs === null && reset.expiresAtMs > clock()
  return isUsable ? { ok: true, data: null } : { ok: false, error: { code: 'reset_link_expired' } }
}
