import { and, isNull, type SQL, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { users } from '#server/platform/db/schema.ts'
import { recordActivityStatement } from './activity.ts'
import type { Client } from './client.ts'

/** Does nothing for users whose address is verified already. */
export async function setEmailVerified(
  byUser: SQL | undefined,
  client: Client,
  ctx: DataContext,
): Promise<void> {
  const byUnverifiedUser = and(byUser, isNull(users.emailVerifiedAtMs))
  const event = { kind: 'email_verified', userId: sql`${users.id}`, client } as const
  await ctx.db.batch([
    recordActivityStatement(event, ctx, sql`from ${users} where ${byUnverifiedUser}`),
    ctx.db.update(users).set({ emailVerifiedAtMs: ctx.clock() }).where(byUnverifiedUser),
  ])
}
