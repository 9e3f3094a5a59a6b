import type { ContentName } from '#server/content/content-schema.ts'

type ContentPlace = {
  where: string
  /** Undefined if the content can't be previewed. */
  path?: string
  hint?: string
  /** Shown if nothing has been entered, for content without a default. */
  whenEmpty?: string
}

export const CONTENT_GROUPS = [
  { heading: 'Across the shop', names: ['banner', 'hero', 'featured', 'searchWords'] },
  { heading: 'Product pages', names: ['deliveryTime'] },
  { heading: 'Story page', names: ['story', 'philosophy', 'sizes', 'privacy'] },
  { heading: 'Contact page', names: ['contact', 'hours', 'delivery', 'returns'] },
  { heading: 'Checkout', names: ['payments'] },
] as const satisfies readonly { heading: string; names: readonly ContentName[] }[]

export const CONTENT_PLACES: Record<ContentName, ContentPlace> = {
  banner: {
    where: 'At the top of every page',
    path: '/products',
    hint: 'One line, for example “Closed 24–26 December”. Customers see it from the first day to the end of the last. Leave the first day empty to show it as soon as you publish, and the last to show it until you remove it.',
  },
  hero: { where: 'Home', path: '/' },
  deliveryTime: {
    where: 'Product pages, the Contact page, checkout, orders and confirmation emails',
    hint: 'For example, “1 to 3 days”. Product pages then say “Free delivery in 1 to 3 days” or “delivered in 1 to 3 days”.',
    whenEmpty: 'Customers can’t see how long delivery takes. Enter it here.',
  },
  featured: {
    where: 'The customer’s dashboard',
    hint: 'Choose up to four. Hidden and deleted products aren’t shown. By default, these are the shop’s first four products for children or women.',
  },
  searchWords: {
    where: 'The shop’s search',
    hint: 'One rule per line: the words customers type, “=”, and the words to find in products. Add “not” to leave products out, for example “boy, son = children, not dress”. Write “~” instead of “=” if the products are only similar, for example “jeans ~ trousers”: customers then see them as closest matches.',
  },
  story: { where: 'Story page, below the heading', path: '/about' },
  philosophy: { where: 'Story page, “Our philosophy”', path: '/about' },
  sizes: {
    where: 'Story page, above the size guides',
    path: '/about#sizes',
    hint: 'The measurement tables appear below this text.',
  },
  privacy: {
    where: 'Story page, “Privacy”',
    path: '/about#privacy',
    hint: 'The list of what the shop stores, and for how long, appears below this text.',
  },
  contact: {
    where: 'Contact page, emails and receipts',
    path: '/contact',
    hint: 'When customers reply to an email about their order, the reply goes to this address.',
  },
  hours: { where: 'Contact page, “Opening hours”', path: '/contact' },
  delivery: {
    where: 'Contact page, “Delivery”',
    path: '/contact#delivery',
    hint: 'A sentence with the counties and delivery fees appears above this text.',
  },
  returns: { where: 'Contact page, “Returns”', path: '/contact#returns' },
  payments: {
    where: 'Checkout, order pages and phone orders',
    hint: 'Your developer sets up M-Pesa and card payments.',
  },
}
