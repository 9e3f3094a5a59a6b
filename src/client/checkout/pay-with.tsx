import { useAtom, useAtomValue, useSetAtom } from 'jotai'
import { type RefObject, useEffect, useRef } from 'react'
import { Field, type FieldBinding } from '#client/ui/field.tsx'
import { ErrorBanner, FormError, SubmitButton } from '#client/ui/form-status.tsx'
import { useForm } from '#client/ui/use-form.ts'
import { focusHeading } from '#client/ui/use-shown-heading.ts'
import { formatMoney, keepAmountsUnbroken } from '#shared/format.ts'
import type { FormResult } from '#shared/page-data.ts'
import type { Payment, PaymentState } from '#shared/payments/contract.ts'
import {
  findPaymentPhoneProblem,
  formatLocalPhone,
  getPaymentPhoneLabel,
  PHONE_EXAMPLE,
} from '#shared/payments/payment.ts'
import {
  getProviderDescriptor,
  hasFlow,
  type PaymentMethod,
  PROMPT_PHONE_FIELD,
} from '#shared/payments/providers.ts'
import { billingDraftAtom } from './billing.ts'
import { CardFields, type CardHandle } from './card-fields.tsx'
import { lastPaymentMethodAtom, payAgainAtom, selectedProviderAtom } from './shown-order.ts'

const PHONE_MAX_CHARACTERS = 24

type PayWithProps = {
  methods: readonly PaymentMethod[]
  method: PaymentMethod
  onSelect: (method: PaymentMethod) => void
  cardRef: RefObject<CardHandle | null>
  promptPhone: FieldBinding
  phoneNote?: string | undefined
  /** Whether a heading above already names the only method. */
  hasHeading?: boolean
  isBusy: boolean
}

export function PayWith({
  methods,
  method,
  onSelect,
  cardRef,
  promptPhone,
  phoneNote = PHONE_EXAMPLE,
  hasHeading = false,
  isBusy,
}: PayWithProps) {
  const groupRef = useRef<HTMLFieldSetElement>(null)
  const legendClass = hasHeading && methods.length === 1 ? 'visually-hidden' : undefined
  const { fields, name } = getProviderDescriptor(method)
  // biome-ignore lint/correctness/useExhaustiveDependencies: adopts a selection made before hydration, once
  useEffect(() => {
    const checked = groupRef.current?.querySelector<HTMLInputElement>('input:checked')?.value
    const selected = methods.find((name) => name === checked)
    if (selected && selected !== method) onSelect(selected)
  }, [])

  return (
    <>
      {methods.length > 1 ? (
        <fieldset ref={groupRef} className="fieldset fieldset--pairs">
          <legend>Pay with</legend>
          {methods.map((name) => (
            <label key={name} className="pay-with__method">
              <input
                type="radio"
                name="payWith"
                value={name}
                checked={name === method}
                aria-disabled={isBusy}
                onChange={() => isBusy || onSelect(name)}
              />
              {getProviderDescriptor(name).label}
            </label>
          ))}
        </fieldset>
      ) : (
        <input type="hidden" name="payWith" value={method} />
      )}
      {fields === 'card' && <CardFields ref={cardRef} legendClass={legendClass} isReadOnly={isBusy} />}
      {fields === 'phone' && (
        <fieldset className="fieldset">
          <legend className={methods.length > 1 ? 'visually-hidden' : legendClass}>Payment</legend>
          <Field
            label={getPaymentPhoneLabel(method)}
            {...promptPhone}
            type="tel"
            inputMode="tel"
            autoComplete="tel"
            maxLength={PHONE_MAX_CHARACTERS}
            note={phoneNote}
            isWide
          />
          <p className="field--wide note">
            {`We’ll send an ${name} prompt to this phone. Enter your PIN there, never here.`}
          </p>
        </fieldset>
      )}
      {hasFlow(method, 'on-delivery') && (
        <fieldset className="fieldset">
          <legend className={legendClass}>Payment</legend>
          <p className="field--wide">You’ll pay when your order arrives, in cash or by M-Pesa.</p>
        </fieldset>
      )}
      {hasFlow(method, 'redirect') && (
        <fieldset className="fieldset">
          <legend className={legendClass}>Payment</legend>
          <p className="field--wide">
            {`You’ll pay on ${name}’s page, then return here. We never see your card details.`}
          </p>
        </fieldset>
      )}
    </>
  )
}

