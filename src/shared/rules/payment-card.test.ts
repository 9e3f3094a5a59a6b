import { describe, expect, it } from 'vitest'
import { cardSummary } from './payment-card.ts'

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
