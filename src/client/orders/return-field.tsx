import type { OrderView } from '#shared/orders/contract.ts'
import { RETURN_ERROR_ID, RETURN_KIND_FIELD } from '#shared/orders/return-form.ts'
import type { FormResult } from '#shared/page-data.ts'

type ReturnableLines = NonNullable<OrderView['returnable']>['lines']

export type EnteredReturn = {
  values: FormResult['values']
  errors: Readonly<Record<string, string>>
  firstInvalid: string | undefined
}

export function toEnteredReturn(posted: FormResult | undefined, lines: ReturnableLines): EnteredReturn {
  const values = posted?.values ?? {}
  const errors = { ...(posted?.outcome.kind === 'failed' ? posted.outcome.errors : {}) }
  const withoutSize = lines.findIndex(
    ({ sizes }, index) => sizes.length > 0 && Number(values[`qty-${index}`]) > 0 && !values[`for-${index}`],
  )
  if (errors.returnNote && !values.returnNote?.trim() && withoutSize >= 0) {
    errors[`for-${withoutSize}`] = 'Please choose a size or another item.'
    delete errors.returnNote
  }
  const lineFields = lines.flatMap((_, index) => [`qty-${index}`, `for-${index}`, `other-${index}`])
  const fields = [RETURN_KIND_FIELD, ...lineFields, 'reason', 'returnNote']
  return { values, errors, firstInvalid: fields.find((field) => errors[field]) }
}

/** Drops errors that editing these fields may have fixed. */
export function withoutErrorsOf(changedFields: readonly string[], entered: EnteredReturn): EnteredReturn {
  const changedPrefixes = changedFields.map(getFieldPrefix)
  const isResolved = (field: string) =>
    changedPrefixes.includes(getFieldPrefix(field)) ||
    (changedPrefixes.includes(RETURN_KIND_FIELD) &&
      ['for', 'other', 'returnNote'].includes(getFieldPrefix(field))) ||
    (changedPrefixes.some((prefix) => ['for', 'other'].includes(prefix)) && field === 'returnNote')
  const errors = Object.entries(entered.errors).filter(([field]) => !isResolved(field))
  return { ...entered, errors: Object.fromEntries(errors) }
}

/** Whether an exchange of this line would be for an item of another product. */
export function wantsOtherItem(
  { sizes }: Pick<ReturnableLines[number], 'sizes'>,
  index: number,
  values: Pick<FormData, 'get'>,
): boolean {
  const isReturned = Number(values.get(`qty-${index}`)) > 0
  return isReturned && (sizes.length === 0 || values.get(`for-${index}`) === 'other')
}

const getFieldPrefix = (field: string) => field.replace(/-\d+$/, '')

/** The form's URL ends in {@link RETURN_ERROR_ID}, so the browser scrolls to the first invalid field. */
export function getFieldId(field: string, { firstInvalid }: EnteredReturn): string {
  return field === firstInvalid ? RETURN_ERROR_ID : field
}

export function getErrorProps(field: string, { errors }: EnteredReturn) {
  return errors[field] ? { 'aria-invalid': true, 'aria-describedby': `${field}-error` } : {}
}

type FieldErrorProps = { field: string; entered: EnteredReturn }

export function FieldError({ field, entered: { errors } }: FieldErrorProps) {
  if (!errors[field]) return null
  return (
    <div id={`${field}-error`} className="field__error field--wide">
      {errors[field]}
    </div>
  )
}

type ChoiceProps = {
  field: string
  label: string
  prompt: string
  options: readonly (readonly [value: string, label: string])[]
  entered: EnteredReturn
}

export function Choice({ field, label, prompt, options, entered }: ChoiceProps) {
  const id = getFieldId(field, entered)
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} name={field} defaultValue={entered.values[field]} {...getErrorProps(field, entered)}>
        <option value="">{prompt}</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <FieldError field={field} entered={entered} />
    </div>
  )
}

type RadioGroupProps = {
  field: string
  legend: string
  options: readonly { value: string; label: string; note: string; isNoteHidden?: boolean }[]
  /** The option that is selected at first. */
  initial?: string | undefined
  className?: string
  entered: EnteredReturn
}

export function RadioGroup({ field, legend, options, initial, className = '', entered }: RadioGroupProps) {
  const selected = entered.values[field] || initial
  return (
    <fieldset
      id={getFieldId(field, entered)}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: allowed by ARIA; a plain group can't be invalid
      role="radiogroup"
      className={`fieldset ${className}`.trim()}
      {...getErrorProps(field, entered)}
    >
      <legend>{legend}</legend>
      {options.map(({ value, label, note, isNoteHidden = false }) => (
        <div key={value} className="stack stack--s">
          <label className="pay-with__method">
            <input
              type="radio"
              name={field}
              value={value}
              defaultChecked={selected === value}
              aria-describedby={`${value}-note`}
            />
            {label}
          </label>
          <p id={`${value}-note`} className="note" hidden={isNoteHidden}>
            {note}
          </p>
        </div>
      ))}
      <FieldError field={field} entered={entered} />
    </fieldset>
  )
}