/** Resolves to undefined if the card fields aren't rendered. */
export async function createPayment(
  method: PaymentMethod,
  phone: string,
  card: CardHandle | null,
): Promise<Payment | undefined> {
  if (hasFlow(method, 'prompt')) return { provider: method, phone }
  if (hasFlow(method, 'redirect') || hasFlow(method, 'on-delivery')) return { provider: method }
  return card?.payment()
}

export const PAYMENT_HEADING_ID = 'payment'

/** Amounts stay on one line. */
export function listMessageParagraphs({ message }: PaymentState): string[] {
  return keepAmountsUnbroken(message).split('\n')
}

type PaymentMessageProps = { payment: PaymentState; isOffline?: boolean }

export function PaymentMessage({ payment, isOffline = false }: PaymentMessageProps) {
  const { problem, pollInMs } = payment
  return (
    <>
      {listMessageParagraphs(payment).map((paragraph, index) =>
        problem && index === 0 ? (
          <ErrorBanner key={paragraph}>{paragraph}</ErrorBanner>
        ) : (
          <p key={paragraph} className="lead">
            {paragraph}
          </p>
        ),
      )}
      {pollInMs !== null && !isOffline && (
        <p className="eyebrow payment__live only-hydrating">Checking for your payment...</p>
      )}
    </>
  )
}

/** Puts the method of the last paid order first, because shoppers usually pay the same way again. */
export function withMethodFirst(methods: readonly PaymentMethod[], first: string | null | undefined) {
  return methods.toSorted((a, b) => Number(b === first) - Number(a === first))
}

/** What the shopper changes while a payment is pending. */
export type PaymentChoice = 'phone' | 'method'

/** Returns, for example, `by card`. */
export function formatByMethod(method: PaymentMethod): string {
  if (hasFlow(method, 'on-delivery')) return 'on delivery'
  const { label } = getProviderDescriptor(method)
  return `by ${label === 'Card' ? 'card' : label}`
}

type PayAgainProps = {
  payment: PaymentState
  methods: readonly PaymentMethod[]
  posted: FormResult | null
  choice: PaymentChoice | undefined
  onSent: () => void
}

export function PayAgain({ payment, methods: offered, posted, choice, onSent }: PayAgainProps) {
  const { number, provider, phone, dueCents } = payment
  const methods = withMethodFirst(offered, useAtomValue(lastPaymentMethodAtom))
  const [selected, select] = useAtom(selectedProviderAtom)
  const pay = useSetAtom(payAgainAtom)
  const method =
    methods.find((name) => name === (selected ?? posted?.values.payWith ?? provider)) ?? methods[0]
  const cardRef = useRef<CardHandle>(null)
  const { state, formProps, fieldProps, submitProps } = useForm({
    fields: [PROMPT_PHONE_FIELD] as const,
    draft: billingDraftAtom,
    initial: { [PROMPT_PHONE_FIELD]: formatLocalPhone(phone ?? '') },
    posted,
    validateField: (_field, value) =>
      method && hasFlow(method, 'prompt') ? findPaymentPhoneProblem(value, method) : undefined,
    part: cardRef,
    async send({ [PROMPT_PHONE_FIELD]: promptPhone }) {
      const newPayment = method && (await createPayment(method, promptPhone, cardRef.current))
      const failure = newPayment && (await pay(number, newPayment))
      if (!failure) {
        onSent()
        return void focusHeading(document.getElementById(PAYMENT_HEADING_ID))
      }
      return Object.keys(failure.fieldErrors).length > 0 ? failure.fieldErrors : failure.message
    },
  })
  // Selects the phone number, so that typing replaces it.
  useEffect(() => {
    const field = document.getElementById(PROMPT_PHONE_FIELD)
    if (choice !== 'phone' || !(field instanceof HTMLInputElement)) return
    field.focus()
    field.select()
  }, [choice])
  if (!method) return null
  const payLabel = `Pay ${formatMoney(dueCents)}`
  const label = {
    phone: 'Send prompt to this phone',
    method: `${payLabel} ${formatByMethod(method)}`,
    none: payLabel,
  }[choice ?? 'none']
  return (
    <form {...formProps} className="stack" data-offline="your payment wasn’t sent">
      <PayWith
        methods={methods}
        method={method}
        onSelect={select}
        cardRef={cardRef}
        promptPhone={fieldProps(PROMPT_PHONE_FIELD)}
        hasHeading={choice !== undefined}
        isBusy={submitProps.isBusy}
      />
      <FormError state={state} />
      <SubmitButton {...submitProps} label={label} busyLabel="Processing..." />
    </form>
  )
}
