import type { FormProblem } from '#shared/api-call.ts'
import { isEmailAddress } from '#shared/email.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'

/** The search parameter that opens an order's page without signing in: the signature in the links of mails. */
export const ORDER_KEY_PARAM = 'key'

/** Where an order's receipt is downloaded; `key` is the signature of the link that led to the order. No page. */
export function receiptHref(number: string, key: string | null): string {
  const path = `${href('order', { number })}/receipt`
  return key ? `${path}?${new URLSearchParams({ [ORDER_KEY_PARAM]: key })}` : path
}

/** Where a question about an order is asked, with its number filled in: on WhatsApp where the shop has it, else by mail. */
export function orderQuestionHref(
  number: string,
  { whatsapp, email }: Pick<typeof shop, 'whatsapp' | 'email'> = shop,
) {
  if (!whatsapp) return `mailto:${email}?subject=${encodeURIComponent(`Order ${number}`)}`
  const text = `Hello ${shop.name}, I have a question about my order ${number}.`
  return `https://wa.me/${whatsapp}?text=${encodeURIComponent(text)}`
}

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
  if (number.trim() === '') return { message: 'Order number is required.', fields: ['number'] }
  if (!orderNumberFrom(number))
    return { message: 'Please enter a number like P-7K3M9Q, as shown in our emails.', fields: ['number'] }
  if (contact.trim() === '') return { message: 'Email or phone is required.', fields: ['contact'] }
  if (!isEmailAddress(contact) && !PHONE.test(contact.trim()))
    return { message: 'Please enter a valid email address or phone number.', fields: ['contact'] }
  return undefined
}
