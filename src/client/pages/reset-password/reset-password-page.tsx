import type { PageProps } from '../../router/page.ts'
import { WithData } from '../../router/page-data.tsx'
import { FormCard } from '../../ui/form-card.tsx'
import { ResetPasswordForm } from './reset-password-form.tsx'

/** Where the reset mail's link leads. */
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

export { ResetPasswordPage as Page }
