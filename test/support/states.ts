import type { Page, Route } from 'playwright-core'
import { PLACEHOLDER_IMAGE } from '#shared/cart/cart.ts'
import type { OrderView } from '#shared/orders/contract.ts'
import type { OrderStatus } from '#shared/orders/order-status.ts'
import {
  expectBriefText,
  fetchAsPage,
  openShopper,
  type Shopper,
  visit,
  waitForHydration,
} from './shopper.ts'
import {
  fillBilling,
  fillForm,
  itemLine,
  newAccount,
  openSignedInShopper,
  PASSWORD,
  placedHeading,
  selectMpesa,
  storedLine,
  submitButton,
} from './signed-in-shopper.ts'

type Action = (page: Page) => Promise<unknown>

/** `action` leads from the previous state to this one. `hasChangedFrame` is true if the bar or the footer changes too. */
type State = { name: string; action?: Action; hasChangedFrame?: boolean }

/** A page goes through several states, because opening it anew for each is slow. */
export type Visit = {
  path: string
  openPage: () => Promise<Shopper>
  states: readonly [State, ...State[]]
}

const LONG_WORD = 'Kindergartenbettwäschegarnitur'.repeat(3)
const LONG_NAME = `Wanjiru ${LONG_WORD}`

const shortCart = [itemLine(44), itemLine(65, { qty: 5 }), itemLine(2, { isSizeAssumed: true })]

const longCart = [
  storedLine(0, { title: LONG_WORD, description: LONG_WORD.repeat(2), price: 123_456, qty: 88 }),
  storedLine(1, { title: 'Maziwa blanket', image: PLACEHOLDER_IMAGE, price: 99.5 }),
]

const longItems = Array.from({ length: 9 }, (_, index) => ({
  id: index + 1,
  title: LONG_WORD,
  description: `${LONG_WORD} ${LONG_WORD}`,
  price: 987_654,
  image: PLACEHOLDER_IMAGE,
  category: "Children's Clothing",
  rating: { rate: 4.5 },
}))

type SignedIn = Parameters<typeof openSignedInShopper>[0]

const createVisit = (path: string, newVisitor: () => Promise<Shopper>, states: Visit['states']): Visit => ({
  path,
  states,
  openPage: async () => {
    const visitor = await newVisitor()
    await visit(visitor, path)
    return visitor
  },
})

const asVisitor = (path: string, ...states: Visit['states']) => createVisit(path, openShopper, states)
const asMember = (path: string, options: SignedIn, ...states: Visit['states']) =>
  createVisit(path, () => openSignedInShopper(options), states)
const asBuyer = (path: string, options: SignedIn, ...states: Visit['states']) =>
  createVisit(path, async () => openSignedInShopper({ account: await newAccount(), ...options }), states)

