import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject } from 'vitest'

export const PHONE = { width: 360, height: 740 }
export const DESKTOP = { width: 1280, height: 800 }

const shopUrl = inject('shopUrl')
const VIOLATION = 'The policy was violated:'
let browser: Browser
let violations: string[] = []

/** A group of browser journeys; skipped where the machine has no Chromium. */
export function journeys(name: string, define: () => void): void {
  describe.skipIf(!shopUrl)(name, () => {
    beforeAll(async () => {
      browser = await chromium.connect(inject('browserUrl'))
    })
    afterEach(async () => {
      // A page that stays open goes on ticking and moving, at the cost of the next test.
      await Promise.all(browser.contexts().map((context) => context.close()))
      expect(takeViolations()).toEqual([])
    })
    afterAll(() => browser.close())
    define()
  })
}

/** What violated the policy in this test so far. A journey that means to violate it takes it; any other fails for it. */
export function takeViolations(): string[] {
  const taken = violations
  violations = []
  return taken
}

export type Shopper = {
  page: Page
  /** Console errors, warnings of React, uncaught errors and policy violations so far; a good visit has none. */
  complaints: string[]
}

/** A network address of one shopper's own, so that limits do not mix; the local shop believes what it is told. */
export function ownAddress(): string {
  const part = () => Math.floor(Math.random() * 256)
  return `10.${part()}.${part()}.${part()}`
}

/** A new visitor with a browser profile of its own. */
export async function shopper(options: BrowserContextOptions = {}): Promise<Shopper> {
  const context = await browser.newContext({
    baseURL: shopUrl ?? '',
    viewport: PHONE,
    timezoneId: 'Africa/Nairobi',
    locale: 'en-KE',
    extraHTTPHeaders: { 'CF-Connecting-IP': ownAddress() },
    ...options,
  })
  context.setDefaultTimeout(20_000)
  const complaints: string[] = []
  context.on('console', (message) => {
    const text = message.text()
    if (['error', 'warning'].includes(message.type())) complaints.push(text)
    if (text.startsWith(VIOLATION)) violations.push(text)
  })
  context.on('weberror', (error) => complaints.push(error.error().message))
  await context.addInitScript(
    (violation) =>
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        console.error(`${violation} ${violatedDirective} by ${blockedURI}`),
      ),
    VIOLATION,
  )
  return { page: await context.newPage(), complaints }
}

/** Opens an address and waits until the page is alive (hydrated). */
export async function visit({ page }: Shopper, address: string): Promise<void> {
  await page.goto(address)
  await alive(page)
}

/** Waits until React has woken the page. */
export async function alive(page: Page): Promise<void> {
  await page.waitForFunction(() => document.documentElement?.dataset.hydrated === 'true')
}

/** Does what makes a page say something, however briefly: the page itself looks out for it. */
export async function says(page: Page, words: string, act: () => Promise<unknown>, where = 'body') {
  const isSaid = ([words, where]: readonly [string, string]) =>
    Array.from(document.querySelectorAll(where)).some(({ textContent }) => textContent?.includes(words))
  await Promise.all([page.waitForFunction(isSaid, [words, where] as const), act()])
}

/** Holds the answers of an address back; returns what lets them go. */
export async function holdBack(page: Page, address: string | RegExp): Promise<() => void> {
  const released = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    await released.promise
    // A page that has gone meanwhile waits for nothing.
    await route.continue().catch(() => {})
  })
  return released.resolve
}

/** Scrolls, and waits until the browser has done so. */
export async function scrollTo(page: Page, top: number): Promise<void> {
  await page.evaluate((to) => window.scrollTo({ top: to, behavior: 'instant' }), top)
  await page.waitForFunction((to) => Math.abs(scrollY - to) < 2, top)
}

/** Asserts that nothing on the visit complained. */
export function expectNoComplaints({ complaints }: Shopper): void {
  expect(complaints).toEqual([])
}
