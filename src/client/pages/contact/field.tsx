import type { ChangeEventHandler, ReactNode } from 'react'
import type { ContactField } from '#shared/rules/contact-form.ts'

type FieldProps = {
  label: string
  name: ContactField
  value: string
  problem: string | undefined
  isReadOnly: boolean
  onChange: ChangeEventHandler<HTMLInputElement | HTMLTextAreaElement>
  onBlur: () => void
  type?: 'text' | 'email'
  autoComplete?: string
  /** Several lines. */
  isLong?: boolean
  /** Stands on the line below the field, beside its error. */
  children?: ReactNode
}

/** A field with its label and the line below it, which keeps its room so that nothing moves when an error shows. */
export function Field({ label, name, problem, isReadOnly, isLong, children, ...rest }: FieldProps) {
  const noteId = `${name}-note`
  const props = {
    ...rest,
    id: name,
    name,
    readOnly: isReadOnly,
    required: true,
    'aria-invalid': problem !== undefined,
    'aria-describedby': noteId,
  }
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      {isLong ? <textarea rows={6} {...props} /> : <input {...props} />}
      <p className="contact__note" id={noteId}>
        <span className="field__error">{problem}</span>
        {children}
      </p>
    </div>
  )
}
