import type { Context } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { clientOf } from '#server/platform/auth/client.ts'
import { clearSessionCookie, forgetVisitor, sendSessionCookie } from '#server/platform/auth/cookies.ts'
import { authenticate, userOf } from '#server/platform/auth/sessions.ts'
import { invalidBody } from '#server/platform/http/body.ts'
import { plainPage } from '#server/platform/http/errors.ts'
import { originOf } from '#server/platform/http/request.ts'
import { requestCredential } from '#server/platform/middleware/session.ts'
import type { PageLoader } from '#server/platform/pages/page-loader.ts'
import { type FormAction, formResult, invalidFields, valuesOf } from '#server/platform/pages/posted-form.ts'
import type { Result } from '#server/platform/result.ts'
import { changeDetails as changeDetailsCall } from '#shared/accounts/account-contract.ts'
import { DETAILS_FIELDS, passwordChangeProblem } from '#shared/accounts/account-forms.ts'
import { href } from '#shared/routes.ts'
import { sendSignedInCookies } from './auth-routes.ts'
import { changeDetails } from './change-details.ts'
import { changePassword } from './change-password.ts'
import { deleteAccount } from './delete.ts'
import { endDevices, listDevices } from './devices.ts'

/** What the account remembers, read anew: the cookie knows the name alone. */
export const accountDetailsPage: PageLoader<'accountDetails'> = async ({ sessionCookie, onFailure }, ctx) => {
  const found = await authenticate(sessionCookie, ctx).catch(onFailure)
  return { status: 200, data: { user: found?.ok ? userOf(found.data.user) : null, posted: null } }
}

/** The form that changes name, address and phone, posted to its page. */
export const accountDetailsForm: FormAction<'accountDetails'> = {
  async submit({ c, ctx, field }) {
    const details = changeDetailsCall.request.safeParse(valuesOf(field, DETAILS_FIELDS))
    if (!details.success) return { ok: false, error: invalidBody(details.error.issues) }
    const input = { credential: requestCredential(c), details: details.data, client: await clientOf(c, ctx) }
    const result = await changeDetails(input, ctx)
    if (!result.ok) return orToLogin(c, ctx, result)
    await sendSessionCookie(c, ctx, result.data.cookie)
    return { ok: true, data: {} }
  },
  pageData: (field, error) => {
    const { outcome } = formResult([])(field, error)
    return { user: null, posted: { values: valuesOf(field, DETAILS_FIELDS), outcome } }
  },
}

/** The form that changes the password, posted to its page. */
export const accountPasswordForm: FormAction<'accountPassword'> = {
  pageData: formResult([]),
  async submit({ c, ctx, field }) {
    const { oldPassword, ...chosen } = valuesOf(field, ['oldPassword', 'password', 'confirmPassword'])
    const problem = passwordChangeProblem({ oldPassword, ...chosen })
    if (problem) return invalidFields(problem)
    const request = { client: await clientOf(c, ctx), origin: originOf(c.req, ctx.config) }
    const input = { credential: requestCredential(c), oldPassword, newPassword: chosen.password, ...request }
    const result = await changePassword(input, ctx)
    if (!result.ok) return orToLogin(c, ctx, result)
    await sendSignedInCookies(c, ctx, result.data)
    return { ok: true, data: {} }
  },
}

/** Where the account is signed in. */
export const accountDevicesPage: PageLoader<'accountDevices'> = async ({ sessionCookie, onFailure }, ctx) => {
  const found = await listDevices({ credential: sessionCookie }, ctx).catch(onFailure)
  return { status: 200, data: { devices: found?.ok ? found.data.devices : null, posted: null } }
}

/** The buttons that sign out other devices, posted to their page. */
export const accountDevicesForm: FormAction<'accountDevices'> = {
  async submit({ c, ctx, field }) {
    const input = { credential: requestCredential(c), which: field('which'), client: await clientOf(c, ctx) }
    const result = await endDevices(input, ctx)
    if (!result.ok) return orToLogin(c, ctx, result)
    return { ok: true, data: { redirectTo: href('accountDevices') } }
  },
  pageData: (field, error) => ({ devices: null, posted: formResult([])(field, error) }),
}

/** The form that deletes the account, posted to its page, with and without scripts. */
export const accountDataForm: FormAction<'accountData'> = {
  pageData: formResult([]),
  async submit({ c, ctx, field }) {
    const input = {
      credential: requestCredential(c),
      password: field('password'),
      client: await clientOf(c, ctx),
    }
    const result = await deleteAccount(input, ctx)
    if (!result.ok) return orToLogin(c, ctx, result)
    forgetVisitor(c, ctx)
    const content = `<p>What we had stored about you is gone. A mail confirms it.</p>
<p><a class="button" href="${href('home')}">Return Home</a></p>`
    return { ok: true, data: c.html(plainPage('Your account is deleted', content)) }
  },
}

/** A failure as the form's page shows it; whoever is no longer signed in is led to Login. */
function orToLogin(
  c: Context,
  ctx: ServiceContext,
  failure: Extract<Result<never>, { ok: false }>,
): Result<{ redirectTo?: string }> {
  if (failure.error.code !== 'unauthorized') return failure
  clearSessionCookie(c, ctx)
  return { ok: true, data: { redirectTo: href('login') } }
}
