import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { ServiceContext } from '#server/context.ts'
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
export function session(ctx: ServiceContext) {
  return createMiddleware<{ Variables: SessionVariables }>(async function session(c, next) {
    const cookie = await readSessionCookie(c, ctx)
    c.set('sessionCookie', cookie)
    c.set('visitor', cookie && { name: cookie.name, email: cookie.email })
    await next()
  })
}

/** Set by {@link requireUser}: the signed-in person. */
export type UserVariables = { user: SessionUser }

/**
 * Lets only a signed-in person pass, by the session's row in the database: `c.var.user`; 401 otherwise. The Bearer
 * token counts where there is an Authorization header, the cookie otherwise. A use renews a session that has aged.
 */
export function requireUser(ctx: ServiceContext, { renew = false } = {}) {
  type Env = { Variables: SessionVariables & UserVariables }
  return createMiddleware<Env>(async function requireUser(c, next) {
    const authenticated = await authenticate({ credential: credentialOf(c), renew }, ctx)
    if (!authenticated.ok) return unauthorized(c, ctx)
    const { user, cookie } = authenticated.data
    if (cookie) await sendSessionCookie(c, ctx, cookie)
    c.set('user', user)
    await next()
  })
}

/** Answers 401 to a request that holds nothing that could be a session, without asking the database. */
export function requireCredential(ctx: ServiceContext) {
  return createMiddleware<{ Variables: SessionVariables }>(async function requireCredential(c, next) {
    return credentialOf(c) ? next() : unauthorized(c, ctx)
  })
}

/** 401; a browser whose session has ended is no longer shown as signed in. */
export function unauthorized(c: Context, ctx: ServiceContext): Response {
  if (c.req.header('Cookie')) clearSessionCookie(c, ctx)
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
