import { getProviderDescriptor, type PaymentProviderName } from './providers.ts'

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
  /** The provider received an amount or currency that differs from the one requested. */
  'amount_differs',
  'declined',
] as const
export type PaymentProblem = (typeof PAYMENT_PROBLEMS)[number]

const PHONE_MAX_CHARACTERS = 24
export const PHONE_EXAMPLE = 'For example, 0712 345 678'
const KENYAN_MOBILE_PATTERN = /^(?:0|254)?([17]\d{8})$/

/** Returns `254XXXXXXXXX`, or undefined if the text isn't a Kenyan mobile number. */
export function normaliseMobile(text: string): string | undefined {
  const digits = text
    .trim()
    .replace(/^\+/, '')
    .replace(/[\s()-]/g, '')
  const [, subscriber] = KENYAN_MOBILE_PATTERN.exec(digits) ?? []
  return subscriber && `254${subscriber}`
}

/**
 * Returns the digits without Kenya's country code and zeros around it, so that local and international forms of a
 * number are equal, such as `0712 345 678` and `+254 (0)712 345 678`.
 */
export function toPhoneKey(text: string): string {
  return text.replace(/\D/g, '').replace(/^0*(?:254)?0*/, '')
}

export function getPaymentPhoneLabel(provider: PaymentProviderName): string {
  return `${getProviderDescriptor(provider).name} phone number`
}

export function findPaymentPhoneProblem(text: string, provider: PaymentProviderName): string | undefined {
  if (text.trim() === '') return `${getPaymentPhoneLabel(provider)} is required`
  if (text.length > PHONE_MAX_CHARACTERS || !normaliseMobile(text))
    return `Please enter a valid ${getPaymentPhoneLabel(provider)}`
  return undefined
}

export function formatLocalPhone(number: string): string {
  return number.replace(/^254(\d{3})(\d{3})(\d{3})$/, '0$1 $2 $3')
}

/** For sentences, where the number must not break across lines. */
export function formatUnbrokenPhone(number: string): string {
  return formatLocalPhone(number).replaceAll(' ', '\u00a0')
}

export function findDeliveryPhoneProblem(text: string): string | undefined {
  const isPhone = /^\+?[\d\s()-]+$/.test(text) && /^\d{7,15}$/.test(text.replace(/\D/g, ''))
  return text.trim() === '' || (isPhone && text.length <= PHONE_MAX_CHARACTERS)
    ? undefined
    : 'Please enter a valid phone number'
}
