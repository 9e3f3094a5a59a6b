import * as z from 'zod/mini'
import { resetEmailProblem } from '../rules/auth-forms.ts'
import { formRules } from '../rules/form-problem.ts'
import { call } from './call.ts'
import { formText } from './form-text.ts'

/** The one kind of mail that is asked for, and who asks (§ 7). */
export const PASSWORD_RESET = 'PASSWORD_RESET'
export const CLIENT_TYPE = 'CLIENT_TYPE_WEB'

/**
 * Asks for a mail with a link to choose a new password (§ 7): the contract of Google's Identity Toolkit. The answer is
 * the same whether or not the address is known. Failures, 400 and 429, have the service's own shape.
 */
export const sendOobCode = call({
  method: 'POST',
  path: '/v1/accounts:sendOobCode',
  request: z
    .object({
      requestType: z.literal(PASSWORD_RESET, `requestType must be ${PASSWORD_RESET}.`),
      email: formText,
      clientType: z.optional(z.string('clientType must be text.')),
    })
    .check(formRules(resetEmailProblem)),
  response: z.object({ email: z.string() }),
})

/** Chooses a new password with the code of a reset mail; 400 with one of {@link RESET_CODES}, 429. */
export const resetPassword = call({
  method: 'POST',
  path: '/v1/accounts:resetPassword',
  request: z.object({ oobCode: formText, newPassword: formText }),
  response: z.object({ email: z.string() }),
})

/** What a failed reset's message begins with: the link is used up, was never made, or the password breaks a rule. */
export const RESET_CODES = {
  expired: 'EXPIRED_OOB_CODE',
  invalid: 'INVALID_OOB_CODE',
  weak: 'WEAK_PASSWORD',
} as const
