import { isEmailAddress, MAX_EMAIL_CHARACTERS } from '#shared/email.ts'

/** Where the shop delivers (§ 5). */
export const COUNTRIES = ['Kenya'] as const
export const COUNTIES = ['Nairobi', 'Mombasa', 'Kisumu', 'Nakuru', 'Eldoret'] as const

/** Digits of a card number and of its security code (§ 5). */
const CARD_NUMBER = /^\d{13,19}$/
const CVV = /^\d{3,4}$/
const EXPIRATION = /^(0[1-9]|1[0-2])\/(\d{2})$/
const CENTURY = 2000

/** The billing part of the form, stored with the order (§ 3). */
export const BILLING_FIELDS = [
  'firstName',
  'lastName',
  'email',
  'address',
  'address2',
  'country',
  'state',
  'zip',
] as const
/** The card part of the form: checked in the browser, never sent anywhere. */
export const CARD_FIELDS = ['ccName', 'ccNumber', 'ccExpiration', 'ccCVV'] as const

export type BillingField = (typeof BILLING_FIELDS)[number]
export type CardField = (typeof CARD_FIELDS)[number]
export type CheckoutField = BillingField | CardField
export type BillingForm = Record<BillingField, string>

/** The longest text each billing field takes, in characters; for `maxlength` and for the server. */
export const BILLING_MAX_CHARACTERS = {
  firstName: 80,
  lastName: 80,
  email: MAX_EMAIL_CHARACTERS,
  address: 200,
  address2: 200,
  country: 40,
  state: 40,
  zip: 16,
} as const satisfies Record<BillingField, number>

const REQUIRED: Record<Exclude<CheckoutField, 'address2'>, string> = {
  firstName: 'First name is required',
  lastName: 'Last name is required',
  email: 'Email is required',
  address: 'Address is required',
  country: 'Please select a country',
  state: 'Please select a county',
  zip: 'Zip code is required',
  ccName: 'Name on card is required',
  ccNumber: 'Card number is required',
  ccExpiration: 'Expiration date is required',
  ccCVV: 'CVV is required',
}

/** What is wrong with a billing field, in the words of § 5; undefined when nothing is. Spaces around it do not count. */
export function billingProblem(field: BillingField, value: string): string | undefined {
  const text = value.trim()
  if (field !== 'address2' && text === '') return REQUIRED[field]
  if (text.length > BILLING_MAX_CHARACTERS[field])
    return `Please use at most ${BILLING_MAX_CHARACTERS[field]} characters`
  if (field === 'email' && !isEmailAddress(text)) return 'Please enter a valid email address'
  if (field === 'country' && !isOneOf(COUNTRIES, text)) return REQUIRED.country
  if (field === 'state' && !isOneOf(COUNTIES, text)) return REQUIRED.state
  return undefined
}

/** The longest landmark, in characters. */
export const LANDMARK_MAX_CHARACTERS = 120

/** What is wrong with the landmark, which may be left out; undefined when nothing is. */
export function landmarkProblem(text: string): string | undefined {
  return text.trim().length > LANDMARK_MAX_CHARACTERS
    ? `Please use at most ${LANDMARK_MAX_CHARACTERS} characters`
    : undefined
}

type StoredAddress = Record<'address' | 'zip' | 'state' | 'country', string> &
  Record<'address2' | 'landmark', string | null>

/** An order's address for people, one part a line; what was left empty has none. */
export function addressLines({ address, address2, landmark, zip, state, country }: StoredAddress): string[] {
  return [address, address2 ?? '', landmarkLine(landmark), `${zip} ${state}`, country].filter(Boolean)
}

/** A landmark as a line of an address: `Opposite the blue gate`, as it was typed or with the word before it. */
function landmarkLine(landmark: string | null): string {
  const text = landmark?.trim() ?? ''
  return text === '' || /^(opposite|opp\b|near|next|behind|beside|above|at|in|by|across)/i.test(text)
    ? text
    : `Opposite ${text}`
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

function isOneOf(options: readonly string[], text: string): boolean {
  return options.includes(text)
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
