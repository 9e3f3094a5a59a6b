import { useSetAtom } from 'jotai'
import { useEffect } from 'react'
import type { FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import { loginProblem, REDIRECT_AFTER_LOGIN_MS } from '#shared/rules/auth-forms.ts'
import { callApi, prepareCall } from '../../api.ts'
import { navigate } from '../../router/navigate.ts'
import { signInAtom } from '../../state/session.ts'
import { FormEnd } from '../../ui/form-end.tsx'
import { FormDone } from '../../ui/form-messages.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { SignedInNotice } from './signed-in-notice.tsx'

/** What is said when the server says nothing (§ 8). */
const LOGIN_FAILED = 'Login failed'

/** The call and its schemas are fetched when the form is being filled in. */
const call = () => import('#shared/contract/auth.ts').then(({ login }) => login)

/** The login form, its states, and the way on to Home (§§ 2, 4, 5). */
export function LoginForm({ posted }: { posted: FormResult | null }) {
  const signIn = useSetAtom(signInAtom)
  const { state, formProps, fieldProps } = useForm({
    fields: ['email', 'password'],
    posted,
    problemOf: loginProblem,
    prepare: () => prepareCall(call),
    async send(values) {
      const result = await callApi(call, values)
      if (!result.ok) return result.message ?? LOGIN_FAILED
      signIn(result.data)
    },
  })

  const isDone = state.status === 'done'
  useEffect(() => {
    if (!isDone) return
    const redirect = setTimeout(() => navigate(href('home')), REDIRECT_AFTER_LOGIN_MS)
    return () => clearTimeout(redirect)
  }, [isDone])

  if (isDone) return <FormDone message="Login successful! Redirecting..." />
  return (
    <>
      <SignedInNotice />
      <form {...formProps} action={href('login')} className="stack">
        <TextField label="Email address" {...fieldProps('email')} type="email" autoComplete="username" />
        <TextField
          label="Password"
          {...fieldProps('password')}
          type="password"
          autoComplete="current-password"
        />
        <FormEnd state={state} label="Login" busy="Logging in..." />
      </form>
      <nav className="form-card__ways" aria-label="Account">
        <a href={href('register')}>Register</a>
        <a href={href('forgotPassword')}>Forgot Password?</a>
      </nav>
    </>
  )
}
