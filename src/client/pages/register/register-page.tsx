import { shop } from '#shared/shop.ts'
import type { PageProps } from '../../router/page.ts'
import { WithData } from '../../router/page-data.tsx'
import { FormCard } from '../../ui/form-card.tsx'
import { RegisterForm } from './register-form.tsx'

/** Register (§ 2). */
function RegisterPage({ data }: PageProps<'register'>) {
  return (
    <FormCard heading={`Join ${shop.name}!`} art="romper">
      <WithData source={data} fallback={null}>
        {(posted) => <RegisterForm posted={posted} />}
      </WithData>
    </FormCard>
  )
}

export { RegisterPage as Page }
