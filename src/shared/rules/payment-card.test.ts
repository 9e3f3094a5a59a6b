import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cardSummary, formatCardNumber, formatCvv, formatExpiration } from './payment-card.ts'

describe('card fields as they are typed', () => {
  it.each([
    ['', ''],
    ['4242', '4242'],
    ['42424', '4242 4'],
    ['4242-4242-4242-4242', '4242 4242 4242 4242'],
    ['4242 4242 4242 4242 999', '4242 4242 4242 4242'],
    ['378282246310005', '3782 8224 6310 005'],
    ['x4y2', '42'],
  ])('shows the number %j as %j', (typed, shown) => {
    expect(formatCardNumber(typed)).toBe(shown)
  })

  it.each([
    ['', ''],
    ['1', '1'],
    ['12', '12'],
    ['122', '12/2'],
    ['1226', '12/26'],
    ['12/26', '12/26'],
    ['12/267', '12/26'],
    ['1/27', '01/27'],
    ['01/2027', '01/27'],
    ['01 / 27', '01/27'],
    ['ab12', '12'],
  ])('shows the expiration %j as %j', (typed, shown) => {
    expect(formatExpiration(typed)).toBe(shown)
  })

  it('shows at most four digits of a CVV', () => {
    expect(formatCvv('12a345')).toBe('1234')
  })

  it('changes nothing that it has already formatted', () => {
    fc.assert(
      fc.property(fc.string(), (typed) => {
        for (const format of [formatCardNumber, formatExpiration, formatCvv]) {
          expect(format(format(typed))).toBe(format(typed))
        }
        expect(formatCardNumber(typed).length).toBeLessThanOrEqual(19)
        expect(formatExpiration(typed).length).toBeLessThanOrEqual(5)
      }),
    )
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
