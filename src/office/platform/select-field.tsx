type SelectFieldProps = {
  label: string
  name: string
  value: string
  options: readonly (readonly [value: string, label: string])[]
  empty: string
}

export function SelectField({ label, name, value, options, empty }: SelectFieldProps) {
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      <select id={name} name={name} defaultValue={value}>
        <option value="">{empty}</option>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