export function orderView(status: OrderStatus, number = 'P-7K3M9Q'): OrderView {
  const isPaid = status !== 'awaiting_payment'
  const step = (name: OrderStatus, at: string | null, note: string | null = null) => ({
    status: name,
    at,
    atMs: at === null ? null : Date.UTC(2026, 10, 21, 9),
    note,
    trackingAddress: note && 'https://track.example/P-7K3M9Q',
  })
  const at = '21 Nov 2026, 12:00'
  const note = `With Otieno on a red boda. ${LONG_WORD}`
  const placed = [step('placed', at)]
  return {
    order: {
      key: 'a'.repeat(32),
      number,
      status,
      placedAtMs: 0,
      promoCode: 'KARIBU10',
      vatPercent: 16,
      deliveryZone: null,
      pickup: null,
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
        subtotalCents: 97_777_845_50,
        discountCents: 100_00,
        shippingCents: 0,
        vatCents: 15_644_439_28,
        roundingCents: 22,
        totalCents: 113_422_185_00,
      },
      email: 'amina@shopper.test',
      card: null,
      payment: null,
      balance: { status: 'unpaid', paidCents: 0, refundedCents: 0, refundDueCents: 0, dueCents: 0 },
    },
    payment: {
      number,
      status: isPaid ? 'paid' : 'failed',
      message: 'The payment didn’t go through.',
      provider: 'simulated',
      problem: isPaid ? null : 'declined',
      totalCents: 113_422_185_00,
      dueCents: 113_422_185_00,
      phone: null,
      redirectTo: null,
      methods: [],
      pollInMs: null,
      promptAgainInMs: null,
      expiresInMs: null,
    },
    isOwner: true,
    isCancellable: !isPaid,
    placedOn: '21 November 2026',
    address: [LONG_NAME, 'Ngong Road 12', '00100 Nairobi', 'Kenya'],
    extras: [],
    expectedBy: '30 November',
    currentReturn: null,
    lineNotes: ['2 returned'],
    reservedUntil: status === 'awaiting_payment' ? '12:36\u00a0am' : null,
    payments: isPaid ? ['Card: Visa ending in 4242', 'Refund in progress'] : [],
    returns: isPaid
      ? [
          {
            kind: 'exchange',
            state: 'expected',
            createdOn: '21 November 2026',
            reason: 'Wrong size',
            items: [`1 × ${LONG_WORD}`],
            message: LONG_WORD,
            declineMessage: LONG_WORD,
            nextSteps: [`Our address: ${LONG_WORD}`],
            needsArrangement: true,
            cancellableId: null,
          },
        ]
      : [],
    returnable: isPaid
      ? {
          until: '5 December',
          approval: LONG_WORD,
          outcomes: { return: LONG_WORD, exchange: LONG_WORD },
          costs: { '': LONG_WORD },
          dueCents: 0,
          refundableCents: 987_654_00,
          keptGoodsCents: 987_654_00,
          keptValueCents: 987_654_00,
          deliveries: (['delivery', 'pickup'] as const).map((method) => ({
            method,
            label: LONG_WORD,
            note: LONG_WORD,
          })),
          lines: [
            {
              productId: 1,
              unitPriceCents: 987_654_00,
              name: LONG_WORD,
              left: 99,
              scale: null,
              sizes: [
                { id: 101, label: '6–9 months', priceCents: 123_456_00, isSoldOut: false },
                { id: 102, label: 'Mother and child', priceCents: 987_654_00, isSoldOut: true },
              ],
            },
          ],
        }
      : null,
    steps: !isPaid
      ? []
      : status === 'cancelled'
        ? [...placed, step('cancelled', at)]
        : [...placed, step('packed', at), step('shipped', at, note), step('delivered', null)],
  }
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click()
const follow = (page: Page, path: string) =>
  page.evaluate((to) => document.querySelector<HTMLElement>(`a[href="${to}"]`)?.click(), path)
const mockResponse = async (page: Page, path: string, respond: (route: Route) => unknown) => {
  await page.unroute(path)
  await page.route(path, respond)
}
const neverRespond = () => new Promise<void>(() => {})
const withCatalogue =
  (respond: (route: Route) => unknown, newVisitor: () => Promise<Shopper> = openShopper) =>
  async () => {
    const visitor = await newVisitor()
    await visitor.page.route('/Items.json', respond)
    return visitor
  }
const respondWithError = (route: Route) => route.fulfill({ status: 500, json: {} })

