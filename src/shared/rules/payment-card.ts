/** Brands told apart by the first digits; every other card is just a card. */
export const CARD_BRANDS = ['Visa', 'Mastercard', 'American Express', 'Card'] as const
export type CardBrand = (typeof CARD_BRANDS)[number]

/** All that the shop ever learns of a card. */
export type CardSummary = { brand: CardBrand; lastFour: string }

const BRAND_PREFIXES: readonly [CardBrand, RegExp][] = [
  ['Visa', /^4/],
  ['Mastercard', /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/],
  ['American Express', /^3[47]/],
]

/** A card number without the spaces and dashes people write in it. */
export function cardDigits(number: string): string {
  return number.replace(/[\s-]/g, '')
}

/** The brand and the last four digits of a card number, all that may leave the page. */
export function cardSummary(number: string): CardSummary {
  const digits = cardDigits(number)
  const [brand] = BRAND_PREFIXES.find(([, prefix]) => prefix.test(digits)) ?? ['Card']
  return { brand, lastFour: digits.slice(-4) }
}
