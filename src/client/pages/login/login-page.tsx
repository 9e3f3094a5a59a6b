import type { PageModule, PageProps } from '../../router/page.ts'
import { FormCard } from '../../ui/form-card.tsx'
import { WithData } from '../../ui/page-data.tsx'
import { LoginForm } from './login-form.tsx'

/** Login (§ 2). */
function LoginPage({ data }: PageProps<'login'>) {
  return (
    <FormCard heading="Welcome Back!" art="dresses">
      <WithData source={data} fallback={null}>
        {(posted) => <LoginForm posted={posted} />}
      </WithData>
    </FormCard>
  )
}

export const page: PageModule<'login'> = { Page: LoginPage, load: () => null }
