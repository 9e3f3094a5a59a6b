import { useSetAtom } from 'jotai'
import { callApi } from '#client/app/api.ts'
import { accountDraftAtom } from '#client/app/drafts.ts'
import type { PageProps } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { storeSessionAtom } from '#client/app/session.ts'
import { Field } from '#client/ui/field.tsx'
import { FormSuccess, NewPasswordFields } from '#client/ui/form-card.tsx'
import { FormError, SubmitButton } from '#client/ui/form-status.tsx'
import { useForm } from '#client/ui/use-form.ts'
import { findPasswordChangeProblem } from '#shared/accounts/account-forms.ts'
import { changePasswordCall } from '#shared/accounts/contract.ts'
import type { FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import { AccountSectionPage } from './account-section.tsx'

const FIELDS = ['oldPassword', 'password', 'confirmPassword'] as const

function AccountPasswordPage({ data }: PageProps<'accountPassword'>) {
  return (
    <AccountSectionPage
      name="accountPassword"
      intro="Changing your password logs out all your other devices. We’ll email you once it’s done."
    >
      <WithData source={data} fallback={null}>
        {(posted) => <PasswordForm posted={posted} />}
      </WithData>
    </AccountSectionPage>
  )
}

/** Changing the password logs out all other devices; this one continues with a new token. */
function PasswordForm({ posted }: { posted: FormResult | null }) {
  const storeSession = useSetAtom(storeSessionAtom)
  const { state, formProps, fieldProps, submitProps } = useForm({
    fields: FIELDS,
    uncontrolled: FIELDS,
    draft: accountDraftAtom,
    posted,
    validate: async (values) => findPasswordChangeProblem(values),
    disablesFields: true,
    async send({ oldPassword, password }) {
      const result = await callApi(changePasswordCall, { oldPassword, newPassword: password })
      if (!result.ok) return result.message ?? 'We couldn’t change your password. Please try again.'
      storeSession(result.data)
    },
  })

  if (state.status === 'success') {
    return (
      <FormSuccess message="Your password has been changed. All other devices are logged out.">
        <a className="button" href={href('dashboard')}>
          Your dashboard
        </a>
      </FormSuccess>
    )
  }
  return (
    <form {...formProps} action={href('accountPassword')} className="panel stack account__form">
      <Field
        label="Current Password"
        {...fieldProps('oldPassword')}
        type="password"
        autoComplete="current-password"
      />
      <NewPasswordFields label="New Password" fieldProps={fieldProps} />
      <FormError state={state} />
      <SubmitButton {...submitProps} label="Change password" busyLabel="Saving..." />
      <p>
        <a href={href('forgotPassword')}>Forgot Password?</a>
      </p>
    </form>
  )
}

export { AccountPasswordPage as Page }
