import type { PageModule } from '../../router/page.ts'

function ForgotPasswordPage() {
  return <h1>ForgotPassword</h1>
}

export const page: PageModule<'forgotPassword'> = { Page: ForgotPasswordPage, load: () => null }
