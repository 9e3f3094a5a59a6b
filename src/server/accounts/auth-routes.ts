import { type Context, Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { listActivity } from '#server/platform/auth/activity.ts'
import { clientOf } from '#server/platform/auth/client.ts'
import { clearSessionCookie, sendDeviceCookie, sendSessionCookie } from '#server/platform/auth/cookies.ts'
import { endSessions, type SignedIn, userOf } from '#server/platform/auth/sessions.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { requireJson, validJson } from '#server/platform/http/body.ts'
import { errorResponse } from '#server/platform/http/errors.ts'
import { originOf } from '#server/platform/http/request.ts'
import { presentedCredentials, requireUser } from '#server/platform/middleware/session.ts'
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
export function authApi(ctx: ServiceContext) {
  return new Hono<AppEnv>()
    .post(register.path, requireJson, validJson(register), async (c) => {
      const browser = { client: await clientOf(c, ctx), presented: presentedCredentials(c) }
      const input = { ...c.req.valid('json'), ...browser, origin: originOf(c.req, ctx.config) }
      const result = await registerUser(input, ctx)
      if (!result.ok) return errorResponse(c, result.error)
      await sendSignedInCookies(c, ctx, result.data)
      return c.json({ token: result.data.token, user: result.data.user }, 201)
    })
    .post(login.path, requireJson, validJson(login), async (c) => {
      const browser = { client: await clientOf(c, ctx), presented: presentedCredentials(c) }
      const result = await logIn({ ...c.req.valid('json'), ...browser }, ctx)
      if (!result.ok) {
        // The browser drops its session at any 401 (§ 8): the cookie goes with it.
        if (result.error.code === 'wrong_credentials') clearSessionCookie(c, ctx)
        return errorResponse(c, result.error)
      }
      await sendSignedInCookies(c, ctx, result.data)
      return c.json({ token: result.data.token, user: result.data.user })
    })
    .post(logout.path, async (c) => {
      clearSessionCookie(c, ctx)
      await endSessions({ credentials: presentedCredentials(c) }, ctx)
      return c.body(null, 204)
    })
    .get(session.path, requireUser(ctx, { renew: true }), (c) => c.json({ user: userOf(c.var.user) }))
    .get(activity.path, requireUser(ctx), async (c) => {
      const result = await listActivity({ userId: c.var.user.id }, ctx)
      return result.ok ? c.json(result.data) : errorResponse(c, result.error)
    })
}

/** Sends the cookies of a browser in which somebody has just signed in: the session's and the device's. */
export async function sendSignedInCookies(
  c: Context,
  ctx: ServiceContext,
  { cookie }: SignedIn,
): Promise<void> {
  await sendSessionCookie(c, ctx, cookie)
  await sendDeviceCookie(c, ctx, cookie.email)
}

/** The identity service's two calls for a forgotten password (§ 7), in that service's own shape. */
export function passwordResetApi(ctx: ServiceContext) {
  return new Hono<AppEnv>()
    .post(sendOobCode.path, requireJson, validJson(sendOobCode), async (c) => {
      const { email } = c.req.valid('json')
      const origin = originOf(c.req, ctx.config)
      const result = await requestReset({ email, client: await clientOf(c, ctx), origin }, ctx)
      return result.ok ? c.json({ email: email.trim() }) : errorResponse(c, result.error)
    })
    .post(resetPassword.path, requireJson, validJson(resetPassword), async (c) => {
      const result = await reset({ ...c.req.valid('json'), client: await clientOf(c, ctx) }, ctx)
      if (!result.ok) return errorResponse(c, result.error)
      // The browser that chose the new password has to log in again, too.
      clearSessionCookie(c, ctx)
      return c.json(result.data)
    })
}
