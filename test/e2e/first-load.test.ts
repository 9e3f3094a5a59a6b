import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { fillFields, newEmail, submit } from '#test/support/forms.ts'
import {
  DESKTOP_VIEWPORT,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  PHONE_VIEWPORT,
  visit,
  waitForHydration,
  withoutNavigationApi,
} from '#test/support/shopper.ts'
import { newAccount, storedLine } from '#test/support/signed-in-shopper.ts'
import { findChromium, launchChromium } from '#tools/chromium.ts'

/** Runs in the page. Records whether it was restored from the back/forward cache. */
const recordRestore = () =>
  addEventListener('pageshow', ({ persisted }) => {
    document.documentElement.dataset.persisted = String(persisted)
  })

/** Runs in the page. Puts the visit in the sample that sends speed reports. */
const forceVisitReport = () => {
  Math.random = () => 0
}

journeys('a visit', () => {
  it("reports its first page's Web Vitals once, without cookies, when the shopper leaves", async () => {
    const visitor = await openShopper({ viewport: DESKTOP_VIEWPORT })
    const { page } = visitor
    await page.addInitScript(forceVisitReport)
    const loaded = page.waitForResponse(/\/visit-report-/)
    await visit(visitor, '/about')
    await (await loaded).finished()
    await page.getByRole('link', { name: 'Contact', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: /contact/i }).waitFor()
    const reports: { headers: Record<string, string>; body: Record<string, unknown> }[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/api/visits'))
        reports.push({ headers: request.headers(), body: request.postDataJSON() })
    })
    const reportSent = page.waitForResponse('**/api/visits')
    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
      for (let times = 0; times < 2; times++) document.dispatchEvent(new Event('visibilitychange'))
    })
    expect((await reportSent).status()).toBe(204)
    expect(reports).toMatchObject([
      { body: { page: 'about', lcp: expect.any(Number), hydration: expect.any(Number) } },
    ])
    expect(reports[0]?.headers.cookie).toBeUndefined()
    expectNoConsoleErrors(visitor)
  })
})

journeys('a visit to Home and the Shop', () => {
  it('loads one stylesheet and at most three scripts first, fetches the catalogue once, and respects Do Not Track', async () => {
    const visitor = await openShopper({ viewport: DESKTOP_VIEWPORT })
    const { page } = visitor
    const requests: { kind: string; path: string }[] = []
    page.on('request', (request) =>
      requests.push({ kind: request.resourceType(), path: new URL(request.url()).pathname }),
    )
    await page.addInitScript(forceVisitReport)
    await page.addInitScript(() => Object.defineProperty(navigator, 'doNotTrack', { value: '1' }))
    await visit(visitor, '/')
    const needed = requests.filter(
      ({ kind, path }) =>
        !['image', 'font', 'manifest', 'other'].includes(kind) &&
        !/\/(after-hydr|toast-area|start-offl)/.test(path),
    )
    expect(
      needed
        .map(({ kind }) => kind)
        .filter((kind) => kind !== 'script')
        .sort(),
    ).toEqual(['document', 'stylesheet'])
    expect(needed.length, JSON.stringify(needed)).toBeLessThanOrEqual(5)

    const bar = page.getByRole('navigation', { name: 'Main' })
    for (const nth of [1, 2]) {
      await bar.getByRole('link', { name: 'Shop' }).click()
      await page.getByRole('heading', { name: 'Shop our collection' }).waitFor()
      await page.getByRole('link', { name: 'Buy Now' }).nth(nth).click()
      await page.getByRole('button', { name: 'Add to Cart' }).first().waitFor()
    }
    expect(requests.filter(({ path }) => path === '/Items.json')).toHaveLength(1)
    await page.waitForLoadState('networkidle')
    expect(requests.filter(({ path }) => path.includes('visit-report'))).toEqual([])
    expectNoConsoleErrors(visitor)
  })
})

