import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from '../build.ts'
import { runTool, ToolError } from '../command.ts'
import { ensureLocalSecrets } from '../local-shop.ts'
import { freePort } from '../ports.ts'
import { type Buyer, checkoutBody, postOrder, prepareStockedDatabase, registerBuyers } from './checkouts.ts'
import { startDetachedShop } from './detached-shop.ts'
import { collectingGarbage, type Memory, memoryAfterCollection } from './memory.ts'

/** Requests under way at once, besides orders that wait for the payment. */
const LANES = 16
/** Orders under way at once at most: the simulated payment takes 2 s, and must not hold up the pages. */
const MAX_ORDERS_UNDER_WAY = 40

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

type Load = { url: string; buyers: readonly Buyer[] }

/**
 * Sends requests for some seconds, at random but in the shares above, and counts them in `tallies`. Resolves after the last
 * response.
 */
export async function sendLoad(seconds: number, { url, buyers }: Load, tallies: Tallies): Promise<void> {
  const endMs = performance.now() + seconds * 1000
  const ordersUnderWay = new Set<Promise<void>>()

  async function count(kind: Kind, ask: () => Promise<Response>, expected: number): Promise<void> {
    const tally = tallies[kind]
    const startMs = performance.now()
    try {
      const response = await ask()
      await response.arrayBuffer()
      tally.ms.push(performance.now() - startMs)
      // An account that orders more often than anybody does is told so.
      const isLimited = kind === 'order' && response.status === 429
      if (response.status !== expected && !isLimited) note(tally, `${kind} ${response.status}`)
    } catch (error) {
      note(tally, error instanceof Error ? `${error.message}: ${error.cause}` : String(error))
    }
  }

  async function sendOne(): Promise<void> {
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
    while (performance.now() < endMs) await sendOne()
  })
  await Promise.all(lanes)
  await Promise.all(ordersUnderWay)
}

/** Sends each kind of request once and waits for the responses, whatever they are. */
export async function requestEverythingOnce({ url, buyers }: Load): Promise<void> {
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

const SECONDS = 60
const MAX_SECONDS = 600
const BUYERS = 40
const MAX_GROWTH_MB = 20

function speedTable(tallies: Tallies, seconds: number) {
  const rows = (Object.keys(tallies) as Kind[]).map((kind) => [kind, speedRow([tallies[kind]], seconds)])
  return Object.fromEntries([...rows, ['all', speedRow(Object.values(tallies), seconds)]])
}

function speedRow(tallies: Tallies[Kind][], seconds: number) {
  const ms = tallies.flatMap((tally) => tally.ms)
  return {
    requests: ms.length,
    'per second': Math.round((ms.length / seconds) * 10) / 10,
    'p50 ms': Math.round(percentile(ms, 0.5)),
    'p95 ms': Math.round(percentile(ms, 0.95)),
    'p99 ms': Math.round(percentile(ms, 0.99)),
    errors: tallies.flatMap(({ errors }) => [...errors.values()]).reduce((sum, times) => sum + times, 0),
  }
}

/** Prints what memory was held before and after each span; whether it grew beyond the budget. */
function reportGrowth(memory: readonly (Memory | undefined)[]): boolean {
  const [before, after, later] = memory
  if (!before || !after || !later) {
    console.log('Memory cannot be measured on this system.')
    return false
  }
  const row = (key: keyof Memory, budgetMb?: number) => {
    const [first, second] = [after[key] - before[key], later[key] - after[key]]
    return {
      'before MB': round(before[key]),
      'grown MB': round(first),
      'again MB': round(second),
      ...(budgetMb === undefined
        ? { budget: '' }
        : { budget: `${first <= budgetMb && second <= budgetMb ? 'met' : 'MISSED'}: ≤ ${budgetMb}` }),
    }
  }
  const rows = {
    'workerd, garbage collected': row('workerdMb', MAX_GROWTH_MB),
    "the Worker's isolate in it": row('isolateMb', MAX_GROWTH_MB),
    "wrangler's proxy before it": row('proxyMb'),
  }
  console.table(rows)
  return Object.values(rows).some(({ budget }) => budget.startsWith('MISSED'))
}

function round(megabytes: number): number {
  // Not "-0".
  return Math.round(megabytes * 10) / 10 + 0
}

// `npm run load`: a mixed load on the built shop on this machine for a minute to warm up, for a minute, and for another
// (`-- 30`: 30 s each). It fails on an error, and when memory grew in either.
if (import.meta.main) {
  await runTool(async () => {
    const seconds = Number(process.argv[2] ?? SECONDS)
    if (!(seconds > 0 && seconds <= MAX_SECONDS))
      throw new ToolError(`Say for how many seconds, at most ${MAX_SECONDS}: npm run load -- 60`)
    ensureLocalSecrets()
    await build()
    const stateFolder = await mkdtemp(path.join(tmpdir(), 'pamba-load-'))
    await prepareStockedDatabase(stateFolder)
    const shop = await startDetachedShop({ port: await freePort(), stateFolder, isInspected: true })
    try {
      const { url } = shop
      const load = { url, buyers: await registerBuyers(url, BUYERS) }
      const memoryNow = () => memoryAfterCollection(shop.processGroup, () => requestEverythingOnce(load))
      console.log(`Shopping for ${seconds} s to warm up, then for 2 × ${seconds} s, at ${url} …`)
      const span = (tallies: Tallies) =>
        collectingGarbage(shop.processGroup, sendLoad(seconds, load, tallies))
      await span(newTallies())
      const tallies = newTallies()
      const memory = [await memoryNow()]
      for (let times = 0; times < 2; times++) {
        await span(tallies)
        memory.push(await memoryNow())
      }
      console.table(speedTable(tallies, 2 * seconds))
      const errors = Object.values(tallies).flatMap((tally) => [...tally.errors])
      const hasGrown = reportGrowth(memory)
      if (errors.length > 0)
        throw new ToolError(`Errors: ${errors.map(([what, times]) => `${what} (${times})`).join(', ')}`)
      if (hasGrown) throw new ToolError('Memory grew beyond its budget.')
    } finally {
      await shop.kill()
      await rm(stateFolder, { recursive: true, force: true })
    }
  })
}
