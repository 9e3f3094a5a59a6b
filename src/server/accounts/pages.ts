import type { Context } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { parseClient } from '#server/platform/auth/client.ts'
import {
  clearBrowserData,
  clearSessionCookie,
  sendLoginCookies,
  sendSessionCookie,
} from '#server/platform/auth/cookies.ts'
import { endSessions } from '#server/platform/auth/sessions.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { createInvalidBodyError } from '#server/platform/http/body.ts'
import { renderPlainPage } from '#server/platform/http/errors.ts'
import { getRequestOrigin } from '#server/platform/http/request.ts'
import { getRequestCredential, listPresentedCredentials } from '#server/platform/middleware/session.ts'
import { loadCatalogueView, type PageLoader } from '#server/platform/pages/page-loader.ts'
import {
  createFormResult,
  createInvalidFieldsError,
  type FormAction,
  pickValues,
} from '#server/platform/pages/posted-form.ts'
import type { Result } from '#server/platform/result.ts'
import { DETAILS_FIELDS, findPasswordChangeProblem } from '#shared/accounts/account-forms.ts'
import {
  findLoginProblem,
  findNewPasswordProblem,
  findRegistrationFormProblem,
  findResetEmailProblem,
} from '#shared/accounts/auth-forms.ts'
import { changeDetailsCall } from '#shared/accounts/contract.ts'
import { REDIRECT_AFTER_RESET_MS } from '#shared/accounts/limits.ts'
import { createDashboardView } from '#shared/catalogue/catalogue-views.ts'
import { errorDefinitions } from '#shared/errors.ts'
import { getPageDefinition, href, matchRoute } from '#shared/routes.ts'
import { changePassword } from './change-password.ts'
import { deleteAccount } from './delete-account.ts'
import { changeDetails, readDetails } from './details.ts'
import { listDevices, logOutDevices } from './devices.ts'
import { logIn } from './login.ts'
import { register } from './register.ts'
import { requestReset } from './request-reset.ts'
import { checkResetLink, resetPassword } from './reset-password.ts'

export const loginAction: FormAction<'login'> = {
  pageData: createFormResult(['email']),
  async submit({ c, ctx, field }) {
    const values = pickValues(field, ['email', 'password'])
    const problem = findLoginProblem(values)
    if (problem) return createInvalidFieldsError(problem)

    const browser = { client: await parseClient(c, ctx), presentedCredentials: listPresentedCredentials(c) }
    const result = await logIn({ ...values, ...browser }, ctx)
    if (!result.ok) return result
    await sendLoginCookies(c, ctx, result.data)
    return { ok: true, data: { redirectTo: href('home') } }
  },
}

export const registerAction: FormAction<'register'> = {
  pageData: createFormResult(['name', 'email']),
  async submit({ c, ctx, field }) {
    const values = pickValues(field, ['name', 'email', 'password', 'confirmPassword'])
    const problem = findRegistrationFormProblem(values)
    if (problem) return createInvalidFieldsError(problem)

    const browser = { client: await parseClient(c, ctx), presentedCredentials: listPresentedCredentials(c) }
    const result = await register({ ...values, ...browser, origin: getRequestOrigin(c.req, ctx.config) }, ctx)
    if (!result.ok) return result
    await sendLoginCookies(c, ctx, result.data)
    return { ok: true, data: { redirectTo: href('login') } }
  },
}

export const forgotPasswordAction: FormAction<'forgotPassword'> = {
  pageData: createFormResult(['email']),
  async submit({ c, ctx, field }) {
    const values = pickValues(field, ['email'])
    const problem = findResetEmailProblem(values)
    if (problem) return createInvalidFieldsError(problem)

    const origin = getRequestOrigin(c.req, ctx.config)
    const result = await requestReset({ ...values, client: await parseClient(c, ctx), origin }, ctx)
    if (!result.ok) return result
    c.header('Refresh', `${REDIRECT_AFTER_RESET_MS / 1000}; url=${href('login')}`)
    return { ok: true, data: {} }
  },
}

export const resetPasswordAction: FormAction<'resetPassword'> = {
  pageData: createFormResult(['oobCode']),
  async submit({ c, ctx, field }) {
    const { oobCode, ...values } = pickValues(field, ['oobCode', 'password', 'confirmPassword'])
    const problem = findNewPasswordProblem(values)
    if (problem) return createInvalidFieldsError(problem)

    const origin = getRequestOrigin(c.req, ctx.config)
    const input = { oobCode, newPassword: values.password, client: await parseClient(c, ctx), origin }
    const result = await resetPassword(input, ctx)
    if (result.ok) {
      clearSessionCookie(c, ctx)
      return { ok: true, data: {} }
    }
    const { code, message } = result.error
    return code === 'weak_password' && message
      ? createInvalidFieldsError({ message, fields: ['password'] })
      : result
  },
}

export const loadResetPasswordPage: PageLoader<'resetPassword'> = async ({ url, client, onFailure }, ctx) => {
  const oobCode = url.searchParams.get('oobCode')
  if (!oobCode) return { status: 200, data: null }
  const link = await checkResetLink({ oobCode, client: await client() }, ctx).catch(onFailure)
  if (!link || link.ok || link.error.code === 'too_many_requests') return { status: 200, data: null }
  const { code } = link.error
  const outcome = { kind: 'failed', code, message: errorDefinitions[code].message, errors: {} } as const
  return { status: 200, data: { values: {}, outcome } }
}

