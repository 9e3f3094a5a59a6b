import * as z from 'zod/mini'
import { call, formRules, formText } from '#shared/api-call.ts'
import { ACTIVITY_KINDS } from './account-forms.ts'
import { loginProblem, registrationProblem, resetEmailProblem } from './auth-forms.ts'

/** The signed-in user as the browser knows and stores it (§ 3). Names may be empty. */
export const userSchema = z.object({
  name: z.string(),
  email: z.string(),
  firstName: z.optional(z.string()),
  lastName: z.optional(z.string()),
  address: z.optional(z.string()),
  address2: z.optional(z.string()),
  country: z.optional(z.string()),
  state: z.optional(z.string()),
  zip: z.optional(z.string()),
  phone: z.optional(z.string()),
})
export type User = z.infer<typeof userSchema>

/** The response of login and registration (§ 3). */
export const signedIn = z.object({ token: z.string(), user: userSchema })

/** 400, 401 wrong credentials, 429; 503 while too many sign in at once. A solved `challenge` passes a 429 that offers one. */
export const login = call({
  method: 'POST',
  path: '/auth/login',
  request: z
    .object({ email: formText, password: formText, challenge: z.optional(formText) })
    .check(formRules(loginProblem)),
  response: signedIn,
})

/** 400, 409 when the address has an account, 429. */
export const register = call({
  method: 'POST',
  path: '/auth/register',
  request: z
    .object({ name: formText, email: formText, password: formText })
    .check(formRules(registrationProblem)),
  response: signedIn,
})

/** Ends the session everywhere; 204 without one too. */
export const logout = call({
  method: 'POST',
  path: '/auth/logout',
  request: z.undefined(),
  response: z.undefined(),
})

/** Who is signed in; renews the cookie. 401 without a session. */
export const session = call({
  method: 'GET',
  path: '/auth/session',
  request: z.undefined(),
  response: z.object({ user: userSchema }),
})

const activitySchema = z.object({
  kind: z.enum(ACTIVITY_KINDS),
  atMs: z.number(),
  /** `Chrome on Android`; null if unknown. */
  browser: z.nullable(z.string()),
  country: z.nullable(z.string()),
})
export type Activity = z.infer<typeof activitySchema>

/** What happened to the signed-in person's account lately, the newest first. 401 without a session. */
export const activity = call({
  method: 'GET',
  path: '/auth/activity',
  request: z.undefined(),
  response: z.object({ events: z.array(activitySchema) }),
})

/**
 * Asks for a mail with a link to choose a new password (§ 7): the contract of Google's Identity Toolkit. The answer is
 * the same whether or not the address is known. Failures, 400 and 429, have the service's own shape.
 */
export const sendOobCode = call({
  method: 'POST',
  path: '/v1/accounts:sendOobCode',
  request: z
    .object({
      requestType: z.literal('PASSWORD_RESET', 'requestType must be PASSWORD_RESET.'),
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
