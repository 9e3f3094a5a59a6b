import { useAtom, useAtomValue, useSetAtom } from 'jotai'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import {
  BILLING_FIELDS,
  type BillingField,
  type BillingForm,
  billingProblem,
} from '#shared/rules/checkout-form.ts'
import { formatKsh } from '#shared/rules/format.ts'
import { billingDraftAtom } from '../../state/billing-draft.ts'
import { placeOrderAtom, placingAtom, recheckAttemptAtom } from '../../state/order.ts'
import { userAtom } from '../../state/session.ts'
import { BillingFields } from './billing-fields.tsx'
import { CardFields, type CardHandle } from './card-fields.tsx'
import { OrderErrorBanner } from './order-error-banner.tsx'
import { prefilled } from './prefill.ts'

type FieldErrors = Partial<Record<BillingField, string>>

/** The billing and payment form (§ 2, § 5). What was typed stays through every failure, and for coming back. */
export function CheckoutForm({ totalKsh }: { totalKsh: number }) {
  const user = useAtomValue(userAtom)
  const placing = useAtomValue(placingAtom)
  const place = useSetAtom(placeOrderAtom)
  const askAgain = useSetAtom(recheckAttemptAtom)
  const [typed, setTyped] = useAtom(billingDraftAtom)
  const [errors, setErrors] = useState<FieldErrors>({})
  const card = useRef<CardHandle>(null)
  const element = useRef<HTMLFormElement>(null)
  const form: BillingForm = { ...prefilled(user), ...typed }
  const error = placing.status === 'editing' ? placing.error : undefined
  const isBusy = placing.status !== 'editing'
  const errorBefore = useRef(error)

  useEffect(() => {
    if (error) setErrors(error.fieldErrors)
    if (!isBusy) errorBefore.current = error
  }, [error, isBusy])

  useEffect(() => {
    const ask = () => void askAgain()
    addEventListener('online', ask)
    return () => removeEventListener('online', ask)
  }, [askAgain])

  function edit(field: BillingField, value: string) {
    setTyped({ [field]: value })
    setErrors(({ [field]: _, ...others }) => others)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isBusy || !card.current) return
    const problems = billingProblems(form)
    const isCardGood = card.current.check()
    setErrors(problems)
    const [first] = Object.keys(problems)
    if (first) element.current?.querySelector<HTMLElement>(`#${first}`)?.focus()
    else if (!isCardGood) card.current.focusFirstProblem()
    else await place({ billing: form, payment: await card.current.payment(), expectedTotalKsh: totalKsh })
  }

  return (
    <form ref={element} className="panel stack checkout__form" method="post" noValidate onSubmit={submit}>
      <div>
        <h2>{user?.name ? `Hello, ${user.name}!` : 'Welcome, valued customer!'}</h2>
        <p>Please confirm your billing details.</p>
      </div>
      <BillingFields form={form} errors={errors} onEdit={edit} />
      <CardFields ref={card} />
      <OrderErrorBanner error={error} before={isBusy ? errorBefore.current : undefined} />
      <button type="submit" className="button button--wide" aria-busy={isBusy}>
        {isBusy ? 'Processing...' : `Complete Order - ${formatKsh(totalKsh)}`}
      </button>
    </form>
  )
}

function billingProblems(form: BillingForm): FieldErrors {
  const found = BILLING_FIELDS.map((field) => [field, billingProblem(field, form[field])] as const)
  return Object.fromEntries(found.filter(([, problem]) => problem !== undefined))
}
