import { href } from '../routes.ts'
import { shop } from '../shop.ts'

/** The search parameter that opens an order's page without signing in: the signature in the links of mails. */
export const ORDER_KEY_PARAM = 'key'

/** Where an order's receipt is downloaded; `key` is the signature of the link that led to the order. No page. */
export function receiptHref(number: string, key: string | null): string {
  const path = `${href('order', { number })}/receipt`
  return key ? `${path}?${new URLSearchParams({ [ORDER_KEY_PARAM]: key })}` : path
}

/** Where a question about an order is asked, with its number filled in: on WhatsApp where the shop has it, else by mail. */
export function questionHref(
  number: string,
  { whatsapp, email }: Pick<typeof shop, 'whatsapp' | 'email'> = shop,
) {
  if (!whatsapp) return `mailto:${email}?subject=${encodeURIComponent(`Order ${number}`)}`
  const text = `Hello ${shop.name}, I have a question about my order ${number}.`
  return `https://wa.me/${whatsapp}?text=${encodeURIComponent(text)}`
}
