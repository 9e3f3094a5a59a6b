import type { PageProps } from '../../router/page.ts'
import { WithData } from '../../router/page-data.tsx'
import { FormCard } from '../../ui/form-card.tsx'
import { ForgotPasswordForm } from './forgot-password-form.tsx'

/** Forgot password (§ 2). */
function ForgotPasswordPage({ data }: PageProps<'forgotPassword'>) {
  return (
    <FormCard heading="Reset Password" intro="Enter your email to receive a password reset link." art="beads">
      <WithData source={data} fallback={null}>
        {(posted) => <ForgotPasswordForm posted={posted} />}
      </WithData>
    </FormCard>
  )
}

export { ForgotPasswordPage as Page }
