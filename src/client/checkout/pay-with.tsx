import { useAtom, useSetAtom } from 'jotai'
import { type RefObject, useEffect, useRef } from 'react'
import { Field, type FieldBinding } from '#client/ui/field.tsx'
import { FormError, SubmitButton } from '#client/ui/form-status.tsx'
import { useForm } from '#client/ui/use-form.ts'
import { formatKsh, kshOf } from '#shared/format.ts'
import type { FormResult } from '#shared/page-data.ts'
import type { Payment, PaymentState } from '#shared/payments/contract.ts'
import {
  localPhone,
  mpesaPhoneProblem,
  PAYMENT_LABELS,
  type PaymentProviderName,
} from '#shared/payments/payment.ts'
import { billingDraftAtom } from './billing.ts'
import { CardFields, type CardHandle } from './card-fields.tsx'
import { chosenWayAtom, payAgainAtom } from './shown-order.ts'

/** The longest phone number that anybody types, in characters. */
const PHONE_MAX_CHARACTERS = 24

type PayWithProps = {
  /** What is offered, in order. */
  ways: readonly PaymentProviderName[]
  way: PaymentProviderName
  onChoose: (way: PaymentProviderName) => void
  card: RefObject<CardHandle | null>
  /** Of the phone that is to pay by M-Pesa. */
  mpesaPhone: FieldBinding
  isBusy: boolean
}

/** "Pay with", where there is a choice, and the fields of the way that is chosen. */
export function PayWith({ ways, way, onChoose, card, mpesaPhone, isBusy }: PayWithProps) {
  const group = useRef<HTMLFieldSetElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a choice that was made before hydration counts, once
  useEffect(() => {
    const checked = group.current?.querySelector<HTMLInputElement>('input:checked')?.value
    const chosen = ways.find((name) => name === checked)
    if (chosen && chosen !== way) onChoose(chosen)
  }, [])

  return (
    <>
      {ways.length > 1 ? (
        <fieldset ref={group} className="fieldset pay-with">
          <legend>Pay with</legend>
          {ways.map((name) => (
            <label key={name} className="pay-with__way">
              <input
                type="radio"
                name="payWith"
                value={name}
                checked={name === way}
                aria-disabled={isBusy}
                onChange={() => isBusy || onChoose(name)}
              />
              {PAYMENT_LABELS[name]}
            </label>
          ))}
        </fieldset>
      ) : (
        <input type="hidden" name="payWith" value={way} />
      )}
      {way === 'simulated' && <CardFields ref={card} isReadOnly={isBusy} />}
      {way === 'mpesa' && (
        <fieldset className="fieldset">
          <legend>Payment</legend>
          <Field
            label="M-Pesa phone number"
            {...mpesaPhone}
            type="tel"
            inputMode="tel"
            autoComplete="tel"
            maxLength={PHONE_MAX_CHARACTERS}
            placeholder="07…"
            isWide
          />
          <p className="field--wide payment__note">
            A prompt appears on this phone. You enter your PIN there, never here.
          </p>
        </fieldset>
      )}
      {way === 'paystack' && (
        <fieldset className="fieldset">
          <legend>Payment</legend>
          <p className="field--wide">
            You pay on Paystack’s page and come back here. Your card is never sent to this shop.
          </p>
        </fieldset>
      )}
    </>
  )
}

/** The request's payment part for the chosen way; undefined while the card's fields are not rendered. */
export async function chosenPayment(
  way: PaymentProviderName,
  phone: string,
  card: CardHandle | null,
): Promise<Payment | undefined> {
  if (way === 'mpesa') return { provider: 'mpesa', phone }
  return way === 'paystack' ? { provider: 'paystack' } : card?.payment()
}

/** Pays an order that is there already: the same way once more, or another; as posted to the page before, or without, its script. */
export function PayAgain({ payment, posted }: { payment: PaymentState; posted: FormResult | null }) {
  const { number, ways, provider, phone, totalCents } = payment
  const [chosen, choose] = useAtom(chosenWayAtom)
  const pay = useSetAtom(payAgainAtom)
  const way = ways.find((name) => name === (chosen ?? posted?.values.payWith ?? provider)) ?? ways[0]
  const card = useRef<CardHandle>(null)
  const { state, formProps, fieldProps, submitProps } = useForm({
    fields: ['mpesaPhone'] as const,
    draft: billingDraftAtom,
    initial: { mpesaPhone: localPhone(phone ?? '') },
    posted,
    validateField: (_field, value) => (way === 'mpesa' ? mpesaPhoneProblem(value) : undefined),
    part: card,
    async send({ mpesaPhone }) {
      const chosenNow = way && (await chosenPayment(way, mpesaPhone, card.current))
      const failure = chosenNow && (await pay(number, chosenNow))
      if (!failure) return undefined
      return Object.keys(failure.fieldErrors).length > 0 ? failure.fieldErrors : failure.message
    },
  })
  if (!way) return null
  return (
    <form {...formProps} className="stack payment__form">
      <PayWith
        ways={ways}
        way={way}
        onChoose={choose}
        card={card}
        mpesaPhone={fieldProps('mpesaPhone')}
        isBusy={submitProps.isBusy}
      />
      <FormError state={state} />
      <SubmitButton
        {...submitProps}
        label={`Pay ${formatKsh(kshOf(totalCents))}`}
        busyLabel="Processing..."
      />
    </form>
  )
}
