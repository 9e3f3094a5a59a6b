import * as z from 'zod/mini'
import { call, formText, ruledText } from '#shared/api-call.ts'
import { DETAILS_FIELDS, type DetailsField, detailsProblem } from './account-forms.ts'
import { signedIn, userSchema } from './auth-contract.ts'

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
export const listDevices = call({
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
export const endDevices = call({
  method: 'POST',
  path: '/account/devices/end',
  request: z.object({ which: formText }),
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
export const exportData = call({
  method: 'GET',
  path: '/account/data',
  request: z.undefined(),
  response: exportSchema,
})

/**
 * Deletes the account of the signed-in person; orders stay without the person. 204; 400 `invalid_fields` (`password`),
 * 401, 409 `account_has_orders` while something is to be delivered or refunded, 429 and 503 as for signing in.
 */
export const deleteAccount = call({
  method: 'POST',
  path: '/account/delete',
  request: z.object({ password: formText }),
  response: z.undefined(),
})
