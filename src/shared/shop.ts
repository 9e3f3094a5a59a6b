import type { COUNTIES } from '#shared/checkout/checkout-form.ts'

/** An operator renames the shop here and nowhere else (§ 1). */
export const shop = {
  name: 'Pamba',
  city: 'Nairobi',
  countryCode: 'KE',
  currency: 'KSH',
  /** ISO 4217, for machines; people see {@link shop.currency}. */
  currencyIso: 'KES',
  locale: 'en-KE',
  timeZone: 'Africa/Nairobi',
  vatPercent: 16,
  /** Order numbers start with it: `P-7K3M9Q`. Capital letters; changed only before the first order. */
  orderPrefix: 'P',
  tagline: 'Sustainable Fashion for Little Ones',
  description:
    "Eco-friendly children's and women's clothing from Nairobi: organic cotton, kikoi and kitenge, made with care.",
  designer: 'Pamba Studio',
  replyPromise: 'within 24 hours',
  email: 'hello@pamba.example',
  social: 'https://social.example/pamba',
  code: 'https://code.example/pamba',
  calendar: 'https://calendar.example/pamba',
  /** Digits with the country code; empty hides WhatsApp. */
  whatsapp: '' as string,
} as const

export type DeliverySettings = {
  /** Counties with a fee of their own, in whole KSH; the others cost what § 9 specifies. */
  zones: readonly { name: string; counties: readonly (typeof COUNTIES)[number][]; feeKsh: number }[]
  pickup: string
  time?: string
}

export const delivery: DeliverySettings = {
  // For example { name: 'Coast', counties: ['Mombasa'], feeKsh: 250 }.
  zones: [],
  // For example 'Biashara Street 9, Monday to Saturday, 9 am to 6 pm'.
  pickup: '',
  // For example '1 to 3 days'; shown on product pages.
  time: '',
}
