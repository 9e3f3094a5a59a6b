import type { FormProblem } from './auth-forms.ts'
import { isEmailAddress } from './email.ts'

const ORDER_NUMBER = /^P-?([A-Z0-9]{6})$/
const PHONE = /^\+?[\d\s()-]{9,24}$/

/** The form that asks for the link to an order's page. */
export type OrderLinkForm = { number: string; contact: string }

/** An order's number as it is stored, however it was typed; undefined for what cannot be one. */
export function orderNumberFrom(text: string): string | undefined {
  const typed = text.toUpperCase().replace(/[\s#.]/g, '')
  const [, characters] = ORDER_NUMBER.exec(typed) ?? ORDER_NUMBER.exec(`P-${typed}`) ?? []
  return characters && `P-${characters}`
}

/** What is wrong with the form, one message; undefined when nothing is. */
export function orderLinkProblem({
  number,
  contact,
}: OrderLinkForm): FormProblem<keyof OrderLinkForm> | undefined {
  if (number.trim() === '') return { message: 'The order number is required.', fields: ['number'] }
  if (!orderNumberFrom(number))
    return { message: 'Please enter a number like P-7K3M9Q, as in our mails.', fields: ['number'] }
  if (contact.trim() === '') return { message: 'Email or phone is required.', fields: ['contact'] }
  if (!isEmailAddress(contact) && !PHONE.test(contact.trim()))
    return { message: 'Please enter a valid email address or phone number.', fields: ['contact'] }
  return undefined
}
