import * as z from 'zod/mini'
import { defineCall, formField, formRules, validatedText } from '#shared/api-call.ts'
import { ACTIVITY_KINDS, DETAILS_FIELDS, type DetailsField, detailsProblem } from './account-forms.ts'
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
export const login = defineCall({
  method: 'POST',
  path: '/auth/login',
  request: z
    .object({ email: formField, password: formField, challenge: z.optional(formField) })
    .check(formRules(loginProblem)),
  response: signedIn,
})

/** 400, 409 when the address has an account, 429. */
export const register = defineCall({
  method: 'POST',
  path: '/auth/register',
  request: z
    .object({ name: formField, email: formField, password: formField })
    .check(formRules(registrationProblem)),
  response: signedIn,
})

/** Ends the session everywhere; 204 without one too. */
export const logout = defineCall({
  method: 'POST',
  path: '/auth/logout',
  request: z.undefined(),
  response: z.undefined(),
})

/** Who is signed in; renews the cookie. 401 without a session. */
export const session = defineCall({
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
export const activity = defineCall({
  method: 'GET',
  path: '/auth/activity',
  request: z.undefined(),
  response: z.object({ events: z.array(activitySchema) }),
})

/**
 * Asks for a mail with a link to choose a new password (§ 7): the contract of Google's Identity Toolkit. The answer is
 * the same whether or not the address is known. Failures, 400 and 429, have the service's own shape.
 */
export const sendOobCode = defineCall({
  method: 'POST',
  path: '/v1/accounts:sendOobCode',
  request: z
    .object({
      requestType: z.literal('PASSWORD_RESET', 'requestType must be PASSWORD_RESET.'),
      email: formField,
      clientType: z.optional(z.string('clientType must be text.')),
    })
    .check(formRules(resetEmailProblem)),
  response: z.object({ email: z.string() }),
})

/** Chooses a new password with the code of a reset mail; 400 with one of {@link RESET_CODES}, 429. */
export const resetPassword = defineCall({
  method: 'POST',
  path: '/v1/accounts:resetPassword',
  request: z.object({ oobCode: formField, newPassword: formField }),
  response: z.object({ email: z.string() }),
})

/** One line of text; which of them may be empty depends on the others. */
const line = validatedText(() => undefined)

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
export const changeDetails = defineCall({
  method: 'POST',
  path: '/account/details',
  request: detailsSchema,
  response: z.object({ user: userSchema }),
})

/**
 * Changes the password of the signed-in person. All other sessions end; this one goes on with the token and the
 * cookie of the answer. 400 `invalid_fields` (`oldPassword`, `newPassword`), 401, 429 and 503 as for signing in.
 */
export const changePassword = defineCall({
  method: 'POST',
  path: '/account/password',
  request: z.object({ oldPassword: formField, newPassword: formField }),
  response: signedIn,
})

const deviceSchema = z.object({
  /** Stands for the device in {@link endDevices}; means nothing elsewhere. */
  id: z.string(),
  /** `Chrome on Android`; null where the shop does not know. */
  browser: z.nullable(z.string()),
  /** Two letters. */
  country: z.nullable(z.string()),
  signedInAtMs: z.number(),
  /** To the day. */
  lastSeenAtMs: z.number(),
  /** The one that asks. */
  isCurrent: z.boolean(),
})
export type Device = z.infer<typeof deviceSchema>

const devicesSchema = z.object({ devices: z.array(deviceSchema) })

/** Where the signed-in person is signed in, this device first, then the last used. 401. */
export const listDevices = defineCall({
  method: 'GET',
  path: '/account/devices',
  request: z.undefined(),
  response: devicesSchema,
})

/** What ends all devices but the one that asks. */
export const OTHER_DEVICES = 'others'

/**
 * Signs out another device of the signed-in person, or {@link OTHER_DEVICES}; answers with those that are left. A
 * device that is unknown, or has been signed out already, changes nothing. 401, 429.
 */
export const endDevices = defineCall({
  method: 'POST',
  path: '/account/devices/end',
  request: z.object({ which: formField }),
  response: devicesSchema,
})

const exportSchema = z.object({
  exportedAt: z.iso.datetime(),
  /** The rows about the person, by table; without secrets, such as the password's hash. */
  data: z.record(
    z.string(),
    z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))),
  ),
})
export type ExportedData = z.infer<typeof exportSchema>

/** Everything that the shop has stored about the signed-in person, as a file. 401, 429. */
export const exportData = defineCall({
  method: 'GET',
  path: '/account/data',
  request: z.undefined(),
  response: exportSchema,
})

/**
 * Deletes the account of the signed-in person; orders stay without the person. 204; 400 `invalid_fields` (`password`),
 * 401, 409 `account_has_orders` while something is to be delivered or refunded, 429 and 503 as for signing in.
 */
export const deleteAccount = defineCall({
  method: 'POST',
  path: '/account/delete',
  request: z.object({ password: formField }),
  response: z.undefined(),
})
