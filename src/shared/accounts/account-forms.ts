import type { FormProblem } from '#shared/api-call.ts'
import {
  findOrderFieldProblem,
  REMEMBERED_ORDER_FIELDS,
  type RememberedOrderField,
} from '#shared/orders/fields.ts'
import { findNewPasswordProblem } from './auth-forms.ts'
import { MAX_NAME_CHARACTERS } from './limits.ts'

const ADDRESS_FIELDS = ['address', 'address2', 'country', 'state', 'zip'] as const
export const DETAILS_FIELDS = REMEMBERED_ORDER_FIELDS
export type DetailsField = RememberedOrderField
export type Details = Record<DetailsField, string>

export function formatFullName({ firstName, lastName }: Pick<Details, 'firstName' | 'lastName'>): string {
  return `${firstName.trim()} ${lastName.trim()}`.trim()
}

/** Validates a field of the account's details (§ 5). The address may be empty, but not incomplete. */
export function findDetailsProblem(field: DetailsField, value: string, details: Details): string | undefined {
  const isAddressField = ADDRESS_FIELDS.some((name) => name === field)
  if (isAddressField && ADDRESS_FIELDS.every((name) => details[name].trim() === '')) return undefined
  const isTooLong = Array.from(formatFullName(details)).length > MAX_NAME_CHARACTERS
  if (field === 'lastName' && isTooLong) return `Name must be at most ${MAX_NAME_CHARACTERS} characters.`
  return findOrderFieldProblem(field, value)
}

export function hasAddressChanged(
  before: Partial<Record<DetailsField, string | null>>,
  after: Partial<Record<DetailsField, string | null>>,
): boolean {
  return ADDRESS_FIELDS.some((field) => (before[field] ?? '') !== (after[field] ?? ''))
}

type PasswordField = 'oldPassword' | 'password' | 'confirmPassword'

export function findPasswordChangeProblem(
  values: Readonly<Record<PasswordField, string>>,
): FormProblem<PasswordField> | undefined {
  const problem = findNewPasswordProblem(values)
  if (values.oldPassword !== '') return problem
  const emptyFields = (['password', 'confirmPassword'] as const).filter((field) => values[field] === '')
  return { message: 'All fields are required.', fields: ['oldPassword', ...emptyFields] }
}

export const ACTIVITY_LABELS = {
  registered: 'Account created',
  signed_in: 'Logged in',
  email_verified: 'Email address confirmed',
  password_reset: 'Password reset by email',
  password_changed: 'Password changed',
  devices_signed_out: 'Other devices logged out',
  address_changed: 'Address changed',
} as const

export type ActivityKind = keyof typeof ACTIVITY_LABELS
export const ACTIVITY_KINDS = Object.keys(ACTIVITY_LABELS) as [ActivityKind, ...ActivityKind[]]
