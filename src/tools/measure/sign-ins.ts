import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from '../build.ts'
import { runTool, ToolError } from '../command.ts'
import { ensureLocalSecrets, prepareDatabase } from '../local-shop.ts'
import { freePort } from '../ports.ts'
import { type Buyer, logIn, registerBuyers } from './checkouts.ts'
import { startDetachedShop } from './detached-shop.ts'
import { percentile } from './load.ts'

const PEOPLE = 30
const SPAN_MS = 60_000
/** Sign-ins on an otherwise idle shop, one after the other: each takes one hash. */
const ALONE = 7
const PAGE_PAUSE_MS = 25
const PAGES = ['/', '/products', '/product/1', '/dashboard']

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Milliseconds until an answer is there, and its status. */
async function timed(ask: () => Promise<Response>): Promise<{ ms: number; status: number }> {
  const startMs = performance.now()
  const response = await ask()
  await response.arrayBuffer()
  return { ms: performance.now() - startMs, status: response.status }
}

/** Visits pages one after another until `work` is done; returns the milliseconds of each. */
async function visitDuring(work: Promise<unknown>, url: string, { cookie }: Buyer): Promise<number[]> {
  let isOver = false
  void work.finally(() => {
    isOver = true
  })
  const visits: number[] = []
  while (!isOver) {
    const page = PAGES[visits.length % PAGES.length] ?? '/'
    const { ms, status } = await timed(() => fetch(url + page, { headers: { Cookie: cookie } }))
    if (status !== 200) throw new ToolError(`${page} was answered ${status}.`)
    visits.push(ms)
    await pause(PAGE_PAUSE_MS)
  }
  return visits
}

/** Signs everybody in at random moments of a span; returns how often each status was answered. */
async function signInDuring(spanMs: number, url: string, people: readonly Buyer[]) {
  const statuses = new Map<number, number>()
  await Promise.all(
    people.map(async (person) => {
      await pause(Math.random() * spanMs)
      const { status } = await timed(() => logIn(url, person))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }),
  )
  return statuses
}

// `npm run sign-ins`: thirty people sign in within a minute while others look at pages. It fails when a page waited
// longer than the hashing of one password takes.
await runTool(async () => {
  ensureLocalSecrets()
  await build()
  const stateFolder = await mkdtemp(path.join(tmpdir(), 'pamba-sign-ins-'))
  await prepareDatabase(stateFolder)
  const shop = await startDetachedShop({ port: await freePort(), stateFolder })
  try {
    const { url } = shop
    const people = await registerBuyers(url, PEOPLE)
    const [visitor] = people
    if (!visitor) throw new Error('Nobody is there to look at pages.')
    const alone: number[] = []
    for (const person of people.slice(0, ALONE)) alone.push((await timed(() => logIn(url, person))).ms)
    const quiet = await visitDuring(pause(SPAN_MS / 10), url, visitor)
    console.log(`Signing ${PEOPLE} people in within ${SPAN_MS / 1000} s, at ${url} …`)
    const signIns = signInDuring(SPAN_MS, url, people)
    const visits = await visitDuring(signIns, url, visitor)

    const hashMs = Math.max(...alone)
    const usualMs = percentile(quiet, 0.5)
    const waitedMs = Math.max(...visits) - usualMs
    console.table({
      'one sign-in alone, median': { ms: Math.round(percentile(alone, 0.5)) },
      'one sign-in alone, slowest': { ms: Math.round(hashMs) },
      'a page without sign-ins, median': { ms: Math.round(usualMs) },
      'a page without sign-ins, slowest': { ms: Math.round(Math.max(...quiet)) },
      'a page meanwhile, median': { ms: Math.round(percentile(visits, 0.5)) },
      'a page meanwhile, 95%': { ms: Math.round(percentile(visits, 0.95)) },
      'a page meanwhile, slowest, beyond a usual one': { ms: Math.round(waitedMs) },
    })
    const statuses = [...(await signIns)].map(([status, times]) => `${times} × ${status}`)
    console.log(`${visits.length} pages; sign-ins: ${statuses.join(', ')}`)
    if (waitedMs > hashMs) throw new ToolError('A page waited for more than one password.')
  } finally {
    await shop.kill()
    await rm(stateFolder, { recursive: true, force: true })
  }
})
