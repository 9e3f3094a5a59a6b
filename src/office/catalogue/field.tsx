import type { ComponentProps } from 'react'
import type { ProductProblem } from './product-fields.ts'

type FieldProps = {
  label: string
  name: string
  /** Shown at the field that it names. */
  problem?: ProductProblem | undefined
} & ComponentProps<'input'>

export function Field({ label, name, problem, ...input }: FieldProps) {
  const message = problem?.field === name ? problem.message : undefined
  const errorId = `${name}-error`
  const invalid = message
    ? {
        'aria-invalid': true,
        'aria-describedby': [input['aria-describedby'], errorId].filter(Boolean).join(' '),
      }
    : {}
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      <input id={name} name={name} autoComplete="off" {...input} {...invalid} />
      {message ? (
        <p className="field__error" id={errorId}>
          {message}
        </p>
      ) : null}
    </div>
  )
}
