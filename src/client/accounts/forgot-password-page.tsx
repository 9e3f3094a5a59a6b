import { callApi, preloadCall } from '#client/app/api.ts'
import { accountDraftAtom } from '#client/app/drafts.ts'
import type { PageProps } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { Field } from '#client/ui/field.tsx'
import { FormCard, FormSuccess } from '#client/ui/form-card.tsx'
import { FormError, SubmitButton } from '#client/ui/form-status.tsx'
import { useForm } from '#client/ui/use-form.ts'
import { REDIRECT_AFTER_RESET_MS } from '#shared/accounts/limits.ts'
import type { FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'

const RESET_FAILED_MESSAGE = 'Reset failed. Try again.'

const loadCall = () => import('#shared/accounts/contract.ts').then((module) => module.sendOobCodeCall)

function ForgotPasswordPage({ data }: PageProps<'forgotPassword'>) {
  return (
    <FormCard heading="Reset Password" intro="Enter your email to receive a password reset link." art="beads">
      <WithData source={data} fallback={null}>
        {(posted) => <ForgotPasswordForm posted={posted} />}
      </WithData>
      <p className="form-card__links">
        <a href={href('login')}>Back to Login</a>
      </p>
    </FormCard>
  )
}

function ForgotPasswordForm({ posted }: { posted: FormResult | null }) {
  const { state, formProps, fieldProps, submitProps } = useForm({
    fields: ['email'],
    draft: accountDraftAtom,
    posted,
    validate: async (values) =>
      (await import('#shared/accounts/auth-forms.ts')).findResetEmailProblem(values),
    disablesFields: true,
    prepare: () => preloadCall(loadCall),
    async send({ email }) {
      const request = { requestType: 'PASSWORD_RESET', email, clientType: 'CLIENT_TYPE_WEB' } as const
      const result = await callApi(loadCall, request)
      if (!result.ok) return result.message ?? RESET_FAILED_MESSAGE
    },
  })

  if (state.status === 'success') {
    const redirect = { to: href('login'), afterMs: REDIRECT_AFTER_RESET_MS }
    return <FormSuccess message="Reset email sent! Check your inbox and redirecting..." redirect={redirect} />
  }
  return (
    <form {...formProps} action={href('forgotPassword')} className="stack">
      <Field label="Email" {...fieldProps('email')} type="email" autoComplete="username" />
      <FormError state={state} />
      <SubmitButton {...submitProps} label="Send Reset Email" busyLabel="Sending..." />
      {state.status === 'loading' && <span className="spinner" />}
    </form>
  )
}

export { ForgotPasswordPage as Page }
