import { useSetAtom } from 'jotai'
import { useState } from 'react'
import { callApi, preloadCall } from '#client/app/api.ts'
import { accountDraftAtom } from '#client/app/drafts.ts'
import type { PageProps } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { clearSessionAtom } from '#client/app/session.ts'
import { FormCard, FormSuccess, NewPasswordFields } from '#client/ui/form-card.tsx'
import { ErrorBanner, FormError, SubmitButton } from '#client/ui/form-status.tsx'
import { useForm } from '#client/ui/use-form.ts'
import { RESET_CODES, RESET_LINK_PROBLEMS } from '#shared/accounts/password-reset.ts'
import type { FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'

const RESET_FAILED_MESSAGE = 'Reset failed. Try again.'

const loadCall = () => import('#shared/accounts/contract.ts').then((module) => module.resetPasswordCall)

function ResetPasswordPage({ location, data }: PageProps<'resetPassword'>) {
  return (
    <FormCard heading="Choose a New Password" art="beads">
      <WithData source={data} fallback={null}>
        {(posted) => (
          <ResetPasswordForm
            oobCode={posted?.values.oobCode ?? location.search.get('oobCode') ?? ''}
            posted={posted}
          />
        )}
      </WithData>
    </FormCard>
  )
}

type ResetPasswordFormProps = { oobCode: string; posted: FormResult | null }

function ResetPasswordForm({ oobCode, posted }: ResetPasswordFormProps) {
  const clearSession = useSetAtom(clearSessionAtom)
  const [areDetailsRemoved, setDetailsRemoved] = useState(false)
  const setDraft = useSetAtom(accountDraftAtom)
  const [linkError, setLinkError] = useState(() => getInitialLinkError(oobCode, posted))
  const { state, formProps, fieldProps, submitProps } = useForm({
    fields: ['password', 'confirmPassword'],
    uncontrolled: ['password', 'confirmPassword'],
    draft: accountDraftAtom,
    posted,
    validate: async (values) =>
      (await import('#shared/accounts/auth-forms.ts')).findNewPasswordProblem(values),
    disablesFields: true,
    prepare: () => preloadCall(loadCall),
    async send({ password }) {
      const result = await callApi(loadCall, { oobCode, newPassword: password })
      if (result.ok) {
        setDetailsRemoved(result.data.areDetailsRemoved ?? false)
        // The server has ended all of this user's sessions.
        clearSession()
        setDraft(() => ({ email: result.data.email }))
        return undefined
      }
      const { message = RESET_FAILED_MESSAGE } = result
      setLinkError(getLinkError(message))
      return message.replace(`${RESET_CODES.weak} : `, '')
    },
  })

  if (state.status === 'success') {
    return (
      <FormSuccess message="Your new password has been set.">
        {areDetailsRemoved && (
          <p>
            You hadn’t confirmed this email address before. In case someone else registered with it, we’ve
            removed the name and address saved in the account. Your orders are still there, and the Details
            page can fill in what you entered for the last one.
          </p>
        )}
        <a className="button" href={href('login')}>
          Log in
        </a>
      </FormSuccess>
    )
  }
  if (linkError) {
    return (
      <>
        <ErrorBanner role="alert">{linkError}</ErrorBanner>
        <a className="button" href={href('forgotPassword')}>
          Request a new link
        </a>
      </>
    )
  }
  return (
    <form {...formProps} action={href('resetPassword')} className="stack">
      <input type="hidden" name="oobCode" value={oobCode} />
      <NewPasswordFields label="New Password" fieldProps={fieldProps} />
      <FormError state={state} />
      <SubmitButton {...submitProps} label="Set New Password" busyLabel="Saving..." />
    </form>
  )
}

function getInitialLinkError(oobCode: string, posted: FormResult | null): string | undefined {
  if (posted?.outcome.kind === 'failed') {
    const { code, message } = posted.outcome
    if (code === 'reset_link_expired' || code === 'reset_link_invalid') return message
  }
  return oobCode || posted?.outcome.kind === 'done' ? undefined : RESET_LINK_PROBLEMS.invalid
}

function getLinkError(message: string): string | undefined {
  if (message === RESET_CODES.expired) return RESET_LINK_PROBLEMS.expired
  if (message === RESET_CODES.invalid) return RESET_LINK_PROBLEMS.invalid
  return undefined
}

export { ResetPasswordPage as Page }
