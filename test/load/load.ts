import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Buyer,
  createCheckoutBody,
  logIn,
  postOrder,
  prepareStockedDatabase,
  registerBuyer,
} from '#test/support/checkouts.ts'
import { build } from '#tools/build.ts'
import { runTool, ToolError } from '#tools/command.ts'
import { ensureLocalSecrets, serveShop } from '#tools/local-shop.ts'
import { calculateMedian } from '#tools/measure/report.ts'
import { measureHeapMegabytes } from '#tools/measure/workerd.ts'
import { findFreePort } from '#tools/ports.ts'

const LANES = 16
/** A lane waits only once this many orders are pending, because a simulated payment takes seconds. */
const MAX_PENDING_ORDERS = 40
const PERCENT_OF_REQUESTS = { page: 80, read: 15 }
const PAGES = ['/', '/products', '/products?category=Toys', '/product/1', '/product/12', '/about', '/contact']
const MEMBER_PAGES = ['/products', '/dashboard', '/cart', '/checkout']
const READS = ['/api/orders', '/api/auth/session', '/api/health']
const LOAD_SECONDS = 60
const BUYERS = 40
const MAX_GROWTH_MB = 20
const LOGINS_PER_MINUTE = 30
const PAGE_PAUSE_MS = 25

type LoadTarget = { url: string; buyers: readonly Buyer[] }
type Tally = { ms: number[]; errors: string[] }

/**
 * Measures T4: sends random requests in the proportions of `PERCENT_OF_REQUESTS`, and resolves after the last response.
 */
async function sendLoad(seconds: number, { url, buyers }: LoadTarget, tally: Tally): Promise<void> {
  const endMs = performance.now() + seconds * 1000
  const ordersUnderWay = new Set<Promise<void>>()

  async function count(kind: string, send: () => Promise<Response>, expected: number): Promise<void> {
    const startMs = performance.now()
    const outcome = await send()
      .then((response) => response.bytes().then(() => response.status))
      .catch(String)
    tally.ms.push(performance.now() - startMs)
    // 429 is expected, because these accounts order more often than the rate limit allows.
    const isLimited = kind === 'order' && outcome === 429
    if (outcome !== expected && !isLimited) tally.errors.push(`${kind} ${outcome}`)
  }

  async function sendOne(n: number): Promise<void> {
    const randomPercent = Math.random() * 100
    const buyer = pickRandom(buyers)
    if (randomPercent < PERCENT_OF_REQUESTS.page) {
      const isMember = Math.random() < 0.25
      const headers = { Accept: 'text/html', ...(isMember ? { Cookie: buyer.cookie } : {}) }
      return count('page', () => fetch(url + pickRandom(isMember ? MEMBER_PAGES : PAGES), { headers }), 200)
    }
    if (randomPercent < PERCENT_OF_REQUESTS.page + PERCENT_OF_REQUESTS.read)
      return count('read', () => fetch(url + pickRandom(READS), { headers: buyer.headers }), 200)
    const order = count(
      'order',
      () => postOrder(url, buyer, crypto.randomUUID(), createCheckoutBody(buyer, n)),
      201,
    )
    ordersUnderWay.add(order)
    void order.finally(() => ordersUnderWay.delete(order))
    if (ordersUnderWay.size >= MAX_PENDING_ORDERS) await order
  }

  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (let n = lane; performance.now() < endMs; n += LANES) await sendOne(n)
  })
  await Promise.all(lanes)
  await Promise.all(ordersUnderWay)
}

/**
 * Measures T10: visits pages while shoppers log in. `waitedMs` is how much longer than the median the slowest page
 * took.
 */
