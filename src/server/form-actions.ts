import type { Context } from 'hono'
import { sendSignedInCookies } from '#server/accounts/auth-routes.ts'
import { logIn } from '#server/accounts/login.ts'
import {
  accountDataForm,
  accountDetailsForm,
  accountDevicesForm,
  accountPasswordForm,
} from '#server/accounts/pages.ts'
import { register } from '#server/accounts/register.ts'
import { requestReset } from '#server/accounts/request-reset.ts'
import { resetPassword } from '#server/accounts/reset-password.ts'
import { sendContactMessage } from '#server/contact/messages.ts'
import { payAgainForm } from '#server/orders/pages.ts'
import { requestOrderLink } from '#server/orders/request-link.ts'
import { clientOf } from '#server/platform/auth/client.ts'
import { clearSessionCookie } from '#server/platform/auth/cookies.ts'
import { endSessions } from '#server/platform/auth/sessions.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import type { FormFields } from '#server/platform/http/body.ts'
import { networkAddressOf, originOf } from '#server/platform/http/request.ts'
import { presentedCredentials } from '#server/platform/middleware/session.ts'
import {
  type FormAction,
  type FormPage,
  formResult,
  invalidFields,
  valuesOf,
} from '#server/platform/pages/posted-form.ts'
import {
  loginProblem,
  newPasswordProblem,
  registrationFormProblem,
  resetEmailProblem,
} from '#shared/accounts/auth-forms.ts'
import { REDIRECT_AFTER_RESET_MS } from '#shared/accounts/limits.ts'
import { CONTACT_TRAP_FIELD, contactProblems } from '#shared/contact/contact-form.ts'
import { sendMessage } from '#shared/contact/contract.ts'
import { errors } from '#shared/errors.ts'
import { orderLinkProblem } from '#shared/orders/order-link.ts'
import { href, matchRoute, type PageName, pageOf } from '#shared/routes.ts'
import type { ServiceContext } from './context.ts'

/** The login form, posted to its page (§ 5). */
const loginForm: FormAction<'login'> = {
  pageData: formResult(['email']),
  async submit({ c, ctx, field }) {
    const values = valuesOf(field, ['email', 'password'])
    const problem = loginProblem(values)
    if (problem) return invalidFields(problem)

    const browser = { client: await clientOf(c, ctx), presented: presentedCredentials(c) }
    const result = await logIn({ ...values, ...browser }, ctx)
    if (!result.ok) return result
    await sendSignedInCookies(c, ctx, result.data)
    return { ok: true, data: { redirectTo: href('home') } }
  },
}

/** The registration form, posted to its page (§ 5). */
const registerForm: FormAction<'register'> = {
  pageData: formResult(['name', 'email']),
  async submit({ c, ctx, field }) {
    const values = valuesOf(field, ['name', 'email', 'password', 'confirmPassword'])
    const problem = registrationFormProblem(values)
    if (problem) return invalidFields(problem)

    const browser = { client: await clientOf(c, ctx), presented: presentedCredentials(c) }
    const result = await register({ ...values, ...browser, origin: originOf(c.req, ctx.config) }, ctx)
    if (!result.ok) return result
    await sendSignedInCookies(c, ctx, result.data)
    return { ok: true, data: { redirectTo: href('login') } }
  },
}

/** The form that asks for a reset mail, posted to its page (§ 7). */
const forgotPasswordForm: FormAction<'forgotPassword'> = {
  pageData: formResult(['email']),
  async submit({ c, ctx, field }) {
    const values = valuesOf(field, ['email'])
    const problem = resetEmailProblem(values)
    if (problem) return invalidFields(problem)

    const origin = originOf(c.req, ctx.config)
    const result = await requestReset({ ...values, client: await clientOf(c, ctx), origin }, ctx)
    if (!result.ok) return result
    c.header('Refresh', `${REDIRECT_AFTER_RESET_MS / 1000}; url=${href('login')}`)
    return { ok: true, data: {} }
  },
}

