import * as z from 'zod/mini'
import { createFormCheck, createTextSchema, defineCall, formFieldSchema } from '#shared/api-call.ts'
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

export const startedSessionSchema = z.object({ token: z.string(), user: userSchema })

/** A 429 may offer a challenge. A request with its solution in `challenge` skips the pause. */
export const loginCall = defineCall({
  method: 'POST',
  path: '/auth/login',
  request: z
    .object({ email: formFieldSchema, password: formFieldSchema, challenge: z.optional(formFieldSchema) })
    .check(createFormCheck(findLoginProblem)),
  response: startedSessionSchema,
})

export const registerCall = defineCall({
  method: 'POST',
  path: '/auth/register',
  request: z
    .object({ name: formFieldSchema, email: formFieldSchema, password: formFieldSchema })
    .check(createFormCheck(findRegistrationProblem)),
  response: startedSessionSchema,
})

export const logoutCall = defineCall({
  method: 'POST',
  path: '/auth/logout',
  request: z.undefined(),
  response: z.undefined(),
})

/** The response also sets the cookie again. */
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
  response: z.object({ isEmailVerified: z.boolean(), events: z.array(activitySchema) }),
})
export type AccountActivity = z.infer<typeof getActivityCall.response>

/** Emails a link that verifies the account's email address. Does nothing if it is verified. 401, 429. */
export const sendVerificationLinkCall = defineCall({
  method: 'POST',
  path: '/auth/verification-link',
  request: z.undefined(),
  response: z.undefined(),
})

/**
 * Requests and errors have the format of Google's Identity Toolkit (§ 7). The response doesn't reveal whether the
 * account exists.
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
    .check(createFormCheck(findResetEmailProblem)),
  response: z.object({ email: z.string() }),
})

export const resetPasswordCall = defineCall({
  method: 'POST',
  path: '/v1/accounts:resetPassword',
  request: z.object({ oobCode: formFieldSchema, newPassword: formFieldSchema }),
  /** `areDetailsRemoved` if the account's name and details may have been someone else's. */
  response: z.object({ email: z.string(), areDetailsRemoved: z.optional(z.literal(true)) }),
})

const textFieldSchema = createTextSchema(() => undefined)

const detailsSchema = z
  .object({
    firstName: textFieldSchema,
    lastName: textFieldSchema,
    address: textFieldSchema,
    address2: textFieldSchema,
    country: textFieldSchema,
    state: textFieldSchema,
    zip: textFieldSchema,
    phone: textFieldSchema,
    landmark: textFieldSchema,
  } satisfies Record<DetailsField, unknown>)
  .check(({ value, issues }) => {
    for (const field of DETAILS_FIELDS) {
      const message = findDetailsProblem(field, value[field], value)
      if (message) issues.push({ code: 'custom', message, path: [field], input: value[field] })
    }
  })

const lastOrderSchema = z.object({
  number: z.string(),
  details: z.record(z.enum(DETAILS_FIELDS), z.string()),
})
export type LastOrder = z.infer<typeof lastOrderSchema>

/** `lastOrder` is null unless the account has no name, because a reset of its password has removed it. */
export const getDetailsCall = defineCall({
  method: 'GET',
  path: '/account/details',
  request: z.undefined(),
  response: z.object({ user: userSchema, lastOrder: z.nullable(lastOrderSchema) }),
})

/** Reissues the cookie, which contains the name. */
export const changeDetailsCall = defineCall({
  method: 'POST',
  path: '/account/details',
  request: detailsSchema,
  response: z.object({ user: userSchema }),
})

/** Ends all other sessions and replaces this session's token and cookie. */
export const changePasswordCall = defineCall({
  method: 'POST',
  path: '/account/password',
  request: z.object({ oldPassword: formFieldSchema, newPassword: formFieldSchema }),
  response: startedSessionSchema,
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

/** `which` is a device's id or {@link OTHER_DEVICES}. An unknown or already logged-out device is not an error. */
export const logOutDevicesCall = defineCall({
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

/** Also deletes the personal data in the account's orders. */
export const deleteAccountCall = defineCall({
  method: 'POST',
  path: '/account/delete',
  request: z.object({ password: formFieldSchema }),
  response: z.undefined(),
})
