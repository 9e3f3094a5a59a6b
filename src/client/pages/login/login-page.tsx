import type { PageProps } from '../../router/page.ts'
import { WithData } from '../../router/page-data.tsx'
import { FormCard } from '../../ui/form-card.tsx'
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

export { LoginPage as Page }
