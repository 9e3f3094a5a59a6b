import { describe, expect, it } from 'vitest'
import { billingSchema } from '#shared/orders/contract.ts'
import {
  BILLING_FIELDS,
  type BillingField,
  billingProblem,
  type CheckoutField,
  cardProblem,
  cardSummary,
} from './checkout-form.ts'

const TODAY = new Date(2026, 10, 21)

const filled: Record<CheckoutField, string> = {
  firstName: 'Wanjiru',
  lastName: 'Kamau',
  email: 'wanjiru@example.com',
  address: 'Ngong Road 12',
  address2: '',
  country: 'Kenya',
  state: 'Nairobi',
  zip: '00100',
  ccName: 'W Kamau',
  ccNumber: '4242 4242 4242 4242',
  ccExpiration: '11/26',
  ccCVV: '123',
}

const isBilling = (field: CheckoutField): field is BillingField =>
  (BILLING_FIELDS as readonly string[]).includes(field)

const problemOf = (field: CheckoutField, value: string) =>
  isBilling(field) ? billingProblem(field, value) : cardProblem(field, value, TODAY)

describe('the checkout form', () => {
  it('finds nothing wrong with a filled form', () => {
    for (const [field, value] of Object.entries(filled)) {
      expect(problemOf(field as CheckoutField, value)).toBeUndefined()
    }
  })

  it.each([
    ['firstName', 'First name is required'],
    ['lastName', 'Last name is required'],
    ['email', 'Email is required'],
    ['address', 'Address is required'],
    ['country', 'Please select a country'],
    ['state', 'Please select a county'],
    ['zip', 'Zip code is required'],
    ['ccName', 'Name on card is required'],
    ['ccNumber', 'Card number is required'],
    ['ccExpiration', 'Expiration date is required'],
    ['ccCVV', 'CVV is required'],
  ] as const)('asks for %s, blank or empty', (field, message) => {
    expect(problemOf(field, '')).toBe(message)
    expect(problemOf(field, '  ')).toBe(message)
  })

  it.each([
    ['email', 'wanjiru', 'Please enter a valid email address'],
    ['email', 'a b@c.de', 'Please enter a valid email address'],
    ['email', 'a@b@c.de', 'Please enter a valid email address'],
    ['email', 'a@localhost', 'Please enter a valid email address'],
    ['email', `${'a'.repeat(250)}@b.ke`, 'Please use at most 254 characters'],
    ['email', ' a@b.ke ', undefined],
    ['address', 'x'.repeat(201), 'Please use at most 200 characters'],
    ['country', 'Uganda', 'Please select a country'],
    ['state', 'Kampala', 'Please select a county'],
    ['ccNumber', '4242 4242 424', 'Please enter a valid card number'],
    ['ccNumber', '4242 4242 4242 4', undefined],
    ['ccNumber', '4242424242424242424', undefined],
    ['ccNumber', '42424242424242424242', 'Please enter a valid card number'],
    ['ccNumber', '4242-4242-4242-4242', undefined],
    ['ccNumber', '4242 4242 4242 abcd', 'Please enter a valid card number'],
    ['ccExpiration', '10/26', 'Please enter a valid expiration date (MM/YY)'],
    ['ccExpiration', '12/25', 'Please enter a valid expiration date (MM/YY)'],
    ['ccExpiration', '11/26', undefined],
    ['ccExpiration', '01/27', undefined],
    ['ccExpiration', '00/27', 'Please enter a valid expiration date (MM/YY)'],
    ['ccExpiration', '13/27', 'Please enter a valid expiration date (MM/YY)'],
    ['ccExpiration', '1/27', 'Please enter a valid expiration date (MM/YY)'],
    ['ccExpiration', '0127', 'Please enter a valid expiration date (MM/YY)'],
    ['ccCVV', '12', 'Please enter a valid CVV'],
    ['ccCVV', '1234', undefined],
    ['ccCVV', '12345', 'Please enter a valid CVV'],
    ['ccCVV', '12a', 'Please enter a valid CVV'],
  ] as const)('validates %s %j', (field, value, message) => {
    expect(problemOf(field, value)).toBe(message)
  })
})

describe('the billing part on the server', () => {
  it('gives the same messages, also for what is missing', () => {
    const result = billingSchema.safeParse({ email: 'nobody', country: 'Kenya', state: 'Kampala' })
    expect(result.error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
      ['firstName', 'First name is required'],
      ['lastName', 'Last name is required'],
      ['email', 'Please enter a valid email address'],
      ['address', 'Address is required'],
      ['state', 'Please select a county'],
      ['zip', 'Zip code is required'],
    ])
  })

  it('trims, puts control characters to rest, and drops whatever else came along', () => {
    const parsed = billingSchema.parse({ ...filled, firstName: ' Wanjiru\r\nBcc: x ' })
    expect(parsed.firstName).toBe('Wanjiru Bcc: x')
    expect(Object.keys(parsed)).not.toContain('ccNumber')
  })
})

describe('what the shop learns of a card', () => {
  it.each([
    ['4242 4242 4242 4242', 'Visa', '4242'],
    ['5105 1051 0510 5100', 'Mastercard', '5100'],
    ['2221 0000 0000 0009', 'Mastercard', '0009'],
    ['2720 9900 0000 0007', 'Mastercard', '0007'],
    ['2721 0000 0000 0000', 'Card', '0000'],
    ['3782 822463 10005', 'American Express', '0005'],
    ['6011-0000-0000-0004', 'Card', '0004'],
  ])('is of %s only that it is %s, ending in %s', (number, brand, lastFour) => {
    expect(cardSummary(number)).toEqual({ brand, lastFour })
  })
})
