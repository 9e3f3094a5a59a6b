import { MIN_PASSWORD_CHARACTERS } from '#shared/rules/auth-forms.ts'
import { TextField } from './text-field.tsx'
import type { FieldProps } from './use-form.ts'

type NewPasswordFieldsProps = {
  label: string
  fieldProps: (name: 'password' | 'confirmPassword') => FieldProps
}

/** A password to choose, typed twice. */
export function NewPasswordFields({ label, fieldProps }: NewPasswordFieldsProps) {
  const rest = { type: 'password', autoComplete: 'new-password' } as const
  return (
    <>
      <TextField
        label={label}
        {...fieldProps('password')}
        {...rest}
        placeholder={`Min ${MIN_PASSWORD_CHARACTERS} characters`}
      />
      <TextField label="Confirm Password" {...fieldProps('confirmPassword')} {...rest} />
    </>
  )
}
