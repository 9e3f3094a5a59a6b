import { type Context, Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { listActivity } from '#server/platform/auth/activity.ts'
import { parseClient } from '#server/platform/auth/client.ts'
import {
  clearBrowserData,
  clearSessionCookie,
  sendLoginCookies,
  sendSessionCookie,
} from '#server/platform/auth/cookies.ts'
import { endSessions, toUser } from '#server/platform/auth/sessions.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { requireJson, validateJson } from '#server/platform/http/body.ts'
import { respondWithError } from '#server/platform/http/errors.ts'
import { getRequestOrigin } from '#server/platform/http/request.ts'
import {
  getRequestCredential,
  listPresentedCredentials,
  requireCredential,
  requireUser,
  respondUnauthorized,
} from '#server/platform/middleware/session.ts'
import type { ServiceError } from '#server/platform/result.ts'
import * as contract from '#shared/accounts/contract.ts'
import { shop } from '#shared/shop.ts'
import { changePassword } from './change-password.ts'
import { deleteAccount } from './delete-account.ts'
import { changeDetails, readDetails } from './details.ts'
import { listDevices, logOutDevices } from './devices.ts'
import { logIn } from './login.ts'
import { exportData } from './personal-data.ts'
import { register } from './register.ts'
import { requestReset } from './request-reset.ts'
import { resetPassword } from './reset-password.ts'
import { sendVerificationLink } from './verify-email.ts'

export function authRoutes(ctx: ServiceContext) {
  return new Hono<AppEnv>()
    .post(contract.registerCall.path, requireJson, validateJson(contract.registerCall), async (c) => {
      const browser = { client: await parseClient(c, ctx), presentedCredentials: listPresentedCredentials(c) }
      const input = { ...c.req.valid('json'), ...browser, origin: getRequestOrigin(c.req, ctx.config) }
      const result = await register(input, ctx)
      if (!result.ok) return respondWithError(c, result.error)
      await sendLoginCookies(c, ctx, result.data)
      return c.json({ token: result.data.token, user: result.data.user }, 201)
    })
    .post(contract.loginCall.path, requireJson, validateJson(contract.loginCall), async (c) => {
      const browser = { client: await parseClient(c, ctx), presentedCredentials: listPresentedCredentials(c) }
      const result = await logIn({ ...c.req.valid('json'), ...browser }, ctx)
      if (!result.ok) {
        // The browser ends its session on any 401 (§ 8), so the server deletes the cookie too.
        if (result.error.code === 'wrong_credentials') clearSessionCookie(c, ctx)
        return respondWithError(c, result.error)
      }
      await sendLoginCookies(c, ctx, result.data)
      return c.json({ token: result.data.token, user: result.data.user })
    })
    .post(contract.logoutCall.path, async (c) => {
      clearSessionCookie(c, ctx)
      await endSessions({ credentials: listPresentedCredentials(c) }, ctx)
      return c.body(null, 204)
    })
    .get(contract.getSessionCall.path, requireUser(ctx, { renew: true }), (c) =>
      c.json({ user: toUser(c.var.user) }),
    )
    .get(contract.getActivityCall.path, requireUser(ctx), async (c) => {
      const result = await listActivity({ userId: c.var.user.id }, ctx)
      return result.ok ? c.json(result.data) : respondWithError(c, result.error)
    })
    .post(contract.sendVerificationLinkCall.path, requireUser(ctx), async (c) => {
      const { id, email } = c.var.user
      const origin = getRequestOrigin(c.req, ctx.config)
      const result = await sendVerificationLink({ id, email, origin }, ctx)
      return result.ok ? c.body(null, 204) : respondWithError(c, result.error)
    })
}

/** Handles requests for a password reset (§ 7) and for a new password, in the format of the identity service. */
export function passwordResetRoutes(ctx: ServiceContext) {
  return new Hono<AppEnv>()
    .post(contract.sendOobCodeCall.path, requireJson, validateJson(contract.sendOobCodeCall), async (c) => {
      const { email } = c.req.valid('json')
      const origin = getRequestOrigin(c.req, ctx.config)
      const result = await requestReset({ email, client: await parseClient(c, ctx), origin }, ctx)
      return result.ok ? c.json({ email: email.trim() }) : respondWithError(c, result.error)
    })
    .post(
      contract.resetPasswordCall.path,
      requireJson,
      validateJson(contract.resetPasswordCall),
      async (c) => {
        const origin = getRequestOrigin(c.req, ctx.config)
        const input = { ...c.req.valid('json'), client: await parseClient(c, ctx), origin }
        const result = await resetPassword(input, ctx)
        if (!result.ok) return respondWithError(c, result.error)
        clearSessionCookie(c, ctx)
        return c.json(result.data)
      },
    )
}

export function accountRoutes(ctx: ServiceContext) {
  const respondToFailure = (c: Context, error: ServiceError) =>
    error.code === 'unauthorized' ? respondUnauthorized(c, ctx) : respondWithError(c, error)

  return new Hono<AppEnv>()
    .get(contract.getDetailsCall.path, requireCredential(ctx), async (c) => {
      const result = await readDetails({ credential: getRequestCredential(c) }, ctx)
      return result.ok ? c.json(result.data) : respondToFailure(c, result.error)
    })
    .post(
      contract.changeDetailsCall.path,
      requireCredential(ctx),
      requireJson,
      validateJson(contract.changeDetailsCall),
      async (c) => {
        const input = { credential: getRequestCredential(c), details: c.req.valid('json') }
        const result = await changeDetails({ ...input, client: await parseClient(c, ctx) }, ctx)
        if (!result.ok) return respondToFailure(c, result.error)
        await sendSessionCookie(c, ctx, result.data.cookie)
        return c.json({ user: result.data.user })
      },
    )
    .post(
      contract.changePasswordCall.path,
      requireCredential(ctx),
      requireJson,
      validateJson(contract.changePasswordCall),
      async (c) => {
        const input = { ...c.req.valid('json'), credential: getRequestCredential(c) }
        const request = { client: await parseClient(c, ctx), origin: getRequestOrigin(c.req, ctx.config) }
        const result = await changePassword({ ...input, ...request }, ctx)
        if (!result.ok) return respondToFailure(c, result.error)
        await sendLoginCookies(c, ctx, result.data)
        return c.json({ token: result.data.token, user: result.data.user })
      },
    )
    .get(contract.listDevicesCall.path, requireCredential(ctx), async (c) => {
      const result = await listDevices({ credential: getRequestCredential(c) }, ctx)
      return result.ok ? c.json(result.data) : respondToFailure(c, result.error)
    })
    .post(
      contract.logOutDevicesCall.path,
      requireCredential(ctx),
      requireJson,
      validateJson(contract.logOutDevicesCall),
      async (c) => {
        const input = {
          ...c.req.valid('json'),
          credential: getRequestCredential(c),
          client: await parseClient(c, ctx),
        }
        const result = await logOutDevices(input, ctx)
        return result.ok ? c.json(result.data) : respondToFailure(c, result.error)
      },
    )
    .get(contract.exportDataCall.path, requireCredential(ctx), async (c) => {
      const result = await exportData({ credential: getRequestCredential(c) }, ctx)
      if (!result.ok) return respondToFailure(c, result.error)
      c.header('Content-Disposition', `attachment; filename="${EXPORT_FILE}"`)
      return c.json(result.data)
    })
    .post(
      contract.deleteAccountCall.path,
      requireCredential(ctx),
      requireJson,
      validateJson(contract.deleteAccountCall),
      async (c) => {
        const input = {
          ...c.req.valid('json'),
          credential: getRequestCredential(c),
          client: await parseClient(c, ctx),
        }
        const result = await deleteAccount(input, ctx)
        if (!result.ok) return respondToFailure(c, result.error)
        clearBrowserData(c, ctx)
        return c.body(null, 204)
      },
    )
}

const EXPORT_FILE = `${shop.name.toLowerCase()}-data.json`
