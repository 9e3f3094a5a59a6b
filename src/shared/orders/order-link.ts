import { isEmailAddress } from '#shared/email.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'

/** The URL parameter with the signature of a link that opens an order's page without logging in. */
export const ORDER_KEY_PARAM = 'key'

export type OrderRef = { number: string; key?: string | null | undefined }

export function orderHref({ number, key }: OrderRef): string {
  return href('order', { number }, key ? { [ORDER_KEY_PARAM]: key } : {})
}

export function receiptHref({ number, key }: OrderRef): string {
  return appendOrderKey(`${href('order', { number })}/receipt`, key)
}

export function appendOrderKey(path: string, key: OrderRef['key']): string {
  return key ? `${path}?${new URLSearchParams({ [ORDER_KEY_PARAM]: key })}` : path
}

export function orderQuestionHref(
  number: string,
  { whatsapp, email }: { whatsapp: string; email: string } = shop,
  message = 'I have a question about my order',
) {
  if (!whatsapp) return `mailto:${email}?subject=${encodeURIComponent(`Order ${number}`)}`
  const text = `Hello ${shop.name}, ${message} ${number}.`
  return `https://wa.me/${whatsapp}?text=${encodeURIComponent(text)}`
}

const ORDER_NUMBER_PATTERN = new RegExp(`^${shop.orderPrefix}-?([A-Z0-9]{6})$`)
const PHONE_PATTERN = /^\+?[\d\s()-]{9,24}$/

export const ORDER_LINK_FIELDS = ['number', 'contact'] as const
export type OrderLinkField = (typeof ORDER_LINK_FIELDS)[number]

export function parseOrderNumber(text: string): string | undefined {
  const normalised = text.toUpperCase().replace(/[\s#.]/g, '')
  const [, characters] =
    ORDER_NUMBER_PATTERN.exec(normalised) ??
    ORDER_NUMBER_PATTERN.exec(`${shop.orderPrefix}-${normalised}`) ??
    []
  return characters && `${shop.orderPrefix}-${characters}`
}

export function findOrderLinkProblem(field: OrderLinkField, text: string): string | undefined {
  if (field === 'number') {
    if (text.trim() === '') return 'Order number is required.'
    if (!parseOrderNumber(text))
      return `Please enter your order number as shown in our emails, for example ${shop.orderPrefix}-7K3M9Q.`
    return undefined
  }
  if (text.trim() === '') return 'Email or phone is required.'
  if (!isEmailAddress(text) && !PHONE_PATTERN.test(text.trim()))
    return 'Please enter a valid email address or phone number.'
  return undefined
}
