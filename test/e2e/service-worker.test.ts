import type { Page } from 'playwright-core'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { getRasterUrl } from '#shared/catalogue/pictures.ts'
import { fillFields, submit } from '#test/support/forms.ts'
import { openProxy, type TestProxy } from '#test/support/proxy.ts'
import { journeys, openShopper, visit, waitForHydration } from '#test/support/shopper.ts'
import {
  fillCheckout,
  newAccount,
  openSignedInShopper,
  orderOneUnit,
  PASSWORD,
  type SignedInShopper,
  storedLine,
  submitButton,
} from '#test/support/signed-in-shopper.ts'
import items from '../../public/Items.json'

let front: TestProxy
const profile = { serviceWorkers: 'allow' } as const

const statusLine = (page: Page, words: string | RegExp) => page.getByRole('status').filter({ hasText: words })
const PICTURE_FOLDER = getRasterUrl(items[0]?.image ?? '').replace(/[^/]+$/, '')
const ACCOUNT_SCRIPT_PATTERN = /\/(cart|checkout|dashboard|account-\w+|order|buy)-page-/
const STORED_PATTERN = /You’re offline. Prices and stock are as of \d\d:\d\d\./

async function waitUntilInstalled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready
    if (active?.state === 'activated') return
    await new Promise((resolve) => active?.addEventListener('statechange', resolve, { once: true }))
  })
}

function readCaches(page: Page) {
  return page.evaluate(async () => {
    const urls: Record<string, string[]> = {}
    let texts = ''
    for (const name of await caches.keys()) {
      const cache = await caches.open(name)
      const requests = await cache.keys()
      urls[name] = requests.map(({ url }) => url.slice(location.origin.length))
      for (const request of requests) {
        const response = await cache.match(request)
        texts += await response?.text()
      }
    }
    return { urls, texts }
  })
}

const listBuildCaches = async (page: Page) =>
  Object.keys((await readCaches(page)).urls).filter((name) => name.startsWith('build '))

async function waitUntilAccountPagesCached(page: Page): Promise<void> {
  const listUrls = async () => Object.values((await readCaches(page)).urls).flat()
  await expect.poll(listUrls).toContainEqual(expect.stringMatching(ACCOUNT_SCRIPT_PATTERN))
}

const listScripts = (page: Page) =>
  page.evaluate(() => Array.from(document.querySelectorAll('script'), ({ src }) => src).filter(Boolean))

