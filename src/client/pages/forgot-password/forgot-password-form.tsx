import { useEffect } from 'react'
import type { FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import {
  CLIENT_TYPE,
  PASSWORD_RESET,
  REDIRECT_AFTER_RESET_MS,
  resetEmailProblem,
} from '#shared/rules/auth-forms.ts'
import { callApi, prepareCall } from '../../api.ts'
import { navigate } from '../../router/navigate.ts'
import { FormEnd } from '../../ui/form-end.tsx'
import { FormDone } from '../../ui/form-messages.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useForm } from '../../ui/use-form.ts'

/** What is said when the identity service says nothing (§ 8). */
const RESET_FAILED = 'Reset failed. Try again.'

/** The call and its schemas are fetched when the form is being filled in. */
const call = () => import('#shared/contract/identity.ts').then(({ sendOobCode }) => sendOobCode)

/** Asks for a reset mail, and leads on to Login (§§ 2, 4, 5). */
export function ForgotPasswordForm({ posted }: { posted: FormResult | null }) {
  const { state, formProps, fieldProps } = useForm({
    fields: ['email'],
    posted,
    problemOf: resetEmailProblem,
    prepare: () => prepareCall(call),
    async send({ email }) {
      const request = { requestType: PASSWORD_RESET, email, clientType: CLIENT_TYPE } as const
      const result = await callApi(call, request)
      if (!result.ok) return result.message ?? RESET_FAILED
    },
  })

  const isDone = state.status === 'done'
  useEffect(() => {
    if (!isDone) return
    const redirect = setTimeout(() => navigate(href('login')), REDIRECT_AFTER_RESET_MS)
    return () => clearTimeout(redirect)
  }, [isDone])

  return (
    <>
      {isDone ? (
        <FormDone message="Reset email sent! Check your inbox and redirecting..." />
      ) : (
        <form {...formProps} action={href('forgotPassword')} className="stack">
          <TextField label="Email" {...fieldProps('email')} type="email" autoComplete="username" />
          <FormEnd state={state} label="Send Reset Email" busy="Sending..." />
          {state.status === 'loading' && <span className="spinner" />}
        </form>
      )}
      <p className="form-card__ways">
        <a href={href('login')}>Back to Login</a>
      </p>
    </>
  )
}
