import { Field, type FieldBinding } from '#client/ui/field.tsx'
import { getOrderFieldDefinition, isOptional, type OrderField } from '#shared/orders/fields.ts'

type OrderFieldInputProps = {
  field: OrderField
  binding: FieldBinding
  section?: 'billing'
  isOptional?: boolean
}

export function OrderFieldInput({
  field,
  binding,
  section,
  isOptional: canBeEmpty = isOptional(field),
}: OrderFieldInputProps) {
  const { label, maxCharacters, choice, rows, input } = getOrderFieldDefinition(field)
  const { autoComplete, ...attributes } = input
  return (
    <Field
      {...binding}
      {...attributes}
      label={label}
      autoComplete={section && autoComplete !== 'off' ? `${section} ${autoComplete}` : autoComplete}
      {...(maxCharacters && { maxLength: maxCharacters })}
      {...(choice && { choice })}
      {...(rows && { rows })}
      isOptional={canBeEmpty}
    />
  )
}
