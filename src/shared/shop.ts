import type { COUNTIES } from '#shared/checkout/checkout-form.ts'

/** Who the shop is. An operator renames it here and nowhere else (§ 1). */
export const shop = {
  name: 'Pamba',
  city: 'Nairobi',
  countryCode: 'KE',
  currency: 'KSH',
  /** ISO 4217, for machines; people read {@link shop.currency}. */
  currencyIso: 'KES',
  locale: 'en-KE',
  timeZone: 'Africa/Nairobi',
  /** VAT, in whole percent (§ 9). */
  vatPercent: 16,
  tagline: 'Sustainable Fashion for Little Ones',
  description:
    "Eco-friendly children's and women's clothing from Nairobi: organic cotton, kikoi and kitenge, made with care.",
  designer: 'Pamba Studio',
  replyPromise: 'within 24 hours',
  email: 'hello@pamba.example',
  social: 'https://social.example/pamba',
  code: 'https://code.example/pamba',
  calendar: 'https://calendar.example/pamba',
  /** The number that answers on WhatsApp, digits with the country code; empty, and nothing mentions WhatsApp. */
  whatsapp: '' as string,
} as const

/** What the operator sets about delivery. */
export type DeliverySettings = {
  /** Counties with a fee of their own, in whole KSH; in every other county delivery costs what § 9 specifies. */
  zones: readonly { name: string; counties: readonly (typeof COUNTIES)[number][]; feeKsh: number }[]
  /** Where and when orders can be picked up; empty: nowhere. */
  pickup: string
}

/** Where orders go, and for how much: nothing here is one fee everywhere and no pickup (§ 9). */
export const delivery: DeliverySettings = {
  // Such as { name: 'Coast', counties: ['Mombasa'], feeKsh: 250 }.
  zones: [],
  // Such as 'Biashara Street 9, Monday to Saturday, 9 to 18'.
  pickup: '',
}
