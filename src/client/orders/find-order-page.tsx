import { useRef, useState } from 'react'
import { callApi, preloadCall } from '#client/app/api.ts'
import { accountDraftAtom } from '#client/app/drafts.ts'
import type { PageProps } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { useUser } from '#client/app/use-user.ts'
import { Field } from '#client/ui/field.tsx'
import { FormCard, FormSuccess } from '#client/ui/form-card.tsx'
import { FormError, SubmitButton } from '#client/ui/form-status.tsx'
import { useForm } from '#client/ui/use-form.ts'
import type { FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'

const SEND_FAILED_MESSAGE = 'We couldn’t send the link. Please try again in a minute.'

const loadCall = () => import('#shared/orders/contract.ts').then((module) => module.requestOrderLinkCall)

function FindOrderPage({ location, data }: PageProps<'findOrder'>) {
  const user = useUser()
  return (
    <FormCard heading="Track your order" art="romper">
      {user && (
        <a className="button button--quiet button--wide" href={href('dashboard')}>
          Your orders
        </a>
      )}
      <p className="lead">
        Enter the order number and the email address or phone number you ordered with. We’ll email you a link
        to your order.
      </p>
      <WithData source={data} fallback={null}>
        {(posted) => <FindOrderForm posted={posted} number={location.search.get('number') ?? ''} />}
      </WithData>
      <p>
        {'Can’t open that email? '}
        <a href={href('contact')}>Contact us</a>.
      </p>
      {!user && (
        <p className="form-card__links">
          <a href={href('dashboard')}>Your orders</a>
        </p>
      )}
    </FormCard>
  )
}

const loadRules = () => import('#shared/orders/order-link.ts')

function FindOrderForm({ posted, number }: { posted: FormResult | null; number: string }) {
  const rulesRef = useRef<Awaited<ReturnType<typeof loadRules>>>(undefined)
  // The message stays while the shopper corrects a field, because the fields would move otherwise.
  const [sentCount, setSentCount] = useState(posted?.outcome.kind === 'done' ? 1 : 0)
  const { state, formProps, fieldProps, submitProps } = useForm({
    fields: ['number', 'contact'],
    draft: accountDraftAtom,
    initial: { number },
    posted,
    // Until the rules have loaded, only the server validates.
    validateField: (field, value) => rulesRef.current?.findOrderLinkProblem(field, value),
    disablesFields: true,
    prepare() {
      preloadCall(loadCall)
      void loadRules()
        .then((rules) => {
          rulesRef.current = rules
        })
        .catch(() => {})
    },
    async send(values) {
      const result = await callApi(loadCall, values)
      if (result.ok) return void setSentCount((count) => count + 1)
      const hasFieldErrors = result.errors.number !== undefined || result.errors.contact !== undefined
      return hasFieldErrors ? result.errors : (result.message ?? SEND_FAILED_MESSAGE)
    },
  })

  return (
    <form {...formProps} action={href('findOrder')} className="stack" data-offline="your request wasn’t sent">
      {sentCount > 0 && state.status !== 'error' && (
        <FormSuccess
          key={sentCount}
          message="If your details match an order, we’ve emailed a link to the address used for that order."
        >
          <p>
            No email after a few minutes? Check your spam folder. If it isn’t there, check the details below
            and try again.
          </p>
        </FormSuccess>
      )}
      <Field
        label="Order number"
        {...fieldProps('number')}
        placeholder={`${shop.orderPrefix}-7K3M9Q`}
        autoComplete="off"
      />
      <Field label="Email or phone" {...fieldProps('contact')} autoComplete="email" />
      <FormError state={state} />
      <SubmitButton {...submitProps} label="Send link" busyLabel="Sending..." />
    </form>
  )
}

export { FindOrderPage as Page }