journeys('the offline shop', () => {
  beforeEach(async () => {
    front = await openProxy(inject('shopUrl') ?? '')
  })
  afterEach(() => front.close())

  async function returningShopper(): Promise<SignedInShopper> {
    const account = await newAccount('Amina Wanjiru', front.url)
    const visitor = await openSignedInShopper({ origin: front.url, profile, account, cart: [storedLine(0)] })
    await visit(visitor, '/about')
    await waitUntilInstalled(visitor.page)
    await waitUntilAccountPagesCached(visitor.page)
    return visitor
  }

  it('opens from caches without personal data, never mixes builds, and can be switched off', async () => {
    const visitor = await returningShopper()
    const { page, email } = visitor
    const notFound: string[] = []
    page.on('console', (message) => {
      if (message.text().includes('of 404')) notFound.push(new URL(message.location().url).pathname)
    })
    await visit(visitor, '/product/1?utm_source=wa')
    await page.waitForLoadState('networkidle')
    await expect.poll(async () => (await readCaches(page)).urls.pictures?.length).toBeGreaterThan(0)
    await page.addInitScript(() => {
      navigator.setAppBadge = async (count) => {
        document.documentElement.dataset.appBadge = String(count)
      }
    })
    await fillCheckout(visitor)
    await page.waitForFunction(() => document.documentElement.dataset.appBadge === '1')

    front.isDisconnected = true
    await page.context().setOffline(true)
    await submitButton(page).click()
    await page.getByText('You’re offline, so your order wasn’t sent.').waitFor()
    await page.reload()
    await waitForHydration(page)
    await statusLine(page, STORED_PATTERN).waitFor()
    expect(await page.getByLabel('Address', { exact: true }).inputValue()).toBe('Moi Avenue 4')

    await visit(visitor, '/products')
    await page.getByText(`${items.length} products`).waitFor()
    await statusLine(page, STORED_PATTERN).waitFor()
    await page.locator('.bar__cart').click()
    await page.getByRole('heading', { name: 'Cart Items (1)' }).waitFor()
    const storedPage = await page.goto(`${front.url}/product/1`)
    await waitForHydration(page)
    expect(storedPage?.headers()['x-request-id']).toBeUndefined()
    await page.waitForFunction(() => document.title.startsWith('Organic Cotton Snap Romper'))
    await page.getByRole('article').getByRole('img').first().waitFor()
    const isPainted = () =>
      page.evaluate(() => (document.querySelector<HTMLImageElement>('article img')?.naturalWidth ?? 0) > 0)
    await expect.poll(isPainted).toBe(true)
    await page.goto(`${front.url}/order/P-7K3M9Q?key=secret`)
    await page.getByRole('heading', { name: 'We can’t show your order offline' }).waitFor()
    await page.waitForFunction(() => document.title.startsWith('Your order'))
    await page.goto(`${front.url}/checkout?order=P-7K3M9Q`)
    await page.getByRole('heading', { name: 'We couldn’t load order P-7K3M9Q' }).waitFor()
    front.isDisconnected = false
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'We can’t find order P-7K3M9Q' }).waitFor()
    front.isDisconnected = true
    await page.context().setOffline(true)
    await expect(page.goto(`${front.url}/reset-password?oobCode=secret`)).rejects.toThrow('net::')
    await page.waitForURL('chrome-error://chromewebdata/')

    // Once the shop responds again, its page must replace the cached one.
    await visit(visitor, '/product/1')
    await statusLine(page, STORED_PATTERN).waitFor()
    front.isDisconnected = false
    await page.context().setOffline(false)
    await statusLine(page, STORED_PATTERN).waitFor({ state: 'detached' })
    const boot = () => page.evaluate(() => document.getElementById('boot')?.textContent)
    await expect.poll(boot).toContain('"cookieUser":{')

    // The same must happen if only the page's request failed.
    front.dropsDocuments = true
    await page.goto(`${front.url}/product/1`)
    await statusLine(page, STORED_PATTERN).waitFor()
    front.dropsDocuments = false
    await expect.poll(boot).toContain('"cookieUser":{')
    await waitForHydration(page)
    const { urls, texts } = await readCaches(page)
    expect(Object.keys(urls).toSorted()).toEqual([expect.stringMatching(/^build /), 'catalogue', 'pictures'])
    expect(Object.values(urls).flat().join()).not.toMatch(/\?|\/api\/(?!stock,)|\/v1\//)
    for (const personal of [email, 'Amina', 'Moi Avenue']) expect(texts).not.toContain(personal)

    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('button', { name: 'Logout' }).click()
    await page.waitForURL(`${front.url}/`)
    const pictures = (await readCaches(page)).urls.pictures ?? []
    expect(pictures.filter((url) => url.includes(PICTURE_FOLDER))).toEqual([])
    front.isDisconnected = true
    await page.goto(`${front.url}/cart`)
    await page.waitForURL(`${front.url}/login`)
    await waitForHydration(page)
    expect(await page.locator('body').innerText()).not.toContain('Amina')
    expect(
      visitor.consoleErrors.filter(
        (complaint) => !/ERR_|of 404|Failed to fetch|failed: 0 network/.test(complaint),
      ),
    ).toEqual([])
    expect(notFound).toEqual(['/api/orders/P-7K3M9Q/payment'])

    // The second build must take over once no page of the first build is open.
    front.isDisconnected = false
    front.build = 2
    await visit(visitor, '/about')
    await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready
      await registration.update()
      const coming = registration.installing
      if (coming)
        await new Promise((resolve) => coming.addEventListener('statechange', resolve, { once: true }))
    })
    // While a page of the first build is open, its files must stay cached, and no page may mix the two builds.
    expect(await listBuildCaches(page)).toHaveLength(2)
    front.isDisconnected = true
    await page.goto(`${front.url}/contact`)
    await waitForHydration(page)
    expect((await listScripts(page)).filter((src) => /\.2\.js$/.test(src))).toEqual([])

    front.isDisconnected = false
    await page.goto('about:blank')
    const next = await page.context().newPage()
    await next.goto(`${front.url}/about`)
    await waitForHydration(next)
    await expect.poll(() => listBuildCaches(next)).toEqual([expect.stringMatching(/^build 2/)])
    front.isDisconnected = true
    await next.goto(`${front.url}/contact`)
    await waitForHydration(next)
    await statusLine(next, STORED_PATTERN).waitFor()
    expect((await listScripts(next)).filter((src) => !/\.2\.js$/.test(src))).toEqual([])

    front.isDisconnected = false
    front.isServiceWorkerOff = true
    await next.goto(`${front.url}/about`)
    await expect
      .poll(() =>
        next.evaluate(async () => [
          (await navigator.serviceWorker.getRegistrations()).length,
          (await caches.keys()).length,
        ]),
      )
      .toEqual([0, 0])
  })

  it('caches the scripts of account pages once the visitor logs in', async () => {
    const { email } = await newAccount('Amina Wanjiru', front.url)
    const visitor = await openShopper({ origin: front.url, profile })
    await visit(visitor, '/about')
    await waitUntilInstalled(visitor.page)
    const { urls } = await readCaches(visitor.page)
    expect(Object.values(urls).flat()).toContainEqual(expect.stringMatching(/\/product-page-/))
    expect(Object.values(urls).flat()).not.toContainEqual(expect.stringMatching(ACCOUNT_SCRIPT_PATTERN))
    front.isDisconnected = true
    await visit(visitor, '/products')
    await statusLine(visitor.page, STORED_PATTERN).waitFor()
    await visitor.page.locator('.bar__cart').click()
    await statusLine(visitor.page, 'This page will open when you reconnect.').waitFor()
    await expect(visitor.page.goto(`${front.url}/cart`)).rejects.toThrow('net::')
    await visitor.page.waitForURL('chrome-error://chromewebdata/')

    front.isDisconnected = false
    await visit(visitor, '/login')
    await fillFields(visitor, { 'Email address': email, Password: PASSWORD })
    await submit(visitor, 'Login')
    await waitUntilAccountPagesCached(visitor.page)
  })

  it('opens an order that its owner has opened before, until a logout', async () => {
    const account = await newAccount('Amina Wanjiru', front.url)
    const { number } = await orderOneUnit(account, { origin: front.url })
    const visitor = await openSignedInShopper({ origin: front.url, profile, account })
    const { page } = visitor
    await visit(visitor, `/order/${number}`)
    await waitUntilInstalled(page)
    await waitUntilAccountPagesCached(page)
    await expect.poll(() => page.evaluate(() => localStorage.getItem('orders'))).toContain(number)

    front.isDisconnected = true
    await page.reload()
    await page.getByText(/^Last updated \d+ \w+ \d{4}, \d\d:\d\d\.$/).waitFor()
    await page.getByRole('heading', { name: `Order ${number}` }).waitFor()
    await page.getByText('Moi Avenue 4').waitFor()
    expect(await page.getByText('Cancel this order').count()).toBe(0)

    front.isDisconnected = false
    await visit(visitor, '/about')
    front.build = 2
    await page.evaluate(async () => (await navigator.serviceWorker.ready).update())
    const listBuild2 = async () =>
      Object.entries((await readCaches(page)).urls).find(([name]) => name.startsWith('build 2'))
    await expect
      .poll(listBuild2)
      .toContainEqual(expect.arrayContaining([expect.stringMatching(ACCOUNT_SCRIPT_PATTERN)]))
    front.build = 1
    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('button', { name: 'Logout' }).click()
    await expect.poll(() => page.evaluate(() => localStorage.getItem('orders'))).toBeNull()
  })

  it('is not installed under Save-Data, and such visits are not reported', async () => {
    const { page, consoleErrors } = await openShopper({
      origin: front.url,
      profile,
      extraHTTPHeaders: { 'Save-Data': 'on' },
    })
    const fetched: string[] = []
    page.on('request', (request) => fetched.push(request.url()))
    await page.addInitScript(() => {
      Math.random = () => 0
    })
    const hasStarted = page.waitForResponse(/\/start-offl/)
    await visit({ page, consoleErrors }, '/about')
    await hasStarted
    await page.waitForLoadState('networkidle')
    expect((await readCaches(page)).urls).toEqual({})
    expect(await page.evaluate(() => navigator.serviceWorker.getRegistrations())).toEqual([])
    expect(fetched.filter((url) => url.includes('visit-report'))).toEqual([])
  })
})
