import type { Browser, CDPSession, Locator, Page } from 'playwright-core'
import { launchChromium } from '../chromium.ts'
import { openPage } from './browser-rows.ts'
import type { Front } from './https-front.ts'
import { sessionCookie } from './measured-shop.ts'
import type { Report } from './report.ts'
import { median } from './wrk.ts'

const CPU_SLOWDOWN = 4
/** How often each is measured: an odd number, so that the last undoes what the first has changed. */
const ROUNDS = 3
const BUDGET_MS = 50
/** The browser times no interaction that takes less; times are multiples of 8 ms. */
const SHORTEST_MS = 16
/** How long after an interaction its time is known at the latest. */
const REPORTED_WITHIN_MS = 500
/** When a page has begun to load what it may need later, in milliseconds. */
const LOADED_AHEAD_AFTER_MS = 2500
/** How long a finger is on the screen, and how long before that the page has not been scrolled. */
const TAP_MS = 80
const AT_REST_MS = 300

type Act = (page: Page, round: number, devtools: CDPSession) => Promise<void>
type Interaction = { what: string; path: string; act: Act }

/** One after the other in the same page: what shows fewer products comes after what needs them. */
const INTERACTIONS: readonly Interaction[] = [
  {
    what: 'add to cart',
    path: '/products',
    act: async (page, round, devtools) => {
      // A toast leaves two seconds after its tap, which is when the one after next would come here.
      await page.locator('.toast').last().waitFor({ state: 'detached' })
      await tap(page.getByRole('button', { name: 'Add to Cart' }).nth(round), devtools)
    },
  },
  {
    what: 'filter',
    path: '/products',
    act: (page, round, devtools) =>
      tap(page.getByRole('link', { name: round % 2 === 0 ? 'Toys' : 'All', exact: true }), devtools),
  },
  {
    what: 'sort',
    path: '/products',
    act: async (page, round) => {
      await page.getByRole('combobox').focus()
      await page.keyboard.press(round % 2 === 0 ? 'ArrowDown' : 'ArrowUp')
    },
  },
  {
    what: 'search',
    path: '/products',
    act: async (page, round) => {
      const field = page.getByRole('searchbox')
      await field.focus()
      await page.keyboard.press('cotton'[round] ?? 'o')
    },
  },
  {
    what: 'change of quantity',
    path: '/cart',
    act: (page, _, devtools) =>
      tap(page.getByRole('button', { name: /^Increase quantity/ }).first(), devtools),
  },
]

/** How soon the shop answers a tap or a key, by the browser's own interaction timing, with the CPU slowed four times. */
export async function interactionRows(fronts: Record<string, Front>, report: Report): Promise<void> {
  for (const [products, { url, chromiumArgument }] of Object.entries(fronts)) {
    report.step(`Tapping and typing in Chromium, ${products} products`)
    const browser = await launchChromium({ args: [chromiumArgument] })
    try {
      const { page, devtools } = await openMeasuredPage(browser, url)
      for (const { what, path, act } of INTERACTIONS) {
        if (new URL(page.url()).pathname !== path) await openAtRest(page, devtools, url + path)
        const value = await interactionMs(page, (round) => act(page, round, devtools))
        const named = `${what}, ${products} products, CPU slowed ${CPU_SLOWDOWN} times`
        report.row({ id: 'INP', what: named, value, unit: 'ms', budget: { atMost: BUDGET_MS } })
      }
    } finally {
      await browser.close()
    }
  }
}

/** A page of somebody signed in, because the cart is for them, which notes how long its interactions take. */
async function openMeasuredPage(browser: Browser, url: string) {
  const { page, devtools } = await openPage(browser)
  const [name = '', ...value] = (await sessionCookie()).split('=')
  await page.context().addCookies([{ name, value: value.join('='), url }])
  await page.addInitScript(() => {
    const times: number[] = []
    Object.assign(window, { interactionTimes: times })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEventTiming & { interactionId?: number })[])
        if (entry.interactionId) times.push(entry.duration)
    }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit)
  })
  return { page, devtools }
}

/** Opens a page, and slows the CPU once it has loaded what it loads ahead. */
async function openAtRest(page: Page, devtools: CDPSession, address: string): Promise<void> {
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await page.goto(address)
  await page.waitForFunction(() => document.documentElement.dataset.routed === 'true')
  await page.waitForTimeout(LOADED_AHEAD_AFTER_MS)
  await page.waitForLoadState('networkidle')
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
}

/** The middle time from an interaction to its next paint, in ms. */
async function interactionMs(page: Page, act: (round: number) => Promise<void>): Promise<number> {
  const times: number[] = []
  // The first of each loads what the interaction needs, as a visit's second of idle time does.
  for (let round = 0; round <= ROUNDS; round++) {
    await takeTimes(page)
    await act(round)
    await page.waitForTimeout(REPORTED_WITHIN_MS)
    const taken = Math.max(SHORTEST_MS, ...(await takeTimes(page)))
    if (round > 0) times.push(taken)
  }
  return median(times)
}

/**
 * Taps as a finger does on a page at rest. Playwright's own tap takes no time, scrolls right before, and listens to the
 * events, which all adds to what is measured.
 */
async function tap(target: Locator, devtools: CDPSession): Promise<void> {
  await target.evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }))
  await target.page().waitForTimeout(AT_REST_MS)
  const box = await target.boundingBox()
  if (!box) throw new Error('What is to be tapped is not on the page.')
  const touchPoints = [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }]
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
  await target.page().waitForTimeout(TAP_MS)
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

function takeTimes(page: Page): Promise<number[]> {
  return page.evaluate(() => (window as unknown as { interactionTimes: number[] }).interactionTimes.splice(0))
}