/** Redirects to the same page as the client's logout (§ 4). */
export function handleLogoutForm(ctx: ServiceContext) {
  return async function handleLogoutForm(c: Context<AppEnv>): Promise<Response> {
    await endSessions({ credentials: listPresentedCredentials(c) }, ctx)
    clearSessionCookie(c, ctx)
    return c.redirect(getLogoutRedirect(c.req.header('Referer')), 303)
  }
}

function getLogoutRedirect(referrer: string | undefined): string {
  const url = referrer ? URL.parse(referrer) : null
  const wasProtected = url !== null && getPageDefinition(matchRoute(url.pathname).name).needsLogin
  return href(wasProtected ? 'login' : 'home')
}

export const loadDashboardPage: PageLoader<'dashboard'> = (request, { content }) => ({
  status: 200,
  data: loadCatalogueView(
    request,
    (catalogue) => createDashboardView(catalogue, content.current().pages.featured),
    { featured: [], hasFailed: true },
  ),
})

/** Loads the user from the database, because the cookie contains only the name and email. */
export const loadAccountDetailsPage: PageLoader<'accountDetails'> = async (
  { sessionCookie, onFailure },
  ctx,
) => {
  const result = await readDetails({ credential: sessionCookie }, ctx).catch(onFailure)
  const details = result?.ok ? result.data : { user: null, lastOrder: null }
  return { status: 200, data: { ...details, posted: null } }
}

export const accountDetailsAction: FormAction<'accountDetails'> = {
  async submit({ c, ctx, field }) {
    const details = changeDetailsCall.request.safeParse(pickValues(field, DETAILS_FIELDS))
    if (!details.success) return { ok: false, error: createInvalidBodyError(details.error.issues) }
    const input = {
      credential: getRequestCredential(c),
      details: details.data,
      client: await parseClient(c, ctx),
    }
    const result = await changeDetails(input, ctx)
    if (!result.ok) return redirectToLoginIfLoggedOut(c, ctx, result)
    await sendSessionCookie(c, ctx, result.data.cookie)
    return { ok: true, data: {} }
  },
  pageData: (field, error) => {
    const { outcome } = createFormResult([])(field, error)
    return { user: null, lastOrder: null, posted: { values: pickValues(field, DETAILS_FIELDS), outcome } }
  },
}

export const accountPasswordAction: FormAction<'accountPassword'> = {
  pageData: createFormResult([]),
  async submit({ c, ctx, field }) {
    const { oldPassword, ...newPasswords } = pickValues(field, ['oldPassword', 'password', 'confirmPassword'])
    const problem = findPasswordChangeProblem({ oldPassword, ...newPasswords })
    if (problem) return createInvalidFieldsError(problem)
    const request = { client: await parseClient(c, ctx), origin: getRequestOrigin(c.req, ctx.config) }
    const input = {
      credential: getRequestCredential(c),
      oldPassword,
      newPassword: newPasswords.password,
      ...request,
    }
    const result = await changePassword(input, ctx)
    if (!result.ok) return redirectToLoginIfLoggedOut(c, ctx, result)
    await sendLoginCookies(c, ctx, result.data)
    return { ok: true, data: {} }
  },
}

export const loadAccountDevicesPage: PageLoader<'accountDevices'> = async (
  { sessionCookie, onFailure },
  ctx,
) => {
  const result = await listDevices({ credential: sessionCookie }, ctx).catch(onFailure)
  return { status: 200, data: { devices: result?.ok ? result.data.devices : null, posted: null } }
}

export const accountDevicesAction: FormAction<'accountDevices'> = {
  async submit({ c, ctx, field }) {
    const input = {
      credential: getRequestCredential(c),
      which: field('which'),
      client: await parseClient(c, ctx),
    }
    const result = await logOutDevices(input, ctx)
    if (!result.ok) return redirectToLoginIfLoggedOut(c, ctx, result)
    return { ok: true, data: { redirectTo: href('accountDevices') } }
  },
  pageData: (field, error) => ({ devices: null, posted: createFormResult([])(field, error) }),
}

export const accountDataAction: FormAction<'accountData'> = {
  pageData: createFormResult([]),
  async submit({ c, ctx, field }) {
    const input = {
      credential: getRequestCredential(c),
      password: field('password'),
      client: await parseClient(c, ctx),
    }
    const result = await deleteAccount(input, ctx)
    if (!result.ok) return redirectToLoginIfLoggedOut(c, ctx, result)
    clearBrowserData(c, ctx)
    const content = `<p>Everything we stored about you has been deleted. We’ll email you to confirm.</p>
<p><a class="button" href="${href('home')}">Return Home</a></p>`
    return { ok: true, data: c.html(renderPlainPage('Your account has been deleted', content)) }
  },
}

function redirectToLoginIfLoggedOut(
  c: Context,
  ctx: ServiceContext,
  failure: Extract<Result<never>, { ok: false }>,
): Result<{ redirectTo?: string }> {
  if (failure.error.code !== 'unauthorized') return failure
  clearSessionCookie(c, ctx)
  return { ok: true, data: { redirectTo: href('login') } }
}
