import * as z from 'zod/mini'
import { resetEmailProblem } from '../rules/auth-forms.ts'
import { PASSWORD_RESET } from '../rules/password-reset.ts'
import { call } from './call.ts'
import { formRules, formText } from './form-text.ts'

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
