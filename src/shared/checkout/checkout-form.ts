/** Where the shop delivers (§ 5). */
export const COUNTRIES = ['Kenya'] as const
export const COUNTIES = ['Nairobi', 'Mombasa', 'Kisumu', 'Nakuru', 'Eldoret'] as const

/** Digits of a card number and of its security code (§ 5). */
const CARD_NUMBER = /^\d{13,19}$/
const CVV = /^\d{3,4}$/
const EXPIRATION = /^(0[1-9]|1[0-2])\/(\d{2})$/
const CENTURY = 2000

/** The card part of the form: checked in the browser, never sent anywhere. */
export const CARD_FIELDS = ['ccName', 'ccNumber', 'ccExpiration', 'ccCVV'] as const

export type CardField = (typeof CARD_FIELDS)[number]

const REQUIRED: Record<CardField, string> = {
  ccName: 'Name on card is required',
  ccNumber: 'Card number is required',
  ccExpiration: 'Expiration date is required',
  ccCVV: 'CVV is required',
}

/** What is wrong with a card field, in the words of § 5; undefined when nothing is. `today` decides whether the card has expired. */
export function cardProblem(field: CardField, value: string, today: Date): string | undefined {
  const text = value.trim()
  if (text === '') return REQUIRED[field]
  if (field === 'ccNumber' && !CARD_NUMBER.test(cardDigits(text))) return 'Please enter a valid card number'
  if (field === 'ccExpiration' && !isCurrent(text, today))
    return 'Please enter a valid expiration date (MM/YY)'
  if (field === 'ccCVV' && !CVV.test(text)) return 'Please enter a valid CVV'
  return undefined
}

/** Whether an MM/YY card can still be used: to the end of its month. */
function isCurrent(text: string, today: Date): boolean {
  const [, month, year] = EXPIRATION.exec(text) ?? []
  if (!month || !year) return false
  const monthsLeft =
    (CENTURY + Number(year) - today.getFullYear()) * 12 + Number(month) - 1 - today.getMonth()
  return monthsLeft >= 0
}

/** Brands recognized by the first digits; every other card is `Card`. */
export const CARD_BRANDS = ['Visa', 'Mastercard', 'American Express', 'Card'] as const
export type CardBrand = (typeof CARD_BRANDS)[number]

/** The only card data that the shop receives. */
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

/** The brand and the last four digits of a card number: the only parts that may leave the page. */
export function cardSummary(number: string): CardSummary {
  const digits = cardDigits(number)
  const [brand] = BRAND_PREFIXES.find(([, prefix]) => prefix.test(digits)) ?? ['Card']
  return { brand, lastFour: digits.slice(-4) }
}
