import { desc, eq, type SQL, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { newId } from '#server/platform/crypto.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { accountEvents, users } from '#server/platform/db/schema.ts'
import type { Result } from '#server/platform/result.ts'
import type { ActivityKind } from '#shared/accounts/account-forms.ts'
import type { AccountActivity } from '#shared/accounts/contract.ts'
import type { Client } from './client.ts'

const MAX_EVENTS = 10

type ActivityInput = { kind: ActivityKind; userId: string | SQL; client: Client | null }

export function recordActivityStatement(
  { kind, userId, client }: ActivityInput,
  ctx: DataContext,
  where: SQL = sql`where true`,
) {
  const row = {
    id: newId(ctx),
    userId,
    kind,
    atMs: ctx.clock(),
    browser: client?.browser ?? null,
    country: client?.country ?? null,
  }
  return ctx.db.insert(accountEvents).select(insertRowWhere(accountEvents, row, where))
}

export function selectActivity({ userId, limit }: { userId: string; limit: number }, { db }: DataContext) {
  return db
    .select()
    .from(accountEvents)
    .where(eq(accountEvents.userId, userId))
    .orderBy(desc(accountEvents.atMs))
    .limit(limit)
}

export async function listActivity(
  { userId }: { userId: string },
  ctx: DataContext,
): Promise<Result<AccountActivity, never>> {
  const { db } = ctx
  const [[user], rows] = await db.batch([
    db.select({ emailVerifiedAtMs: users.emailVerifiedAtMs }).from(users).where(eq(users.id, userId)),
    selectActivity({ userId, limit: MAX_EVENTS }, ctx),
  ])
  const isEmailVerified = user !== undefined && user.emailVerifiedAtMs !== null
  const events = rows.map(({ kind, atMs, browser, country }) => ({ kind, atMs, browser, country }))
  return { ok: true, data: { isEmailVerified, events } }
}
