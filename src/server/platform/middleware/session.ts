import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Deps } from '#server/context.ts'
import {
  clearSessionCookie,
  readSessionCookie,
  type SessionCookie,
  sendSessionCookie,
} from '#server/platform/auth/cookies.ts'
import {
  authenticate,
  bearerToken,
  type Credential,
  type SessionUser,
} from '#server/platform/auth/sessions.ts'
import { errorResponse } from '#server/platform/http/errors.ts'
import type { Visitor } from '#shared/boot.ts'

/** Set by {@link session}: who a page is shown to, by the signed cookie alone. */
export type SessionVariables = { visitor: Visitor | null; sessionCookie: SessionCookie | null }

/** Reads the session cookie and trusts its signature for showing pages: no database. Calls use {@link requireUser}. */
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
 * Lets only a signed-in person pass, by the session's row in the database: `c.var.user`; 401 otherwise. The Bearer
 * token counts where there is an Authorization header, the cookie otherwise. A use renews a session that has aged.
 */
export function requireUser(deps: UserDeps, { renew = false } = {}) {
  type Env = { Variables: SessionVariables & UserVariables }
  return createMiddleware<Env>(async function requireUser(c, next) {
    const authenticated = await authenticate({ credential: credentialOf(c), renew }, deps)
    if (!authenticated.ok) return unauthorized(c, deps)
    const { user, cookie } = authenticated.data
    if (cookie) await sendSessionCookie(c, deps, cookie)
    c.set('user', user)
    await next()
  })
}

/** Answers 401 to a request that holds nothing that could be a session, without asking the database. */
export function requireCredential(deps: Pick<Deps, 'config'>) {
  return createMiddleware<{ Variables: SessionVariables }>(async function requireCredential(c, next) {
    return credentialOf(c) ? next() : unauthorized(c, deps)
  })
}

/** 401; a browser whose session has ended is no longer shown as signed in. */
export function unauthorized(c: Context, deps: Pick<Deps, 'config'>): Response {
  if (c.req.header('Cookie')) clearSessionCookie(c, deps)
  return errorResponse(c, 'unauthorized')
}

/** What a request acts by: with an Authorization header the cookie does not count. Null without either. */
export function credentialOf(c: Context): Credential | null {
  const authorization = c.req.header('Authorization')
  if (authorization === undefined) return c.var.sessionCookie
  const token = bearerToken(authorization)
  return token ? { token } : null
}

/** Everything a request brings that could be a session: what logging out and signing in again end. */
export function credentialsOf(c: Context): Credential[] {
  const token = bearerToken(c.req.header('Authorization') ?? '')
  const cookie: SessionCookie | null = c.var.sessionCookie
  return [...(token ? [{ token }] : []), ...(cookie ? [cookie] : [])]
}
