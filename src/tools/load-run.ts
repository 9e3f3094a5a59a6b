import { type Buyer, checkoutBody, postOrder } from './checkouts.ts'

/** Requests under way at once, besides orders that wait for the payment. */
const LANES = 16
/** Orders under way at once at most: the simulated payment takes 2 s, and must not hold up the pages. */
const MAX_ORDERS_UNDER_WAY = 100

/** Of a hundred requests. */
const SHARES = { page: 80, read: 15, order: 5 } as const
export type Kind = keyof typeof SHARES

const PAGES = [
  '/',
  '/products',
  '/products?category=Toys',
  '/products?category=Clothing',
  '/product/1',
  '/product/12',
  '/about',
  '/contact',
  '/login',
]
const MEMBER_PAGES = ['/products', '/dashboard', '/cart', '/checkout']
const READS = ['/api/orders', '/api/auth/session', '/api/health']
const STATIC_FILE = '/Items.json'

/** What came of one kind of request: how long each took, in milliseconds, and what went wrong, by its name. */
export type Tally = { ms: number[]; errors: Map<string, number> }
export type Tallies = Record<Kind, Tally>

export function newTallies(): Tallies {
  return { page: newTally(), read: newTally(), order: newTally() }
}

type Crowd = { url: string; buyers: readonly Buyer[] }

/**
 * Sends a crowd shopping for some seconds, at random but in the shares above; counts into `tallies`. Resolves when the
 * last answer is there.
 */
export async function shopFor(seconds: number, { url, buyers }: Crowd, tallies: Tallies): Promise<void> {
  const endMs = performance.now() + seconds * 1000
  const ordersUnderWay = new Set<Promise<void>>()

  async function count(kind: Kind, ask: () => Promise<Response>, expected: number): Promise<void> {
    const tally = tallies[kind]
    const startMs = performance.now()
    try {
      const response = await ask()
      await response.arrayBuffer()
      tally.ms.push(performance.now() - startMs)
      if (response.status !== expected) note(tally, `${kind} ${response.status}`)
    } catch (error) {
      note(tally, error instanceof Error ? `${error.message}: ${error.cause}` : String(error))
    }
  }

  async function shopOnce(): Promise<void> {
    const dice = Math.random() * 100
    if (dice < SHARES.page) {
      const isMember = Math.random() < 0.25
      const headers = { Accept: 'text/html', ...(isMember ? { Cookie: oneOf(buyers).cookie } : {}) }
      return count('page', () => fetch(url + oneOf(isMember ? MEMBER_PAGES : PAGES), { headers }), 200)
    }
    if (dice < SHARES.page + SHARES.read)
      return count('read', () => fetch(url + oneOf(READS), { headers: oneOf(buyers).headers }), 200)
    const { buyer, body } = nextCheckout(buyers)
    const order = count('order', () => postOrder(url, buyer, crypto.randomUUID(), body), 201)
    ordersUnderWay.add(order)
    void order.finally(() => ordersUnderWay.delete(order))
    if (ordersUnderWay.size >= MAX_ORDERS_UNDER_WAY) await order
  }

  const lanes = Array.from({ length: LANES }, async () => {
    while (performance.now() < endMs) await shopOnce()
  })
  await Promise.all(lanes)
  await Promise.all(ordersUnderWay)
}

/** Goes once wherever the crowd goes, and waits for each answer; what it is does not matter. */
export async function goEverywhere({ url, buyers }: Crowd): Promise<void> {
  const { buyer, body } = nextCheckout(buyers)
  const visits = [
    ...[...PAGES, STATIC_FILE].map((path) => fetch(url + path)),
    ...MEMBER_PAGES.map((path) => fetch(url + path, { headers: { Cookie: buyer.cookie } })),
    ...READS.map((path) => fetch(url + path, { headers: buyer.headers })),
    postOrder(url, buyer, crypto.randomUUID(), body),
  ]
  for (const visit of visits) await (await visit).arrayBuffer()
}

let checkouts = 0

/** The next order and who places it, in turn. */
function nextCheckout(buyers: readonly Buyer[]) {
  const buyer = buyers[++checkouts % buyers.length]
  if (!buyer) throw new Error('Nobody is there to buy.')
  return { buyer, body: checkoutBody(buyer, checkouts) }
}

/** The duration that `share` of the requests stayed under, in milliseconds. */
export function percentile(ms: readonly number[], share: number): number {
  const sorted = ms.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function newTally(): Tally {
  return { ms: [], errors: new Map() }
}

function note({ errors }: Tally, what: string): void {
  errors.set(what, (errors.get(what) ?? 0) + 1)
}

function oneOf<Item>(list: readonly Item[]): Item {
  const item = list[Math.floor(Math.random() * list.length)]
  if (item === undefined) throw new Error('The list is empty.')
  return item
}
