import { and, eq, lt } from 'drizzle-orm'
import { outbox, passwordResets, sessions } from '../../db/schema.ts'
import { deliverAllDue } from '../../mail/outbox.ts'
import { dropOldActivity } from '../account/activity.ts'
import { eraseEndedPhones } from '../account/personal-data.ts'
import { dropForgottenCounts } from '../auth/attempts.ts'
import { runPayments } from '../payments/run.ts'
import type { StartDeps } from '../payments/start-attempt.ts'

const DAY_MS = 86_400_000
/** How long an expired reset code is stored, so that its link still gets the right error. */
const RESET_RETENTION_MS = 7 * DAY_MS
/** How long a delivered mail is stored. */
const SENT_MAIL_RETENTION_MS = 90 * DAY_MS

/**
 * The scheduled run: advances open payments and refunds, delivers the mail that is due, then deletes records that have
 * expired. Rejects when the database fails.
 */
export async function runHousekeeping(deps: StartDeps): Promise<void> {
  await runPayments(deps)
  await deliverAllDue(deps)
  const { db } = deps
  const nowMs = deps.clock()
  await db.batch([
    dropForgottenCounts(deps),
    dropOldActivity(deps),
    eraseEndedPhones(db),
    db.delete(sessions).where(lt(sessions.expiresAtMs, nowMs)),
    db.delete(passwordResets).where(lt(passwordResets.expiresAtMs, nowMs - RESET_RETENTION_MS)),
    db
      .delete(outbox)
      .where(and(eq(outbox.status, 'sent'), lt(outbox.sentAtMs, nowMs - SENT_MAIL_RETENTION_MS))),
  ])
}
