import { expect, it } from 'vitest'
import { createDeliveryTerms } from '#shared/checkout/delivery.ts'
import { formatPriceWithVat } from '#shared/checkout/fees.ts'
import type { DeliverySettings } from '#shared/shop.ts'
import { formatPurchaseTerms } from './purchase-terms.ts'

const termsText = (settings: DeliverySettings, priceKsh = 1000) =>
  formatPurchaseTerms(createDeliveryTerms(settings), priceKsh).replaceAll('\u00a0', ' ')

const coast = (feeKsh: number) => ({ name: 'Coast', counties: ['Mombasa'] as const, feeKsh })
const everywhere = (feeKsh: number) => ({
  name: 'Kenya',
  counties: ['Nairobi', 'Mombasa', 'Kisumu', 'Nakuru', 'Eldoret'] as const,
  feeKsh,
})

it.each([
  [2650, 'KSH 3,074 with VAT'],
  [99.5, 'KSH 115 with VAT'],
  [890, 'KSH 1,032 with VAT'],
])('a price of KSH %d is KSH %s', (priceKsh, expected) => {
  expect(formatPriceWithVat(priceKsh).replace('\u00a0', ' ')).toBe(expected)
})

it('the purchase terms state the delivery fee and the return period', () => {
  expect(termsText({ zones: [], pickup: '' })).toBe(
    'Delivery KSH 30, free above KSH 1,000 before VAT · 14-day returns',
  )
  expect(termsText({ zones: [], pickup: '' }, 1001)).toBe('Free delivery above KSH 1,000 · 14-day returns')
})

it.each([
  [
    'the range of fees of the counties',
    [coast(1250)],
    'Delivery KSH 30 to KSH 1,250, depending on county, free above KSH 1,000 before VAT',
  ],
  [
    'a range that starts with free delivery',
    [coast(0)],
    'Delivery KSH 0 to KSH 30, depending on county, free above KSH 1,000 before VAT',
  ],
  [
    'one fee where all counties have the same',
    [everywhere(100)],
    'Delivery KSH 100, free above KSH 1,000 before VAT',
  ],
  ['free delivery', [everywhere(0)], 'Free delivery'],
])('the purchase terms state %s', (_what, zones, expected) => {
  const [first] = termsText({ zones, pickup: '' }).split(' · ')
  expect(first).toBe(expected)
})

it('the purchase terms state the delivery time once the owner has entered it', () => {
  const delivery = createDeliveryTerms({ zones: [coast(250)], pickup: '' })
  expect(formatPurchaseTerms({ ...delivery, time: '1 to 3 days' }, 500)).toContain(
    '\u00a0· delivered in 1 to 3 days\u00a0· ',
  )
  expect(formatPurchaseTerms({ ...delivery, time: '1 to 3 days' }, 2650)).toBe(
    'Free delivery in 1 to 3 days\u00a0· 14-day\u00a0returns',
  )
})

it('the purchase terms offer pickup if it is configured and delivery isn’t free', () => {
  expect(termsText({ zones: [], pickup: 'Biashara Street 9' })).toContain(' · free pickup · ')
  expect(termsText({ zones: [], pickup: 'Biashara Street 9' }, 1001)).not.toContain('pickup')
})
