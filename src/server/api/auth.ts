import { type Context, Hono } from 'hono'
import { login, logout, register, session } from '#shared/contract/auth.ts'
import type { AppEnv } from '../app-env.ts'
import { clearSessionCookie, sendSessionCookie } from '../auth/cookie.ts'
import { bearerToken, rowOfCookie, rowOfToken } from '../auth/sessions.ts'
import { userOf } from '../auth/user-of.ts'
import type { Deps } from '../deps.ts'
import { parseJson, requireJson } from '../http/body.ts'
import { errorResponse } from '../http/errors.ts'
import { networkAddressOf } from '../http/request.ts'
import { requireUser } from '../middleware/session.ts'
import { tooManyRequests } from '../rate-limit.ts'
import { logIn } from '../services/auth/login.ts'
import { logOut } from '../services/auth/logout.ts'
import { register as registerUser } from '../services/auth/register.ts'

/** Registration, login, logout, and who is signed in. */
export function authApi(deps: Deps) {
  return new Hono<AppEnv>()
    .post(register.path, requireJson, async (c) => {
      const body = await parseJson(c, register)
      if (!body.ok) return errorResponse(c, body.error)
      const outcome = await registerUser({ ...body.data, address: networkAddressOf(c) }, deps)
      if (outcome.kind === 'refused')
        return errorResponse(c, outcome.code === 'too_many_requests' ? tooManyRequests : outcome.code)
      await sendSessionCookie(c, deps, outcome.cookie)
      return c.json({ token: outcome.token, user: outcome.user }, 201)
    })
    .post(login.path, requireJson, async (c) => {
      const body = await parseJson(c, login)
      if (!body.ok) return errorResponse(c, body.error)
      const outcome = await logIn({ ...body.data, address: networkAddressOf(c) }, deps)
      if (outcome.kind === 'refused') {
        // The browser drops its session at any 401 (§ 8): the cookie goes with it.
        if (outcome.code === 'wrong_credentials') clearSessionCookie(c)
        return errorResponse(c, outcome.code === 'too_many_requests' ? tooManyRequests : outcome.code)
      }
      await sendSessionCookie(c, deps, outcome.cookie)
      return c.json({ token: outcome.token, user: outcome.user })
    })
    .post(logout.path, async (c) => {
      clearSessionCookie(c)
      const row = await rowOfRequest(c)
      if (row) await logOut(row, deps)
      return c.body(null, 204)
    })
    .get(session.path, requireUser(deps, { renew: true }), (c) => c.json({ user: userOf(c.var.user) }))
}

/** The session that a request names, whether or not it still stands. */
async function rowOfRequest(c: Context<AppEnv>) {
  const authorization = c.req.header('Authorization')
  if (authorization !== undefined) {
    const token = bearerToken(authorization)
    return token && rowOfToken(token)
  }
  return c.var.sessionCookie && rowOfCookie(c.var.sessionCookie)
}
