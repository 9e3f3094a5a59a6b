import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Visitor } from '#shared/boot.ts'
import {
  clearSessionCookie,
  readSessionCookie,
  type SessionCookie,
  sendSessionCookie,
} from '../auth/cookie.ts'
import {
  type AlsoRead,
  bearerToken,
  cookieSecretOf,
  findSession,
  renewSession,
  rowOfCookie,
  rowOfToken,
  type SessionUser,
  wantsRenewal,
} from '../auth/sessions.ts'
import type { Deps } from '../deps.ts'
import { errorResponse } from '../http/errors.ts'

/** Set by {@link session}: who a page is shown to, by the signed cookie alone. */
export type SessionVariables = { visitor: Visitor | null; sessionCookie: SessionCookie | null }

/** Reads the session cookie and trusts its signature for showing pages: no database. What acts uses {@link requireUser}. */
export function session(deps: Pick<Deps, 'config' | 'clock'>) {
  return createMiddleware<{ Variables: SessionVariables }>(async function session(c, next) {
    const cookie = await readSessionCookie(c, deps)
    c.set('sessionCookie', cookie)
    c.set('visitor', cookie && { name: cookie.name, email: cookie.email })
    await next()
  })
}

type UserDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'background'>

/** Set by {@link requireUser}: the signed-in person. */
export type UserVariables = { user: SessionUser }

/**
 * Lets only a signed-in person pass, by the session's row in the records: `c.var.user`; 401 otherwise. The Bearer
 * token counts where there is an Authorization header, the cookie otherwise. A use renews a session that has aged.
 */
export function requireUser(deps: UserDeps, { renew = false } = {}) {
  type Env = { Variables: SessionVariables & UserVariables }
  return createMiddleware<Env>(async function requireUser(c, next) {
    const found = await findUser(c, deps, () => [], { renew })
    if (!found) return refuseStranger(c)
    c.set('user', found.user)
    await next()
  })
}

/** Refuses with 401 who brings nothing that could be a session; looks into no records. */
export const requireCredential = createMiddleware<{ Variables: SessionVariables }>(
  async function requireCredential(c, next) {
    return credentialOf(c) ? next() : refuseStranger(c)
  },
)

/**
 * What {@link requireUser} does, for calls that read more than the session and have two round trips in all: the
 * signed-in person and what was read along with the session, or null; answer that with {@link refuseStranger}.
 */
export async function findUser<Reads extends readonly BatchItem<'sqlite'>[]>(
  c: Context,
  deps: UserDeps,
  alsoRead: AlsoRead<Reads>,
  { renew = false } = {},
): Promise<{ user: SessionUser; read: BatchResponse<[...Reads]> } | null> {
  const credential = credentialOf(c)
  if (!credential) return null
  const { live, read } = await findSession(await credential.row(), deps, alsoRead)
  if (!live) return null
  const { id, user } = live
  const hasAged = wantsRenewal(live.expiresAtMs, deps.clock())
  const expiresAtMs = hasAged ? renewSession(id, deps) : live.expiresAtMs
  if (hasAged || renew) {
    const secret = await credential.cookieSecret()
    await sendSessionCookie(c, deps, { id, secret, name: user.name, email: user.email, expiresAtMs })
  }
  return { user, read }
}

/** 401; a browser whose session has ended is not shown as signed in any longer. */
export function refuseStranger(c: Context) {
  if (c.req.header('Cookie')) clearSessionCookie(c)
  return errorResponse(c, 'unauthorized')
}

/** What a request could have a session by; null when there is nothing of the kind. */
function credentialOf(c: Context) {
  const authorization = c.req.header('Authorization')
  if (authorization !== undefined) {
    const token = bearerToken(authorization)
    return token ? { row: () => rowOfToken(token), cookieSecret: () => cookieSecretOf(token) } : null
  }
  const cookie: SessionCookie | null = c.var.sessionCookie
  return cookie && { row: () => rowOfCookie(cookie), cookieSecret: async () => cookie.secret }
}
