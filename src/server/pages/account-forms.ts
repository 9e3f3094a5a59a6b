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
import { sendSignedInCookies } from '../api/auth.ts'
import type { AppEnv } from '../app-env.ts'
import { clientOf } from '../auth/client.ts'
import { clearSessionCookie } from '../auth/cookies.ts'
import type { Deps } from '../deps.ts'
import type { FormFields } from '../http/body.ts'
import { originOf } from '../http/request.ts'
import { credentialsOf } from '../middleware/session.ts'
import type { ServiceError } from '../result.ts'
import { logIn } from '../services/auth/login.ts'
import { register } from '../services/auth/register.ts'
import { endSessions } from '../services/auth/sessions.ts'
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

    const browser = { client: await clientOf(c, deps), presented: credentialsOf(c) }
    const result = await logIn({ ...values, ...browser }, deps)
    if (!result.ok) return result
    await sendSignedInCookies(c, deps, result.data)
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

    const browser = { client: await clientOf(c, deps), presented: credentialsOf(c) }
    const result = await register({ ...values, ...browser, origin: originOf(c.req, deps.config) }, deps)
    if (!result.ok) return result
    await sendSignedInCookies(c, deps, result.data)
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

    const origin = originOf(c.req, deps.config)
    const result = await requestReset({ ...values, client: await clientOf(c, deps), origin }, deps)
    if (!result.ok) return result
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
