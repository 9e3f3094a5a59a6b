/** Digits the number field holds: 19 characters with their spaces (§ 5). */
const CARD_NUMBER_FIELD_DIGITS = 16
const EXPIRATION_FIELD_DIGITS = 4
const CVV_FIELD_DIGITS = 4

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

/** The card number field as it is typed or pasted: digits in groups of four, at most 19 characters (§ 5). */
export function formatCardNumber(typed: string): string {
  const digits = digitsOf(typed, CARD_NUMBER_FIELD_DIGITS)
  return digits.replace(/(\d{4})(?=\d)/g, '$1 ')
}

/**
 * The expiration field as it is typed: digits, a slash after the second once a third follows, at most 5 characters
 * (§ 5). `1/27` and `01/2027`, as browsers fill them in, become `01/27`.
 */
export function formatExpiration(typed: string): string {
  const [, month = '', year = ''] = /^\s*(\d{1,2})\s*[/-]\s*(?:20)?(\d{2})\s*$/.exec(typed) ?? []
  const digits = month ? month.padStart(2, '0') + year : digitsOf(typed, EXPIRATION_FIELD_DIGITS)
  return digits.length > 2 ? `${digits.slice(0, 2)}/${digits.slice(2)}` : digits
}

/** The CVV field as it is typed: at most 4 digits (§ 5). */
export function formatCvv(typed: string): string {
  return digitsOf(typed, CVV_FIELD_DIGITS)
}

/** The brand and the last four digits of a card number, all that may leave the page. */
export function cardSummary(number: string): CardSummary {
  const digits = cardDigits(number)
  const [brand] = BRAND_PREFIXES.find(([, prefix]) => prefix.test(digits)) ?? ['Card']
  return { brand, lastFour: digits.slice(-4) }
}

function digitsOf(text: string, most: number): string {
  return text.replace(/\D/g, '').slice(0, most)
}
