import { describe, expect, it } from 'vitest'
import { CARD_FIELDS, type CardField, createCardSummary, findCardProblem } from './checkout-form.ts'

const TODAY = new Date(2026, 10, 21)

const filled: Record<CardField, string> = {
  ccName: 'W Kamau',
  ccNumber: '4242 4242 4242 4242',
  ccExpiration: '11/26',
  ccCVV: '123',
}

const problemOf = (field: CardField, value: string) => findCardProblem(field, value, TODAY)

describe('the card fields of the checkout form', () => {
  it('accept valid values', () => {
    for (const field of CARD_FIELDS) expect(problemOf(field, filled[field])).toBeUndefined()
  })

  it.each([
    ['ccName', 'Name on card is required'],
    ['ccNumber', 'Card number is required'],
    ['ccExpiration', 'Expiration date is required'],
    ['ccCVV', 'CVV is required'],
  ] as const)('require %s', (field, message) => {
    expect(problemOf(field, '')).toBe(message)
    expect(problemOf(field, '  ')).toBe(message)
  })

  it.each([
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
  ] as const)('with %s %j give the error: %s', (field, value, message) => {
    expect(problemOf(field, value)).toBe(message)
  })
})

describe('the card summary', () => {
  it.each([
    ['4242 4242 4242 4242', 'Visa', '4242'],
    ['5105 1051 0510 5100', 'Mastercard', '5100'],
    ['2221 0000 0000 0009', 'Mastercard', '0009'],
    ['2720 9900 0000 0007', 'Mastercard', '0007'],
    ['2721 0000 0000 0000', 'Card', '0000'],
    ['3782 822463 10005', 'American Express', '0005'],
    ['6011-0000-0000-0004', 'Card', '0004'],
  ])('of %s is the brand %s and the last digits %s', (number, brand, lastFour) => {
    expect(createCardSummary(number)).toEqual({ brand, lastFour })
  })
})
