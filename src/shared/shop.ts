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
