import { catalogueSchema } from '#shared/catalogue/catalogue-schema.ts'
import { productItems } from '#shared/catalogue/items.ts'
import { checkoutTotals } from '#shared/checkout/pricing.ts'
import { centsToKsh } from '#shared/format.ts'
import items from '../../../public/Items.json' with { type: 'json' }
import { migrate, openLocalDatabase } from '../local-database.ts'

/** The units of an item before anything is sold: more than any measurement buys. */
export const UNITS = 1_000_000

/** Makes a database with so many units of every second item on hand; the others are made to order. */
export async function prepareStockedDatabase(stateFolder: string): Promise<void> {
  const { db, close } = await openLocalDatabase(stateFolder)
  try {
    await migrate(db)
    const counted = catalogueSchema
      .parse(items)
      .flatMap(productItems)
      .filter((_, index) => index % 2 === 0)
    const insert = db.prepare('INSERT INTO stock (item_id, on_hand) VALUES (?, ?)')
    await db.batch(counted.map(({ id }) => insert.bind(id, UNITS)))
  } finally {
    await close()
  }
}

/** A shopper as a program: signed in, and able to check out. */
export type Buyer = {
  email: string
  headers: { Authorization: string }
  cookie: string
}

/** Registers new shoppers, one after another. */
export async function registerBuyers(url: string, count: number): Promise<Buyer[]> {
  const buyers: Buyer[] = []
  while (buyers.length < count) buyers.push(await registerBuyer(url))
  return buyers
}

let addresses = 0

const PASSWORD = 'kikoi-2026'

/** Sends a form from a network address of its own: both are limited. Rejects when there is no answer. */
function post(url: string, body: object): Promise<Response> {
  addresses += 1
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'CF-Connecting-IP': `198.18.${addresses}.1` },
    body: JSON.stringify(body),
  })
}

/** Signs a shopper in, as an unknown device. Rejects when there is no answer. */
export function logIn(url: string, { email }: Buyer): Promise<Response> {
  return post(`${url}/api/auth/login`, { email, password: PASSWORD })
}

/** Registers a new shopper. Throws when the shop refuses. */
export async function registerBuyer(url: string): Promise<Buyer> {
  const email = `buyer-${crypto.randomUUID()}@shopper.test`
  const response = await post(`${url}/api/auth/register`, {
    name: 'Amina Wanjiru',
    email,
    password: PASSWORD,
  })
  if (response.status !== 201) throw new Error(`Registering was answered ${response.status}.`)
  const { token } = (await response.json()) as { token: string }
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return { email, headers: { Authorization: `Bearer ${token}` }, cookie }
}

/** The `n`th checkout of a buyer: one to three lines, in ever new combinations, at the catalogue's prices. */
export function checkoutBody({ email }: Buyer, n: number) {
  const lines = Array.from({ length: 1 + (n % 3) }, (_, index) => ({
    id: items[(n * 7 + index * 11) % items.length]?.id ?? 1,
    qty: 1 + ((n + index) % 4),
  })).filter(({ id }, index, all) => all.findIndex((line) => line.id === id) === index)
  const priced = lines.map(({ id, qty }) => ({
    price: items.find((item) => item.id === id)?.price ?? 0,
    qty,
  }))
  return {
    lines,
    billing: {
      ...{ firstName: 'Amina', lastName: 'Wanjiru', email, address: 'Moi Avenue 4', address2: '' },
      ...{ country: 'Kenya', state: 'Nairobi', zip: '00100' },
    },
    payment: { token: 'tok_simulated', card: { brand: 'Visa', lastFour: '4242' } },
    expectedTotal: centsToKsh(checkoutTotals(priced).totalCents),
  }
}

/** Posts an order under a key. Rejects when there is no answer. */
export function postOrder(url: string, { headers }: Buyer, key: string, body: object): Promise<Response> {
  return fetch(`${url}/api/orders`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(body),
  })
}

/** Gets the state of an order's payment. Rejects when there is no answer. */
export function getPayment(url: string, { headers }: Buyer, number: string): Promise<Response> {
  return fetch(`${url}/api/orders/${number}/payment`, { headers })
}
