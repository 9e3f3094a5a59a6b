import { useSetAtom } from 'jotai'
import type { FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import { registrationFormProblem } from '#shared/rules/auth-forms.ts'
import { callApi, prepareCall } from '../../api.ts'
import { flashMessageAtom } from '../../frame/flash-message.tsx'
import { navigate } from '../../router/navigate.ts'
import { signInAtom } from '../../state/session.ts'
import { FormEnd } from '../../ui/form-end.tsx'
import { NewPasswordFields } from '../../ui/new-password-fields.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useForm } from '../../ui/use-form.ts'

/** What is said when the server says nothing (§ 8). */
const REGISTRATION_FAILED = 'Registration failed'

/** The call and its schemas are fetched when the form is being filled in. */
const call = () => import('#shared/contract/auth.ts').then(({ register }) => register)

/** The registration form and its states; its success is told by the frame, on the way over Home to Login (§§ 2, 4, 5). */
export function RegisterForm({ posted }: { posted: FormResult | null }) {
  const signIn = useSetAtom(signInAtom)
  const setFlashMessage = useSetAtom(flashMessageAtom)
  const { state, formProps, fieldProps } = useForm({
    fields: ['name', 'email', 'password', 'confirmPassword'],
    posted,
    problemOf: registrationFormProblem,
    prepare: () => prepareCall(call),
    async send({ name, email, password }) {
      const result = await callApi(call, { name, email, password })
      if (!result.ok) return result.message ?? REGISTRATION_FAILED
      signIn(result.data)
      // Whoever has gone elsewhere meanwhile is not fetched back.
      if (location.pathname !== href('register')) return undefined
      setFlashMessage('Registration successful! Redirecting to login...')
      navigate(href('home'))
    },
  })

  if (state.status === 'done') return null
  return (
    <>
      <form {...formProps} action={href('register')} className="stack">
        <TextField label="Full Name" {...fieldProps('name')} autoComplete="name" />
        <TextField label="Email" {...fieldProps('email')} type="email" autoComplete="username" />
        <NewPasswordFields label="Password" fieldProps={fieldProps} />
        <FormEnd state={state} label="Register" busy="Registering..." />
      </form>
      <p className="form-card__ways">
        <a href={href('login')}>Already have an account? Login</a>
      </p>
    </>
  )
}
