import type { Browser, CDPSession, Locator, Page } from 'playwright-core'
import { launchChromium } from '../chromium.ts'
import { openPage } from './browser-rows.ts'
import type { Front } from './https-front.ts'
import { sessionCookie } from './measured-shop.ts'
import type { Report } from './report.ts'
import { median } from './wrk.ts'

const CPU_SLOWDOWN = 4
const BUDGET_MS = 50
/** The browser times no interaction that takes less; times are multiples of 8 ms. */
const SHORTEST_MS = 16
/** How long after an interaction its time is known at the latest. */
const REPORTED_WITHIN_MS = 500
/** How long a finger is on the screen, and how long before that the page has not been scrolled. */
const TAP_MS = 80
const AT_REST_MS = 300

type Act = (page: Page, round: number, devtools: CDPSession) => Promise<void>
type Interaction = { what: string; path: string; act: Act }

const INTERACTIONS: readonly Interaction[] = [
  {
    what: 'add to cart',
    path: '/products',
    act: (page, round, devtools) =>
      tap(page.getByRole('button', { name: 'Add to Cart' }).nth(round), devtools),
  },
  {
    what: 'change of quantity',
    path: '/cart',
    act: (page, _, devtools) =>
      tap(page.getByRole('button', { name: /^Increase quantity/ }).first(), devtools),
  },
  {
    what: 'filter',
    path: '/products',
    act: (page, round, devtools) =>
      tap(page.getByRole('link', { name: round % 2 === 0 ? 'Toys' : 'All', exact: true }), devtools),
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
    what: 'sort',
    path: '/products',
    act: async (page) => {
      await page.getByRole('combobox').focus()
      await page.keyboard.press('ArrowDown')
    },
  },
]

type InteractionOptions = { fronts: Record<string, Front>; rounds: number }

/** How soon the shop answers a tap or a key, by the browser's own interaction timing, with the CPU slowed four times. */
export async function interactionRows({ fronts, rounds }: InteractionOptions, report: Report): Promise<void> {
  for (const [products, { url, chromiumArgument }] of Object.entries(fronts)) {
    report.step(`Tapping and typing in Chromium, ${products} products`)
    const browser = await launchChromium({ args: [chromiumArgument] })
    try {
      for (const interaction of INTERACTIONS) {
        const value = await interactionMs(browser, url, interaction, rounds)
        const what = `${interaction.what}, ${products} products, CPU slowed ${CPU_SLOWDOWN} times`
        report.row({ id: 'INP', what, value, unit: 'ms', budget: { atMost: BUDGET_MS } })
      }
    } finally {
      await browser.close()
    }
  }
}

/** The middle time from an interaction to its next paint, in ms. */
async function interactionMs(
  browser: Browser,
  url: string,
  { path, act }: Interaction,
  rounds: number,
): Promise<number> {
  const { page, devtools } = await openPage(browser)
  // The cart is for people who are signed in.
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
  const open = async (address: string) => {
    await page.goto(url + address)
    await page.waitForFunction(() => document.documentElement.dataset.routed === 'true')
    await page.waitForLoadState('networkidle')
  }
  await open('/products')
  if (path !== '/products') {
    await page.getByRole('button', { name: 'Add to Cart' }).first().tap()
    await open(path)
  }
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  const times: number[] = []
  // The first of each loads what the interaction needs, as a visit's second of idle time does.
  for (let round = 0; round <= rounds; round++) {
    await takeTimes(page)
    await act(page, round, devtools)
    await page.waitForTimeout(REPORTED_WITHIN_MS)
    const taken = Math.max(SHORTEST_MS, ...(await takeTimes(page)))
    if (round > 0) times.push(taken)
  }
  await page.context().close()
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
