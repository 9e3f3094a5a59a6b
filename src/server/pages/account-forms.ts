import { type ErrorCode, errors } from '#shared/errors.ts'
import type { FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import {
  type FormProblem,
  loginProblem,
  newPasswordProblem,
  REDIRECT_AFTER_RESET_MS,
  registrationFormProblem,
  resetEmailProblem,
} from '#shared/rules/auth-forms.ts'
import { clearSessionCookie, sendSessionCookie } from '../auth/cookie.ts'
import { addressOf, LIMIT_PERIOD_SECONDS } from '../middleware/limit-by-address.ts'
import { logIn } from '../services/auth/login.ts'
import { register } from '../services/auth/register.ts'
import { requestReset } from '../services/identity/request-reset.ts'
import { resetPassword } from '../services/identity/reset-password.ts'
import type { FormPost, PostedForm } from './form-post.ts'

type AccountPage = 'login' | 'register' | 'forgotPassword' | 'resetPassword'

/** The forms of an account, posted to their pages: the rules and messages are those of the calls (§ 5, § 8). */
export const accountForms: { [Name in AccountPage]: FormPost<Name> } = {
  async login(form) {
    const { c, deps } = form
    const values = fieldsOf(form, ['email', 'password'])
    const shown = { email: values.email }
    const problem = loginProblem(values)
    if (problem) return failed(form, shown, 'invalid_fields', problem)

    const outcome = await logIn({ ...values, address: addressOf(c) }, deps)
    if (outcome.kind === 'refused') return failed(form, shown, outcome.code)
    await sendSessionCookie(c, deps, outcome.cookie)
    return { kind: 'redirect', to: href('home') }
  },

  async register(form) {
    const { c, deps } = form
    const values = fieldsOf(form, ['name', 'email', 'password', 'confirmPassword'])
    const shown = { name: values.name, email: values.email }
    const problem = registrationFormProblem(values)
    if (problem) return failed(form, shown, 'invalid_fields', problem)

    const outcome = await register({ ...values, address: addressOf(c) }, deps)
    if (outcome.kind === 'refused') return failed(form, shown, outcome.code)
    await sendSessionCookie(c, deps, outcome.cookie)
    return { kind: 'redirect', to: href('login') }
  },

  async forgotPassword(form) {
    const { c, deps, origin } = form
    const values = fieldsOf(form, ['email'])
    const problem = resetEmailProblem(values)
    if (problem) return failed(form, values, 'invalid_fields', problem)

    const outcome = await requestReset({ ...values, address: addressOf(c), origin }, deps)
    if (outcome.kind === 'too-many') return failed(form, values, 'too_many_requests')
    if (outcome.kind === 'refused')
      return failed(form, values, 'bad_request', { message: outcome.message, fields: [] })
    c.header('Refresh', `${REDIRECT_AFTER_RESET_MS / 1000}; url=${href('login')}`)
    return done
  },

  async resetPassword(form) {
    const { c, deps } = form
    const values = fieldsOf(form, ['oobCode', 'password', 'confirmPassword'])
    const shown = { oobCode: values.oobCode }
    const problem = newPasswordProblem(values)
    if (problem) return failed(form, shown, 'invalid_fields', problem)

    const { oobCode, password } = values
    const outcome = await resetPassword({ oobCode, newPassword: password, address: addressOf(c) }, deps)
    switch (outcome.kind) {
      case 'done':
        clearSessionCookie(c)
        return done
      case 'too-many':
        return failed(form, shown, 'too_many_requests')
      case 'weak':
        return failed(form, shown, 'invalid_fields', { message: outcome.message, fields: ['password'] })
      case 'expired':
      case 'invalid':
        return failed(form, {}, RESET_FAILURES[outcome.kind])
    }
  },
}

const RESET_FAILURES = { expired: 'reset_link_expired', invalid: 'reset_link_invalid' } as const

const done = { kind: 'page', data: { values: {}, outcome: { kind: 'done' } } } as const

function fieldsOf<Field extends string>({ text }: PostedForm, fields: readonly Field[]) {
  return Object.fromEntries(fields.map((field) => [field, text(field)])) as Record<Field, string>
}

/** The page again, with what had been typed (passwords are never among it) and what was wrong. */
function failed(
  { c }: PostedForm,
  values: FormResult['values'],
  code: ErrorCode,
  { message, fields }: FormProblem<string> = { message: errors[code].message, fields: [] },
) {
  if (code === 'too_many_requests') c.header('Retry-After', String(LIMIT_PERIOD_SECONDS))
  const faults = Object.fromEntries(fields.map((field) => [field, message]))
  return {
    kind: 'page',
    code,
    data: { values, outcome: { kind: 'failed', code, message, errors: faults } },
  } as const
}
