import { and, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import { base64Url, newId, sha256Hex } from '../crypto.ts'
import { sessions, users } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import type { SessionCookie } from './cookie.ts'

/** How long a session lasts without being used. */
export const SESSION_TTL_SECONDS = 14 * 24 * 60 * 60
/** How old a session's expiry gets before a use of it renews it; so renewals cost a write a day at most. */
const RENEWAL_SECONDS = 24 * 60 * 60
const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

/** The signed-in person, as the records have them. */
export type SessionUser = Omit<typeof users.$inferSelect, 'passwordHash' | 'createdAtMs'>

export type LiveSession = { id: string; expiresAtMs: number; user: SessionUser }

const userColumns = {
  id: users.id,
  email: users.email,
  name: users.name,
  firstName: users.firstName,
  lastName: users.lastName,
  address: users.address,
  address2: users.address2,
  country: users.country,
  state: users.state,
  zip: users.zip,
}

/**
 * The secret a session's cookie holds. It is made from the token, so that the token can renew a lost cookie, and
 * not the other way round: who reads a cookie cannot make the token from it, and neither passes for the other.
 */
export function cookieSecretOf(token: string): Promise<string> {
  return sha256Hex(`session cookie of ${token}`)
}

/** A new session for a user: the row to insert, and its two secrets, which are not kept. */
export async function newSession(userId: string, deps: Pick<Deps, 'clock' | 'randomBytes'>) {
  const token = base64Url(deps.randomBytes(TOKEN_BYTES))
  const secret = await cookieSecretOf(token)
  const nowMs = deps.clock()
  const row: typeof sessions.$inferInsert = {
    id: newId(deps),
    userId,
    tokenHash: await sha256Hex(token),
    cookieHash: await sha256Hex(secret),
    createdAtMs: nowMs,
    expiresAtMs: nowMs + SESSION_TTL_SECONDS * 1000,
  }
  return { row, token, secret }
}

/** The token in an `Authorization: Bearer …` header; undefined when it cannot be one of ours. */
export function bearerToken(header: string): string | undefined {
  const [scheme, token, ...rest] = header.trim().split(/ +/)
  const isBearer = scheme?.toLowerCase() === 'bearer' && rest.length === 0
  return isBearer && token && TOKEN.test(token) ? token : undefined
}

/** The session's row as a condition, by whichever secret the request came with. */
export async function rowOfToken(token: string): Promise<SQL> {
  return eq(sessions.tokenHash, await sha256Hex(token))
}

/** See {@link rowOfToken}. */
export async function rowOfCookie({ id, secret }: Pick<SessionCookie, 'id' | 'secret'>): Promise<SQL> {
  return and(eq(sessions.id, id), eq(sessions.cookieHash, await sha256Hex(secret))) as SQL
}

/** What a call reads together with its session. `userId` is the session's user; it matches nobody when that has ended. */
export type AlsoRead<Reads extends readonly BatchItem<'sqlite'>[]> = (userId: SQL) => readonly [...Reads]

/** The session that stands in the records, undefined when it has ended, and what was read with it: one round trip. */
export async function findSession<Reads extends readonly BatchItem<'sqlite'>[]>(
  row: SQL,
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  alsoRead: AlsoRead<Reads>,
): Promise<{ live: LiveSession | undefined; read: BatchResponse<[...Reads]> }> {
  const isLive = and(row, gt(sessions.expiresAtMs, clock()))
  // Named apart from the user's: rows of a batch come by column names.
  const id = sql<string>`${sessions.id}`.as('session_id')
  const session = db
    .select({ id, expiresAtMs: sessions.expiresAtMs, user: userColumns })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(isLive)
  const userId = sql`(${db.select({ id: sessions.userId }).from(sessions).where(isLive)})`
  const [[live], ...read] = await db.batch([session, ...alsoRead(userId)])
  return { live, read: read as BatchResponse<[...Reads]> }
}

/** Whether an expiry is old enough to be renewed by a use of the session. */
export function wantsRenewal(expiresAtMs: number, nowMs: number): boolean {
  return expiresAtMs - nowMs < (SESSION_TTL_SECONDS - RENEWAL_SECONDS) * 1000
}

/** Renews a session's expiry in the records; returns it, in milliseconds since the epoch. */
export function renewSession(
  id: string,
  { db, clock, background }: Pick<Deps, 'db' | 'clock' | 'background'>,
): number {
  const expiresAtMs = clock() + SESSION_TTL_SECONDS * 1000
  background(db.update(sessions).set({ expiresAtMs }).where(eq(sessions.id, id)))
  return expiresAtMs
}
