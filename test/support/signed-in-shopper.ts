import type { Page } from 'playwright-core'
import { inject } from 'vitest'
import type { CartLine } from '#shared/cart/cart.ts'
import items from '../../public/Items.json'
import {
  fetchAsPage,
  newIpAddress,
  openShopper,
  type Shopper,
  type ShopperOptions,
  visit,
} from './shopper.ts'

export type SignedInShopper = Shopper & {
  name: string
  email: string
  orders: () => Promise<{ number: string; key: string; lines: { title: string; qty: number }[] }[]>
}

type SignedInOptions = ShopperOptions & {
  name?: string
  cart?: readonly CartLine[]
  /** By default, tests with the same `name` share an account. Tests that order or log out need their own. */
  account?: Account
}

export const PASSWORD = 'kikoi-2026'

let accounts = 0

export type Account = { name: string; email: string; token: string; user: object; cookie: string }

export async function newAccount(name = 'Amina Wanjiru', origin = inject('shopUrl')): Promise<Account> {
  const email = `shopper-${Date.now()}-${process.pid}-${++accounts}@shopper.test`
  const headers = { 'Content-Type': 'application/json', 'CF-Connecting-IP': newIpAddress() }
  const body = JSON.stringify({ name, email, password: PASSWORD })
  const response = await fetch(`${origin}/api/auth/register`, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`Registering failed: ${response.status} ${await response.text()}`)
  const { token, user } = (await response.json()) as { token: string; user: object }
  return { name, email, token, user, cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
}

type OrderResponse = {
  message?: string
  order?: { number: string; totals: { totalCents: number } }
  totals?: { totalCents: number }
}
type OneUnit = { id?: number; payment?: object; origin?: string | undefined }

const cardPayment = { token: 'tok_simulated', card: { brand: 'Visa', lastFour: '4242' } }

export async function orderOneUnit(
  { token }: Account,
  { id = 1, payment = cardPayment, origin = inject('shopUrl') }: OneUnit = {},
) {
  const headers = {
    'Content-Type': 'application/json',
    'CF-Connecting-IP': newIpAddress(),
    Authorization: `Bearer ${token}`,
    'Idempotency-Key': crypto.randomUUID(),
  }
  const billing = {
    firstName: 'Amina',
    lastName: 'Wanjiru',
    email: 'amina@shopper.test',
    address: 'Moi Avenue 4',
    address2: '',
    country: 'Kenya',
    state: 'Nairobi',
    zip: '00100',
    phone: '0712 345 678',
  }
  const send = async (expectedTotal: number) => {
    const body = JSON.stringify({ lines: [{ id, qty: 1 }], billing, payment, expectedTotal })
    const response = await fetch(`${origin}/api/orders`, { method: 'POST', headers, body })
    return { status: response.status, body: (await response.json()) as OrderResponse }
  }
  const attempt = await send(1)
  const { body, status } = attempt.body.totals ? await send(attempt.body.totals.totalCents / 100) : attempt
  return {
    status,
    message: body.message,
    number: body.order?.number ?? '',
    totalKsh: (body.order?.totals.totalCents ?? 0) / 100,
  }
}

/** Tests that don't change an account share one, because hashing a password is slow. */
const sharedAccounts = new Map<string, Promise<Account>>()

function sharedAccount(name = 'Amina Wanjiru'): Promise<Account> {
  const account = sharedAccounts.get(name) ?? newAccount(name)
  sharedAccounts.set(name, account)
  return account
}

export async function openSignedInShopper(options: SignedInOptions = {}): Promise<SignedInShopper> {
  const { account, cart = [], ...shopperOptions } = options
  const { name, email, token, user, cookie } = account ?? (await sharedAccount(options.name))
  const [cookieName = '', value = ''] = cookie.split(/=(.*)/)
  const visitor = await openShopper({
    ...shopperOptions,
    cookies: [
      {
        name: cookieName,
        value,
        url: options.origin ?? inject('shopUrl') ?? '',
        httpOnly: true,
        sameSite: 'Lax',
      },
    ],
    localStorage: { token, user: JSON.stringify(user), cart: JSON.stringify(cart) },
  })
  const orders = async () => (await (await fetchAsPage(visitor.page, '/api/orders')).json()).orders
  return { ...visitor, name, email, orders }
}

export function storedLine(index: number, differing: Partial<CartLine> = {}): CartLine {
  const item = items[index]
  if (!item) throw new Error(`The catalogue has no product ${index}.`)
  const { scale: _, sizes, name, ...product } = item
  const size = sizes?.[0]?.label
  return { ...product, title: item.title ?? name ?? '', ...(size && { size }), qty: 1, ...differing }
}

export function itemLine(id: number, differing: Partial<CartLine> = {}): CartLine {
  return storedLine(
    items.findIndex((item) => item.id === id),
    differing,
  )
}

export function readStored(page: Page, key: string): Promise<unknown> {
  return page.evaluate((name) => JSON.parse(localStorage.getItem(name) ?? 'null'), key)
}

export const CARD_DETAILS = { number: '4242 4242 4242 4242', expiration: '12/39', cvv: '987' }

/** Waits for the session check. After it, the page changes only on input. */
export async function openCheckout(visitor: Shopper): Promise<void> {
  const sessionCheck = visitor.page.waitForResponse('**/api/auth/session')
  await visit(visitor, '/checkout')
  await sessionCheck
}

export async function fillCheckout(visitor: Shopper): Promise<void> {
  await openCheckout(visitor)
  await fillForm(visitor.page)
}

export async function fillForm(page: Page): Promise<void> {
  await fillBilling(page)
  await page.getByLabel('Name on card').fill('Amina Wanjiru')
  await page.getByLabel('Card number').fill(CARD_DETAILS.number)
  await page.getByLabel('Expiration date').fill(CARD_DETAILS.expiration)
  await page.getByLabel('CVV').fill(CARD_DETAILS.cvv)
}

export async function selectMpesa(page: Page, phone: string): Promise<void> {
  await page.getByRole('radio', { name: 'M-Pesa' }).check()
  await page.getByLabel('M-Pesa phone number').fill(phone)
}

export async function fillBilling(page: Page): Promise<void> {
  await page.getByLabel('Address', { exact: true }).fill('Moi Avenue 4')
  await page.getByLabel('Country').selectOption('Kenya')
  await page.getByLabel('County').selectOption('Nairobi')
  await page.getByLabel('Zip code').fill('00100')
}

export const submitButton = (page: Page) => page.getByRole('button', { name: /^Complete Order|^Processing/ })

export const placedHeading = (page: Page) => page.getByRole('heading', { name: 'Order Placed Successfully!' })