const publicVisits: Visit[] = [
  {
    path: '/',
    openPage: async () => {
      const visitor = await openShopper()
      await visitor.page.goto('/')
      return visitor
    },
    states: [
      { name: 'Home with its splash' },
      { name: 'Home', hasChangedFrame: true, action: (page) => page.keyboard.press('Escape') },
    ],
  },
  asVisitor('/products', { name: 'the Shop' }),
  asVisitor(
    '/products?category=Toys',
    { name: 'the Shop, one category' },
    {
      name: 'the Shop with a toast',
      action: (page) => expectBriefText(page, 'Added to cart', () => press(page, 'Add to Cart'), '.toast'),
    },
    {
      name: 'the Shop, nothing found',
      action: async (page) => {
        await page.getByRole('searchbox').fill(LONG_WORD)
        await page.getByRole('heading', { name: 'No products found' }).waitFor()
      },
    },
    {
      name: 'the Shop, a misspelled search with few results',
      action: async (page) => {
        await page.getByRole('searchbox').fill('kitenge elephnat')
        await page.getByText(/ for “.+”, not “/).waitFor()
        await page.getByRole('heading', { name: 'You may also like' }).waitFor()
      },
    },
    {
      name: 'the Shop with its filters open and some chosen',
      action: async (page) => {
        await page.evaluate(() =>
          location.assign(
            '/products?category=Clothing&q=kitenge&for=Kids&size=2-3-years&max=3500&filters=open',
          ),
        )
        await page.getByRole('button', { name: 'Show 1 product' }).waitFor()
        await page.getByRole('heading', { name: 'You may also like' }).waitFor()
        await waitForHydration(page)
      },
    },
  ),
  asVisitor(
    '/about',
    { name: 'About' },
    {
      name: 'the menu',
      hasChangedFrame: true,
      action: async (page) => {
        await press(page, 'Open menu')
        await page.getByRole('button', { name: 'Close menu' }).waitFor()
      },
    },
  ),
  createVisit('/about', withCatalogue(respondWithError), [
    {
      name: 'the Shop, failing',
      action: async (page) => {
        await follow(page, '/products')
        await page.getByRole('link', { name: 'Try again' }).waitFor()
      },
    },
  ]),
  createVisit('/products', withCatalogue(respondWithError), [
    {
      name: 'a product, failing',
      action: async (page) => {
        await page.locator('.grid a').first().click()
        await page.getByRole('link', { name: 'Try again' }).waitFor()
      },
    },
  ]),
  createVisit('/about', withCatalogue(neverRespond, openSignedInShopper), [
    {
      name: 'the Shop, loading',
      action: async (page) => {
        await follow(page, '/products')
        await page.locator('.grid--skeleton').waitFor()
      },
    },
    {
      name: 'the dashboard, loading',
      action: async (page) => {
        await follow(page, '/dashboard')
        await page.getByText('Loading...').first().waitFor()
      },
    },
  ]),
  createVisit(
    '/about',
    withCatalogue((route) => route.fulfill({ json: longItems })),
    [
      {
        name: 'the Shop with long words and six-digit prices',
        action: async (page) => {
          await follow(page, '/products')
          await page.locator('.grid h2').first().waitFor()
        },
      },
      {
        name: 'a product with long words and a six-digit price',
        action: async (page) => {
          await page.locator('.grid a').first().click()
          // The related products arrive when the browser is idle and add Tab stops.
          await page.getByRole('heading', { name: 'You may also like' }).waitFor()
        },
      },
    ],
  ),
  asVisitor('/product/1', { name: 'a product' }),
  asVisitor('/product/44', { name: 'a product that is sold out' }),
  asVisitor('/product/999', { name: 'an unknown product' }),
  asVisitor(
    '/contact',
    { name: 'Contact' },
    { name: 'Contact with errors', action: (page) => press(page, 'Send') },
    {
      name: 'Contact, failed',
      action: async (page) => {
        await mockResponse(page, '**/api/contact', respondWithError)
        await writeMessage(page)
        await page.locator('.banner--error').waitFor()
      },
    },
    {
      name: 'Contact, sent',
      action: async (page) => {
        await mockResponse(page, '**/api/contact', (route) =>
          route.fulfill({ status: 201, json: { id: 'm1' } }),
        )
        await press(page, 'Send')
        await page.getByRole('button', { name: 'Send Another Message' }).waitFor()
      },
    },
    {
      name: 'Contact, sending',
      action: async (page) => {
        await mockResponse(page, '**/api/contact', neverRespond)
        await press(page, 'Send Another Message')
        await writeMessage(page)
        await page.getByText('Sending your message...').waitFor()
      },
    },
  ),
  asVisitor(
    '/login',
    { name: 'Login' },
    { name: 'Login with an error', action: (page) => press(page, /^Login$/) },
    {
      name: 'Login, busy',
      action: async (page) => {
        await mockResponse(page, '**/api/auth/login', neverRespond)
        await page.getByLabel('Email address').fill('amina@example.com')
        await page.getByLabel('Password').fill('kikoi-2026')
        await press(page, /^Login$/)
        await page.getByRole('button', { name: 'Logging in...' }).waitFor()
      },
    },
  ),
  asVisitor(
    '/register',
    { name: 'Register' },
    { name: 'Register with an error', action: (page) => press(page, /^Register$/) },
  ),
  asVisitor(
    '/forgot-password',
    { name: 'Forgot password' },
    { name: 'Forgot password with an error', action: (page) => press(page, 'Send Reset Email') },
  ),
  asVisitor('/about', {
    name: 'choosing a new password',
    action: async (page) => {
      // The page opens inside the app, where the server doesn't check the code.
      await page.evaluate((to) => location.assign(to), '/reset-password?oobCode=abc')
      await page.getByRole('button', { name: 'Set New Password' }).waitFor()
    },
  }),
  asVisitor('/reset-password', { name: 'a reset link without its code' }),
  asVisitor('/reset-password?oobCode=used', {
    name: 'a reset link that was used',
    action: (page) => page.getByRole('link', { name: 'Request a new link' }).waitFor(),
  }),
  asVisitor(
    '/order',
    { name: 'Find your order' },
    { name: 'Find your order with an error', action: (page) => press(page, 'Send link') },
    {
      name: 'Find your order, link requested',
      action: async (page) => {
        await page.getByLabel('Order number').fill('P-222222')
        await page.getByLabel('Email or phone').fill('0712 345 678')
        await press(page, 'Send link')
        await page.getByText('If your details match an order').waitFor()
      },
    },
  ),
  asVisitor('/buy/44:1', { name: 'a cart link whose items are sold out' }),
  asVisitor('/buy/oops', { name: 'a malformed cart link' }),
  asVisitor('/order/P-222222', { name: 'another shopper’s order' }),
  asVisitor('/nowhere', { name: 'the 404 page' }),
]

