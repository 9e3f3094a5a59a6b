import { type Context, Hono } from 'hono'
import type { Deps } from '#server/context.ts'
import { listActivity } from '#server/platform/auth/activity.ts'
import { clientOf } from '#server/platform/auth/client.ts'
import { clearSessionCookie, sendDeviceCookie, sendSessionCookie } from '#server/platform/auth/cookies.ts'
import { endSessions, type SignedIn, userOf } from '#server/platform/auth/sessions.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { requireJson, validJson } from '#server/platform/http/body.ts'
import { errorResponse } from '#server/platform/http/errors.ts'
import { originOf } from '#server/platform/http/request.ts'
import { credentialsOf, requireUser } from '#server/platform/middleware/session.ts'
import {
  activity,
  login,
  logout,
  register,
  resetPassword,
  sendOobCode,
  session,
} from '#shared/accounts/auth-contract.ts'
import { logIn } from './login.ts'
import { register as registerUser } from './register.ts'
import { requestReset } from './request-reset.ts'
import { resetPassword as reset } from './reset-password.ts'

/** Registration, login, logout, and who is signed in. */
export function authApi(deps: Deps) {
  return new Hono<AppEnv>()
    .post(register.path, requireJson, validJson(register), async (c) => {
      const browser = { client: await clientOf(c, deps), presented: credentialsOf(c) }
      const input = { ...c.req.valid('json'), ...browser, origin: originOf(c.req, deps.config) }
      const result = await registerUser(input, deps)
      if (!result.ok) return errorResponse(c, result.error)
      await sendSignedInCookies(c, deps, result.data)
      return c.json({ token: result.data.token, user: result.data.user }, 201)
    })
    .post(login.path, requireJson, validJson(login), async (c) => {
      const browser = { client: await clientOf(c, deps), presented: credentialsOf(c) }
      const result = await logIn({ ...c.req.valid('json'), ...browser }, deps)
      if (!result.ok) {
        // The browser drops its session at any 401 (§ 8): the cookie goes with it.
        if (result.error.code === 'wrong_credentials') clearSessionCookie(c, deps)
        return errorResponse(c, result.error)
      }
      await sendSignedInCookies(c, deps, result.data)
      return c.json({ token: result.data.token, user: result.data.user })
    })
    .post(logout.path, async (c) => {
      clearSessionCookie(c, deps)
      await endSessions({ credentials: credentialsOf(c) }, deps)
      return c.body(null, 204)
    })
    .get(session.path, requireUser(deps, { renew: true }), (c) => c.json({ user: userOf(c.var.user) }))
    .get(activity.path, requireUser(deps), async (c) => {
      const result = await listActivity({ userId: c.var.user.id }, deps)
      return result.ok ? c.json(result.data) : errorResponse(c, result.error)
    })
}

/** Sends the cookies of a browser in which somebody has just signed in: the session's and the device's. */
export async function sendSignedInCookies(c: Context, deps: Deps, { cookie }: SignedIn): Promise<void> {
  await sendSessionCookie(c, deps, cookie)
  await sendDeviceCookie(c, deps, cookie.email)
}

/** The identity service's two calls for a forgotten password (§ 7), in that service's own shape. */
export function passwordResetApi(deps: Deps) {
  return new Hono<AppEnv>()
    .post(sendOobCode.path, requireJson, validJson(sendOobCode), async (c) => {
      const { email } = c.req.valid('json')
      const origin = originOf(c.req, deps.config)
      const result = await requestReset({ email, client: await clientOf(c, deps), origin }, deps)
      return result.ok ? c.json({ email: email.trim() }) : errorResponse(c, result.error)
    })
    .post(resetPassword.path, requireJson, validJson(resetPassword), async (c) => {
      const result = await reset({ ...c.req.valid('json'), client: await clientOf(c, deps) }, deps)
      if (!result.ok) return errorResponse(c, result.error)
      // The browser that chose the new password has to log in again, too.
      clearSessionCookie(c, deps)
      return c.json(result.data)
    })
}
