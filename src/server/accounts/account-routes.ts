import { type Context, Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { clientOf } from '#server/platform/auth/client.ts'
import { forgetVisitor, sendSessionCookie } from '#server/platform/auth/cookies.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { requireJson, validJson } from '#server/platform/http/body.ts'
import { errorResponse } from '#server/platform/http/errors.ts'
import { originOf } from '#server/platform/http/request.ts'
import { requestCredential, requireCredential, unauthorized } from '#server/platform/middleware/session.ts'
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
export function accountApi(ctx: ServiceContext) {
  const failed = (c: Context, error: ServiceError) =>
    error.code === 'unauthorized' ? unauthorized(c, ctx) : errorResponse(c, error)

  return new Hono<AppEnv>()
    .post(
      changeDetailsCall.path,
      requireCredential(ctx),
      requireJson,
      validJson(changeDetailsCall),
      async (c) => {
        const input = { credential: requestCredential(c), details: c.req.valid('json') }
        const result = await changeDetails({ ...input, client: await clientOf(c, ctx) }, ctx)
        if (!result.ok) return failed(c, result.error)
        await sendSessionCookie(c, ctx, result.data.cookie)
        return c.json({ user: result.data.user })
      },
    )
    .post(
      changePasswordCall.path,
      requireCredential(ctx),
      requireJson,
      validJson(changePasswordCall),
      async (c) => {
        const input = { ...c.req.valid('json'), credential: requestCredential(c) }
        const request = { client: await clientOf(c, ctx), origin: originOf(c.req, ctx.config) }
        const result = await changePassword({ ...input, ...request }, ctx)
        if (!result.ok) return failed(c, result.error)
        await sendSignedInCookies(c, ctx, result.data)
        return c.json({ token: result.data.token, user: result.data.user })
      },
    )
    .get(listDevicesCall.path, requireCredential(ctx), async (c) => {
      const result = await listDevices({ credential: requestCredential(c) }, ctx)
      return result.ok ? c.json(result.data) : failed(c, result.error)
    })
    .post(endDevicesCall.path, requireCredential(ctx), requireJson, validJson(endDevicesCall), async (c) => {
      const input = {
        ...c.req.valid('json'),
        credential: requestCredential(c),
        client: await clientOf(c, ctx),
      }
      const result = await endDevices(input, ctx)
      return result.ok ? c.json(result.data) : failed(c, result.error)
    })
    .get(exportDataCall.path, requireCredential(ctx), async (c) => {
      const result = await exportData({ credential: requestCredential(c) }, ctx)
      if (!result.ok) return failed(c, result.error)
      c.header('Content-Disposition', `attachment; filename="${EXPORT_FILE}"`)
      return c.json(result.data)
    })
    .post(
      deleteAccountCall.path,
      requireCredential(ctx),
      requireJson,
      validJson(deleteAccountCall),
      async (c) => {
        const input = {
          ...c.req.valid('json'),
          credential: requestCredential(c),
          client: await clientOf(c, ctx),
        }
        const result = await deleteAccount(input, ctx)
        if (!result.ok) return failed(c, result.error)
        forgetVisitor(c, ctx)
        return c.body(null, 204)
      },
    )
}

/** What the browser calls the file of an export. */
const EXPORT_FILE = `${shop.name.toLowerCase()}-data.json`
