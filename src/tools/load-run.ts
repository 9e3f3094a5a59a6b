import { type Buyer, checkoutBody, postOrder, registerBuyer } from './checkouts.ts'

/** Requests under way at once, besides orders that wait for the payment. */
const LANES = 16
/** Orders under way at once at most: the simulated payment takes 2 s, and must not hold up the pages. */
const MAX_ORDERS_UNDER_WAY = 100
const BUYERS = 8

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

/** What came of one kind of request: how long each took, in milliseconds, and what went wrong, by its name. */
export type Tally = { ms: number[]; errors: Map<string, number> }

/** A shopping crowd at `url`, at random but in the shares above, until {@link Crowd.leave}. */
export type Crowd = {
  tallies: Readonly<Record<Kind, Tally>>
  /** Forgets what was counted so far. */
  recount: () => void
  /** Ends it; resolves when the last answer is there. */
  leave: () => Promise<void>
}

/** Sends a crowd shopping. */
export async function crowd(url: string): Promise<Crowd> {
  const buyers: Buyer[] = []
  for (let n = 0; n < BUYERS; n++) buyers.push(await registerBuyer(url))
  const tallies = { page: newTally(), read: newTally(), order: newTally() }
  const ordersUnderWay = new Set<Promise<void>>()
  let checkouts = 0
  let isOver = false

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
    const buyer = oneOf(buyers)
    const dice = Math.random() * 100
    if (dice < SHARES.page) {
      const isMember = Math.random() < 0.25
      const headers = { Accept: 'text/html', ...(isMember ? { Cookie: buyer.cookie } : {}) }
      return count('page', () => fetch(url + oneOf(isMember ? MEMBER_PAGES : PAGES), { headers }), 200)
    }
    if (dice < SHARES.page + SHARES.read)
      return count('read', () => fetch(url + oneOf(READS), { headers: buyer.headers }), 200)
    const body = checkoutBody(buyer, checkouts++)
    const order = count('order', () => postOrder(url, buyer, crypto.randomUUID(), body), 201)
    ordersUnderWay.add(order)
    void order.finally(() => ordersUnderWay.delete(order))
    if (ordersUnderWay.size >= MAX_ORDERS_UNDER_WAY) await order
  }

  const lanes = Array.from({ length: LANES }, async () => {
    while (!isOver) await shopOnce()
  })
  return {
    tallies,
    recount: () => Object.assign(tallies, { page: newTally(), read: newTally(), order: newTally() }),
    async leave() {
      isOver = true
      await Promise.all(lanes)
      await Promise.all(ordersUnderWay)
    },
  }
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
