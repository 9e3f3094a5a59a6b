import { type FormEvent, type Ref, useImperativeHandle, useRef, useState } from 'react'
import { type Payment, SIMULATED_PAYMENT_TOKEN } from '#shared/contract/orders.ts'
import { CARD_FIELDS, type CardField, cardProblem, cardSummary } from '#shared/rules/checkout-form.ts'
import { type Format, formatCardNumber, formatCvv, formatExpiration } from './card-format.ts'
import { CheckoutField } from './checkout-field.tsx'

/** All that the form knows of the card. A hosted provider's fields replace this component by keeping to it. */
export type CardHandle = {
  /** Checks the fields and shows what is wrong under each; true when nothing is. */
  check: () => boolean
  focusFirstProblem: () => void
  /** The stand-in for the card that the order carries. Call it after {@link check}. */
  payment: () => Promise<Payment>
}

type FieldLook = {
  name: CardField
  label: string
  autoComplete: string
  format?: Format
  placeholder?: string
}

const fields: readonly FieldLook[] = [
  { name: 'ccName', label: 'Name on card', autoComplete: 'cc-name' },
  { name: 'ccNumber', label: 'Card number', autoComplete: 'cc-number', format: formatCardNumber },
  {
    name: 'ccExpiration',
    label: 'Expiration date',
    autoComplete: 'cc-exp',
    format: formatExpiration,
    placeholder: 'MM/YY',
  },
  { name: 'ccCVV', label: 'CVV', autoComplete: 'cc-csc', format: formatCvv },
]

/**
 * The card. Its figures live in these inputs alone: they are in no state, request, storage, log or address, and are
 * gone with the page. Only what {@link CardHandle.payment} gives leaves this component.
 */
export function CardFields({ ref }: { ref: Ref<CardHandle> }) {
  const inputs = useRef<Partial<Record<CardField, HTMLInputElement | null>>>({})
  const shown = useRef<Partial<Record<CardField, string>>>({})
  const [errors, setErrors] = useState<Partial<Record<CardField, string>>>({})
  const textOf = (name: CardField) => inputs.current[name]?.value ?? ''

  useImperativeHandle(ref, () => ({
    check() {
      const today = new Date()
      const found = CARD_FIELDS.map((name) => [name, cardProblem(name, textOf(name), today)] as const)
      const problems = Object.fromEntries(found.filter(([, problem]) => problem !== undefined))
      setErrors(problems)
      return Object.keys(problems).length === 0
    },
    focusFirstProblem() {
      const today = new Date()
      const first = CARD_FIELDS.find((name) => cardProblem(name, textOf(name), today))
      if (first) inputs.current[first]?.focus()
    },
    payment: async () => ({ token: SIMULATED_PAYMENT_TOKEN, card: cardSummary(textOf('ccNumber')) }),
  }))

  function edit({ name, format }: FieldLook, event: FormEvent<HTMLInputElement>) {
    const input = event.currentTarget
    setErrors(({ [name]: _, ...others }) => others)
    if (format) reformat(input, format, shown.current[name] ?? '', event.nativeEvent)
    shown.current[name] = input.value
  }

  return (
    <fieldset className="checkout__fields">
      <legend>Payment</legend>
      {fields.map((field) => {
        const { name, label, autoComplete, format, placeholder } = field
        const isWide = name === 'ccName' || name === 'ccNumber'
        return (
          <CheckoutField key={name} name={name} label={label} error={errors[name]} isWide={isWide}>
            {(ties) => (
              <input
                {...ties}
                ref={(input) => {
                  inputs.current[name] = input
                }}
                autoComplete={autoComplete}
                placeholder={placeholder}
                inputMode={format ? 'numeric' : 'text'}
                onInput={(event) => edit(field, event)}
              />
            )}
          </CheckoutField>
        )
      })}
    </fieldset>
  )
}

/** Brings what was typed into its form; the caret stays where the shopper is editing (§ 5). */
function reformat(input: HTMLInputElement, format: Format, before: string, event: Event): void {
  const { inputType, isComposing } = event as Partial<InputEvent>
  if (isComposing) return
  const caret = input.selectionStart ?? input.value.length
  const typed = format({ text: input.value, caret, inputType }, before)
  if (typed.text === input.value) return
  input.value = typed.text
  if (document.activeElement === input) input.setSelectionRange(typed.caret, typed.caret)
}
