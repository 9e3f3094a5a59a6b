import { shop } from '#shared/shop.ts'
import type { PageModule, PageProps } from '../../router/page.ts'
import { FormCard } from '../../ui/form-card.tsx'
import { WithData } from '../../ui/page-data.tsx'
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

export const page: PageModule<'register'> = { Page: RegisterPage, load: () => null }