/** The form that sets a new password, posted to its page (§ 7). */
const resetPasswordForm: FormAction<'resetPassword'> = {
  pageData: formResult(['oobCode']),
  async submit({ c, ctx, field }) {
    const { oobCode, ...values } = valuesOf(field, ['oobCode', 'password', 'confirmPassword'])
    const problem = newPasswordProblem(values)
    if (problem) return invalidFields(problem)

    const input = { oobCode, newPassword: values.password, client: await clientOf(c, ctx) }
    const result = await resetPassword(input, ctx)
    if (result.ok) {
      clearSessionCookie(c, ctx)
      return { ok: true, data: {} }
    }
    const { code, message } = result.error
    return code === 'weak_password' && message ? invalidFields({ message, fields: ['password'] }) : result
  },
}

/** The form that asks for the link to an order's page, posted to its page. */
const findOrderForm: FormAction<'findOrder'> = {
  pageData: formResult(['number', 'contact']),
  async submit({ c, ctx, field }) {
    const values = valuesOf(field, ['number', 'contact'])
    const problem = orderLinkProblem(values)
    if (problem) return invalidFields(problem)

    const origin = originOf(c.req, ctx.config)
    const result = await requestOrderLink({ ...values, client: await clientOf(c, ctx), origin }, ctx)
    return result.ok ? { ok: true, data: {} } : result
  },
}

/** The contact form, posted to its page. */
const contactForm: FormAction<'contact'> = {
  async submit({ c, ctx, field }) {
    const input = sendMessage.request.safeParse({
      ...messageFrom(field),
      [CONTACT_TRAP_FIELD]: field(CONTACT_TRAP_FIELD),
    })
    // The page has the message for each field.
    if (!input.success) return { ok: false, error: { code: 'invalid_fields' } }
    const sent = await sendContactMessage({ ...input.data, clientAddress: networkAddressOf(c) }, ctx)
    return sent.ok ? { ok: true, data: {} } : sent
  },

  pageData(field, error) {
    if (!error) return { values: {}, outcome: { kind: 'done' } }
    const values = messageFrom(field)
    const { code, message = errors[code].message } = error
    const faults = code === 'invalid_fields' ? contactProblems(values) : {}
    return { values, outcome: { kind: 'failed', code, message, errors: faults } }
  },
}

/** The form action of each page with a form. */
export const formActions: { [Name in FormPage]: FormAction<Name> } = {
  contact: contactForm,
  login: loginForm,
  register: registerForm,
  forgotPassword: forgotPasswordForm,
  resetPassword: resetPasswordForm,
  accountDetails: accountDetailsForm,
  accountPassword: accountPasswordForm,
  accountDevices: accountDevicesForm,
  accountData: accountDataForm,
  checkout: payAgainForm,
  findOrder: findOrderForm,
}

/** Whether a page has a form that can be posted to it. */
export function isFormPage(name: PageName): name is FormPage {
  return Object.hasOwn(formActions, name)
}

/** Logout as its button is posted before, or without, its script: ends the session and redirects as the script would (§ 4). */
export function logOutForm(ctx: ServiceContext) {
  return async function logOutForm(c: Context<AppEnv>): Promise<Response> {
    await endSessions({ credentials: presentedCredentials(c) }, ctx)
    clearSessionCookie(c, ctx)
    return c.redirect(hrefAfterLogout(c.req.header('Referer')), 303)
  }
}

/** Login when the visitor was on a page that needs a session, otherwise Home. */
function hrefAfterLogout(referrer: string | undefined): string {
  const url = referrer ? URL.parse(referrer) : null
  const wasProtected = url !== null && pageOf(matchRoute(url.pathname).name).access === 'signed-in'
  return href(wasProtected ? 'login' : 'home')
}

function messageFrom(field: FormFields) {
  return {
    name: field('name'),
    email: field('email'),
    // Line breaks as the browser reads them back from the page.
    message: field('message').replace(/\r\n?/g, '\n'),
  }
}
