import { and, eq, gt, or, type SQL, sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import type { DataContext, ServiceContext } from '#server/context.ts'
import { base64Url, newId, sha256Hex } from '#server/platform/crypto.ts'
import { rowWhere } from '#server/platform/db/client.ts'
import { sessions, users } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { User } from '#shared/accounts/contract.ts'
import type { Client } from './client.ts'
import type { SessionCookie } from './cookies.ts'

/** How long a session lasts without being used. */
export const SESSION_TTL_SECONDS = 14 * 24 * 60 * 60
/** How long a session lasts at most, however often it is used. */
export const SESSION_MAX_SECONDS = 90 * 24 * 60 * 60
/** How old a session's expiry gets before a use renews it; so renewals cost a write a day at most. */
const RENEWAL_SECONDS = 24 * 60 * 60
const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

/** The signed-in person, as the database has them. */
export type SessionUser = Omit<
  typeof users.$inferSelect,
  'passwordHash' | 'createdAtMs' | 'emailVerifiedAtMs'
>

/** What a request proves its session by. */
export type Credential = { token: string } | Pick<SessionCookie, 'id' | 'secret'>

/** What login and registration lead to. */
export type SignedIn = { user: User; token: string; cookie: SessionCookie }

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
  phone: users.phone,
}

/**
 * The secret in a session's cookie. It is derived from the token, so that the token can renew a lost cookie, and not
 * the other way round: who reads a cookie cannot derive the token from it, and neither passes for the other.
 */
export function cookieSecretOf(token: string): Promise<string> {
  return sha256Hex(`session cookie of ${token}`)
}

/** A new session for a user: the row to insert, and its two secrets, which are not stored. */
export async function newSession(
  { userId, client }: { userId: string; client: Pick<Client, 'browser' | 'country'> },
  ctx: DataContext,
) {
  const token = base64Url(ctx.randomBytes(TOKEN_BYTES))
  const secret = await cookieSecretOf(token)
  const nowMs = ctx.clock()
  const row: typeof sessions.$inferInsert = {
    id: newId(ctx),
    userId,
    tokenHash: await sha256Hex(token),
    cookieHash: await sha256Hex(secret),
    createdAtMs: nowMs,
    expiresAtMs: nowMs + SESSION_TTL_SECONDS * 1000,
    browser: client.browser,
    country: client.country,
    lastSeenAtMs: nowMs,
  }
  return { row, token, secret }
}

/** The statement that inserts a session, unless the user's password is no longer the one that was verified. */
export function insertSession(row: typeof sessions.$inferInsert, verifiedHash: string, { db }: DataContext) {
  const unchanged = sql`from ${users} where ${users.id} = ${row.userId} and ${users.passwordHash} = ${verifiedHash}`
  return db
    .insert(sessions)
    .select(rowWhere(sessions, row, unchanged))
    .returning({ id: sessions.id })
}

/** The user as the browser gets it (§ 3). Until an order has given first and last name, they come from the name. */
export function userOf(user: SessionUser): User {
  const { name, email } = user
  const [first = '', ...rest] = name.trim().split(/\s+/)
  const known = {
    firstName: user.firstName ?? first,
    lastName: user.lastName ?? rest.join(' '),
    address: user.address,
    address2: user.address2,
    country: user.country,
    state: user.state,
    zip: user.zip,
    phone: user.phone,
  }
  return { name, email, ...Object.fromEntries(Object.entries(known).filter(([, value]) => value)) }
}

/** The token in an `Authorization: Bearer …` header; undefined when it cannot be one of ours. */
export function bearerToken(header: string): string | undefined {
  const [scheme, token, ...rest] = header.trim().split(/ +/)
  const isBearer = scheme?.toLowerCase() === 'bearer' && rest.length === 0
  return isBearer && token && TOKEN.test(token) ? token : undefined
}

/** What a service reads together with the session. `userId` is the session's user; it matches nobody when that has ended. */
type AlsoRead<Reads extends readonly BatchItem<'sqlite'>[]> = (userId: SQL) => readonly [...Reads]

type Authenticated<Reads> = {
  user: SessionUser
  sessionId: string
  /** The cookie to send where the session was renewed, or the caller asked for one. */
  cookie: SessionCookie | undefined
  /** What `alsoRead` asked for. */
  read: Reads
}

