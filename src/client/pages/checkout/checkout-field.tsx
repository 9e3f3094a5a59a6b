import type { ReactNode } from 'react'

/** What ties a control to its label and to the error under it. */
export type FieldTies = {
  id: string
  name: string
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

type CheckoutFieldProps = {
  /** The field's name in the form, and its id (§ 3). */
  name: string
  label: string
  error: string | undefined
  isWide?: boolean
  children: (ties: FieldTies) => ReactNode
}

/** A label, a control and the control's error (§ 5). */
export function CheckoutField({ name, label, error, isWide = false, children }: CheckoutFieldProps) {
  const errorId = `${name}-error`
  return (
    <div className={isWide ? 'field checkout__wide' : 'field'}>
      <label htmlFor={name}>{label}</label>
      {children({
        id: name,
        name,
        'aria-invalid': error ? true : undefined,
        'aria-describedby': error ? errorId : undefined,
      })}
      {error && (
        <p className="field__error" id={errorId}>
          {error}
        </p>
      )}
    </div>
  )
}
