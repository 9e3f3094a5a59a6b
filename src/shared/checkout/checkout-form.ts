export const COUNTRIES = ['Kenya'] as const
export const COUNTIES = ['Nairobi', 'Mombasa', 'Kisumu', 'Nakuru', 'Eldoret'] as const

const CARD_NUMBER_PATTERN = /^\d{13,19}$/
const CVV_PATTERN = /^\d{3,4}$/
const EXPIRATION_PATTERN = /^(0[1-9]|1[0-2])\/(\d{2})$/
const CENTURY = 2000

/** The browser validates these fields. Of the card, it sends only the brand and the last four digits. */
export const CARD_FIELDS = ['ccName', 'ccNumber', 'ccExpiration', 'ccCVV'] as const

export type CardField = (typeof CARD_FIELDS)[number]

const REQUIRED_MESSAGES: Record<CardField, string> = {
  ccName: 'Name on card is required',
  ccNumber: 'Card number is required',
  ccExpiration: 'Expiration date is required',
  ccCVV: 'CVV is required',
}

export function findCardProblem(field: CardField, value: string, today: Date): string | undefined {
  const text = value.trim()
  if (text === '') return REQUIRED_MESSAGES[field]
  if (field === 'ccNumber' && !CARD_NUMBER_PATTERN.test(removeSpaces(text)))
    return 'Please enter a valid card number'
  if (field === 'ccExpiration' && !isUnexpired(text, today))
    return 'Please enter a valid expiration date (MM/YY)'
  if (field === 'ccCVV' && !CVV_PATTERN.test(text)) return 'Please enter a valid CVV'
  return undefined
}

function isUnexpired(text: string, today: Date): boolean {
  const [, month, year] = EXPIRATION_PATTERN.exec(text) ?? []
  if (!month || !year) return false
  const monthsLeft =
    (CENTURY + Number(year) - today.getFullYear()) * 12 + Number(month) - 1 - today.getMonth()
  return monthsLeft >= 0
}

export const CARD_BRANDS = ['Visa', 'Mastercard', 'American Express', 'Card'] as const
export type CardBrand = (typeof CARD_BRANDS)[number]

export type CardSummary = { brand: CardBrand; lastFour: string }

const BRAND_PREFIXES: readonly [CardBrand, RegExp][] = [
  ['Visa', /^4/],
  ['Mastercard', /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/],
  ['American Express', /^3[47]/],
]

export function removeSpaces(number: string): string {
  return number.replace(/[\s-]/g, '')
}

export function createCardSummary(number: string): CardSummary {
  const digits = removeSpaces(number)
  const [brand] = BRAND_PREFIXES.find(([, prefix]) => prefix.test(digits)) ?? ['Card']
  return { brand, lastFour: digits.slice(-4) }
}
