import { createMiddleware } from 'hono/factory'
import type { Visitor } from '#shared/boot.ts'
import { answerError } from '../api/answer.ts'
import {
  clearSessionCookie,
  readSessionCookie,
  type SessionCookie,
  sendSessionCookie,
} from '../auth/cookie.ts'
import {
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

/** Set by {@link requireUser}: the signed-in person. */
export type UserVariables = { user: SessionUser }

/**
 * Lets only a signed-in person pass, by the session's row in the records: `c.var.user`; 401 otherwise. The Bearer
 * token counts where there is an Authorization header, the cookie otherwise. A use renews a session that has aged.
 */
export function requireUser(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'background'>,
  { renew = false } = {},
) {
  type Env = { Variables: SessionVariables & UserVariables }
  return createMiddleware<Env>(async function requireUser(c, next) {
    const authorization = c.req.header('Authorization')
    const token = authorization === undefined ? undefined : bearerToken(authorization)
    const cookie = authorization === undefined ? c.var.sessionCookie : null
    const row = token ? await rowOfToken(token) : cookie && (await rowOfCookie(cookie))
    const live = row && (await findSession(row, deps))
    const secret = token ? await cookieSecretOf(token) : cookie?.secret
    if (!live || !secret) {
      // A browser whose session has ended is not shown as signed in any longer.
      if (c.req.header('Cookie')) clearSessionCookie(c)
      return answerError(c, 'unauthorized')
    }
    const { id, user } = live
    const hasAged = wantsRenewal(live.expiresAtMs, deps.clock())
    const expiresAtMs = hasAged ? renewSession(id, deps) : live.expiresAtMs
    if (hasAged || renew) {
      await sendSessionCookie(c, deps, { id, secret, name: user.name, email: user.email, expiresAtMs })
    }
    c.set('user', user)
    await next()
  })
}
