import { type BrowserContextOptions, type Page, request } from 'playwright-core'
import { inject } from 'vitest'
import type { CartLine } from '#shared/rules/cart.ts'
import items from '../../public/Items.json'
import { ownAddress, type Shopper, shopper, visit } from './shopper.ts'

export type SignedInShopper = Shopper & {
  name: string
  email: string
  /** The orders the server has of this shopper, newest first. */
  orders: () => Promise<{ number: string; lines: { title: string; qty: number }[] }[]>
}

type SignedInOptions = BrowserContextOptions & { name?: string; cart?: readonly CartLine[] }

/** What every signed-in shopper logs in with. */
export const PASSWORD = 'kikoi-2026'

let accounts = 0

/** A new shopper with an account of its own, signed in; from an address of its own, so that limits do not mix. */
export async function signedInShopper(options: SignedInOptions = {}): Promise<SignedInShopper> {
  const { name = 'Amina Wanjiru', cart = [], ...contextOptions } = options
  const extraHTTPHeaders = { 'CF-Connecting-IP': ownAddress() }
  const email = `shopper-${Date.now()}-${process.pid}-${++accounts}@shopper.test`
  const origin = inject('shopUrl') ?? ''
  const api = await request.newContext({ baseURL: origin, extraHTTPHeaders })
  const response = await api.post('/api/auth/register', { data: { name, email, password: PASSWORD } })
  if (!response.ok()) throw new Error(`Registering failed: ${response.status()} ${await response.text()}`)
  const { token, user } = await response.json()
  const { cookies } = await api.storageState()
  await api.dispose()
  const texts = { token, user: JSON.stringify(user), cart: JSON.stringify(cart) }
  const localStorage = Object.entries(texts).map(([key, value]) => ({ name: key, value }))
  const visitor = await shopper({
    ...contextOptions,
    extraHTTPHeaders,
    storageState: { cookies, origins: [{ origin, localStorage }] },
  })
  const orders = async () => (await (await visitor.page.context().request.get('/api/orders')).json()).orders
  return { ...visitor, name, email, orders }
}

/** The catalogue's `index`-th product as a line of the stored cart, with what the test wants to differ. */
export function storedLine(index: number, differing: Partial<CartLine> = {}): CartLine {
  const item = items[index]
  if (!item) throw new Error(`The catalogue has no product ${index}.`)
  return { ...item, title: item.title ?? item.name ?? '', qty: 1, ...differing }
}

/** What browser storage holds under a key, parsed; null when there is nothing. */
export function stored(page: Page, key: string): Promise<unknown> {
  return page.evaluate((name) => JSON.parse(localStorage.getItem(name) ?? 'null'), key)
}

/** A card that passes every check and belongs to nobody. */
export const CARD = { number: '4242 4242 4242 4242', expiration: '12/39', cvv: '987' }

/** Opens checkout with a cart, and waits until it has asked who is here: from then on nothing changes by itself. */
export async function openCheckout(visitor: Shopper): Promise<void> {
  const hasAsked = visitor.page.waitForResponse('**/api/auth/session')
  await visit(visitor, '/checkout')
  await hasAsked
}

/** Opens checkout and fills in what the prefill leaves open. */
export async function fillCheckout(visitor: Shopper): Promise<void> {
  await openCheckout(visitor)
  await fillForm(visitor.page)
}

/** Fills in what the prefill leaves open. */
export async function fillForm(page: Page): Promise<void> {
  await page.getByLabel('Address', { exact: true }).fill('Moi Avenue 4')
  await page.getByLabel('Country').selectOption('Kenya')
  await page.getByLabel('County').selectOption('Nairobi')
  await page.getByLabel('Zip code').fill('00100')
  await page.getByLabel('Name on card').fill('Amina Wanjiru')
  await page.getByLabel('Card number').fill(CARD.number)
  await page.getByLabel('Expiration date').fill(CARD.expiration)
  await page.getByLabel('CVV').fill(CARD.cvv)
}

/** The button that places the order. */
export const submitButton = (page: Page) => page.getByRole('button', { name: /^Complete Order|^Processing/ })

/** The heading of a placed order. */
export const placedHeading = (page: Page) => page.getByRole('heading', { name: 'Order Placed Successfully!' })