async function visitDuringLogins(seconds: number, { url, buyers }: LoadTarget) {
  const measureMs = async (send: () => Promise<Response>) => {
    const startMs = performance.now()
    const response = await send()
    await response.bytes()
    if (!response.ok) throw new ToolError(`${response.url} returned ${response.status}.`)
    return performance.now() - startMs
  }
  const [visitor, ...people] = buyers
  const unloadedMs: number[] = []
  for (const person of people.slice(0, 7)) unloadedMs.push(await measureMs(() => logIn(url, person)))
  let areLoginsDone = false
  const logins = people.slice(0, (LOGINS_PER_MINUTE * seconds) / 60).map(async (person) => {
    await pause(Math.random() * seconds * 1000)
    await (await logIn(url, person)).bytes()
  })
  void Promise.all(logins).then(() => {
    areLoginsDone = true
  })
  const visits: number[] = []
  for (let n = 0; !areLoginsDone; n++) {
    const headers = { Cookie: visitor?.cookie ?? '' }
    visits.push(
      await measureMs(() => fetch(url + (MEMBER_PAGES[n % MEMBER_PAGES.length] ?? '/'), { headers })),
    )
    await pause(PAGE_PAUSE_MS)
  }
  return { waitedMs: Math.max(...visits) - calculateMedian(visits), hashMs: Math.max(...unloadedMs) }
}

function pickRandom<Item>(list: readonly Item[]): Item {
  const item = list[Math.floor(Math.random() * list.length)]
  if (item === undefined) throw new Error('The list is empty.')
  return item
}

// `npm run load` warms up for a minute, measures for two, then measures logins for one. `-- 30` shortens each minute
// to 30 s.
await runTool(async () => {
  const seconds = Number(process.argv[2] ?? LOAD_SECONDS)
  if (!(seconds >= 1 && seconds <= 600))
    throw new ToolError('The number of seconds must be from 1 to 600: npm run load -- 60')
  ensureLocalSecrets()
  console.log('Building…')
  await build()
  const stateFolder = await mkdtemp(path.join(tmpdir(), 'pamba-load-'))
  await prepareStockedDatabase(stateFolder)
  const inspectorPort = await findFreePort()
  const server = await serveShop({ port: await findFreePort(), stateFolder, inspectorPort, onLog: () => {} })
  try {
    const buyers: Buyer[] = []
    while (buyers.length < BUYERS) buyers.push(await registerBuyer(server.url))
    const load = { url: server.url, buyers }
    console.log(`Sending requests for ${seconds} s to warm up, then for 2 × ${seconds} s, to ${load.url}…`)
    await sendLoad(seconds, load, { ms: [], errors: [] })
    const tally: Tally = { ms: [], errors: [] }
    const memoryMb = [await measureHeapMegabytes(server.url, inspectorPort)]
    for (let times = 0; times < 2; times++) {
      await sendLoad(seconds, load, tally)
      memoryMb.push(await measureHeapMegabytes(server.url, inspectorPort))
    }
    const grownMb = memoryMb.slice(1).map((mb, index) => Number((mb - (memoryMb[index] ?? 0)).toFixed(1)))
    console.log(
      `${tally.ms.length} requests, ${Math.round(tally.ms.length / (2 * seconds))} per second, median ${Math.round(calculateMedian(tally.ms))} ms`,
    )
    console.log(`Memory grew by ${grownMb.join(' and ')} MB (at most ${MAX_GROWTH_MB})`)
    console.log(`Logging in shoppers for ${seconds} s…`)
    const { waitedMs, hashMs } = await visitDuringLogins(seconds, load)
    console.log(
      `The slowest page took ${Math.round(waitedMs)} ms longer than the median; a login takes up to ${Math.round(hashMs)} ms`,
    )
    const errors = Object.entries(Object.groupBy(tally.errors, (error) => error)).map(
      ([error, same]) => `${error} (${same?.length})`,
    )
    if (errors.length > 0) throw new ToolError(`Errors: ${errors.join(', ')}`)
    if (grownMb.some((mb) => mb > MAX_GROWTH_MB)) throw new ToolError('Memory grew by more than its budget.')
    if (waitedMs > hashMs) throw new ToolError('A page waited longer than one password hash takes.')
    console.log('No errors. Memory and page times are within their budgets.')
  } finally {
    await server.close()
    await rm(stateFolder, { recursive: true, force: true })
  }
})
