import type { PageModule } from '../../router/page.ts'

function ResetPasswordPage() {
  return <h1>ResetPassword</h1>
}

export const page: PageModule<'resetPassword'> = { Page: ResetPasswordPage, load: () => null }
