import type { Context } from 'hono'
import { sendMessage } from '#shared/contract/contact.ts'
import { errors } from '#shared/errors.ts'
import type { FormResult, PageData } from '#shared/page-data.ts'
import { href, matchRoute, type PageName, pageOf } from '#shared/routes.ts'
import {
  type FormProblem,
  loginProblem,
  newPasswordProblem,
  REDIRECT_AFTER_RESET_MS,
  registrationFormProblem,
  resetEmailProblem,
} from '#shared/rules/auth-forms.ts'
import { CONTACT_TRAP_FIELD, contactProblems } from '#shared/rules/contact-form.ts'
import { sendSignedInCookies } from '../api/auth.ts'
import type { AppEnv } from '../app-env.ts'
import { clientOf } from '../auth/client.ts'
import { clearSessionCookie } from '../auth/cookies.ts'
import type { Deps } from '../deps.ts'
import type { FormFields } from '../http/body.ts'
import { networkAddressOf, originOf } from '../http/request.ts'
import { credentialsOf } from '../middleware/session.ts'
import type { Result, ServiceError } from '../result.ts'
import { logIn } from '../services/auth/login.ts'
import { register } from '../services/auth/register.ts'
import { endSessions } from '../services/auth/sessions.ts'
import { sendContactMessage } from '../services/contact/send.ts'
import { requestReset } from '../services/password-reset/request.ts'
import { resetPassword } from '../services/password-reset/reset.ts'

/** Pages with a form that browsers post to the page itself, before or without its script. */
export type FormPage = 'contact' | 'login' | 'register' | 'forgotPassword' | 'resetPassword'

/** A posted form. Cookies and headers of the response are set on `c`. */
export type PostedForm = { c: Context<AppEnv>; deps: Deps; field: FormFields }

/** What posting a page's form does. */
export type FormAction<Name extends FormPage> = {
  /** Acts on the form; the visitor is redirected to `redirectTo`, or without it gets the page again. */
  submit: (form: PostedForm) => Promise<Result<{ redirectTo?: string }>>
  /** What the page shows after the form was posted; `error` is undefined on success. */
  pageData: (field: FormFields, error: ServiceError | undefined) => PageData[Name]
}

/** The login form, posted to its page (§ 5). */
const loginForm: FormAction<'login'> = {
  pageData: formResult(['email']),
  async submit({ c, deps, field }) {
    const values = valuesOf(field, ['email', 'password'])
    const problem = loginProblem(values)
    if (problem) return invalidFields(problem)

    const browser = { client: await clientOf(c, deps), presented: credentialsOf(c) }
    const result = await logIn({ ...values, ...browser }, deps)
    if (!result.ok) return result
    await sendSignedInCookies(c, deps, result.data)
    return { ok: true, data: { redirectTo: href('home') } }
  },
}

/** The registration form, posted to its page (§ 5). */
const registerForm: FormAction<'register'> = {
  pageData: formResult(['name', 'email']),
  async submit({ c, deps, field }) {
    const values = valuesOf(field, ['name', 'email', 'password', 'confirmPassword'])
    const problem = registrationFormProblem(values)
    if (problem) return invalidFields(problem)

    const browser = { client: await clientOf(c, deps), presented: credentialsOf(c) }
    const result = await register({ ...values, ...browser, origin: originOf(c.req, deps.config) }, deps)
    if (!result.ok) return result
    await sendSignedInCookies(c, deps, result.data)
    return { ok: true, data: { redirectTo: href('login') } }
  },
}

/** The form that asks for a reset mail, posted to its page (§ 7). */
const forgotPasswordForm: FormAction<'forgotPassword'> = {
  pageData: formResult(['email']),
  async submit({ c, deps, field }) {
    const values = valuesOf(field, ['email'])
    const problem = resetEmailProblem(values)
    if (problem) return invalidFields(problem)

    const origin = originOf(c.req, deps.config)
    const result = await requestReset({ ...values, client: await clientOf(c, deps), origin }, deps)
    if (!result.ok) return result
    c.header('Refresh', `${REDIRECT_AFTER_RESET_MS / 1000}; url=${href('login')}`)
    return { ok: true, data: {} }
  },
}

/** The form that sets a new password, posted to its page (§ 7). */
const resetPasswordForm: FormAction<'resetPassword'> = {
  pageData: formResult(['oobCode']),
  async submit({ c, deps, field }) {
    const { oobCode, ...values } = valuesOf(field, ['oobCode', 'password', 'confirmPassword'])
    const problem = newPasswordProblem(values)
    if (problem) return invalidFields(problem)

    const input = { oobCode, newPassword: values.password, client: await clientOf(c, deps) }
    const result = await resetPassword(input, deps)
    if (result.ok) {
      clearSessionCookie(c, deps)
      return { ok: true, data: {} }
    }
    const { code, message } = result.error
    return code === 'weak_password' && message ? invalidFields({ message, fields: ['password'] }) : result
  },
}

/** The contact form, posted to its page. */
const contactForm: FormAction<'contact'> = {
  async submit({ c, deps, field }) {
    const input = sendMessage.request.safeParse({
      ...messageFrom(field),
      [CONTACT_TRAP_FIELD]: field(CONTACT_TRAP_FIELD),
    })
    // The page has the message for each field.
    if (!input.success) return { ok: false, error: { code: 'invalid_fields' } }
    const sent = await sendContactMessage({ ...input.data, clientAddress: networkAddressOf(c) }, deps)
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
}

/** Whether a page has a form that can be posted to it. */
export function isFormPage(name: PageName): name is FormPage {
  return Object.hasOwn(formActions, name)
}

/** Logout as its button is posted before, or without, its script: ends the session and redirects as the script would (§ 4). */
export function logOutForm(deps: Deps) {
  return async function logOutForm(c: Context<AppEnv>): Promise<Response> {
    await endSessions({ credentials: credentialsOf(c) }, deps)
    clearSessionCookie(c, deps)
    return c.redirect(hrefAfterLogout(c.req.header('Referer')), 303)
  }
}

/** Login when the visitor was on a page that needs a session, otherwise Home. */
function hrefAfterLogout(referrer: string | undefined): string {
  const url = referrer ? URL.parse(referrer) : null
  const wasProtected = url !== null && pageOf(matchRoute(url.pathname).name).access === 'signed-in'
  return href(wasProtected ? 'login' : 'home')
}

/** Page data that shows the `shown` fields again when the form failed: never a password. */
function formResult(shown: readonly string[]) {
  return (field: FormFields, error: ServiceError | undefined): FormResult => {
    if (!error) return { values: {}, outcome: { kind: 'done' } }
    const { code, message = errors[code].message, fieldErrors = {} } = error
    const outcome = { kind: 'failed', code, message, errors: fieldErrors } as const
    return { values: valuesOf(field, shown), outcome }
  }
}

function invalidFields({ message, fields }: FormProblem<string>): { ok: false; error: ServiceError } {
  const fieldErrors = Object.fromEntries(fields.map((name) => [name, message]))
  return { ok: false, error: { code: 'invalid_fields', message, fieldErrors } }
}

function valuesOf<Field extends string>(field: FormFields, names: readonly Field[]) {
  return Object.fromEntries(names.map((name) => [name, field(name)])) as Record<Field, string>
}

function messageFrom(field: FormFields) {
  return {
    name: field('name'),
    email: field('email'),
    // Line breaks as the browser reads them back from the page.
    message: field('message').replace(/\r\n?/g, '\n'),
  }
}
