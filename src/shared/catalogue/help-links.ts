import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { stem } from './words.ts'

export type HelpLink = { text: string; label: string; url: string }
type HelpTopic = { words: readonly string[]; link: HelpLink }

const HELP_TOPICS: readonly HelpTopic[] = [
  {
    words: ['track', 'tracking', 'order', 'oda', 'agizo'],
    link: {
      text: 'To see where your order is, you need its number and your email or phone.',
      label: 'Track your order',
      url: href('findOrder'),
    },
  },
  {
    words: ['return', 'exchange', 'refund', 'rudisha', 'kurudisha', 'badilisha'],
    link: {
      text: 'See how to return or exchange something.',
      label: 'Returns',
      url: `${href('contact')}#returns`,
    },
  },
  {
    words: ['delivery', 'deliver', 'shipping', 'courier', 'pickup', 'usafirishaji'],
    link: {
      text: 'See where we deliver and what it costs.',
      label: 'Delivery',
      url: `${href('contact')}#delivery`,
    },
  },
  {
    words: ['size', 'sizing', 'measurement', 'saizi', 'vipimo'],
    link: {
      text: 'See which size fits, and how to measure.',
      label: 'Size guide',
      url: `${href('about')}#sizes`,
    },
  },
  {
    words: ['mpesa', 'pesa', 'lipa', 'malipo', 'payment', 'pay', 'paybill', 'card'],
    link: {
      text: 'You pay at checkout. For help with a payment, contact us.',
      label: 'Contact us',
      url: href('contact'),
    },
  },
  {
    words: [
      ...['contact', 'phone', 'call', 'whatsapp', 'email', 'help', 'support', 'complaint', 'location'],
      ...['address', 'directions', 'hours', 'mawasiliano', 'simu', 'msaada'],
    ],
    link: { text: 'See how to reach us.', label: 'Contact us', url: href('contact') },
  },
  {
    words: ['privacy'],
    link: { text: 'See what we store about you.', label: 'Privacy', url: `${href('about')}#privacy` },
  },
]

const LINKS_BY_STEM = new Map(
  HELP_TOPICS.flatMap(({ words, link }) => words.map((word) => [stem(word), link] as const)),
)

export function findHelpLink(words: readonly string[]): HelpLink | undefined {
  return words.map((word) => LINKS_BY_STEM.get(stem(word))).find(Boolean)
}

const LEAD_IN_PATTERN = /^(?:\W*(?:track|find|my|order|number|no)\b)*\W*/i
const PREFIX = shop.orderPrefix
// Without the prefix, `2years` and `size24` aren't order numbers. Without a hyphen, `pyjamas` isn't.
const ORDER_NUMBER_PATTERN = new RegExp(
  `^(?:${PREFIX} ?-|${PREFIX} ?(?=[A-Z]*\\d)|(?!\\d+[A-Z]+$|[A-Z]+\\d+$)(?=[A-Z]*\\d)(?=\\d*[A-Z])) ?([A-Z\\d]{6})$`,
  'i',
)

/** Returns a link for a query that is an order number, with or without `order` before it. */
export function findOrderNumberLink(query: string): HelpLink | undefined {
  const [, code] = ORDER_NUMBER_PATTERN.exec(query.replace(LEAD_IN_PATTERN, '')) ?? []
  if (!code) return undefined
  const number = `${PREFIX}-${code.toUpperCase()}`
  return {
    text: 'This looks like an order number.',
    label: `Track order ${number}`,
    url: href('findOrder', {}, { number }),
  }
}
