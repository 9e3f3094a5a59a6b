import {
  BILLING_MAX_CHARACTERS,
  type BillingField,
  type BillingForm,
  COUNTIES,
  COUNTRIES,
} from '#shared/rules/checkout-form.ts'
import { CheckoutField } from './checkout-field.tsx'

type FieldLook = {
  name: BillingField
  label: string
  autoComplete: string
  type?: 'email'
  inputMode?: 'numeric' | 'email'
  isWide?: boolean
  /** Makes it a choice; `prompt` stands there until one is made. */
  choice?: { options: readonly string[]; prompt: string }
}

const fields: readonly FieldLook[] = [
  { name: 'firstName', label: 'First name', autoComplete: 'billing given-name' },
  { name: 'lastName', label: 'Last name', autoComplete: 'billing family-name' },
  {
    name: 'email',
    label: 'Email',
    autoComplete: 'billing email',
    type: 'email',
    inputMode: 'email',
    isWide: true,
  },
  { name: 'address', label: 'Address', autoComplete: 'billing address-line1', isWide: true },
  { name: 'address2', label: 'Address 2 (optional)', autoComplete: 'billing address-line2', isWide: true },
  {
    name: 'country',
    label: 'Country',
    autoComplete: 'billing country-name',
    choice: { options: COUNTRIES, prompt: 'Choose a country' },
  },
  {
    name: 'state',
    label: 'County',
    autoComplete: 'billing address-level1',
    choice: { options: COUNTIES, prompt: 'Choose a county' },
  },
  { name: 'zip', label: 'Zip code', autoComplete: 'billing postal-code', inputMode: 'numeric' },
]

type BillingFieldsProps = {
  form: BillingForm
  errors: Partial<Record<string, string>>
  onEdit: (field: BillingField, value: string) => void
}

/** Who pays and where it goes (§ 3, § 5). */
export function BillingFields({ form, errors, onEdit }: BillingFieldsProps) {
  return (
    <fieldset className="checkout__fields">
      <legend>Billing details</legend>
      {fields.map(({ name, label, isWide = false, choice, ...input }) => (
        <CheckoutField key={name} name={name} label={label} error={errors[name]} isWide={isWide}>
          {(ties) =>
            choice ? (
              <select
                {...ties}
                autoComplete={input.autoComplete}
                value={form[name]}
                onChange={({ target }) => onEdit(name, target.value)}
              >
                <option value="">{choice.prompt}</option>
                {choice.options.map((option) => (
                  <option key={option}>{option}</option>
                ))}
              </select>
            ) : (
              <input
                {...ties}
                {...input}
                maxLength={BILLING_MAX_CHARACTERS[name]}
                value={form[name]}
                onChange={({ target }) => onEdit(name, target.value)}
              />
            )
          }
        </CheckoutField>
      ))}
    </fieldset>
  )
}
