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
 * token counts where there is an Authorization header, the cookie otherwise. `renew` always sends the session's cookie.
 */
export function requireUser(ctx: ServiceContext, { renew = false } = {}) {
  type Env = { Variables: SessionVariables & UserVariables }
  return createMiddleware<Env>(async function requireUser(c, next) {
    const authenticated = await authenticate(requestCredential(c), ctx)
    if (!authenticated.ok) return unauthorized(c, ctx)
    const { user, cookie, isRenewed } = authenticated.data
    if (renew || isRenewed) await sendSessionCookie(c, ctx, cookie)
    c.set('user', user)
    await next()
  })
}

/** Answers 401 to a request that holds nothing that could be a session, without asking the database. */
export function requireCredential(ctx: ServiceContext) {
  return createMiddleware<{ Variables: SessionVariables }>(async function requireCredential(c, next) {
    return requestCredential(c) ? next() : unauthorized(c, ctx)
  })
}

/** 401; a browser whose session has ended is no longer shown as signed in. */
export function unauthorized(c: Context, ctx: ServiceContext): Response {
  if (c.req.header('Cookie')) clearSessionCookie(c, ctx)
  return errorResponse(c, 'unauthorized')
}

/** The credential a request acts with: the Authorization header's, and the cookie's where there is no such header. */
export function requestCredential(c: Context): Credential | null {
  const authorization = c.req.header('Authorization')
  if (authorization === undefined) return c.var.sessionCookie
  const token = bearerToken(authorization)
  return token ? { token } : null
}

/** All credentials that a request presents: logging out and signing in again end their sessions. */
export function presentedCredentials(c: Context): Credential[] {
  const token = bearerToken(c.req.header('Authorization') ?? '')
  const cookie: SessionCookie | null = c.var.sessionCookie
  return [...(token ? [{ token }] : []), ...(cookie ? [cookie] : [])]
}
