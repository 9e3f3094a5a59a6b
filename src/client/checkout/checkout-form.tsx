import { useAtom, useAtomValue, useSetAtom, useStore } from 'jotai'
import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { bootAtom } from '#client/app/boot.ts'
import { userAtom } from '#client/app/session.ts'
import type { FieldBinding } from '#client/ui/field.tsx'
import { SubmitButton } from '#client/ui/form-status.tsx'
import { useForm } from '#client/ui/use-form.ts'
import type { Cart } from '#shared/cart/cart.ts'
import { isCashOffered } from '#shared/checkout/delivery.ts'
import { calculateSubtotalCents, hasFreeShipping } from '#shared/checkout/pricing.ts'
import { formatKsh } from '#shared/format.ts'
import { findOrderFieldProblem, isOptional, ORDER_FIELDS } from '#shared/orders/fields.ts'
import { NOTHING_TO_PAY_MESSAGE } from '#shared/orders/payment-status.ts'
import { findPaymentPhoneProblem, PHONE_EXAMPLE } from '#shared/payments/payment.ts'
import {
  DEFAULT_METHOD,
  hasFlow,
  listProvidersWithFlow,
  type PaymentMethod,
  PROMPT_PHONE_FIELD,
} from '#shared/payments/providers.ts'
import { type PlacementState, placementAtom, recheckCheckoutAttemptAtom } from './attempt-outcome.ts'
import { billingDraftAtom, deliveryChoiceAtom, getBillingPrefill, getPhonePrefill } from './billing.ts'
import type { CardHandle } from './card-fields.tsx'
import { ConfirmSizes, listUnconfirmedLines } from './confirm-sizes.tsx'
import { DeliveryMethodFields } from './delivery-method-fields.tsx'
import { InvalidFields } from './invalid-fields.tsx'
import { OrderErrorBanner } from './order-error-banner.tsx'
import { DisclosedOrderField } from './order-field-input.tsx'
import { createPayment, PayWith, withMethodFirst } from './pay-with.tsx'
import { placeOrderAtom } from './place-order.ts'
import { lastPaymentMethodAtom, selectedProviderAtom } from './shown-order.ts'

const PROMPT_PHONE_NOTE = `${PHONE_EXAMPLE}. If empty, the rider will call your M-Pesa number.`

const FIELDS = [...ORDER_FIELDS, 'deliveryMethod', PROMPT_PHONE_FIELD] as const
type FormField = (typeof FIELDS)[number]

const getError = (placement: PlacementState) => (placement.status === 'editing' ? placement.error : undefined)

const REQUIRED_FIELDS = ORDER_FIELDS.filter((field) => !isOptional(field))

