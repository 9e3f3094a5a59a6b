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
  type Credential,
  parseBearerToken,
  type SessionUser,
} from '#server/platform/auth/sessions.ts'
import { respondWithError } from '#server/platform/http/errors.ts'
import type { CookieUser } from '#shared/boot.ts'

export type SessionVariables = { cookieUser: CookieUser | null; sessionCookie: SessionCookie | null }

/**
 * Sets `cookieUser` from the signed cookie, without a database read. This is enough for pages without private data;
 * code that reads or changes private data also checks the session's row.
 */
export function session(ctx: ServiceContext) {
  return createMiddleware<{ Variables: SessionVariables }>(async function session(c, next) {
    const cookie = await readSessionCookie(c, ctx)
    c.set('sessionCookie', cookie)
    c.set('cookieUser', cookie && { name: cookie.name, email: cookie.email })
    await next()
  })
}

export type UserVariables = { user: SessionUser }

/**
 * An Authorization header takes precedence over the cookie. With `renew`, every authenticated response sets the cookie.
 */
export function requireUser(ctx: ServiceContext, { renew = false } = {}) {
  type Env = { Variables: SessionVariables & UserVariables }
  return createMiddleware<Env>(async function requireUser(c, next) {
    const authenticated = await authenticate(getRequestCredential(c), ctx)
    if (!authenticated.ok) return respondUnauthorized(c, ctx)
    const { user, cookie, isRenewed } = authenticated.data
    if (renew || isRenewed) await sendSessionCookie(c, ctx, cookie)
    c.set('user', user)
    await next()
  })
}

export function requireCredential(ctx: ServiceContext) {
  return createMiddleware<{ Variables: SessionVariables }>(async function requireCredential(c, next) {
    return getRequestCredential(c) ? next() : respondUnauthorized(c, ctx)
  })
}

export function respondUnauthorized(c: Context, ctx: ServiceContext): Response {
  if (c.req.header('Cookie')) clearSessionCookie(c, ctx)
  return respondWithError(c, 'unauthorized')
}

export function getRequestCredential(c: Context): Credential | null {
  const authorization = c.req.header('Authorization')
  if (authorization === undefined) return c.var.sessionCookie
  const token = parseBearerToken(authorization)
  return token ? { token } : null
}

/** Returns both the bearer token and the cookie, because they can belong to two sessions. */
export function listPresentedCredentials(c: Context): Credential[] {
  const token = parseBearerToken(c.req.header('Authorization') ?? '')
  const cookie: SessionCookie | null = c.var.sessionCookie
  return [...(token ? [{ token }] : []), ...(cookie ? [cookie] : [])]
}
