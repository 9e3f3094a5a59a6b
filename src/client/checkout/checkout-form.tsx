import { useAtom, useAtomValue, useSetAtom, useStore } from 'jotai'
import { useEffect, useRef } from 'react'
import { bootAtom } from '#client/app/boot.ts'
import { userAtom } from '#client/app/session.ts'
import { Field, type FieldBinding } from '#client/ui/field.tsx'
import { SubmitButton } from '#client/ui/form-status.tsx'
import { useForm } from '#client/ui/use-form.ts'
import {
  BILLING_FIELDS,
  BILLING_MAX_CHARACTERS,
  type BillingField,
  billingProblem,
  COUNTIES,
  COUNTRIES,
  LANDMARK_MAX_CHARACTERS,
  landmarkProblem,
} from '#shared/checkout/checkout-form.ts'
import { DELIVERY_METHODS, type DeliveryMethod } from '#shared/checkout/delivery.ts'
import { formatKsh } from '#shared/format.ts'
import { promptPhoneProblem, riderPhoneProblem } from '#shared/payments/payment.ts'
import {
  DEFAULT_METHOD,
  hasFlow,
  type PaymentMethod,
  PROMPT_PHONE_FIELD,
} from '#shared/payments/providers.ts'
import { billingDraftAtom, chosenDeliveryAtom, prefilled, prefilledPhones } from './billing.ts'
import type { CardHandle } from './card-fields.tsx'
import { OrderErrorBanner } from './order-error-banner.tsx'
import { type Placing, placingAtom, recheckAttemptAtom } from './order-lookup.ts'
import { chosenPayment, PayWith } from './pay-with.tsx'
import { chosenWayAtom } from './payment.ts'
import { placeOrderAtom } from './place-order.ts'

const FIELDS = [...BILLING_FIELDS, 'phone', 'landmark', 'deliveryMethod', PROMPT_PHONE_FIELD] as const
type FormField = (typeof FIELDS)[number]

/** Where the configuration names no other. */
const DEFAULT_WAYS: readonly PaymentMethod[] = [DEFAULT_METHOD]

const errorOf = (placing: Placing) => (placing.status === 'editing' ? placing.error : undefined)

/** The billing and payment form (§ 2, § 5). What was typed stays through every failure, and for coming back. */
export function CheckoutForm({ totalKsh }: { totalKsh: number }) {
  const store = useStore()
  const user = useAtomValue(userAtom)
  const placing = useAtomValue(placingAtom)
  const place = useSetAtom(placeOrderAtom)
  const recheck = useSetAtom(recheckAttemptAtom)
  const ways = useAtomValue(bootAtom).payments ?? DEFAULT_WAYS
  const [chosen, choose] = useAtom(chosenWayAtom)
  const way = ways.find((name) => name === chosen) ?? ways[0] ?? DEFAULT_METHOD
  const [draft, setDraft] = useAtom(billingDraftAtom)
  const { method, terms } = useAtomValue(chosenDeliveryAtom)
  const card = useRef<CardHandle>(null)
  const { formProps, fieldProps, submitProps } = useForm({
    fields: FIELDS,
    draft: billingDraftAtom,
    initial: {
      ...prefilled(user),
      ...prefilledPhones(user, draft),
      landmark: '',
      deliveryMethod: 'delivery',
    },
    validateField: (field, value) => problemOf(field, value, way),
    part: card,
    isBusy: placing.status !== 'editing',
    async send({ [PROMPT_PHONE_FIELD]: promptPhone, deliveryMethod: _, ...billing }) {
      // From now on, another phone for the prompt does not change the order.
      setDraft((now) => ({ ...now, phone: billing.phone }))
      const payment = await chosenPayment(way, promptPhone, card.current)
      if (payment) await place({ billing, payment, expectedTotalKsh: totalKsh })
      return errorOf(store.get(placingAtom))?.fieldErrors
    },
  })

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
      <BillingFields fieldProps={fieldProps} />
      {terms.pickup && (
        <DeliveryMethodFields field={fieldProps('deliveryMethod')} method={method} pickup={terms.pickup} />
      )}
      <PayWith
        ways={ways}
        way={way}
        onChoose={choose}
        card={card}
        promptPhone={fieldProps(PROMPT_PHONE_FIELD)}
        isBusy={submitProps.isBusy}
      />
      <OrderErrorBanner error={errorOf(placing)} isBusy={submitProps.isBusy} />
      <SubmitButton
        {...submitProps}
        label={`Complete Order - ${formatKsh(totalKsh)}`}
        busyLabel="Processing..."
      />
    </form>
  )
}

