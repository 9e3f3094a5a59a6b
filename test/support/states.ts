import type { Page } from 'playwright-core'
import type { OrderView } from '#shared/contract/orders.ts'
import { PLACEHOLDER_IMAGE } from '#shared/rules/cart.ts'
import type { OrderStatus } from '#shared/rules/order-status.ts'
import { type Shopper, says, shopper, visit } from './shopper.ts'
import {
  byMpesa,
  fillBilling,
  fillForm,
  itemLine,
  newAccount,
  PASSWORD,
  placedHeading,
  signedInShopper,
  storedLine,
  submitButton,
} from './signed-in-shopper.ts'

/** A state of a page, and how a new visitor gets there. */
type State = { name: string; address: string; arrive: () => Promise<Shopper> }

const LONG_WORD = 'Kindergartenbettwäschegarnitur'.repeat(3)
const LONG_NAME = `Wanjiru ${LONG_WORD}`

/** One line sold out, one with more units than there are, and one whose size nobody chose. */
const shortCart = [itemLine(44), itemLine(65, { qty: 5 }), itemLine(2, { isSizeAssumed: true })]

const longCart = [
  storedLine(0, { title: LONG_WORD, description: LONG_WORD.repeat(2), price: 123_456, qty: 88 }),
  storedLine(1, { title: 'Maziwa blanket', image: PLACEHOLDER_IMAGE, price: 99.5 }),
]

/** The catalogue's worst: long words for titles and prices of six digits. */
const longItems = Array.from({ length: 9 }, (_, index) => ({
  id: index + 1,
  title: LONG_WORD,
  description: `${LONG_WORD} ${LONG_WORD}`,
  price: 987_654,
  image: PLACEHOLDER_IMAGE,
  category: "Children's Clothing",
  rating: { rate: 4.5 },
}))

const someone = () => shopper({ reducedMotion: 'reduce' })
const member = (cart: Parameters<typeof signedInShopper>[0] = {}) =>
  signedInShopper({ reducedMotion: 'reduce', ...cart })

/** The page at an address, for a visitor who is not signed in. */
const plain = (address: string, name = address): State => ({
  name,
  address,
  arrive: async () => {
    const visitor = await someone()
    await visit(visitor, address)
    return visitor
  },
})

/** The page at an address after `act`, for a stranger. */
const acted = (name: string, address: string, act: (page: Page) => Promise<unknown>): State => ({
  name,
  address,
  arrive: async () => {
    const visitor = await someone()
    await visit(visitor, address)
    await act(visitor.page)
    return visitor
  },
})

/** The page at an address after `act`, for a member with a cart. */
const asMember = (
  name: string,
  address: string,
  act: (page: Page) => Promise<unknown> = async () => {},
  options: Parameters<typeof signedInShopper>[0] = {},
): State => ({
  name,
  address,
  arrive: async () => {
    const visitor = await member(options)
    await visit(visitor, address)
    await act(visitor.page)
    return visitor
  },
})

/** An order of long words and large sums, as the shop would send it. */
export function orderView(status: OrderStatus): OrderView {
  const isPaid = status !== 'awaiting_payment'
  const step = (name: OrderStatus, at: string | null, note: string | null = null) => ({
    ...{ status: name, at, atMs: at === null ? null : Date.UTC(2026, 10, 21, 9), note },
    trackingAddress: note && 'https://track.example/P-7K3M9Q',
  })
  const at = '21 Nov 2026, 12:00'
  const note = `With Otieno on a red boda. ${LONG_WORD}`
  const placed = [step('placed', at)]
  return {
    order: {
      ...{ key: 'a'.repeat(32), number: 'P-7K3M9Q', status, placedAtMs: 0, promoCode: 'KARIBU10' },
      ...{ deliveryZone: null, pickup: null },
      lines: [
        {
          productId: 1,
          title: LONG_WORD,
          size: '3–6 months',
          image: PLACEHOLDER_IMAGE,
          unitPriceCents: 987_654_00,
          qty: 99,
        },
        {
          productId: 2,
          title: 'Maziwa blanket',
          size: null,
          image: '/nowhere.png',
          unitPriceCents: 99_50,
          qty: 1,
        },
      ],
      totals: {
        ...{ subtotalCents: 97_777_845_50, discountCents: 100_00, shippingCents: 0, vatCents: 15_644_439_28 },
        ...{ roundingCents: 22, totalCents: 113_422_185_00 },
      },
      ...{ email: 'amina@shopper.test', card: null, payment: null },
    },
    payment: {
      ...{
        number: 'P-7K3M9Q',
        status: isPaid ? 'paid' : 'failed',
        message: 'The payment did not go through.',
      },
      ...{ provider: 'simulated', problem: null, totalCents: 113_422_185_00, phone: null, redirectTo: null },
      ...{ ways: [], pollInMs: null, promptAgainInMs: null, expiresInMs: null },
    },
    ...{ isOwner: true, isCancellable: !isPaid, placedOn: '21 November 2026' },
    address: [LONG_NAME, 'Ngong Road 12', '00100 Nairobi', 'Kenya'],
    payments: isPaid ? ['Card: Visa ending in 4242', 'Refund: on its way'] : [],
    steps: !isPaid
      ? []
      : status === 'cancelled'
        ? [...placed, step('cancelled', at)]
        : [...placed, step('packed', at), step('shipped', at, note), step('delivered', null)],
  }
}

