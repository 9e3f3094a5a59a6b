import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { closedDays } from '#server/platform/db/schema.ts'
import type { Actor } from '#shared/team/roles.ts'
import type { ShopPeriod } from '#shared/time.ts'
import { reconcileDay, toSnapshot } from './reconcile.ts'
import type { StatementProvider } from './statement.ts'

type CloseDayInput = { provider: StatementProvider; day: ShopPeriod; actor: Actor }

/** Stores a snapshot of the day's entries, so that the reconciliation page can mark later changes. */
export async function closeDay({ provider, day, actor }: CloseDayInput, ctx: OwnerContext): Promise<void> {
  const { entries } = await reconcileDay({ provider, day }, ctx)
  const closed = {
    closedAtMs: ctx.clock(),
    actor: actor.email,
    snapshot: JSON.stringify(Object.fromEntries(entries.map((entry) => [entry.key, toSnapshot(entry)]))),
  }
  const close = ctx.db
    .insert(closedDays)
    .values({ provider, day: day.name, ...closed })
    .onConflictDoUpdate({ target: [closedDays.provider, closedDays.day], set: closed })
  const audit = { actor, action: 'day.close', subject: provider, to: day.name } as const
  await commitAudited({ statements: [close], audit }, ctx)
}
