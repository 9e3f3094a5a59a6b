import { and, eq, gt, or, type SQL, sql } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import { base64Url, newId, sha256Hex } from '#server/platform/crypto.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
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
export function deriveCookieSecret(token: string): Promise<string> {
  return sha256Hex(`session cookie of ${token}`)
}

/** The secret in the cookie of a credential's session. */
export function cookieSecret(credential: Credential): string | Promise<string> {
  return 'token' in credential ? deriveCookieSecret(credential.token) : credential.secret
}

/** A new session for a user: the row to insert, and its two secrets, which are not stored. */
export async function newSession(
  { userId, client }: { userId: string; client: Pick<Client, 'browser' | 'country'> },
  ctx: DataContext,
) {
  const token = base64Url(ctx.randomBytes(TOKEN_BYTES))
  const secret = await deriveCookieSecret(token)
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
    .select(insertRowWhere(sessions, row, unchanged))
    .returning({ id: sessions.id })
}

/** The user as the browser gets it (§ 3). Until an order has given first and last name, they come from the name. */
export function toUser(user: SessionUser): User {
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

/** A session that was found in the database. */
export type LiveSession = {
  user: SessionUser
  sessionId: string
  cookie: SessionCookie
  /** Whether this use has extended the session: the browser needs the new cookie. */
  isRenewed: boolean
}

/**
 * The statement that reads a credential's session, for the batch of a use case's own reads. `userId` is a subquery for
 * those reads; it matches nobody without a live session. `liveSession` takes the statement's rows; it extends a session
 * that has aged, in the background.
 */
export async function sessionQuery(credential: Credential | null, ctx: ServiceContext) {
  const { db, clock } = ctx
  const isLive = and(credential ? await byCredential(credential) : sql`0`, gt(sessions.expiresAtMs, clock()))
  const secret = credential ? await cookieSecret(credential) : ''
  // Named apart from the user's: rows of a batch come by column names.
  const id = sql<string>`${sessions.id}`.as('session_id')
  const createdAtMs = sql<number>`${sessions.createdAtMs}`.as('session_created_at_ms')
  const select = db
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
  const userId: SQL = sql`(${db.select({ id: sessions.userId }).from(sessions).where(isLive)})`

  function liveSession([row]: Awaited<typeof select>): LiveSession | undefined {
    if (!row) return undefined
    const { user } = row
    const nowMs = clock()
    const renewedUntilMs = renewedExpiry(row, nowMs)
    if (renewedUntilMs || nowMs - row.lastSeenAtMs >= RENEWAL_SECONDS * 1000) {
      const seen = { lastSeenAtMs: nowMs, ...(renewedUntilMs ? { expiresAtMs: renewedUntilMs } : {}) }
      ctx.background(db.update(sessions).set(seen).where(eq(sessions.id, row.id)))
    }
    const expiresAtMs = renewedUntilMs ?? row.expiresAtMs
    const cookie = { id: row.id, secret, name: user.name, email: user.email, expiresAtMs }
    return { user, sessionId: row.id, cookie, isRenewed: renewedUntilMs !== undefined }
  }

  return { select, userId, liveSession }
}

/** The session of a credential; `unauthorized` when it has ended. One round trip. */
export async function authenticate(
  credential: Credential | null,
  ctx: ServiceContext,
): Promise<Result<LiveSession, ServiceError<'unauthorized'>>> {
  if (!credential) return UNAUTHORIZED
  const { select, liveSession } = await sessionQuery(credential, ctx)
  const session = liveSession(await select)
  return session ? { ok: true, data: session } : UNAUTHORIZED
}

export const UNAUTHORIZED = { ok: false, error: { code: 'unauthorized' } } as const

/** Whether a session that expires then is due to be renewed by its next use. */
export function isRenewalDue(expiresAtMs: number, nowMs: number): boolean {
  return expiresAtMs - nowMs < (SESSION_TTL_SECONDS - RENEWAL_SECONDS) * 1000
}

/** When a session that is used now will expire; undefined when that stays as it is. */
function renewedExpiry(
  { createdAtMs, expiresAtMs }: { createdAtMs: number; expiresAtMs: number },
  nowMs: number,
): number | undefined {
  if (!isRenewalDue(expiresAtMs, nowMs)) return undefined
  const renewed = Math.min(nowMs + SESSION_TTL_SECONDS * 1000, createdAtMs + SESSION_MAX_SECONDS * 1000)
  return renewed > expiresAtMs ? renewed : undefined
}

/** Ends the sessions behind credentials, cookie and token alike. One that has ended already is no failure. */
export async function endSessions(
  { credentials }: { credentials: readonly Credential[] },
  ctx: DataContext,
): Promise<void> {
  if (credentials.length > 0) await deleteSessions(await byCredentials(credentials), ctx)
}

/** The condition that matches the sessions behind credentials. */
export async function byCredentials(credentials: readonly Credential[]): Promise<SQL> {
  return or(...(await Promise.all(credentials.map(byCredential)))) ?? sql`false`
}

/** The statement that ends the sessions that a condition matches. */
export function deleteSessions(condition: SQL, { db }: DataContext) {
  return db.delete(sessions).where(condition)
}

async function byCredential(credential: Credential): Promise<SQL | undefined> {
  if ('token' in credential) return eq(sessions.tokenHash, await sha256Hex(credential.token))
  return and(eq(sessions.id, credential.id), eq(sessions.cookieHash, await sha256Hex(credential.secret)))
}
