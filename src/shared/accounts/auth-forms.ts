import type { FormProblem } from '#shared/api-call.ts'
import { cleanEmail, isDeliverableAddress, isEmailAddress } from '#shared/email.ts'
import { MAX_NAME_CHARACTERS, MAX_PASSWORD_BYTES, MIN_PASSWORD_CHARACTERS } from './limits.ts'

const MESSAGES = {
  required: 'All fields are required.',
  email: 'Please enter a valid email.',
  short: `Password must be at least ${MIN_PASSWORD_CHARACTERS} characters.`,
  long: `Password must be at most ${MAX_PASSWORD_BYTES} characters (fewer with accents or emoji).`,
  name: `Name must be at most ${MAX_NAME_CHARACTERS} characters.`,
  match: 'Passwords do not match.',
  resetEmail: 'Email is required.',
} as const

const NEW_PASSWORD_FIELDS = ['password', 'confirmPassword'] as const

type Values<Field extends string> = Readonly<Record<Field, string>>

export function toEmailIdentity(email: string): string {
  return cleanEmail(email).toLowerCase()
}

export function findLoginProblem(
  values: Values<'email' | 'password'>,
): FormProblem<'email' | 'password'> | undefined {
  return (
    findMissingFieldsProblem(values, ['email', 'password']) ??
    findEmailProblem(values, isEmailAddress) ??
    findPasswordProblem(values)
  )
}

/** Checks the API's fields, which don't include the password's confirmation (§ 3). */
export function findRegistrationProblem(
  values: Values<'name' | 'email' | 'password'>,
): FormProblem<'name' | 'email' | 'password'> | undefined {
  return (
    findMissingFieldsProblem(values, ['name', 'email', 'password'], ['password']) ??
    findEmailProblem(values) ??
    findPasswordProblem(values) ??
    findNameProblem(values)
  )
}

type RegistrationField = 'name' | 'email' | 'password' | 'confirmPassword'

export function findRegistrationFormProblem(
  values: Values<RegistrationField>,
): FormProblem<RegistrationField> | undefined {
  return (
    findMissingFieldsProblem(values, ['name', 'email', ...NEW_PASSWORD_FIELDS], NEW_PASSWORD_FIELDS) ??
    findConfirmationProblem(values) ??
    findRegistrationProblem(values)
  )
}

export function findResetEmailProblem({ email }: Values<'email'>): FormProblem<'email'> | undefined {
  if (email.trim() === '') return { message: MESSAGES.resetEmail, fields: ['email'] }
  return findEmailProblem({ email })
}

export function findNewPasswordProblem(
  values: Values<'password' | 'confirmPassword'>,
): FormProblem<'password' | 'confirmPassword'> | undefined {
  return (
    findMissingFieldsProblem(values, NEW_PASSWORD_FIELDS, NEW_PASSWORD_FIELDS) ??
    findConfirmationProblem(values) ??
    findPasswordProblem(values)
  )
}

/** A password of spaces is rejected, because the login form treats it as empty. */
export function findPasswordProblem({ password }: Values<'password'>): FormProblem<'password'> | undefined {
  if (Array.from(password).length < MIN_PASSWORD_CHARACTERS)
    return { message: MESSAGES.short, fields: ['password'] }
  if (password.trim() === '') return { message: MESSAGES.required, fields: ['password'] }
  if (new TextEncoder().encode(password).byteLength > MAX_PASSWORD_BYTES)
    return { message: MESSAGES.long, fields: ['password'] }
  return undefined
}

function findMissingFieldsProblem<Field extends string>(
  values: Values<Field>,
  order: readonly Field[],
  untrimmed: readonly Field[] = [],
): FormProblem<Field> | undefined {
  const valueToCheck = (field: Field) => (untrimmed.includes(field) ? values[field] : values[field].trim())
  const fields = order.filter((field) => valueToCheck(field) === '')
  return fields.length > 0 ? { message: MESSAGES.required, fields } : undefined
}

function findEmailProblem(
  { email }: Values<'email'>,
  isValid = isDeliverableAddress,
): FormProblem<'email'> | undefined {
  return isValid(email) ? undefined : { message: MESSAGES.email, fields: ['email'] }
}

function findNameProblem({ name }: Values<'name'>): FormProblem<'name'> | undefined {
  if (Array.from(name.trim()).length <= MAX_NAME_CHARACTERS) return undefined
  return { message: MESSAGES.name, fields: ['name'] }
}

function findConfirmationProblem({
  password,
  confirmPassword,
}: Values<'password' | 'confirmPassword'>): FormProblem<'confirmPassword'> | undefined {
  return password === confirmPassword ? undefined : { message: MESSAGES.match, fields: ['confirmPassword'] }
}
