import { type FocusEvent, type FormEvent, type Ref, useImperativeHandle, useRef, useState } from 'react'
import { Field } from '#client/ui/field.tsx'
import { type FieldErrors, type FormPart, runAfterPress } from '#client/ui/use-form.ts'
import {
  CARD_FIELDS,
  type CardField,
  createCardSummary,
  findCardProblem,
} from '#shared/checkout/checkout-form.ts'
import { type Payment, SIMULATED_PAYMENT_TOKEN } from '#shared/payments/contract.ts'
import { type FieldFormatter, formatCardNumber, formatCvv, formatExpiration } from './card-format.ts'

/** All that a form knows about the card, so that a provider's hosted fields can replace `CardFields`. */
export type CardHandle = FormPart & {
  /** Returns a token and a summary, which are sent instead of the card. Call it after `validate`. */
  payment: () => Promise<Payment>
}

const FORMATTERS: Partial<Record<CardField, FieldFormatter>> = {
  ccNumber: formatCardNumber,
  ccExpiration: formatExpiration,
  ccCVV: formatCvv,
}

type CardFieldsProps = { ref: Ref<CardHandle>; legendClass: string | undefined; isReadOnly: boolean }

/**
 * The full card number and the CVV stay in this component: they are never in state, requests, storage, logs or URLs.
 */
export function CardFields({ ref, legendClass, isReadOnly }: CardFieldsProps) {
  const inputsRef = useRef<Partial<Record<CardField, HTMLInputElement | null>>>({})
  const shownRef = useRef<Partial<Record<CardField, string>>>({})
  const [errors, setErrors] = useState<FieldErrors<CardField>>({})
  const getText = (name: CardField) => inputsRef.current[name]?.value ?? ''
  const getError = (name: CardField) => findCardProblem(name, getText(name), new Date())

  useImperativeHandle(ref, () => ({
    validate() {
      const fieldErrors = CARD_FIELDS.map((name) => [name, getError(name)] as const)
      setErrors(Object.fromEntries(fieldErrors))
      return fieldErrors.every(([, error]) => error === undefined)
    },
    payment: async () => ({ token: SIMULATED_PAYMENT_TOKEN, card: createCardSummary(getText('ccNumber')) }),
  }))

  function edit(name: CardField, event: FormEvent<HTMLInputElement>) {
    const input = event.currentTarget
    const format = FORMATTERS[name]
    setErrors((now) => ({ ...now, [name]: undefined }))
    if (format) reformat(input, format, shownRef.current[name] ?? '', event.nativeEvent)
    shownRef.current[name] = input.value
  }

  function validateOnBlur({ target }: FocusEvent) {
    const name = CARD_FIELDS.find((field) => field === target.id)
    if (name && getText(name)) runAfterPress(() => setErrors((now) => ({ ...now, [name]: getError(name) })))
  }

  const fieldProps = (name: CardField) => ({
    name,
    isReadOnly,
    isPrivate: true,
    error: errors[name],
    inputMode: FORMATTERS[name] ? ('numeric' as const) : ('text' as const),
    ref: (input: HTMLInputElement | null) => {
      inputsRef.current[name] = input
    },
    onInput: (event: FormEvent<HTMLInputElement>) => edit(name, event),
  })
  return (
    <fieldset className="fieldset fieldset--pairs" onBlur={validateOnBlur}>
      <legend className={legendClass}>Payment</legend>
      <Field label="Name on card" {...fieldProps('ccName')} autoComplete="cc-name" isWide />
      <Field label="Card number" {...fieldProps('ccNumber')} autoComplete="cc-number" isWide />
      <Field
        label="Expiration date"
        {...fieldProps('ccExpiration')}
        autoComplete="cc-exp"
        placeholder="MM/YY"
      />
      <Field label="CVV" {...fieldProps('ccCVV')} autoComplete="cc-csc" />
    </fieldset>
  )
}

function reformat(input: HTMLInputElement, format: FieldFormatter, before: string, event: Event): void {
  const { inputType, isComposing } = event as Partial<InputEvent>
  if (isComposing) return
  const caret = input.selectionStart ?? input.value.length
  const formatted = format({ text: input.value, caret, inputType }, before)
  if (formatted.text === input.value) return
  input.value = formatted.text
  if (document.activeElement === input) input.setSelectionRange(formatted.caret, formatted.caret)
}