/**
 * The signed-in person behind a credential, and what else a service needs to read, in one round trip; `unauthorized`
 * when the session has ended. `renew` extends a session that has aged, and always returns a cookie.
 */
export async function authenticate<Reads extends readonly BatchItem<'sqlite'>[] = []>(
  { credential, renew = false }: { credential: Credential | null; renew?: boolean },
  ctx: ServiceContext,
  alsoRead: AlsoRead<Reads> = () => [] as unknown as readonly [...Reads],
): Promise<Result<Authenticated<BatchResponse<[...Reads]>>, ServiceError<'unauthorized'>>> {
  if (!credential) return UNAUTHORIZED
  const { db, clock } = ctx
  const isLive = and(await rowOf(credential), gt(sessions.expiresAtMs, clock()))
  // Named apart from the user's: rows of a batch come by column names.
  const id = sql<string>`${sessions.id}`.as('session_id')
  const createdAtMs = sql<number>`${sessions.createdAtMs}`.as('session_created_at_ms')
  const session = db
    .select({
      id,
      createdAtMs,
      expiresAtMs: sessions.expiresAtMs,
      lastSeenAtMs: sessions.lastSeenAtMs,
      user: userColumns,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(isLive)
  const userId = sql`(${db.select({ id: sessions.userId }).from(sessions).where(isLive)})`
  const [[live], ...read] = await db.batch([session, ...alsoRead(userId)])
  if (!live) return UNAUTHORIZED

  const { user } = live
  const nowMs = clock()
  const renewedUntilMs = renewedExpiry(live, nowMs)
  if (renewedUntilMs || nowMs - live.lastSeenAtMs >= RENEWAL_SECONDS * 1000) {
    const seen = { lastSeenAtMs: nowMs, ...(renewedUntilMs ? { expiresAtMs: renewedUntilMs } : {}) }
    ctx.background(db.update(sessions).set(seen).where(eq(sessions.id, live.id)))
  }
  const cookie = async (): Promise<SessionCookie> => ({
    id: live.id,
    secret: 'token' in credential ? await cookieSecretOf(credential.token) : credential.secret,
    name: user.name,
    email: user.email,
    expiresAtMs: renewedUntilMs ?? live.expiresAtMs,
  })
  return {
    ok: true,
    data: {
      user,
      sessionId: live.id,
      cookie: renewedUntilMs || renew ? await cookie() : undefined,
      read: read as BatchResponse<[...Reads]>,
    },
  }
}

const UNAUTHORIZED = { ok: false, error: { code: 'unauthorized' } } as const

/** Whether a session that expires then is due to be renewed by its next use. */
export function isAging(expiresAtMs: number, nowMs: number): boolean {
  return expiresAtMs - nowMs < (SESSION_TTL_SECONDS - RENEWAL_SECONDS) * 1000
}

/** When a session that is used now will expire; undefined when that stays as it is. */
function renewedExpiry(
  { createdAtMs, expiresAtMs }: { createdAtMs: number; expiresAtMs: number },
  nowMs: number,
): number | undefined {
  if (!isAging(expiresAtMs, nowMs)) return undefined
  const renewed = Math.min(nowMs + SESSION_TTL_SECONDS * 1000, createdAtMs + SESSION_MAX_SECONDS * 1000)
  return renewed > expiresAtMs ? renewed : undefined
}

/** Ends the sessions behind credentials, cookie and token alike. One that has ended already is no failure. */
export async function endSessions(
  { credentials }: { credentials: readonly Credential[] },
  ctx: DataContext,
): Promise<void> {
  if (credentials.length > 0) await deleteSessions(await matching(credentials), ctx)
}

/** The condition that matches the sessions behind credentials. */
export async function matching(credentials: readonly Credential[]): Promise<SQL> {
  return or(...(await Promise.all(credentials.map(rowOf)))) ?? sql`false`
}

/** The statement that ends the sessions that a condition matches. */
export function deleteSessions(condition: SQL, { db }: DataContext) {
  return db.delete(sessions).where(condition)
}

async function rowOf(credential: Credential): Promise<SQL | undefined> {
  if ('token' in credential) return eq(sessions.tokenHash, await sha256Hex(credential.token))
  return and(eq(sessions.id, credential.id), eq(sessions.cookieHash, await sha256Hex(credential.secret)))
}
