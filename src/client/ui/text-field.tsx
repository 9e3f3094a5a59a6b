type TextFieldProps = {
  label: string
  name: string
  type?: 'text' | 'email' | 'password'
  autoComplete: string
  placeholder?: string
  /** What stands in it at first. The field itself keeps what is typed, also before the page is awake. */
  defaultValue?: string | undefined
  isDisabled: boolean
  /** Id of the text that says what is wrong with it, when something is. */
  problemId?: string | undefined
}

/** A line of text with its label. */
export function TextField({ label, name, type = 'text', isDisabled, problemId, ...rest }: TextFieldProps) {
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      <input
        {...rest}
        id={name}
        name={name}
        type={type}
        required
        disabled={isDisabled}
        aria-invalid={problemId !== undefined}
        aria-describedby={problemId}
        {...(type === 'text' ? {} : { autoCapitalize: 'none', spellCheck: false })}
      />
    </div>
  )
}
