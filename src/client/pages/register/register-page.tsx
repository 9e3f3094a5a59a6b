import type { PageModule } from '../../router/page.ts'

function RegisterPage() {
  return <h1>Register</h1>
}

export const page: PageModule<'register'> = { Page: RegisterPage, load: () => null }
