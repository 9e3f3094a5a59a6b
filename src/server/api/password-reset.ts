import { Hono } from 'hono'
import { resetPassword, sendOobCode } from '#shared/contract/password-reset.ts'
import type { AppEnv } from '../app-env.ts'
import { clientOf } from '../auth/client.ts'
import { clearSessionCookie } from '../auth/cookies.ts'
import type { Deps } from '../deps.ts'
import { requireJson, validJson } from '../http/body.ts'
import { errorResponse } from '../http/errors.ts'
import { originOf } from '../http/request.ts'
import { requestReset } from '../services/password-reset/request.ts'
import { resetPassword as reset } from '../services/password-reset/reset.ts'

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
