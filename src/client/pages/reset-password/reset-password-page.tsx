import type { PageModule, PageProps } from '../../router/page.ts'
import { FormCard } from '../../ui/form-card.tsx'
import { WithData } from '../../ui/page-data.tsx'
import { ResetPasswordForm } from './reset-password-form.tsx'

/** Where the reset mail's link leads. */
function ResetPasswordPage({ place, data }: PageProps<'resetPassword'>) {
  return (
    <FormCard heading="Choose a New Password" art="beads">
      <WithData source={data} fallback={null}>
        {(posted) => (
          <ResetPasswordForm
            oobCode={posted?.values.oobCode ?? place.search.get('oobCode') ?? ''}
            posted={posted}
          />
        )}
      </WithData>
    </FormCard>
  )
}

export const page: PageModule<'resetPassword'> = { Page: ResetPasswordPage, load: () => null }
