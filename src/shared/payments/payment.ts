import { descriptorOf, type PaymentProviderName } from './providers.ts'

/** Why an attempt to pay failed. */
export const PAYMENT_PROBLEMS = [
  'no_funds',
  'wrong_pin',
  'cancelled',
  'unreachable',
  'timed_out',
  'same_amount',
  'phone_busy',
  'invalid_phone',
  'amount_limit',
  'provider_busy',
  'refunded',
  'declined',
] as const
export type PaymentProblem = (typeof PAYMENT_PROBLEMS)[number]

const PHONE_MAX_CHARACTERS = 24
/** A Kenyan mobile number: nine digits from 7 or 1, after 0, 254 or nothing. */
const KENYAN_MOBILE = /^(?:0|254)?([17]\d{8})$/

/** A Kenyan mobile number as `254XXXXXXXXX`, however it was typed; undefined for anything else. */
export function normaliseMobile(text: string): string | undefined {
  const digits = text
    .trim()
    .replace(/^\+/, '')
    .replace(/[\s()-]/g, '')
  const [, subscriber] = KENYAN_MOBILE.exec(digits) ?? []
  return subscriber && `254${subscriber}`
}

/** The label of the field for the phone that gets a provider's prompt. */
export function promptPhoneLabel(provider: PaymentProviderName): string {
  return `${descriptorOf(provider).name} phone number`
}

/** What is wrong with the phone number that gets a provider's prompt; undefined when nothing is. */
export function promptPhoneProblem(text: string, provider: PaymentProviderName): string | undefined {
  if (text.trim() === '') return `${promptPhoneLabel(provider)} is required`
  if (text.length > PHONE_MAX_CHARACTERS || !normaliseMobile(text))
    return `Please enter a valid ${promptPhoneLabel(provider)}`
  return undefined
}

/** A number stored as `254712345678`, as people in Kenya write it: `0712 345 678`. */
export function formatLocalPhone(number: string): string {
  return number.replace(/^254(\d{3})(\d{3})(\d{3})$/, '0$1 $2 $3')
}

/** What is wrong with the phone number for the rider, which may be left out; undefined when nothing is. */
export function riderPhoneProblem(text: string): string | undefined {
  const isPhone = /^\+?[\d\s()-]+$/.test(text) && /^\d{7,15}$/.test(text.replace(/\D/g, ''))
  return text.trim() === '' || (isPhone && text.length <= PHONE_MAX_CHARACTERS)
    ? undefined
    : 'Please enter a valid phone number'
}

/** What is known of an order's payment, as the contract has it. */
type PaidOrder = {
  card: { brand: string; lastFour: string } | null
  payment: {
    provider: PaymentProviderName
    receipt: string | null
    refund: 'due' | 'done' | null
  } | null
}

/** How an order was paid and what was given back, a line each; none while it is not paid. */
export function paymentLines({ card, payment }: PaidOrder): string[] {
  if (!payment) return card ? [cardLine(card)] : []
  const { provider, receipt, refund } = payment
  const { flow, label } = descriptorOf(provider)
  const paid =
    flow === 'card' && card ? cardLine(card) : `${label}: ${receipt ? `receipt ${receipt}` : 'paid'}`
  if (!refund) return [paid]
  return [paid, refund === 'done' ? 'Refunded' : 'Refund in progress']
}

function cardLine({ brand, lastFour }: { brand: string; lastFour: string }): string {
  return `Card: ${brand} ending in ${lastFour}`
}
