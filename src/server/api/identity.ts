import { Hono } from 'hono'
import { resetPassword, sendOobCode } from '#shared/contract/identity.ts'
import type { AppEnv } from '../app-env.ts'
import { clearSessionCookie } from '../auth/cookie.ts'
import type { Deps } from '../deps.ts'
import { parseJson, requireJson } from '../http/body.ts'
import { errorResponse } from '../http/errors.ts'
import { networkAddressOf, originOf } from '../http/request.ts'
import { tooManyRequests } from '../rate-limit.ts'
import { requestReset } from '../services/identity/request-reset.ts'
import { resetPassword as reset } from '../services/identity/reset-password.ts'

/** The identity service's two calls for a forgotten password (§ 7), in that service's own shape. */
export function identityApi(deps: Deps) {
  return new Hono<AppEnv>()
    .post(sendOobCode.path, requireJson, async (c) => {
      const body = await parseJson(c, sendOobCode)
      if (!body.ok) return errorResponse(c, body.error)
      const { email } = body.data
      const input = { email, address: networkAddressOf(c), origin: originOf(c.req, deps.config) }
      const outcome = await requestReset(input, deps)
      switch (outcome.kind) {
        case 'sent':
          return c.json({ email: email.trim() })
        case 'too-many':
          return errorResponse(c, tooManyRequests)
        case 'refused':
          return errorResponse(c, { code: outcome.code, message: outcome.message })
      }
    })
    .post(resetPassword.path, requireJson, async (c) => {
      const body = await parseJson(c, resetPassword)
      if (!body.ok) return errorResponse(c, body.error)
      const outcome = await reset({ ...body.data, address: networkAddressOf(c) }, deps)
      switch (outcome.kind) {
        case 'done':
          // The browser that chose the new password has to log in again, too.
          clearSessionCookie(c)
          return c.json({ email: outcome.email })
        case 'too-many':
          return errorResponse(c, tooManyRequests)
        case 'weak':
          return errorResponse(c, { code: 'weak_password', message: outcome.message })
        case 'expired':
          return errorResponse(c, 'reset_link_expired')
        case 'invalid':
          return errorResponse(c, 'reset_link_invalid')
      }
    })
}
