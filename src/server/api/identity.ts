import { type Context, Hono } from 'hono'
import { resetPassword, sendOobCode } from '#shared/contract/identity.ts'
import { RESET_CODES } from '#shared/rules/auth-forms.ts'
import type { AppEnv } from '../app.ts'
import { clearSessionCookie } from '../auth/cookie.ts'
import type { Deps } from '../deps.ts'
import { addressOf, LIMIT_PERIOD_SECONDS } from '../middleware/limit-by-address.ts'
import { requestReset } from '../services/identity/request-reset.ts'
import { resetPassword as reset } from '../services/identity/reset-password.ts'
import { answerError, answerIdentityError } from './answer.ts'
import { jsonOnly, validBody } from './body.ts'

/** The identity service's two calls for a forgotten password (§ 7), in that service's own shape. */
export function identityApi(deps: Deps) {
  return new Hono<AppEnv>()
    .post(sendOobCode.path, jsonOnly, validBody(sendOobCode), async (c) => {
      const { email } = c.req.valid('json')
      const origin = deps.config.SITE_ORIGIN ?? new URL(c.req.url).origin
      const outcome = await requestReset({ email, address: addressOf(c), origin }, deps)
      switch (outcome.kind) {
        case 'sent':
          return c.json({ email: email.trim() })
        case 'too-many':
          return answerTooMany(c)
        case 'refused':
          return answerIdentityError(c, outcome.status, outcome.message)
      }
    })
    .post(resetPassword.path, jsonOnly, validBody(resetPassword), async (c) => {
      const outcome = await reset({ ...c.req.valid('json'), address: addressOf(c) }, deps)
      switch (outcome.kind) {
        case 'done':
          // The browser that chose the new password starts afresh, too.
          clearSessionCookie(c)
          return c.json({ email: outcome.email })
        case 'too-many':
          return answerTooMany(c)
        case 'weak':
          return answerIdentityError(c, 400, `${RESET_CODES.weak} : ${outcome.message}`)
        case 'expired':
        case 'invalid':
          return answerIdentityError(c, 400, RESET_CODES[outcome.kind])
      }
    })
}

function answerTooMany(c: Context) {
  c.header('Retry-After', String(LIMIT_PERIOD_SECONDS))
  return answerError(c, 'too_many_requests')
}
