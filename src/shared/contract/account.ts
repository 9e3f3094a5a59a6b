import * as z from 'zod/mini'
import { DETAILS_FIELDS, type DetailsField, detailsProblem } from '../rules/account-forms.ts'
import { signedIn, userSchema } from './auth.ts'
import { call } from './call.ts'
import { formText, ruledText } from './form-text.ts'

/** One line of text; which of them may be empty depends on the others. */
const line = ruledText(() => undefined)

/** What the account remembers for checkout; the messages are those of § 5. */
const detailsSchema = z
  .object({
    firstName: line,
    lastName: line,
    address: line,
    address2: line,
    country: line,
    state: line,
    zip: line,
    phone: line,
  } satisfies Record<DetailsField, unknown>)
  .check(({ value, issues }) => {
    for (const field of DETAILS_FIELDS) {
      const message = detailsProblem(field, value[field], value)
      if (message) issues.push({ code: 'custom', message, path: [field], input: value[field] })
    }
  })

/** Changes name, address and phone of the signed-in person; renews the cookie, which holds the name. 400, 401, 429. */
export const changeDetails = call({
  method: 'POST',
  path: '/account/details',
  request: detailsSchema,
  response: z.object({ user: userSchema }),
})

/**
 * Changes the password of the signed-in person. All other sessions end; this one goes on with the token and the
 * cookie of the answer. 400 `invalid_fields` (`oldPassword`, `newPassword`), 401, 429 and 503 as for signing in.
 */
export const changePassword = call({
  method: 'POST',
  path: '/account/password',
  request: z.object({ oldPassword: formText, newPassword: formText }),
  response: signedIn,
})
