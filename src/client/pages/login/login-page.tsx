import type { PageModule } from '../../router/page.ts'

function LoginPage() {
  return <h1>Login</h1>
}

export const page: PageModule<'login'> = { Page: LoginPage, load: () => null }
