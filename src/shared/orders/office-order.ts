import type { DeliveryMethod } from '#shared/checkout/delivery.ts'
import { findOrderFieldProblem, type OrderField } from './fields.ts'

export const OFFICE_ORDER_FIELDS = [
  'firstName',
  'lastName',
  'phone',
  'email',
  'state',
  'address',
  'address2',
  'landmark',
  'giftNote',
] as const satisfies readonly OrderField[]
export type OfficeOrderField = (typeof OFFICE_ORDER_FIELDS)[number]
export type OfficeOrderValues = Record<OfficeOrderField, string>

export const PAYMENT_LINK_HOURS = [2, 24, 72] as const
export const DEFAULT_PAYMENT_LINK_HOURS = 24

export function findOfficeOrderProblems(
  values: OfficeOrderValues,
  method: DeliveryMethod,
): Partial<Record<OfficeOrderField, string>> {
  const optional: readonly OfficeOrderField[] = [
    'lastName',
    'email',
    ...(method === 'pickup' ? ADDRESS_FIELDS : []),
  ]
  const problems = OFFICE_ORDER_FIELDS.map((field) => {
    const value = values[field].trim()
    if (value === '' && field === 'phone') return [field, 'Phone is required'] as const
    return [
      field,
      value === '' && optional.includes(field) ? undefined : findOrderFieldProblem(field, value),
    ] as const
  })
  return Object.fromEntries(problems.filter(([, problem]) => problem))
}

const ADDRESS_FIELDS: readonly OfficeOrderField[] = ['state', 'address']

/** Some accounts have a text instead of an email address, such as `phone 712345678` for orders by phone. */
export function getAccountEmail(email: string): string {
  return email.includes('@') ? email : ''
}
