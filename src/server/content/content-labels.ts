import type { ContentName } from './content-schema.ts'

export const CONTENT_LABELS: Record<ContentName, string> = {
  banner: 'Banner',
  hero: 'Home picture',
  deliveryTime: 'Delivery time',
  featured: 'Featured products',
  searchWords: 'Search words',
  story: 'Our story',
  philosophy: 'Our philosophy',
  sizes: 'Sizes',
  privacy: 'Privacy',
  contact: 'Contact details',
  payments: 'Ways to pay',
  hours: 'Opening hours',
  delivery: 'Delivery',
  returns: 'Returns',
}

export const FIELD_LABELS: Readonly<Record<string, string>> = {
  'banner.markdown': 'Banner text',
  'banner.fromDay': 'First day',
  'banner.untilDay': 'Last day',
  'hero.image': 'Photo',
  'hero.alt': 'Photo description',
  'contact.email': 'Email',
  'contact.phone': 'Phone number',
  'contact.whatsapp': 'WhatsApp number',
  'contact.social': 'Social network',
  'contact.code': 'Source code',
  'contact.calendar': 'Booking calendar',
  'payments.cashOnDelivery': 'Offer cash on delivery',
  'payments.cashMaxKsh': 'Maximum order total',
  'payments.cashCounties': 'Counties',
  'payments.payByHand': 'Show how to pay from the M-Pesa menu',
}

type Issue = { path: readonly PropertyKey[]; message: string }

export function describeContentProblem(name: ContentName, [issue]: readonly Issue[]): string {
  if (!issue) return ''
  const [field, ...rest] = issue.path
  const isRow = name === 'searchWords' && typeof field === 'number'
  const label = isRow
    ? `${CONTENT_LABELS[name]}, rule ${field + 1}: ${rest.length > 1 ? 'each word' : 'the rule'}`
    : `“${FIELD_LABELS[`${name}.${String(field)}`] ?? CONTENT_LABELS[name]}”`
  return `${label} ${issue.message}.`
}
