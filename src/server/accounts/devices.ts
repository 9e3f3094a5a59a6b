import { and, desc, eq, gt, ne } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { recordActivityStatement } from '#server/platform/auth/activity.ts'
import type { Client } from '#server/platform/auth/client.ts'
import { type Credential, createSessionQuery, UNAUTHORIZED } from '#server/platform/auth/sessions.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { sessions } from '#server/platform/db/schema.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result } from '#server/platform/result.ts'
import { type Device, OTHER_DEVICES } from '#shared/accounts/contract.ts'

const ID_CHARACTERS = 32

export async function listDevices(
  { credential }: { credential: Credential | null },
  ctx: ServiceContext,
): Promise<Result<{ devices: Device[] }>> {
  const result = await readSessions(credential, ctx)
  return result.ok ? { ok: true, data: { devices: result.data.rows.map(({ device }) => device) } } : result
}

/** `which` is a device's id or `OTHER_DEVICES`. Returns the remaining devices. */
export async function logOutDevices(
  { credential, which, client }: { credential: Credential | null; which: string; client: Client },
  ctx: ServiceContext,
): Promise<Result<{ devices: Device[] }>> {
  const result = await readSessions(credential, ctx)
  if (!result.ok) return result
  const { userId, sessionId, rows } = result.data
  if (!(await ctx.limits.writes(`devices of ${userId}`))) return { ok: false, error: tooManyRequestsError }

  const endedDevices = rows.filter(
    ({ device }) => !device.isCurrent && (which === OTHER_DEVICES || which === device.id),
  )
  const [first] = endedDevices
  if (first) {
    const bySelection =
      which === OTHER_DEVICES ? ne(sessions.id, sessionId) : eq(sessions.id, first.sessionId)
    await ctx.db.batch([
      ctx.db.delete(sessions).where(and(eq(sessions.userId, userId), bySelection)),
      recordActivityStatement({ kind: 'devices_signed_out', userId, client }, ctx),
    ])
  }
  const devices = rows.filter((row) => !endedDevices.includes(row)).map(({ device }) => device)
  return { ok: true, data: { devices } }
}

async function readSessions(credential: Credential | null, ctx: ServiceContext) {
  const { db, clock } = ctx
  if (!credential) return UNAUTHORIZED
  const session = await createSessionQuery(credential, ctx)
  const byLiveSession = and(eq(sessions.userId, session.userId), gt(sessions.expiresAtMs, clock()))
  const [sessionRows, liveRows] = await db.batch([
    session.select,
    db
      .select()
      .from(sessions)
      .where(byLiveSession)
      .orderBy(desc(sessions.lastSeenAtMs), desc(sessions.createdAtMs)),
  ])
  const live = session.readLiveSession(sessionRows)
  if (!live) return UNAUTHORIZED
  const { user, sessionId } = live
  const rows = await Promise.all(
    liveRows.map(async (row) => ({ sessionId: row.id, device: await toDevice(row, row.id === sessionId) })),
  )
  const sorted = rows.toSorted((a, b) => Number(b.device.isCurrent) - Number(a.device.isCurrent))
  return { ok: true, data: { userId: user.id, sessionId, rows: sorted } } as const
}

/** `id` is a digest, because the session's id is part of the cookie, which page scripts must not see. */
async function toDevice(row: typeof sessions.$inferSelect, isCurrent: boolean): Promise<Device> {
  const { id, browser, country, createdAtMs, lastSeenAtMs } = row
  return {
    id: (await sha256Hex(`device of session ${id}`)).slice(0, ID_CHARACTERS),
    browser,
    country,
    signedInAtMs: createdAtMs,
    lastSeenAtMs: Math.max(createdAtMs, lastSeenAtMs),
    isCurrent,
  }
}