export function CheckoutForm({ cart, totalKsh }: { cart: Cart; totalKsh: number }) {
  const store = useStore()
  const user = useAtomValue(userAtom)
  const placement = useAtomValue(placementAtom)
  const place = useSetAtom(placeOrderAtom)
  const recheck = useSetAtom(recheckCheckoutAttemptAtom)
  const lastMethod = useAtomValue(lastPaymentMethodAtom)
  const { payments } = useAtomValue(bootAtom)
  const { method, terms, county } = useAtomValue(deliveryChoiceAtom)
  const isCash = isCashOffered(terms, { method, county, totalKsh })
  const offered = isCash ? [...payments, ...listProvidersWithFlow('on-delivery')] : payments
  const isFree = totalKsh === 0
  const paymentMethods = isFree ? listProvidersWithFlow('on-delivery') : withMethodFirst(offered, lastMethod)
  const [selected, selectMethod] = useAtom(selectedProviderAtom)
  const paymentMethod =
    paymentMethods.find((name) => name === selected) ?? paymentMethods[0] ?? DEFAULT_METHOD
  const [draft, setDraft] = useAtom(billingDraftAtom)
  const cardRef = useRef<CardHandle>(null)
  const sizesRef = useRef<HTMLDivElement>(null)
  const [hasSizeError, setSizeError] = useState(false)
  const [wasSubmitted, setSubmitted] = useState(false)
  const unconfirmedLines = listUnconfirmedLines(cart)
  const prefill = { ...getBillingPrefill(user), ...getPhonePrefill(user, draft) }
  const { formProps, fieldProps, submitProps, values } = useForm({
    fields: FIELDS,
    draft: billingDraftAtom,
    initial: { ...prefill, deliveryMethod: 'delivery' },
    validateField: (field, value) => validateFormField(field, value, paymentMethod),
    part: {
      current: {
        validate() {
          setSubmitted(true)
          setSizeError(unconfirmedLines.length > 0)
          return (cardRef.current?.validate() ?? true) && unconfirmedLines.length === 0
        },
      },
    },
    isBusy: placement.status !== 'editing',
    async send({ [PROMPT_PHONE_FIELD]: promptPhone, deliveryMethod: _, ...billing }) {
      // Once stored, the number for the prompt no longer follows the order's phone number.
      if (promptPhone) setDraft((now) => ({ ...now, [PROMPT_PHONE_FIELD]: promptPhone }))
      const payment = await createPayment(paymentMethod, promptPhone, cardRef.current)
      if (payment) await place({ billing, payment, expectedTotalKsh: totalKsh })
      return getError(store.get(placementAtom))?.fieldErrors
    },
  })

  const isPromptPhonePrefilled =
    draft?.[PROMPT_PHONE_FIELD] === undefined && values[PROMPT_PHONE_FIELD] !== ''
  const promptPhone = fieldProps(PROMPT_PHONE_FIELD)
  // A number copied from the order's phone field may fix the error of the empty field.
  if (isPromptPhonePrefilled && !findPaymentPhoneProblem(values[PROMPT_PHONE_FIELD], paymentMethod))
    promptPhone.error = undefined

  // Editing doesn't remove the shortcut, because the fields would move.
  const [wasEdited] = useState(() => REQUIRED_FIELDS.some((field) => values[field] !== prefill[field]))
  const hasSavedDetails =
    !wasEdited && REQUIRED_FIELDS.every((field) => !findOrderFieldProblem(field, prefill[field]))

  useEffect(() => {
    const onOnline = () => void recheck()
    addEventListener('online', onOnline)
    return () => removeEventListener('online', onOnline)
  }, [recheck])

  return (
    <form {...formProps} className="panel stack checkout__form">
      <div>
        <h2>{user?.name ? `Hello, ${user.name}!` : 'Welcome, valued customer!'}</h2>
        <p>Please confirm your billing details.</p>
      </div>
      <ConfirmSizes lines={unconfirmedLines} hasError={hasSizeError} groupRef={sizesRef} />
      {hasSavedDetails && (
        <div className="spread">
          Your saved details are filled in.
          <a className="button button--quiet" href={`#${PAY_WITH_ID}`} onClick={showPayment}>
            Go to payment
          </a>
        </div>
      )}
      {terms.pickup && (
        <DeliveryMethodFields
          field={{ ...fieldProps('deliveryMethod'), value: method }}
          terms={terms}
          county={county}
          hasFreeShipping={hasFreeShipping(calculateSubtotalCents(cart))}
        />
      )}
      <BillingFields
        fieldProps={fieldProps}
        isDelivery={method === 'delivery'}
        hasPromptPhone={hasFlow(paymentMethod, 'prompt')}
      />
      <section id={PAY_WITH_ID} className="stack checkout__form" aria-label="Payment" tabIndex={-1}>
        {isFree ? (
          <p>{NOTHING_TO_PAY_MESSAGE}</p>
        ) : (
          <PayWith
            methods={paymentMethods}
            method={paymentMethod}
            onSelect={selectMethod}
            cardRef={cardRef}
            promptPhone={promptPhone}
            phoneNote={isPromptPhonePrefilled ? 'To pay from another number, enter it here.' : undefined}
            isBusy={submitProps.isBusy}
          />
        )}
      </section>
      {wasSubmitted && <InvalidFields />}
      <OrderErrorBanner error={getError(placement)} isBusy={submitProps.isBusy} />
      <SubmitButton
        {...submitProps}
        label={`Complete Order - ${formatKsh(totalKsh)}`}
        busyLabel="Processing..."
      />
    </form>
  )
}

const PAY_WITH_ID = 'pay-with'

function showPayment(event: MouseEvent): void {
  event.preventDefault()
  const payment = document.getElementById(PAY_WITH_ID)
  payment?.focus({ preventScroll: true })
  payment?.scrollIntoView()
}

function validateFormField(field: FormField, value: string, method: PaymentMethod): string | undefined {
  if (field === PROMPT_PHONE_FIELD)
    return hasFlow(method, 'prompt') ? findPaymentPhoneProblem(value, method) : undefined
  if (field === 'deliveryMethod') return undefined
  return findOrderFieldProblem(field, value)
}

type BillingFieldsProps = {
  fieldProps: (field: FormField) => FieldBinding
  isDelivery: boolean
  hasPromptPhone: boolean
}

function BillingFields({ fieldProps, isDelivery, hasPromptPhone }: BillingFieldsProps) {
  return (
    <fieldset className="fieldset">
      <legend>Billing details</legend>
      <p className="field--wide note">
        {isDelivery
          ? 'We’ll deliver to this address.'
          : 'Only for billing. We won’t deliver to this address.'}
      </p>
      {ORDER_FIELDS.map((field) => {
        const binding = fieldProps(field)
        // A hidden landmark is still sent, so that the next checkout is prefilled with it.
        if (!isDelivery && field === 'landmark')
          return <input key={field} type="hidden" name={field} value={binding.value} />
        return (
          <DisclosedOrderField
            key={field}
            field={field}
            binding={binding}
            section="billing"
            {...(!isDelivery && field === 'phone' && { label: 'Phone (optional)' })}
            {...(isDelivery && hasPromptPhone && field === 'phone' && { note: PROMPT_PHONE_NOTE })}
          />
        )
      })}
    </fieldset>
  )
}
