import { useLayoutEffect, useRef, useState } from 'react'
import { Field, type FieldBinding } from '#client/ui/field.tsx'
import { getOrderFieldDefinition, isOptional, type OrderField } from '#shared/orders/fields.ts'

type OrderFieldInputProps = {
  field: OrderField
  binding: FieldBinding
  section?: 'billing'
  label?: string
  isOptional?: boolean
  note?: string
}

export function DisclosedOrderField(props: OrderFieldInputProps) {
  const { value, error } = props.binding
  const { disclosure } = getOrderFieldDefinition(props.field)
  const [isOpen, setOpen] = useState(Boolean(value))
  const detailsRef = useRef<HTMLDetailsElement>(null)
  // The field must be visible before the form moves focus to it.
  useLayoutEffect(() => {
    if (error !== undefined && detailsRef.current) detailsRef.current.open = true
  })
  if (!disclosure) return <OrderFieldInput {...props} />
  return (
    <details
      ref={detailsRef}
      className="field--wide disclosure"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{disclosure}</summary>
      <OrderFieldInput {...props} />
    </details>
  )
}

export function OrderFieldInput({
  field,
  binding,
  section,
  label = getOrderFieldDefinition(field).label,
  isOptional: canBeEmpty = isOptional(field),
  note,
}: OrderFieldInputProps) {
  const { maxCharacters, choice, rows, input } = getOrderFieldDefinition(field)
  const { autoComplete, ...attributes } = input
  return (
    <Field
      {...binding}
      {...attributes}
      {...(note && { note })}
      label={label}
      autoComplete={section && autoComplete !== 'off' ? `${section} ${autoComplete}` : autoComplete}
      {...(maxCharacters && { maxLength: maxCharacters })}
      {...(choice && { choice })}
      {...(rows && { rows })}
      isOptional={canBeEmpty}
    />
  )
}
