import { type Context, Hono } from 'hono'
import type { Deps } from '#server/context.ts'
import { clientOf } from '#server/platform/auth/client.ts'
import { forgetVisitor, sendSessionCookie } from '#server/platform/auth/cookies.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { requireJson, validJson } from '#server/platform/http/body.ts'
import { errorResponse } from '#server/platform/http/errors.ts'
import { originOf } from '#server/platform/http/request.ts'
import { credentialOf, requireCredential, unauthorized } from '#server/platform/middleware/session.ts'
import type { ServiceError } from '#server/platform/result.ts'
import {
  changeDetails as changeDetailsCall,
  changePassword as changePasswordCall,
  deleteAccount as deleteAccountCall,
  endDevices as endDevicesCall,
  exportData as exportDataCall,
  listDevices as listDevicesCall,
} from '#shared/accounts/account-contract.ts'
import { shop } from '#shared/shop.ts'
import { sendSignedInCookies } from './auth-routes.ts'
import { changeDetails } from './change-details.ts'
import { changePassword } from './change-password.ts'
import { deleteAccount } from './delete.ts'
import { endDevices, listDevices } from './devices.ts'
import { exportData } from './personal-data.ts'

/** `/api/account` and what is below: the signed-in person's own account. */
export function accountApi(deps: Deps) {
  const failed = (c: Context, error: ServiceError) =>
    error.code === 'unauthorized' ? unauthorized(c, deps) : errorResponse(c, error)

  return new Hono<AppEnv>()
    .post(
      changeDetailsCall.path,
      requireCredential(deps),
      requireJson,
      validJson(changeDetailsCall),
      async (c) => {
        const input = { credential: credentialOf(c), details: c.req.valid('json') }
        const result = await changeDetails({ ...input, client: await clientOf(c, deps) }, deps)
        if (!result.ok) return failed(c, result.error)
        await sendSessionCookie(c, deps, result.data.cookie)
        return c.json({ user: result.data.user })
      },
    )
    .post(
      changePasswordCall.path,
      requireCredential(deps),
      requireJson,
      validJson(changePasswordCall),
      async (c) => {
        const input = { ...c.req.valid('json'), credential: credentialOf(c) }
        const request = { client: await clientOf(c, deps), origin: originOf(c.req, deps.config) }
        const result = await changePassword({ ...input, ...request }, deps)
        if (!result.ok) return failed(c, result.error)
        await sendSignedInCookies(c, deps, result.data)
        return c.json({ token: result.data.token, user: result.data.user })
      },
    )
    .get(listDevicesCall.path, requireCredential(deps), async (c) => {
      const result = await listDevices({ credential: credentialOf(c) }, deps)
      return result.ok ? c.json(result.data) : failed(c, result.error)
    })
    .post(endDevicesCall.path, requireCredential(deps), requireJson, validJson(endDevicesCall), async (c) => {
      const input = { ...c.req.valid('json'), credential: credentialOf(c), client: await clientOf(c, deps) }
      const result = await endDevices(input, deps)
      return result.ok ? c.json(result.data) : failed(c, result.error)
    })
    .get(exportDataCall.path, requireCredential(deps), async (c) => {
      const result = await exportData({ credential: credentialOf(c) }, deps)
      if (!result.ok) return failed(c, result.error)
      c.header('Content-Disposition', `attachment; filename="${EXPORT_FILE}"`)
      return c.json(result.data)
    })
    .post(
      deleteAccountCall.path,
      requireCredential(deps),
      requireJson,
      validJson(deleteAccountCall),
      async (c) => {
        const input = { ...c.req.valid('json'), credential: credentialOf(c), client: await clientOf(c, deps) }
        const result = await deleteAccount(input, deps)
        if (!result.ok) return failed(c, result.error)
        forgetVisitor(c, deps)
        return c.body(null, 204)
      },
    )
}

/** What the browser calls the file of an export. */
const EXPORT_FILE = `${shop.name.toLowerCase()}-data.json`
