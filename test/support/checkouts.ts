import { catalogueSchema } from '#shared/catalogue/catalogue-schema.ts'
import { listProductItems } from '#shared/catalogue/items.ts'
import { calculateCheckoutTotals } from '#shared/checkout/pricing.ts'
import { centsToKsh } from '#shared/format.ts'
import { migrateDatabase, openLocalDatabase } from '#tools/local-database.ts'
import items from '../../public/Items.json' with { type: 'json' }

export const STOCKED_UNITS = 1_000_000

/** Every second item is stocked. The others are made to order. */
export async function prepareStockedDatabase(stateFolder: string): Promise<void> {
  const { db, close } = await openLocalDatabase(stateFolder)
  try {
    await migrateDatabase(db)
    const stocked = catalogueSchema
      .parse(items)
      .flatMap(listProductItems)
      .filter((_, index) => index % 2 === 0)
    const insert = db.prepare('INSERT INTO stock (item_id, on_hand) VALUES (?, ?)')
    await db.batch(stocked.map(({ id }) => insert.bind(id, STOCKED_UNITS)))
  } finally {
    await close()
  }
}

export type Buyer = {
  email: string
  headers: { Authorization: string }
  cookie: string
}

const PASSWORD = 'kikoi-2026'
let ipCount = 0

/** Posts from a new IP address each time, because registrations and logins are limited per address. */
function post(url: string, body: object): Promise<Response> {
  ipCount += 1
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'CF-Connecting-IP': `198.18.${ipCount}.1` },
    body: JSON.stringify(body),
  })
}

export function logIn(url: string, { email }: Buyer): Promise<Response> {
  return post(`${url}/api/auth/login`, { email, password: PASSWORD })
}

export async function registerBuyer(url: string): Promise<Buyer> {
  const email = `buyer-${crypto.randomUUID()}@shopper.test`
  const response = await post(`${url}/api/auth/register`, {
    name: 'Amina Wanjiru',
    email,
    password: PASSWORD,
  })
  if (response.status !== 201) throw new Error(`Registering returned ${response.status}.`)
  const { token } = (await response.json()) as { token: string }
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return { email, headers: { Authorization: `Bearer ${token}` }, cookie }
}

export function createCheckoutBody({ email }: Buyer, n: number) {
  const lines = Array.from({ length: 1 + (n % 3) }, (_, index) => {
    const { id = 1, price = 0 } = items[(n * 7 + index) % items.length] ?? {}
    return { id, price, qty: 1 + ((n + index) % 4) }
  })
  return {
    lines: lines.map(({ id, qty }) => ({ id, qty })),
    billing: {
      firstName: 'Amina',
      lastName: 'Wanjiru',
      email,
      address: 'Moi Avenue 4',
      address2: '',
      country: 'Kenya',
      state: 'Nairobi',
      zip: '00100',
    },
    payment: { token: 'tok_simulated', card: { brand: 'Visa', lastFour: '4242' } },
    expectedTotal: centsToKsh(calculateCheckoutTotals(lines).totalCents),
  }
}

export function postOrder(url: string, { headers }: Buyer, key: string, body: object): Promise<Response> {
  return fetch(`${url}/api/orders`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(body),
  })
}

export function getPayment(url: string, { headers }: Buyer, number: string): Promise<Response> {
  return fetch(`${url}/api/orders/${number}/payment`, { headers })
}
