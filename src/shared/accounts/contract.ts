import * as z from 'zod/mini'
import { defineCall, formFieldSchema, formRules, validatedText } from '#shared/api-call.ts'
import { ACTIVITY_KINDS, DETAILS_FIELDS, type DetailsField, findDetailsProblem } from './account-forms.ts'
import { findLoginProblem, findRegistrationProblem, findResetEmailProblem } from './auth-forms.ts'

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
  mpesaPhone: z.optional(z.string()),
  landmark: z.optional(z.string()),
})
export type User = z.infer<typeof userSchema>

export const signedInSchema = z.object({ token: z.string(), user: userSchema })

/**
 * Signs in. 400; 401 for wrong credentials; 429, 503. If a 429 offers a challenge, a request with the solved
 * `challenge` skips the pause.
 */
export const loginCall = defineCall({
  method: 'POST',
  path: '/auth/login',
  request: z
    .object({ email: formFieldSchema, password: formFieldSchema, challenge: z.optional(formFieldSchema) })
    .check(formRules(findLoginProblem)),
  response: signedInSchema,
})

/** Creates an account. 400; 409 if the address already has an account; 429, 503. */
export const registerCall = defineCall({
  method: 'POST',
  path: '/auth/register',
  request: z
    .object({ name: formFieldSchema, email: formFieldSchema, password: formFieldSchema })
    .check(formRules(findRegistrationProblem)),
  response: signedInSchema,
})

/** Signs out. Also returns 204 without a session. */
export const logoutCall = defineCall({
  method: 'POST',
  path: '/auth/logout',
  request: z.undefined(),
  response: z.undefined(),
})

/** Returns the signed-in user and renews the cookie. 401 without a session. */
export const getSessionCall = defineCall({
  method: 'GET',
  path: '/auth/session',
  request: z.undefined(),
  response: z.object({ user: userSchema }),
})

const activitySchema = z.object({
  kind: z.enum(ACTIVITY_KINDS),
  atMs: z.number(),
  browser: z.nullable(z.string()),
  country: z.nullable(z.string()),
})
export type Activity = z.infer<typeof activitySchema>

export const getActivityCall = defineCall({
  method: 'GET',
  path: '/auth/activity',
  request: z.undefined(),
  response: z.object({ events: z.array(activitySchema) }),
})

/**
 * Emails a password reset link. Requests and errors have the format of Google's Identity Toolkit (§ 7). The response
 * doesn't reveal whether the account exists. 400, 429.
 */
export const sendOobCodeCall = defineCall({
  method: 'POST',
  path: '/v1/accounts:sendOobCode',
  request: z
    .object({
      requestType: z.literal('PASSWORD_RESET', 'requestType must be PASSWORD_RESET.'),
      email: formFieldSchema,
      clientType: z.optional(z.string('clientType must be text.')),
    })
    .check(formRules(findResetEmailProblem)),
  response: z.object({ email: z.string() }),
})

/** Sets a new password with the code from a reset email. 400 with one of {@link RESET_CODES}; 429, 503. */
export const resetPasswordCall = defineCall({
  method: 'POST',
  path: '/v1/accounts:resetPassword',
  request: z.object({ oobCode: formFieldSchema, newPassword: formFieldSchema }),
  response: z.object({ email: z.string() }),
})

const textField = validatedText(() => undefined)

const detailsSchema = z
  .object({
    firstName: textField,
    lastName: textField,
    address: textField,
    address2: textField,
    country: textField,
    state: textField,
    zip: textField,
    phone: textField,
    landmark: textField,
  } satisfies Record<DetailsField, unknown>)
  .check(({ value, issues }) => {
    for (const field of DETAILS_FIELDS) {
      const message = findDetailsProblem(field, value[field], value)
      if (message) issues.push({ code: 'custom', message, path: [field], input: value[field] })
    }
  })

/** Changes the user's details and reissues the cookie, which contains the name. 400, 401, 429. */
export const changeDetailsCall = defineCall({
  method: 'POST',
  path: '/account/details',
  request: detailsSchema,
  response: z.object({ user: userSchema }),
})

/**
 * Ends all other sessions and replaces this session's token and cookie. 400 `invalid_fields` (`oldPassword`,
 * `newPassword`), 401, 429, 503.
 */
export const changePasswordCall = defineCall({
  method: 'POST',
  path: '/account/password',
  request: z.object({ oldPassword: formFieldSchema, newPassword: formFieldSchema }),
  response: signedInSchema,
})

const deviceSchema = z.object({
  id: z.string(),
  browser: z.nullable(z.string()),
  country: z.nullable(z.string()),
  signedInAtMs: z.number(),
  lastSeenAtMs: z.number(),
  isCurrent: z.boolean(),
})
export type Device = z.infer<typeof deviceSchema>

const devicesSchema = z.object({ devices: z.array(deviceSchema) })

export const listDevicesCall = defineCall({
  method: 'GET',
  path: '/account/devices',
  request: z.undefined(),
  response: devicesSchema,
})

export const OTHER_DEVICES = 'others'

/**
 * Signs out another device, or all others ({@link OTHER_DEVICES}), and returns the devices that remain. An unknown or
 * already signed-out device is not an error. 401, 429.
 */
export const endDevicesCall = defineCall({
  method: 'POST',
  path: '/account/devices/end',
  request: z.object({ which: formFieldSchema }),
  response: devicesSchema,
})

const exportSchema = z.object({
  exportedAt: z.iso.datetime(),
  data: z.record(
    z.string(),
    z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))),
  ),
})
export type ExportedData = z.infer<typeof exportSchema>

export const exportDataCall = defineCall({
  method: 'GET',
  path: '/account/data',
  request: z.undefined(),
  response: exportSchema,
})

/**
 * Deletes the account and the personal data in its orders. 204; 400 `invalid_fields` (`password`), 401, 409
 * `account_has_orders`, 429, 503.
 */
export const deleteAccountCall = defineCall({
  method: 'POST',
  path: '/account/delete',
  request: z.object({ password: formFieldSchema }),
  response: z.undefined(),
})