/** Checkout after an order by M-Pesa from a phone, and after `act`, for a new member. */
const orderedByMpesa = (name: string, phone: string, act: (page: Page) => Promise<unknown>): State => ({
  name,
  address: '/checkout',
  arrive: async () => {
    const visitor = await member({ account: await newAccount(), cart: [storedLine(0)] })
    await visit(visitor, '/checkout')
    await fillBilling(visitor.page)
    await byMpesa(visitor.page, phone)
    await submitButton(visitor.page).click()
    await act(visitor.page)
    return visitor
  },
})

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click()
/** Follows a link of the page, also one that is folded away. */
const follow = (page: Page, address: string) =>
  page.evaluate((to) => document.querySelector<HTMLElement>(`a[href="${to}"]`)?.click(), address)
const neverAnswered = (page: Page, address: string) => page.route(address, () => new Promise<void>(() => {}))
const refused = (page: Page, address: string) =>
  page.route(address, (route) => route.fulfill({ status: 500, json: {} }))

const publicStates: State[] = [
  {
    name: 'Home under its splash',
    address: '/',
    arrive: async () => {
      const visitor = await someone()
      await visitor.page.goto('/')
      return visitor
    },
  },
  acted('Home', '/', (page) => page.keyboard.press('Escape')),
  plain('/products', 'the Shop'),
  plain('/products?category=Toys', 'the Shop, one category'),
  plain(`/products?q=${LONG_WORD}`, 'the Shop, nothing found'),
  acted('the Shop with a toast', '/products?category=Toys', async (page) => {
    await says(page, 'Added to cart', () => press(page, 'Add to Cart'), '.toast')
  }),
  acted('the Shop, loading', '/about', async (page) => {
    await neverAnswered(page, '/Items.json')
    await follow(page, '/products')
    await page.locator('.grid--skeleton').waitFor()
  }),
  acted('the Shop, failing', '/about', async (page) => {
    await refused(page, '/Items.json')
    await follow(page, '/products')
    await page.getByRole('link', { name: 'Try again' }).waitFor()
  }),
  acted('the Shop with long words and six-digit prices', '/about', async (page) => {
    await page.route('/Items.json', (route) => route.fulfill({ json: longItems }))
    await follow(page, '/products')
    await page.locator('.grid h2').first().waitFor()
  }),
  plain('/product/1', 'a product'),
  plain('/product/44', 'a product that is sold out'),
  acted('a product with long words and a six-digit price', '/about', async (page) => {
    await page.route('/Items.json', (route) => route.fulfill({ json: longItems }))
    await follow(page, '/products')
    await page.locator('.grid a').first().click()
    await page.getByRole('link', { name: 'Go to Cart' }).waitFor()
  }),
  plain('/product/999', 'no such product'),
  acted('a product, failing', '/products', async (page) => {
    await refused(page, '/Items.json')
    await page.locator('.grid a').first().click()
    await page.getByRole('link', { name: 'Try again' }).waitFor()
  }),
  plain('/about', 'About'),
  acted('the menu', '/about', async (page) => {
    await press(page, 'Open menu')
    await page.getByRole('button', { name: 'Close menu' }).waitFor()
  }),
  plain('/contact', 'Contact'),
  acted('Contact with errors', '/contact', (page) => press(page, 'Send')),
  acted('Contact, sending', '/contact', async (page) => {
    await neverAnswered(page, '**/api/contact')
    await writeMessage(page)
    await page.getByText('Sending your message...').waitFor()
  }),
  acted('Contact, failed', '/contact', async (page) => {
    await refused(page, '**/api/contact')
    await writeMessage(page)
    await page.locator('.banner--error').waitFor()
  }),
  acted('Contact, sent', '/contact', async (page) => {
    await page.route('**/api/contact', (route) => route.fulfill({ status: 201, json: { id: 'm1' } }))
    await writeMessage(page)
    await page.getByRole('button', { name: 'Send Another Message' }).waitFor()
  }),
  plain('/login', 'Login'),
  acted('Login with an error', '/login', (page) => press(page, /^Login$/)),
  acted('Login, busy', '/login', async (page) => {
    await neverAnswered(page, '**/api/auth/login')
    await page.getByLabel('Email address').fill('amina@example.com')
    await page.getByLabel('Password').fill('kikoi-2026')
    await press(page, /^Login$/)
    await page.getByRole('button', { name: 'Logging in...' }).waitFor()
  }),
  plain('/register', 'Register'),
  acted('Register with an error', '/register', (page) => press(page, /^Register$/)),
  plain('/forgot-password', 'Forgot password'),
  acted('Forgot password with an error', '/forgot-password', (page) => press(page, 'Send Reset Email')),
  acted('choosing a new password', '/about', async (page) => {
    // Inside the app, where no server looks the link up: only the mail has one that it would know.
    await page.evaluate((to) => location.assign(to), '/reset-password?oobCode=abc')
    await page.getByRole('button', { name: 'Set New Password' }).waitFor()
  }),
  plain('/reset-password', 'a reset link without its code'),
  acted('a reset link that was used', '/reset-password?oobCode=used', (page) =>
    page.getByRole('link', { name: 'Ask for a new link' }).waitFor(),
  ),
  plain('/order', 'Find your order'),
  acted('Find your order with an error', '/order', (page) => press(page, 'Send the Link')),
  acted('Find your order, asked for', '/order', async (page) => {
    await page.getByLabel('Order number').fill('P-222222')
    await page.getByLabel('Email or phone').fill('0712 345 678')
    await press(page, 'Send the Link')
    await page.getByText('If there is such an order').waitFor()
  }),
  plain('/order/P-222222', 'an order of somebody else'),
  plain('/nowhere', 'the 404 page'),
]

