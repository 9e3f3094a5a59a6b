import { type ErrorCode, errors } from '#shared/errors.ts'
import type { FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import type { FormProblem } from '#shared/rules/auth-forms.ts'
import {
  loginProblem,
  newPasswordProblem,
  REDIRECT_AFTER_RESET_MS,
  registrationFormProblem,
  resetEmailProblem,
} from '#shared/rules/auth-forms.ts'
import { clearSessionCookie, sendSessionCookie } from '../auth/cookie.ts'
import { isOutage } from '../db/failure.ts'
import { addressOf, LIMIT_PERIOD_SECONDS } from '../middleware/limit-by-address.ts'
import { logIn } from '../services/auth/login.ts'
import { register } from '../services/auth/register.ts'
import { requestReset } from '../services/identity/request-reset.ts'
import { resetPassword } from '../services/identity/reset-password.ts'
import type { FormPost, PostedForm } from './form-post.ts'

type AccountPage = 'login' | 'register' | 'forgotPassword' | 'resetPassword'

/** The forms of an account, posted to their pages: the rules and messages are those of the calls (§ 5, § 8). */
export const accountForms: { [Name in AccountPage]: FormPost<Name> } = {
  login: accountForm(['email'], async (form, fail) => {
    const { c, deps } = form
    const values = fieldsOf(form, ['email', 'password'])
    const problem = loginProblem(values)
    if (problem) return fail('invalid_fields', problem)

    const outcome = await logIn({ ...values, address: addressOf(c) }, deps)
    if (outcome.kind === 'refused') return fail(outcome.code)
    await sendSessionCookie(c, deps, outcome.cookie)
    return { kind: 'redirect', to: href('home') }
  }),

  register: accountForm(['name', 'email'], async (form, fail) => {
    const { c, deps } = form
    const values = fieldsOf(form, ['name', 'email', 'password', 'confirmPassword'])
    const problem = registrationFormProblem(values)
    if (problem) return fail('invalid_fields', problem)

    const outcome = await register({ ...values, address: addressOf(c) }, deps)
    if (outcome.kind === 'refused') return fail(outcome.code)
    await sendSessionCookie(c, deps, outcome.cookie)
    return { kind: 'redirect', to: href('login') }
  }),

  forgotPassword: accountForm(['email'], async (form, fail) => {
    const { c, deps, origin } = form
    const values = fieldsOf(form, ['email'])
    const problem = resetEmailProblem(values)
    if (problem) return fail('invalid_fields', problem)

    const outcome = await requestReset({ ...values, address: addressOf(c), origin }, deps)
    if (outcome.kind === 'too-many') return fail('too_many_requests')
    if (outcome.kind === 'refused') return fail('bad_request', { message: outcome.message, fields: [] })
    c.header('Refresh', `${REDIRECT_AFTER_RESET_MS / 1000}; url=${href('login')}`)
    return DONE
  }),

  resetPassword: accountForm(['oobCode'], async (form, fail) => {
    const { c, deps } = form
    const { oobCode, ...values } = fieldsOf(form, ['oobCode', 'password', 'confirmPassword'])
    const problem = newPasswordProblem(values)
    if (problem) return fail('invalid_fields', problem)

    const input = { oobCode, newPassword: values.password, address: addressOf(c) }
    const outcome = await resetPassword(input, deps)
    switch (outcome.kind) {
      case 'done':
        clearSessionCookie(c)
        return DONE
      case 'too-many':
        return fail('too_many_requests')
      case 'weak':
        return fail('invalid_fields', { message: outcome.message, fields: ['password'] })
      case 'expired':
        return fail('reset_link_expired')
      case 'invalid':
        return fail('reset_link_invalid')
    }
  }),
}

type Answer = { kind: 'redirect'; to: string } | { kind: 'page'; code?: ErrorCode; data: FormResult }
type Fail = (code: ErrorCode, problem?: FormProblem<string>) => Answer

const DONE: Answer = { kind: 'page', data: { values: {}, outcome: { kind: 'done' } } }

/** A form that, when it fails, comes back with what had been typed into the `shown` fields: never a password. */
function accountForm(shown: readonly string[], act: (form: PostedForm, fail: Fail) => Promise<Answer>) {
  return async (form: PostedForm): Promise<Answer> => {
    const { c } = form
    const fail: Fail = (code, problem = { message: errors[code].message, fields: [] }) => {
      if (code === 'too_many_requests') c.header('Retry-After', String(LIMIT_PERIOD_SECONDS))
      const { message, fields } = problem
      const faults = Object.fromEntries(fields.map((field) => [field, message]))
      const outcome = { kind: 'failed', code, message, errors: faults } as const
      return { kind: 'page', code, data: { values: fieldsOf(form, shown), outcome } }
    }
    try {
      return await act(form, fail)
    } catch (error) {
      if (!isOutage(error)) throw error
      c.get('fail')(error)
      return fail('unavailable')
    }
  }
}

function fieldsOf<Field extends string>({ text }: PostedForm, fields: readonly Field[]) {
  return Object.fromEntries(fields.map((field) => [field, text(field)])) as Record<Field, string>
}
