import { type Context, Hono } from 'hono'
import { login, logout, register, session } from '#shared/contract/auth.ts'
import type { AppEnv } from '../app.ts'
import { clearSessionCookie, sendSessionCookie } from '../auth/cookie.ts'
import { bearerToken, rowOfCookie, rowOfToken } from '../auth/sessions.ts'
import { userOf } from '../auth/user-of.ts'
import type { Deps } from '../deps.ts'
import { addressOf, LIMIT_PERIOD_SECONDS } from '../middleware/limit-by-address.ts'
import { requireUser } from '../middleware/session.ts'
import { logIn } from '../services/auth/login.ts'
import { logOut } from '../services/auth/logout.ts'
import { register as registerUser } from '../services/auth/register.ts'
import { answerError } from './answer.ts'
import { jsonOnly, validBody } from './body.ts'

/** Registration, login, logout, and who is signed in. */
export function authApi(deps: Deps) {
  return new Hono<AppEnv>()
    .post(register.path, jsonOnly, validBody(register), async (c) => {
      const outcome = await registerUser({ ...c.req.valid('json'), address: addressOf(c) }, deps)
      if (outcome.kind === 'refused') return answerRefusal(c, outcome.code)
      await sendSessionCookie(c, deps, outcome.cookie)
      return c.json({ token: outcome.token, user: outcome.user }, 201)
    })
    .post(login.path, jsonOnly, validBody(login), async (c) => {
      const outcome = await logIn({ ...c.req.valid('json'), address: addressOf(c) }, deps)
      if (outcome.kind === 'refused') {
        // The browser drops its session at any 401 (§ 8): the cookie goes with it.
        if (outcome.code === 'wrong_credentials') clearSessionCookie(c)
        return answerRefusal(c, outcome.code)
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

function answerRefusal(c: Context, code: 'wrong_credentials' | 'email_taken' | 'too_many_requests') {
  if (code === 'too_many_requests') c.header('Retry-After', String(LIMIT_PERIOD_SECONDS))
  return answerError(c, code)
}
