import { useAtom, useSetAtom } from 'jotai'
import { type RefObject, useEffect, useRef } from 'react'
import { Field, type FieldBinding } from '#client/ui/field.tsx'
import { FormError, SubmitButton } from '#client/ui/form-status.tsx'
import { useForm } from '#client/ui/use-form.ts'
import { formatMoney } from '#shared/format.ts'
import type { FormResult } from '#shared/page-data.ts'
import type { Payment, PaymentState } from '#shared/payments/contract.ts'
import { formatLocalPhone, promptPhoneLabel, promptPhoneProblem } from '#shared/payments/payment.ts'
import { descriptorOf, hasFlow, type PaymentMethod, PROMPT_PHONE_FIELD } from '#shared/payments/providers.ts'
import { billingDraftAtom } from './billing.ts'
import { CardFields, type CardHandle } from './card-fields.tsx'
import { payAgainAtom, selectedProviderAtom } from './shown-order.ts'

const PHONE_MAX_CHARACTERS = 24

type PayWithProps = {
  ways: readonly PaymentMethod[]
  way: PaymentMethod
  onChoose: (way: PaymentMethod) => void
  card: RefObject<CardHandle | null>
  promptPhone: FieldBinding
  isBusy: boolean
}

export function PayWith({ ways, way, onChoose, card, promptPhone, isBusy }: PayWithProps) {
  const group = useRef<HTMLFieldSetElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: adopts a selection made before hydration, once
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
              {descriptorOf(name).label}
            </label>
          ))}
        </fieldset>
      ) : (
        <input type="hidden" name="payWith" value={way} />
      )}
      {hasFlow(way, 'card') && <CardFields ref={card} isReadOnly={isBusy} />}
      {hasFlow(way, 'prompt') && (
        <fieldset className="fieldset">
          <legend>Payment</legend>
          <Field
            label={promptPhoneLabel(way)}
            {...promptPhone}
            type="tel"
            inputMode="tel"
            autoComplete="tel"
            maxLength={PHONE_MAX_CHARACTERS}
            placeholder="07…"
            isWide
          />
          <p className="field--wide payment__note">
            We’ll send an M-Pesa prompt to this phone. Enter your PIN there, never here.
          </p>
        </fieldset>
      )}
      {hasFlow(way, 'redirect') && (
        <fieldset className="fieldset">
          <legend>Payment</legend>
          <p className="field--wide">
            {`You’ll pay on ${descriptorOf(way).name}’s page, then return here. We never see your card details.`}
          </p>
        </fieldset>
      )}
    </>
  )
}

/** The payment part of the request; undefined while the card fields are not rendered. */
export async function chosenPayment(
  way: PaymentMethod,
  phone: string,
  card: CardHandle | null,
): Promise<Payment | undefined> {
  if (hasFlow(way, 'prompt')) return { provider: way, phone }
  return hasFlow(way, 'redirect') ? { provider: way } : card?.payment()
}

export function PayAgain({ payment, posted }: { payment: PaymentState; posted: FormResult | null }) {
  const { number, ways, provider, phone, totalCents } = payment
  const [chosen, choose] = useAtom(selectedProviderAtom)
  const pay = useSetAtom(payAgainAtom)
  const way = ways.find((name) => name === (chosen ?? posted?.values.payWith ?? provider)) ?? ways[0]
  const card = useRef<CardHandle>(null)
  const { state, formProps, fieldProps, submitProps } = useForm({
    fields: [PROMPT_PHONE_FIELD] as const,
    draft: billingDraftAtom,
    initial: { [PROMPT_PHONE_FIELD]: formatLocalPhone(phone ?? '') },
    posted,
    validateField: (_field, value) =>
      way && hasFlow(way, 'prompt') ? promptPhoneProblem(value, way) : undefined,
    part: card,
    async send({ [PROMPT_PHONE_FIELD]: promptPhone }) {
      const chosenNow = way && (await chosenPayment(way, promptPhone, card.current))
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
        promptPhone={fieldProps(PROMPT_PHONE_FIELD)}
        isBusy={submitProps.isBusy}
      />
      <FormError state={state} />
      <SubmitButton {...submitProps} label={`Pay ${formatMoney(totalCents)}`} busyLabel="Processing..." />
    </form>
  )
}