const memberStates: State[] = [
  asMember('a product, signed in', '/product/1', undefined, { name: LONG_NAME }),
  asMember('Login, signed in', '/login'),
  asMember(
    'an empty cart',
    '/cart',
    async (page) => {
      await press(page, 'Clear Cart')
      await page.getByRole('button', { name: 'Undo' }).waitFor()
    },
    { name: LONG_NAME, cart: longCart },
  ),
  asMember(
    'a filled cart, one line removed and another with a new price',
    '/cart',
    async (page) => {
      await page
        .getByRole('button', { name: /^Decrease/ })
        .last()
        .click()
      await page.getByRole('button', { name: 'Undo' }).waitFor()
      await page.getByRole('button', { name: 'Update the cart' }).waitFor()
    },
    { name: LONG_NAME, cart: longCart },
  ),
  asMember(
    'the cart asking before it removes a line',
    '/cart',
    async (page) => {
      await page
        .getByRole('button', { name: /^Remove/ })
        .first()
        .click()
      await page.getByRole('dialog').waitFor()
    },
    { cart: longCart },
  ),
  asMember(
    'a cart saved for later',
    '/cart',
    async (page) => {
      await press(page, 'Save for Later')
      await page.getByText(/^Saved for Later \(/).waitFor()
    },
    { cart: longCart },
  ),
  asMember(
    'a cart with an unknown code, too few units, and a size that nobody chose',
    '/cart',
    async (page) => {
      await page.getByText('Only 2 left').waitFor()
      await page.locator('summary', { hasText: 'You have not chosen a size yet.' }).click()
      await page.getByRole('link', { name: 'Size guide' }).waitFor()
      await page.getByLabel(/promo/i).fill('NOPE')
      await press(page, 'Apply')
      await page.locator('.field__error, .banner--error').first().waitFor()
    },
    { cart: shortCart },
  ),
  asMember(
    'the dashboard',
    '/dashboard',
    (page) => page.getByText('You have not ordered anything yet.').waitFor(),
    { name: LONG_NAME },
  ),
  asMember('the dashboard, loading', '/about', async (page) => {
    await neverAnswered(page, '/Items.json')
    await follow(page, '/dashboard')
    await page.getByText('Loading...').first().waitFor()
  }),
  asMember('the account, its details with an error', '/dashboard/details', async (page) => {
    await page.getByLabel('Zip code').fill('00100')
    await press(page, 'Save')
    await page.getByText('Address is required').waitFor()
  }),
  asMember('the account, its password with an error', '/dashboard/password', (page) =>
    press(page, 'Change Password'),
  ),
  {
    name: 'the account, its devices',
    address: '/dashboard/devices',
    arrive: async () => {
      const account = await newAccount()
      const again = await someone()
      await again.page.request.post('/api/auth/login', { data: { email: account.email, password: PASSWORD } })
      const visitor = await member({ account })
      await visit(visitor, '/dashboard/devices')
      return visitor
    },
  },
  asMember('the account, its data', '/dashboard/data'),
  asMember('checkout without a cart', '/checkout', (page) =>
    page.getByText('No items in your cart').waitFor(),
  ),
  asMember('checkout', '/checkout', (page) => submitButton(page).waitFor(), { cart: longCart }),
  asMember('checkout with errors', '/checkout', (page) => submitButton(page).click(), { cart: longCart }),
  asMember(
    'checkout of what is sold out',
    '/checkout',
    async (page) => {
      await page.getByText('You have not chosen these sizes yet').waitFor()
      await fillForm(page)
      await submitButton(page).click()
      await page.getByText('Coconut Shell Snack Pots is sold out.').waitFor()
    },
    { cart: shortCart },
  ),
  asMember(
    'checkout by M-Pesa, with an error',
    '/checkout',
    async (page) => {
      await fillBilling(page)
      await byMpesa(page, '0812 345 678')
      await submitButton(page).click()
      await page.getByText('Please enter a valid M-Pesa phone number').waitFor()
    },
    { cart: longCart },
  ),
  orderedByMpesa('an order that awaits its payment', '0700 000 005', async (page) => {
    await page.getByRole('heading', { name: 'Check your phone' }).waitFor()
    await press(page, 'Pay another way')
  }),
  orderedByMpesa('an order that could not be paid', '0700 000 002', (page) =>
    page.getByRole('heading', { name: 'Not paid yet' }).waitFor(),
  ),
  orderedByMpesa('an order that was given up', '0700 000 007', async (page) => {
    await press(page, 'Give up this order')
    await page.getByRole('heading', { name: 'This order is cancelled' }).waitFor()
  }),
  {
    name: 'an order placed',
    address: '/checkout',
    arrive: async () => {
      const cart = [storedLine(0, { qty: 2 }), storedLine(1)]
      const visitor = await member({ account: await newAccount(), cart })
      await visit(visitor, '/checkout')
      await fillForm(visitor.page)
      await submitButton(visitor.page).click()
      await placedHeading(visitor.page).waitFor()
      return visitor
    },
  },
]

/** An order's page as its owner sees it, by what the shop answers. */
const orderOf = (name: string, status: OrderStatus): State =>
  asMember(name, '/order/P-222222', async (page) => {
    await page.route('**/api/orders/P-7K3M9Q', (route) => route.fulfill({ json: orderView(status) }))
    await page.evaluate(() => {
      const link = Object.assign(document.createElement('a'), { href: '/order/P-7K3M9Q' })
      document.body.appendChild(link)
      link.click()
      link.remove()
    })
    await page.getByRole('heading', { name: 'Order P-7K3M9Q' }).waitFor()
  })

const orderStates: State[] = [
  {
    name: 'an order just placed, on its page',
    address: '/checkout',
    arrive: async () => {
      const visitor = await member({ account: await newAccount(), cart: [storedLine(0, { qty: 2 })] })
      const { page } = visitor
      await visit(visitor, '/checkout')
      await fillForm(page)
      await submitButton(page).click()
      await page.getByRole('link', { name: 'See your order' }).click()
      await page.getByText('We have your order').waitFor()
      await page.getByText('Cancel this order').click()
      await press(page, 'Order again')
      await page.getByText('2 pieces are in your cart.').waitFor()
      return visitor
    },
  },
  orderOf('an order on its way, with long words and a note', 'shipped'),
  orderOf('an order that is cancelled', 'cancelled'),
  orderOf('an order that awaits its payment, on its page', 'awaiting_payment'),
]

/** Every page in every state that looks different: what a check "over all pages and states" goes through. */
export const states: readonly State[] = [...publicStates, ...memberStates, ...orderStates]

async function writeMessage(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Name' }).fill('Amina')
  await page.getByRole('textbox', { name: 'Email' }).fill('amina@example.com')
  await page.getByRole('textbox', { name: 'Message' }).fill('Do the rompers run large?')
  await press(page, 'Send')
}