function problemOf(field: FormField, value: string, way: PaymentMethod): string | undefined {
  if (field === PROMPT_PHONE_FIELD) return hasFlow(way, 'prompt') ? promptPhoneProblem(value, way) : undefined
  if (field === 'deliveryMethod') return undefined
  if (field === 'landmark') return landmarkProblem(value)
  return field === 'phone' ? riderPhoneProblem(value) : billingProblem(field, value)
}

/** Who pays and where the order goes (§ 3, § 5). */
function BillingFields({ fieldProps }: { fieldProps: (field: FormField) => FieldBinding }) {
  const propsOf = (field: BillingField) => ({
    ...fieldProps(field),
    maxLength: BILLING_MAX_CHARACTERS[field],
  })
  return (
    <fieldset className="fieldset">
      <legend>Billing details</legend>
      <Field label="First name" {...propsOf('firstName')} autoComplete="billing given-name" />
      <Field label="Last name" {...propsOf('lastName')} autoComplete="billing family-name" />
      <Field
        label="Email"
        {...propsOf('email')}
        autoComplete="billing email"
        type="email"
        inputMode="email"
        isWide
      />
      <Field label="Address" {...propsOf('address')} autoComplete="billing address-line1" isWide />
      <Field
        label="Address 2 (optional)"
        {...propsOf('address2')}
        autoComplete="billing address-line2"
        isOptional
        isWide
      />
      <Field
        label="Country"
        {...fieldProps('country')}
        autoComplete="billing country-name"
        choice={{ options: COUNTRIES, prompt: 'Choose a country' }}
      />
      <Field
        label="County"
        {...fieldProps('state')}
        autoComplete="billing address-level1"
        choice={{ options: COUNTIES, prompt: 'Choose a county' }}
      />
      <Field label="Zip code" {...propsOf('zip')} autoComplete="billing postal-code" inputMode="numeric" />
      <Field
        label="Phone (for the rider)"
        {...fieldProps('phone')}
        autoComplete="billing tel"
        type="tel"
        inputMode="tel"
        isOptional
      />
      <Field
        label="Landmark (optional)"
        {...fieldProps('landmark')}
        autoComplete="off"
        placeholder="Opposite …"
        maxLength={LANDMARK_MAX_CHARACTERS}
        isOptional
        isWide
      />
    </fieldset>
  )
}

type DeliveryMethodProps = {
  field: FieldBinding
  method: DeliveryMethod
  /** Where and when orders can be picked up. */
  pickup: string
}

const LABELS: Record<DeliveryMethod, string> = { delivery: 'Deliver it to me', pickup: 'I pick it up' }

/** How the shopper gets the order, where the shop offers pickup. */
function DeliveryMethodFields({ field, method, pickup }: DeliveryMethodProps) {
  const { name, onChange, isReadOnly } = field
  return (
    <fieldset className="fieldset pay-with">
      <legend>Delivery</legend>
      {DELIVERY_METHODS.map((option) => (
        <label key={option} className="pay-with__way">
          <input
            type="radio"
            name={name}
            value={option}
            checked={option === method}
            aria-disabled={isReadOnly}
            onChange={(event) => isReadOnly || onChange?.(event)}
          />
          {LABELS[option]}
        </label>
      ))}
      {method === 'pickup' && <p className="field--wide payment__note">{`In our shop: ${pickup}`}</p>}
    </fieldset>
  )
}
