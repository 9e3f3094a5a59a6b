import { and, eq, gt, or, type SQL, sql } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import { encodeBase64Url, newId, sha256Hex } from '#server/platform/crypto.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { sessions, users } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { User } from '#shared/accounts/contract.ts'
import type { Client } from './client.ts'
import type { SessionCookie } from './cookies.ts'

export const SESSION_TTL_SECONDS = 14 * 24 * 60 * 60
/** The maximum age of a session, even if it is renewed. */
export const SESSION_MAX_SECONDS = 90 * 24 * 60 * 60
/** A session is renewed, or its last use recorded, at most once a day, which limits writes. */
const RENEWAL_INTERVAL_SECONDS = 24 * 60 * 60
const TOKEN_BYTES = 32
const TOKEN_PATTERN = /^[\w-]{43}$/

export type SessionUser = Omit<
  typeof users.$inferSelect,
  'passwordHash' | 'createdAtMs' | 'emailVerifiedAtMs' | 'lastOrderAtMs'
>

export type Credential = { token: string } | Pick<SessionCookie, 'id' | 'secret'>

export type StartedSession = { user: User; token: string; cookie: SessionCookie }

const userColumns = {
  id: users.id,
  email: users.email,
  name: users.name,
  firstName: users.firstName,
  lastName: users.lastName,
  address: users.address,
  address2: users.address2,
  landmark: users.landmark,
  country: users.country,
  state: users.state,
  zip: users.zip,
  phone: users.phone,
  mpesaPhone: users.mpesaPhone,
}

/** The token can restore a lost cookie, while a leaked cookie doesn't reveal the token. */
export function deriveCookieSecret(token: string): Promise<string> {
  return sha256Hex(`session cookie of ${token}`)
}

export function getCookieSecret(credential: Credential): string | Promise<string> {
  return 'token' in credential ? deriveCookieSecret(credential.token) : credential.secret
}

export async function generateSession(
  { userId, client }: { userId: string; client: Pick<Client, 'browser' | 'country'> },
  ctx: DataContext,
) {
  const token = encodeBase64Url(ctx.randomBytes(TOKEN_BYTES))
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

export function insertSessionStatement(
  row: typeof sessions.$inferInsert,
  verifiedHash: string,
  { db }: DataContext,
) {
  const fromUserWithSamePassword = sql`from ${users} where ${users.id} = ${row.userId} and ${users.passwordHash} = ${verifiedHash}`
  return db
    .insert(sessions)
    .select(insertRowWhere(sessions, row, fromUserWithSamePassword))
    .returning({ id: sessions.id })
}

/** Until the first and last names are stored, splits them from `name` (§ 3). */
export function toUser(user: SessionUser): User {
  const { name, email } = user
  const [first = '', ...rest] = name.trim().split(/\s+/)
  const knownFields = {
    firstName: user.firstName ?? first,
    lastName: user.lastName ?? rest.join(' '),
    address: user.address,
    address2: user.address2,
    landmark: user.landmark,
    country: user.country,
    state: user.state,
    zip: user.zip,
    phone: user.phone,
    mpesaPhone: user.mpesaPhone,
  }
  return { name, email, ...Object.fromEntries(Object.entries(knownFields).filter(([, value]) => value)) }
}

export function parseBearerToken(header: string): string | undefined {
  const [scheme, token, ...rest] = header.trim().split(/ +/)
  const isBearer = scheme?.toLowerCase() === 'bearer' && rest.length === 0
  return isBearer && token && TOKEN_PATTERN.test(token) ? token : undefined
}

export type LiveSession = {
  user: SessionUser
  sessionId: string
  cookie: SessionCookie
  isRenewed: boolean
}

/**
 * Batch `select` with reads that use the subquery `userId`. `readLiveSession` parses its rows and, if due, updates the
 * session in the background.
 */
export async function createSessionQuery(credential: Credential | null, ctx: ServiceContext) {
  const { db, clock } = ctx
  const byLiveSession = and(
    credential ? await byCredential(credential) : sql`0`,
    gt(sessions.expiresAtMs, clock()),
  )
  const secret = credential ? await getCookieSecret(credential) : ''
  // A batch returns rows by column name, so a column needs an alias if `users` has one of the same name.
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
    .where(byLiveSession)
  const userId: SQL = sql`(${db.select({ id: sessions.userId }).from(sessions).where(byLiveSession)})`

  function readLiveSession([row]: Awaited<typeof select>): LiveSession | undefined {
    if (!row) return undefined
    const { user } = row
    const nowMs = clock()
    const renewedUntilMs = getRenewedExpiryMs(row, nowMs)
    if (renewedUntilMs || nowMs - row.lastSeenAtMs >= RENEWAL_INTERVAL_SECONDS * 1000) {
      const changes = { lastSeenAtMs: nowMs, ...(renewedUntilMs ? { expiresAtMs: renewedUntilMs } : {}) }
      ctx.waitUntil(db.update(sessions).set(changes).where(eq(sessions.id, row.id)))
    }
    const expiresAtMs = renewedUntilMs ?? row.expiresAtMs
    const cookie = { id: row.id, secret, name: user.name, email: user.email, expiresAtMs }
    return { user, sessionId: row.id, cookie, isRenewed: renewedUntilMs !== undefined }
  }

  return { select, userId, readLiveSession }
}

export async function authenticate(
  credential: Credential | null,
  ctx: ServiceContext,
): Promise<Result<LiveSession, ServiceError<'unauthorized'>>> {
  if (!credential) return UNAUTHORIZED
  const { select, readLiveSession } = await createSessionQuery(credential, ctx)
  const session = readLiveSession(await select)
  return session ? { ok: true, data: session } : UNAUTHORIZED
}

export const UNAUTHORIZED = { ok: false, error: { code: 'unauthorized' } } as const

export function isRenewalDue(expiresAtMs: number, nowMs: number): boolean {
  return expiresAtMs - nowMs < (SESSION_TTL_SECONDS - RENEWAL_INTERVAL_SECONDS) * 1000
}

function getRenewedExpiryMs(
  { createdAtMs, expiresAtMs }: { createdAtMs: number; expiresAtMs: number },
  nowMs: number,
): number | undefined {
  if (!isRenewalDue(expiresAtMs, nowMs)) return undefined
  const renewed = Math.min(nowMs + SESSION_TTL_SECONDS * 1000, createdAtMs + SESSION_MAX_SECONDS * 1000)
  return renewed > expiresAtMs ? renewed : undefined
}

export async function endSessions(
  { credentials }: { credentials: readonly Credential[] },
  ctx: DataContext,
): Promise<void> {
  if (credentials.length > 0) await deleteSessionsStatement(await byCredentials(credentials), ctx)
}

export async function byCredentials(credentials: readonly Credential[]): Promise<SQL> {
  return or(...(await Promise.all(credentials.map(byCredential)))) ?? sql`false`
}

export function deleteSessionsStatement(condition: SQL, { db }: DataContext) {
  return db.delete(sessions).where(condition)
}

async function byCredential(credential: Credential): Promise<SQL | undefined> {
  if ('token' in credential) return eq(sessions.tokenHash, await sha256Hex(credential.token))
  return and(eq(sessions.id, credential.id), eq(sessions.cookieHash, await sha256Hex(credential.secret)))
}
