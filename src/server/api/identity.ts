import { Hono } from 'hono'
import { resetPassword, sendOobCode } from '#shared/contract/identity.ts'
import type { AppEnv } from '../app-env.ts'
import { clientOf } from '../auth/client.ts'
import { clearSessionCookie } from '../auth/cookies.ts'
import type { Deps } from '../deps.ts'
import { parseJson, requireJson } from '../http/body.ts'
import { errorResponse } from '../http/errors.ts'
import { originOf } from '../http/request.ts'
import { requestReset } from '../services/identity/request-reset.ts'
import { resetPassword as reset } from '../services/identity/reset-password.ts'

/** The identity service's two calls for a forgotten password (§ 7), in that service's own shape. */
export function identityApi(deps: Deps) {
  return new Hono<AppEnv>()
    .post(sendOobCode.path, requireJson, async (c) => {
      const body = await parseJson(c, sendOobCode)
      if (!body.ok) return errorResponse(c, body.error)
      const { email } = body.data
      const origin = originOf(c.req, deps.config)
      const result = await requestReset({ email, client: await clientOf(c, deps), origin }, deps)
      return result.ok ? c.json({ email: email.trim() }) : errorResponse(c, result.error)
    })
    .post(resetPassword.path, requireJson, async (c) => {
      const body = await parseJson(c, resetPassword)
      if (!body.ok) return errorResponse(c, body.error)
      const result = await reset({ ...body.data, client: await clientOf(c, deps) }, deps)
      if (!result.ok) return errorResponse(c, result.error)
      // The browser that chose the new password has to log in again, too.
      clearSessionCookie(c, deps)
      return c.json(result.data)
    })
}
