import { type ChangeEventHandler, type ComponentProps, type ReactNode, useState } from 'react'

export type FieldControl = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

export type FieldBinding = {
  name: string
  value?: string
  onChange?: ChangeEventHandler<FieldControl>
  isDisabled?: boolean
  isReadOnly?: boolean
  error?: string | undefined
  /** The id of the form's message, if it concerns this field. */
  describedBy?: string | undefined
}

type FieldProps = FieldBinding & {
  label: string
  autoComplete?: string
  isOptional?: boolean
  isPrivate?: boolean
  isWide?: boolean
  choice?: { options: readonly string[]; prompt: string }
  rows?: number
  note?: ReactNode
  /** Reserves a line for the note, so that an error causes no layout shift. */
  hasNoteLine?: boolean
} & Pick<ComponentProps<'input'>, 'type' | 'placeholder' | 'inputMode' | 'maxLength' | 'ref' | 'onInput'>

export function Field({
  label,
  name,
  value,
  onChange,
  autoComplete,
  isDisabled = false,
  isReadOnly = false,
  error,
  describedBy,
  isOptional = false,
  isPrivate = false,
  isWide = false,
  choice,
  rows,
  note,
  hasNoteLine = note !== undefined,
  ...input
}: FieldProps) {
  const noteId = `${name}-note`
  const hasNote = hasNoteLine || error !== undefined
  const control = {
    id: name,
    name: isPrivate ? undefined : name,
    ...(autoComplete && { autoComplete }),
    required: !isOptional,
    disabled: isDisabled || (isReadOnly && choice !== undefined),
    'aria-invalid': error !== undefined || describedBy !== undefined,
    'aria-describedby': describedBy ?? (hasNote ? noteId : undefined),
    ...(value === undefined ? {} : { value }),
    ...(onChange && { onChange }),
  }
  const isPassword = input.type === 'password'
  const [isShown, setShown] = useState(false)
  const isPlainText = input.type === undefined || input.type === 'text'
  return (
    <div className={isWide ? 'field field--wide' : 'field'}>
      <label htmlFor={name}>{label}</label>
      {choice ? (
        <select {...control}>
          <option value="">{choice.prompt}</option>
          {choice.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : rows ? (
        <textarea {...control} rows={rows} readOnly={isReadOnly} />
      ) : (
        <input
          {...control}
          {...input}
          {...(isShown && { type: 'text' })}
          readOnly={isReadOnly}
          {...(isPlainText ? {} : { autoCapitalize: 'none', spellCheck: false })}
        />
      )}
      {isPassword && (
        <button type="button" className="text-button field__show" onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
          <span className="visually-hidden"> password</span>
        </button>
      )}
      {hasNote && (
        <p className="field__note" id={noteId}>
          <span className="field__error">{error}</span>
          {note}
        </p>
      )}
    </div>
  )
}
