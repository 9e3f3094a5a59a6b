type SelectFieldProps = {
  label: string
  name: string
  value: string
  options: readonly (readonly [value: string, label: string])[]
  empty: string
  problem?: string | undefined
}

export function SelectField({ label, name, value, options, empty, problem }: SelectFieldProps) {
  const errorId = `${name}-error`
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      <select
        id={name}
        name={name}
        defaultValue={value}
        {...(problem ? { 'aria-invalid': true, 'aria-describedby': errorId } : {})}
      >
        <option value="">{empty}</option>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {problem ? (
        <p className="field__error" id={errorId}>
          {problem}
        </p>
      ) : null}
    </div>
  )
}
