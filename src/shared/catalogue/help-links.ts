import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { toStemKey, toWords } from './words.ts'

const PLACES = `mombasa, kisumu, nakuru, eldoret, thika, kitengela, rongai, ruiru, kiambu, machakos, naivasha, nyeri, meru,
  kakamega, kisii, malindi, kilifi, nanyuki, cbd, westlands, karen, juja, syokimau, uganda, tanzania, rwanda`

/** `title` is set if it says more than that the link may help. */
export type HelpLink = { title?: string; text: string; label: string; url: string }
type HelpTopic = { phrases: string; link: HelpLink }

/** If a query has words of several topics, the first counts. Phrases of several words come before all single words. */
const HELP_TOPICS: readonly HelpTopic[] = [
  {
    phrases: `track, tracking, order, oda, agizo, mzigo, parcel, receipt, invoice, risiti, nimeorder, where is my order,
      where is my parcel, my order, my parcel, mzigo wangu`,
    link: {
      text: 'To see where your order is, you need its number and your email or phone.',
      label: 'Track your order',
      url: href('findOrder'),
    },
  },
  {
    phrases: `return, exchange, refund, warranty, guarantee, faulty, broken, damaged, rudisha, kurudisha, narudisha,
      nikirudisha, kurudishiwa, nitarudishiwa, badilisha, kubadilisha, haitoshi, haijatoshea, isipotoshea, kutoshea, haifit,
      money back, change size, change my order, wrong size, wrong item, too small, too big, doesnt fit, does not fit,
      kubadilisha saizi, kubadilisha size, nimekosea size, nimekosea saizi, size haifit, rudisha nguo`,
    link: {
      text: 'See how to return or exchange something.',
      label: 'Returns',
      url: `${href('contact')}#returns`,
    },
  },
  {
    phrases: `mpesa, pesa, lipa, nalipa, nilipe, nitalipa, ninalipaje, nikilipa, kulipa, kulipia, nalipia, nilipie, malipo,
      payment, pay, paybill, till, card, kadi, cash, cod, visa, mastercard, paypal, airtel, installment, awamu,
      cash on delivery, pay on delivery, till number, paybill number, lipa later, lipa polepole, lipa kwa kadi,
      airtel money, credit card`,
    link: {
      text: 'You pay at checkout. For help with a payment, contact us.',
      label: 'Contact us',
      url: href('contact'),
    },
  },
  {
    phrases: `promo, coupon, kuponi, promo code, discount code, code ya discount`,
    link: { text: 'Enter a promo code in the cart.', label: 'Go to Cart', url: href('cart') },
  },
  {
    phrases: `sale, offer, discount, deal, clearance, ofa, punguzo, mapunguzo, black friday, half price, buy one get one,
      promotion, punguzo la bei`,
    link: {
      title: 'Nothing is on sale right now',
      text: 'Our lowest prices come first in this list.',
      label: 'Lowest price first',
      url: href('shop', {}, { sort: 'price-asc' }),
    },
  },
  {
    phrases: `popular, trending, bestseller, bestselling, seller, featured, recommended, top rated, best selling`,
    link: {
      title: 'We don’t list best sellers',
      text: 'Our favourites come first in the shop.',
      label: 'See our favourites',
      url: href('shop'),
    },
  },
  {
    phrases: `in stock, out of stock, back in stock, sold out, restock, available now`,
    link: {
      text: 'We can email you when a sold-out product is back.',
      label: 'See what is in stock',
      url: href('shop', {}, { stock: '1' }),
    },
  },
  {
    phrases: `delivery, deliver, shipping, ship, courier, pickup, usafirishaji, countrywide, upcountry, rider, collection,
      mnaleta, mnatuma, mnapeleka, mnadeliver, mnasafirisha, kuletewa, kuniletea, niletee, mtaniletea, inafika, fika,
      kufika, itachukua, inachukua, nachukua, nitapata, abroad, pick up, pick up point, pick up station, same day,
      delivery fee, how long, siku ngapi, collect in store, delivery time, mko mombasa, mnaweza leta, ${PLACES}`,
    link: {
      text: 'See where we deliver and what it costs.',
      label: 'Delivery',
      url: `${href('contact')}#delivery`,
    },
  },
  {
    phrases: `size, sizing, measure, measurement, saizi, kupima, nipime, vipimo, vipimo vya mtoto, size chart, size guide,
      shoe sizes, kids sizes, saizi za watoto, saizi za viatu, saizi ya viatu, size ya viatu, size za mama, saizi gani`,
    link: {
      text: 'See which size fits, and how to measure.',
      label: 'Size guide',
      url: `${href('about')}#sizes`,
    },
  },
  {
    phrases: `care, wash, washing, washable, kuosha, naosha, how to wash, care instructions, washing instructions`,
    link: {
      text: 'Each product’s description says how to wash it.',
      label: 'See all products',
      url: href('shop'),
    },
  },
  {
    phrases: `cart, basket yangu, my cart, my basket, checkout, wishlist, favourite, favorite, saved, saved items`,
    link: { text: 'Your cart also has what you saved for later.', label: 'Go to Cart', url: href('cart') },
  },
  {
    phrases: `login, account, password, signin, log in, sign in, my account`,
    link: { text: 'Log in to see your orders and details.', label: 'Login', url: href('login') },
  },
  {
    phrases: `register, signup, sign up, create account`,
    link: { text: 'Create an account to order.', label: 'Register', url: href('register') },
  },
  {
    phrases: `privacy, data protection`,
    link: { text: 'See what we store about you.', label: 'Privacy', url: `${href('about')}#privacy` },
  },
  {
    phrases: `about, eco, ecofriendly, sustainable, handmade, kenya, sustainability, kuhusu, about us, about you, who are you, who owns,
      our story, made in kenya, plastic free, mnatengeneza, zimetengenezwa, imetengenezwa`,
    link: { text: 'See what we make, where and from what.', label: 'Our Story', url: href('about') },
  },
  {
    phrases: `contact, phone, telephone, call, number, chat, whatsapp, whatsap, watsapp, whatsup, email, help, support, faq,
      complaint, instagram, facebook, tiktok, hotline, job, career, wholesale, bulk, customise, custom, alteration,
      question, swali, mawasiliano, wasiliana, simu, msaada, barua pepe, namba yenu, nipigie, kuongea, mnaajiri, jumla,
      customer care, customer service, your number, how to order, how to buy, how do i order, how do i buy,
      how can i order, cancel order, bulk order, gift wrap, gift wrapping, gift card, gift cards, gift voucher, giftcard,
      voucher, funga zawadi, kadi ya zawadi, terms and conditions, terms, review, reviews, mitumba, second hand`,
    link: { text: 'See how to reach us.', label: 'Contact us', url: href('contact') },
  },
  {
    phrases: `location, located, address, directions, hours, open, opening, closed, close, where, wapi, duka, dukani, visit,
      kufungua, mnafungua, mnafunga, fungua, masaa, saa, mnapatikana, physical shop, shop near me, nairobi shop,
      shop nairobi, opening hours, opening time, saa ngapi, near me, do you have a shop`,
    link: {
      text: 'See where we are and when we’re open.',
      label: 'Contact us',
      url: href('contact'),
    },
  },
]