const memberVisits: Visit[] = [
  asMember('/product/1', { name: LONG_NAME }, { name: 'a product, signed in', hasChangedFrame: true }),
  asMember('/login', {}, { name: 'Login, signed in' }),
  asMember(
    '/cart',
    { name: LONG_NAME, cart: longCart },
    {
      name: 'a filled cart, one line removed and another with a new price',
      action: async (page) => {
        await page
          .getByRole('button', { name: /^Decrease/ })
          .last()
          .click()
        await page.getByRole('button', { name: 'Undo' }).waitFor()
        await page.getByRole('button', { name: 'Update cart' }).waitFor()
      },
    },
    {
      name: 'the cart’s remove dialog',
      action: async (page) => {
        await page
          .getByRole('button', { name: /^Remove/ })
          .first()
          .click()
        await page.getByRole('dialog').waitFor()
      },
    },
    {
      name: 'a cart saved for later',
      action: async (page) => {
        await page.keyboard.press('Escape')
        await press(page, 'Save for Later')
        await page.getByText(/^Saved for Later \(/).waitFor()
      },
    },
  ),
  asMember(
    '/cart',
    { name: LONG_NAME, cart: longCart },
    {
      name: 'an empty cart',
      action: async (page) => {
        await press(page, 'Clear Cart')
        await page.getByRole('button', { name: 'Restore cart' }).waitFor()
      },
    },
  ),
  asMember(
    '/cart',
    { cart: shortCart },
    {
      name: 'a cart with an unknown code, too few units and an unconfirmed size',
      action: async (page) => {
        await page.getByText('Only 2 left').waitFor()
        await page.locator('summary', { hasText: 'Please confirm this size.' }).click()
        await page.getByRole('link', { name: 'Size guide' }).waitFor()
        await page.getByLabel(/promo/i).fill('NOPE')
        await press(page, 'Apply')
        await page.locator('.field__error, .banner--error').first().waitFor()
      },
    },
  ),
  asMember(
    '/buy/1:2,36:1,44:1',
    {},
    {
      name: 'a cart filled from a link',
      action: (page) => page.getByText('Added to your cart: 2 × ').waitFor(),
    },
  ),
  asMember(
    '/dashboard',
    { name: LONG_NAME },
    {
      name: 'the dashboard',
      action: (page) => page.getByText('You haven’t ordered anything yet.').waitFor(),
    },
  ),
  asMember(
    '/dashboard/details',
    {},
    {
      name: 'account details with an error',
      action: async (page) => {
        await page.getByLabel('Zip code').fill('00100')
        await press(page, 'Save details')
        await page.getByText('Address is required').waitFor()
      },
    },
  ),
  asMember(
    '/dashboard/password',
    {},
    {
      name: 'account password with an error',
      action: (page) => press(page, 'Change password'),
    },
  ),
  {
    path: '/dashboard/devices',
    openPage: async () => {
      const account = await newAccount()
      const otherDevice = await openShopper()
      await fetchAsPage(otherDevice.page, '/api/auth/login', {
        method: 'POST',
        data: { email: account.email, password: PASSWORD },
      })
      const visitor = await openSignedInShopper({ account })
      await visit(visitor, '/dashboard/devices')
      return visitor
    },
    states: [{ name: 'account devices' }],
  },
  asMember('/dashboard/data', {}, { name: 'account data' }),
  asMember(
    '/checkout',
    {},
    { name: 'checkout without a cart', action: (page) => page.getByText('No items in your cart').waitFor() },
  ),
  asMember(
    '/checkout',
    { cart: longCart },
    {
      name: 'checkout',
      action: async (page) => {
        await submitButton(page).waitFor()
        await page.getByRole('button', { name: 'Update cart' }).waitFor()
      },
    },
    { name: 'checkout with errors', action: (page) => submitButton(page).click() },
    {
      name: 'checkout by M-Pesa, with an error',
      action: async (page) => {
        await fillBilling(page)
        await selectMpesa(page, '0812 345 678')
        await submitButton(page).click()
        await page.getByText('Please enter a valid M-Pesa phone number').waitFor()
      },
    },
  ),
  asMember(
    '/checkout',
    { cart: shortCart },
    {
      name: 'checkout with a sold-out item',
      action: async (page) => {
        await page.getByRole('button', { name: /^Keep size/ }).click()
        await fillForm(page)
        await submitButton(page).click()
        await page.getByRole('alert').getByText('We’re sold out of Coconut Shell Snack Pots.').waitFor()
      },
    },
  ),
  asBuyer(
    '/checkout',
    { cart: [storedLine(0)] },
    {
      name: 'an order whose payment failed',
      action: async (page) => {
        await fillBilling(page)
        await selectMpesa(page, '0700 000 002')
        await submitButton(page).click()
        await page.getByRole('heading', { name: 'Not paid yet' }).waitFor()
      },
    },
    {
      name: 'an order that awaits payment',
      action: async (page) => {
        await page.getByLabel('M-Pesa phone number').fill('0700 000 005')
        await press(page, /^Pay KSH/)
        await page.getByRole('heading', { name: 'Check your phone' }).waitFor()
        await press(page, 'Pay another way')
      },
    },
    {
      name: 'an order that was cancelled',
      action: async (page) => {
        await page.getByText('Cancel this order', { exact: true }).click()
        await press(page, 'Yes, cancel this order')
        await page.getByRole('heading', { name: 'This order was cancelled' }).waitFor()
      },
    },
  ),
  asBuyer(
    '/checkout',
    { cart: [storedLine(0, { qty: 2 }), storedLine(1)] },
    {
      name: 'an order placed',
      action: async (page) => {
        await fillForm(page)
        await submitButton(page).click()
        await placedHeading(page).waitFor()
      },
    },
    {
      name: 'an order just placed, on its page',
      action: async (page) => {
        await page.getByRole('link', { name: 'View your order' }).click()
        await page.getByText('We’ve received your order').waitFor()
        await page.getByText('Cancel this order', { exact: true }).click()
        await press(page, 'Order again')
        await page.getByText('3 items added to your cart.').waitFor()
      },
    },
  ),
]

const openOrderPage = (number: string, status: OrderStatus) => async (page: Page) => {
  await mockResponse(page, `**/api/orders/${number}`, (route) =>
    route.fulfill({ json: orderView(status, number) }),
  )
  await page.evaluate((to) => {
    const link = Object.assign(document.createElement('a'), { href: to })
    document.body.appendChild(link)
    link.click()
    link.remove()
  }, `/order/${number}`)
  await page.getByRole('heading', { name: `Order ${number}` }).waitFor()
}

const orderVisit = asMember(
  '/order/P-222222',
  {},
  {
    name: 'an order on its way, with long words, a note and the form for returns',
    action: async (page) => {
      await openOrderPage('P-7K3M9Q', 'shipped')(page)
      await page.getByText('Request a return or exchange').click()
      await page
        .getByRole('button', { name: /^Increase quantity of/ })
        .first()
        .click()
      await page.getByText(/^2 of /).waitFor()
      await page.getByLabel('6–9 months').waitFor({ state: 'hidden' })
      await page.getByRole('radio', { name: 'Exchange' }).check()
      await page.getByLabel('6–9 months').waitFor()
    },
  },
  { name: 'a cancelled order on its page', action: openOrderPage('P-7K3M9R', 'cancelled') },
  {
    name: 'an order that awaits payment, on its page',
    action: openOrderPage('P-7K3M9S', 'awaiting_payment'),
  },
)

export const visits: readonly Visit[] = [...publicVisits, ...memberVisits, orderVisit]

async function writeMessage(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Name' }).fill('Amina')
  await page.getByRole('textbox', { name: 'Email' }).fill('amina@example.com')
  await page.getByRole('textbox', { name: 'Message' }).fill('Do the rompers run large?')
  await press(page, 'Send')
}
