import { expect, it } from 'vitest'
import { shop } from '#shared/shop.ts'
import { findOrderLinkProblem, orderQuestionHref, parseOrderNumber } from './order-link.ts'

it('a question about an order links to WhatsApp if it is configured, and otherwise to email', () => {
  expect(orderQuestionHref('P-7K3M9Q', { ...shop, whatsapp: '254712345678' })).toBe(
    'https://wa.me/254712345678?text=Hello%20Pamba%2C%20I%20have%20a%20question%20about%20my%20order%20P-7K3M9Q.',
  )
  expect(orderQuestionHref('P-7K3M9Q', { ...shop, whatsapp: '' })).toBe(
    `mailto:${shop.email}?subject=Order%20P-7K3M9Q`,
  )
})

it.each(['P-7K3M9Q', 'p-7k3m9q', ' p 7k3m9q', '#7K3M9Q', 'p7k3m9q'])(
  'an order number is read from %j',
  (typed) => {
    expect(parseOrderNumber(typed)).toBe('P-7K3M9Q')
    expect(findOrderLinkProblem('number', typed)).toBeUndefined()
  },
)
