import type { Context } from 'hono'
import { errors } from '#shared/errors.ts'
import type { FormResult } from '#shared/page-data.ts'
import { href, matchRoute, pageOf } from '#shared/routes.ts'
import type { FormProblem } from '#shared/rules/auth-forms.ts'
import {
  loginProblem,
  newPasswordProblem,
  REDIRECT_AFTER_RESET_MS,
  registrationFormProblem,
  resetEmailProblem,
} from '#shared/rules/auth-forms.ts'
import type { AppEnv } from '../app-env.ts'
import { clearSessionCookie, sendSessionCookie } from '../auth/cookie.ts'
import { rowOfCookie } from '../auth/sessions.ts'
import type { Deps } from '../deps.ts'
import type { FormFields } from '../http/body.ts'
import { networkAddressOf, originOf } from '../http/request.ts'
import { tooManyRequests } from '../rate-limit.ts'
import type { ServiceError } from '../result.ts'
import { logIn } from '../services/auth/login.ts'
import { logOut } from '../services/auth/logout.ts'
import { register } from '../services/auth/register.ts'
import { requestReset } from '../services/identity/request-reset.ts'
import { resetPassword } from '../services/identity/reset-password.ts'
import type { FormAction } from './form-action.ts'

/** The login form, posted to its page (§ 5). */
export const loginForm: FormAction<'login'> = {
  pageData: formResult(['email']),
  async submit({ c, deps, field }) {
    const values = valuesOf(field, ['email', 'password'])
    const problem = loginProblem(values)
    if (problem) return invalidFields(problem)

    const outcome = await logIn({ ...values, address: networkAddressOf(c) }, deps)
    if (outcome.kind === 'refused')
      return {
        ok: false,
        error: outcome.code === 'too_many_requests' ? tooManyRequests : { code: outcome.code },
      }
    await sendSessionCookie(c, deps, outcome.cookie)
    return { ok: true, data: { redirectTo: href('home') } }
  },
}

/** The registration form, posted to its page (§ 5). */
export const registerForm: FormAction<'register'> = {
  pageData: formResult(['name', 'email']),
  async submit({ c, deps, field }) {
    const values = valuesOf(field, ['name', 'email', 'password', 'confirmPassword'])
    const problem = registrationFormProblem(values)
    if (problem) return invalidFields(problem)

    const outcome = await register({ ...values, address: networkAddressOf(c) }, deps)
    if (outcome.kind === 'refused')
      return {
        ok: false,
        error: outcome.code === 'too_many_requests' ? tooManyRequests : { code: outcome.code },
      }
    await sendSessionCookie(c, deps, outcome.cookie)
    return { ok: true, data: { redirectTo: href('login') } }
  },
}

/** The form that asks for a reset mail, posted to its page (§ 7). */
export const forgotPasswordForm: FormAction<'forgotPassword'> = {
  pageData: formResult(['email']),
  async submit({ c, deps, field }) {
    const values = valuesOf(field, ['email'])
    const problem = resetEmailProblem(values)
    if (problem) return invalidFields(problem)

    const input = { ...values, address: networkAddressOf(c), origin: originOf(c.req, deps.config) }
    const outcome = await requestReset(input, deps)
    if (outcome.kind === 'too-many') return { ok: false, error: tooManyRequests }
    if (outcome.kind === 'refused')
      return { ok: false, error: { code: 'bad_request', message: outcome.message } }
    c.header('Refresh', `${REDIRECT_AFTER_RESET_MS / 1000}; url=${href('login')}`)
    return { ok: true, data: {} }
  },
}

/** The form that sets a new password, posted to its page (§ 7). */
export const resetPasswordForm: FormAction<'resetPassword'> = {
  pageData: formResult(['oobCode']),
  async submit({ c, deps, field }) {
    const { oobCode, ...values } = valuesOf(field, ['oobCode', 'password', 'confirmPassword'])
    const problem = newPasswordProblem(values)
    if (problem) return invalidFields(problem)

    const input = { oobCode, newPassword: values.password, address: networkAddressOf(c) }
    const outcome = await resetPassword(input, deps)
    switch (outcome.kind) {
      case 'done':
        clearSessionCookie(c)
        return { ok: true, data: {} }
      case 'too-many':
        return { ok: false, error: tooManyRequests }
      case 'weak':
        return invalidFields({ message: outcome.message, fields: ['password'] })
      case 'expired':
        return { ok: false, error: { code: 'reset_link_expired' } }
      case 'invalid':
        return { ok: false, error: { code: 'reset_link_invalid' } }
    }
  },
}

/** Logout as its button is posted before, or without, its script: ends the session and redirects as the script would (§ 4). */
export function logOutForm(deps: Deps) {
  return async function logOutForm(c: Context<AppEnv>): Promise<Response> {
    const cookie = c.var.sessionCookie
    if (cookie) await logOut(await rowOfCookie(cookie), deps)
    clearSessionCookie(c)
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
