import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject } from 'vitest'
import { launchChromium } from './chromium.ts'

export const PHONE = { width: 360, height: 740 }
export const DESKTOP = { width: 1280, height: 800 }

const shopUrl = inject('shopUrl')
const shoppers = new Set<() => Promise<void>>()
let browser: Browser

/** A group of browser journeys; skipped where the machine has no Chromium. */
export function journeys(name: string, define: () => void): void {
  describe.skipIf(!shopUrl)(name, () => {
    beforeAll(async () => {
      browser = await launchChromium()
    })
    afterAll(async () => {
      for (const leave of shoppers) await leave()
      await browser.close()
    })
    define()
  })
}

export type Shopper = {
  page: Page
  /** Console errors, warnings of React, uncaught errors and policy violations so far; a good visit has none. */
  complaints: string[]
}

/** A network address of one shopper's own, so that limits do not mix; the local shop believes what it is told. */
function ownAddress(): string {
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
  shoppers.add(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(8000)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.addInitScript(() =>
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error(`The policy was violated: ${violatedDirective} by ${blockedURI}`),
    ),
  )
  return { page, complaints }
}

/** Opens an address and waits until the page is alive (hydrated). */
export async function visit({ page }: Shopper, address: string): Promise<void> {
  await page.goto(address)
  await alive(page)
}

/** Waits until React has woken the page. */
export async function alive(page: Page): Promise<void> {
  await page.waitForFunction(() => document.documentElement?.dataset.alive === 'true')
}

/** Asserts that nothing on the visit complained. */
export function expectNoComplaints({ complaints }: Shopper): void {
  expect(complaints).toEqual([])
}
