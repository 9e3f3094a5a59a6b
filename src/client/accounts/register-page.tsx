import { useAtomValue, useSetAtom } from 'jotai'
import { callApi, preloadCall } from '#client/app/api.ts'
import { accountDraftAtom } from '#client/app/drafts.ts'
import { hasRegisteredAtom } from '#client/app/layout/flash-message.tsx'
import { navigate, type PageProps } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { opensRequestedPageAtom, requestedPageAtom, storeSessionAtom } from '#client/app/session.ts'
import { cartItemCountAtom } from '#client/cart/stored-cart.ts'
import { Field } from '#client/ui/field.tsx'
import { FormCard, NewPasswordFields } from '#client/ui/form-card.tsx'
import { FormError, SubmitButton } from '#client/ui/form-status.tsx'
import { useForm } from '#client/ui/use-form.ts'
import type { FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'

const REGISTRATION_FAILED_MESSAGE = 'Registration failed'

const loadCall = () => import('#shared/accounts/contract.ts').then((module) => module.registerCall)

function RegisterPage({ data }: PageProps<'register'>) {
  return (
    <FormCard heading={`Join ${shop.name}!`} art="romper">
      <SavedCart />
      <WithData source={data} fallback={null}>
        {(posted) => <RegisterForm posted={posted} />}
      </WithData>
    </FormCard>
  )
}

/** Shown only to shoppers redirected from a page that requires login. */
function SavedCart() {
  const isRequested = useAtomValue(requestedPageAtom)
  const items = useAtomValue(cartItemCountAtom)
  if (!isRequested || items === 0) return null
  return <p className="banner">{`Your cart is saved: ${items} ${items === 1 ? 'item' : 'items'}.`}</p>
}

/**
 * On success, opens Home, where `FlashMessage` shows the message and redirects to Login (§§ 2, 4), which opens the page
 * that was requested.
 */
function RegisterForm({ posted }: { posted: FormResult | null }) {
  const storeSession = useSetAtom(storeSessionAtom)
  const setDraft = useSetAtom(accountDraftAtom)
  const setHasRegistered = useSetAtom(hasRegisteredAtom)
  const isPageRequested = useAtomValue(requestedPageAtom) !== undefined
  const setOpensRequestedPage = useSetAtom(opensRequestedPageAtom)
  const { state, formProps, fieldProps, submitProps } = useForm({
    fields: ['name', 'email', 'password', 'confirmPassword'],
    uncontrolled: ['password', 'confirmPassword'],
    draft: accountDraftAtom,
    posted,
    validate: async (values) =>
      (await import('#shared/accounts/auth-forms.ts')).findRegistrationFormProblem(values),
    disablesFields: true,
    prepare: () => preloadCall(loadCall),
    async send({ name, email, password }) {
      const result = await callApi(loadCall, { name, email, password })
      if (!result.ok) return result.message ?? REGISTRATION_FAILED_MESSAGE
      storeSession(result.data)
      setDraft(() => ({}))
      // A shopper who has opened another page in the meantime stays there.
      if (location.pathname !== href('register')) return undefined
      setHasRegistered(() => true)
      setOpensRequestedPage(isPageRequested)
      navigate(href('home'))
    },
  })

  if (state.status === 'success') return null
  return (
    <>
      <form {...formProps} action={href('register')} className="stack">
        <Field label="Full Name" {...fieldProps('name')} autoComplete="name" />
        <Field label="Email" {...fieldProps('email')} type="email" autoComplete="username" />
        <NewPasswordFields label="Password" fieldProps={fieldProps} />
        <FormError state={state} />
        <SubmitButton {...submitProps} label="Register" busyLabel="Registering..." />
      </form>
      <p className="form-card__links">
        <a href={href('login')}>Already have an account? Log in</a>
      </p>
    </>
  )
}

export { RegisterPage as Page }