const TOPICS_BY_STEMS = new Map(
  HELP_TOPICS.flatMap(({ phrases }, topic) =>
    phrases.split(',').map((phrase) => [toStemKey(toWords(phrase)), topic] as const),
  ),
)
const LONGEST_PHRASE_WORDS = Math.max(
  ...[...TOPICS_BY_STEMS.keys()].map((phrase) => phrase.split(' ').length),
)

/** Finds a topic that one of the words names. */
export function findWordHelp(words: readonly string[]): HelpLink | undefined {
  return findTopic(words, 1)
}

/** Finds a topic that several words together name, such as `opening hours`. */
export function findPhraseHelp(words: readonly string[]): HelpLink | undefined {
  for (let length = Math.min(LONGEST_PHRASE_WORDS, words.length); length > 1; length--) {
    const link = findTopic(words, length)
    if (link) return link
  }
  return undefined
}

function findTopic(words: readonly string[], length: number): HelpLink | undefined {
  const starts = Array.from({ length: words.length - length + 1 }, (_, at) => at)
  const [first] = starts
    .flatMap((at) => TOPICS_BY_STEMS.get(toStemKey(words.slice(at, at + length))) ?? [])
    .toSorted((one, other) => one - other)
  return first === undefined ? undefined : HELP_TOPICS[first]?.link
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