// The packaged headless shell has no back/forward cache.
const journeysOfWholeChromium = findChromium() ? journeys : describe.skip
journeysOfWholeChromium('back and forward', () => {
  let browser: Browser
  beforeAll(async () => {
    // Playwright disables the back/forward cache by default.
    browser = await launchChromium({ ignoreDefaultArgs: ['--disable-back-forward-cache'] })
  })
  afterAll(() => browser.close())

  it('restore pages from the back/forward cache, signed out if the session ended on this device', async () => {
    const page = await browser.newPage({ baseURL: inject('shopUrl') ?? '' })
    const persisted = async () => {
      await page.evaluate(() => history.back())
      await page.waitForFunction(() => document.documentElement.dataset.persisted !== undefined)
      return page.evaluate(() => document.documentElement.dataset.persisted)
    }
    for (const path of ['/', '/product/1']) {
      await page.goto(path)
      await waitForHydration(page)
      await page.evaluate(recordRestore)
    }
    await page.goto('/robots.txt')
    await page.evaluate((cart) => localStorage.setItem('cart', cart), JSON.stringify([storedLine(0)]))
    expect(await persisted(), 'a product').toBe('true')
    await page.getByRole('link', { name: 'Cart 1 item' }).waitFor()
    expect(await persisted(), 'Home').toBe('true')

    const { email, cookie } = await newAccount()
    const [name = '', value = ''] = cookie.split(/=(.*)/)
    await page.context().addCookies([{ name, value, url: inject('shopUrl') ?? '' }])
    await page.goto('/dashboard')
    await waitForHydration(page)
    await page.getByRole('heading', { name: `Welcome, ${email}` }).waitFor()
    await page.evaluate((shown) => {
      addEventListener('pageshow', ({ persisted }) => {
        const isNamed = document.body.textContent?.includes(shown)
        document.documentElement.dataset.restored = `${persisted ? 'from memory' : 'anew'}, ${isNamed ? 'named' : 'nameless'}`
      })
    }, email)
    await page.goto('/contact')
    await waitForHydration(page)
    await page.getByRole('banner').getByRole('button', { name: 'Logout' }).click()
    await page.getByRole('link', { name: 'Register' }).first().waitFor()
    await page.waitForURL((url) => url.pathname === '/')
    await page.evaluate(() => history.go(-2))
    await page.waitForFunction(() => document.documentElement.dataset.restored !== undefined)
    expect(await page.evaluate(() => document.documentElement.dataset.restored)).toBe('from memory, nameless')
    await page.waitForFunction(() => location.pathname === '/login')
  })

  it('restore a list’s fields and a form, but no open menu or old message, even without the Navigation API', async () => {
    const page = await browser.newPage({ baseURL: inject('shopUrl') ?? '', viewport: PHONE_VIEWPORT })
    await withoutNavigationApi(page)
    await page.addInitScript(recordRestore)
    const goBack = async () => {
      await page.evaluate(() => history.back())
      await page.locator('[data-persisted=true]').waitFor({ state: 'attached' })
    }
    await page.goto('/products')
    await waitForHydration(page)
    const order = page.getByRole('combobox', { name: 'Sort by' })
    const field = page.getByRole('searchbox', { name: 'Search the shop' })
    await field.fill('wooden')
    await order.selectOption('Lowest price')
    await page.waitForURL('**/products?q=wooden&sort=price-asc')
    await goBack()
    expect([await field.inputValue(), await order.inputValue()]).toEqual(['', ''])
    await order.selectOption('Lowest price')
    await page.waitForURL('**/products?q=&sort=price-asc')
    await waitForHydration(page)

    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('banner').getByRole('link', { name: 'Register' }).click()
    await page.waitForURL('**/register')
    await waitForHydration(page)
    await goBack()
    await page.getByRole('button', { name: 'Open menu' }).waitFor()
    expect(await page.locator(':popover-open').count()).toBe(0)

    await page.goto('/register')
    const visitor = { page, consoleErrors: [] }
    await waitForHydration(page)
    await fillFields(visitor, { 'Full Name': 'Amina Wanjiru', Email: newEmail() })
    await fillFields(visitor, { Password: 'kikoi-2026', 'Confirm Password': 'kikoi-2026' })
    const words = 'Registration successful! Redirecting to login...'
    const success = page.getByText(words)
    // Home shows the message for only a second, so the check runs in the page itself.
    await Promise.all([
      page.waitForFunction((words) => {
        const message = document.querySelector('.flash-message')
        if (location.pathname !== '/' || message?.textContent !== words) return false
        const { x, y, width, height } = message.getBoundingClientRect()
        return document.elementFromPoint(x + width / 2, y + height / 2) === message
      }, words),
      submit(visitor, 'Register'),
    ])
    await page.waitForURL('**/login')
    await page.getByText('You’re logged in as').waitFor()
    await success.waitFor({ state: 'hidden' })
    await goBack()
    await page.getByLabel('Full Name').waitFor()
    await success.waitFor({ state: 'hidden' })
  })
})
