import type { COUNTIES } from '#shared/checkout/checkout-form.ts'

/** The shop's name and details. To rename the shop, an operator changes only this file (§ 1). */
export const shop = {
  name: 'Pamba',
  city: 'Nairobi',
  currency: 'KSH',
  locale: 'en-KE',
  timeZone: 'Africa/Nairobi',
  vatPercent: 16,
  /** Order numbers start with these capital letters: `P-7K3M9Q`. Change them only before the first order. */
  orderPrefix: 'P',
  tagline: 'Sustainable Fashion for Little Ones',
  designer: 'Pamba Studio',
  replyPromise: 'within 24 hours',
  email: 'hello@pamba.example',
  /** The digits of the number, starting with the country code. If empty, the shop doesn't offer WhatsApp. */
  whatsapp: '' as string,
} as const

/** Details that only the server uses. They are separate to keep them out of the browser's scripts. */
export const shopProfile = {
  description:
    'Eco-friendly clothing from Nairobi for children and women: organic cotton, kikoi and kitenge, made with care.',
  countryCode: 'KE',
  /** The ISO 4217 code, for machines. People see {@link shop.currency}. */
  currencyIso: 'KES',
  social: 'https://social.example/pamba',
  code: 'https://code.example/pamba',
  calendar: 'https://calendar.example/pamba',
} as const

export type DeliverySettings = {
  /** Groups of counties that share a fee in whole KSH. The other counties have the fee that § 9 specifies. */
  zones: readonly { name: string; counties: readonly (typeof COUNTIES)[number][]; feeKsh: number }[]
  pickup: string
}

export const deliverySettings: DeliverySettings = {
  // Example: { name: 'Coast', counties: ['Mombasa'], feeKsh: 250 }.
  zones: [],
  // Example: 'Biashara Street 9, Monday to Saturday, 9 am to 6 pm'.
  pickup: '',
}
