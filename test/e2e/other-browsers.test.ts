import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { newEmail } from '#test/support/forms.ts'
import { OTHER_BROWSERS, type OtherBrowser } from '#test/support/other-browsers.ts'
import { openProxy } from '#test/support/proxy.ts'
import { newAccount, PASSWORD } from '#test/support/signed-in-shopper.ts'

const CARD = {
  '#ccName': 'Amina Wanjiru',
  '#ccNumber': '4242424242424242',
  '#ccExpiration': '2039-12',
  '#ccCVV': '987',
}

/** The drivers take up to 15 ms per script. */
const POLL_INTERVAL_MS = 150

const ENTER = '\uE007'

const PAGE_STATE = `[
  location, document.activeElement.outerHTML.slice(0, 200),
  ...[...document.querySelectorAll('main :is(input, select)')].map(({ id, value }) => id + ': ' + value),
  document.body.innerText
].join('\\n')`

/** On failure, the error includes the page's URL, focused element, fields and text. */
async function waitUntilTrue(browser: OtherBrowser, expression: string): Promise<void> {
  await expect
    .poll(() => browser.evaluate(`Boolean(${expression})`), {
      message: expression,
      interval: POLL_INTERVAL_MS,
    })
    .toBe(true)
    .catch(async (error) => {
      error.message += `\n${await browser.evaluate(PAGE_STATE)}`
      throw error
    })
}

const waitUntilHydrated = (browser: OtherBrowser, pathname: string) =>
  waitUntilTrue(
    browser,
    `location.pathname === '${pathname}' && document.documentElement.dataset.routed === 'true'`,
  )

/** Waits until the smooth scroll to the top (§ 2) has ended, because drivers miss moving targets. */
const waitUntilAtTop = (browser: OtherBrowser) => waitUntilTrue(browser, 'scrollY === 0')

const setValue = (browser: OtherBrowser, selector: string, value: string) =>
  browser.evaluate(`(() => {
    const field = document.querySelector('${selector}')
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, '${value}')
    for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }))
  })()`)

type EnterText = (selector: string, text: string) => Promise<unknown>

describe.each(OTHER_BROWSERS)('$name', ({ name, packages, launch }) => {
  const skipped = `${name} is not installed: apt-get install ${packages}`
  if (!launch && process.env.CI === 'true') throw new Error(skipped)
  const isSkipped = !launch || !inject('shopUrl')

  let browser: OtherBrowser
  beforeAll(async () => {
    if (launch && !isSkipped) browser = await launch()
  })
  afterAll(() => browser?.close())

  /** Serves the shop at a new origin, where no earlier visit left a service worker. */
  async function newFront() {
    const front = await openProxy(inject('shopUrl') ?? '')
    onTestFinished(front.close)
    front.isServiceWorkerOff = true
    return front
  }

  it.skipIf(isSkipped)(
    'cuts off nothing in large text or in the landscape menu, and shows no focus frame after a search',
    async () => {
      const { url } = await newFront()
      const resize = async (width: number, height: number) => {
        await browser.resize({ width, height })
        await waitUntilTrue(browser, `innerWidth === ${width} && innerHeight === ${height}`)
      }
      await browser.open(`${url}/products`)
      await resize(360, 740)
      await waitUntilHydrated(browser, '/products')
      await browser.evaluate("document.documentElement.style.fontSize = '200%'")
      const outside = `[...document.querySelectorAll('.bar *, .shop__head *')]
        .filter((element) => element.offsetWidth > 1 && element.getBoundingClientRect().right > innerWidth + 1)
        .map((element) => element.className || element.tagName).join()`
      expect(await browser.evaluate(outside)).toBe('')
      await browser.evaluate("document.documentElement.removeAttribute('style')")

      await resize(740, 360)
      await browser.click('.bar__toggle')
      await waitUntilTrue(browser, "document.querySelector('.menu:popover-open')")
      const hasSpace = (end: string) =>
        waitUntilTrue(
          browser,
          `${end} <= innerHeight - 24 && document.querySelector('.menu').getAnimations().length === 0`,
        )
      await hasSpace('document.querySelector(\'.menu [href="/login"]\').getBoundingClientRect().bottom')
      const hidden =
        "document.querySelector('.menu').scrollHeight - document.querySelector('.menu').clientHeight"
      expect(await browser.evaluate(hidden)).toBe(0)
      await browser.click('.bar__toggle')

      await resize(360, 740)
      await browser.type('[name=q]', `cotton${ENTER}`)
      await waitUntilTrue(
        browser,
        "location.search.includes('q=cotton') && !document.querySelector('.menu:popover-open')",
      )
      await waitUntilTrue(browser, "document.querySelector('#products').textContent.includes('for “cotton”')")
      const frame =
        "document.activeElement === document.body ? 'none' : getComputedStyle(document.activeElement).outlineStyle"
      expect(await browser.evaluate(frame)).toBe('none')
    },
  )

  it.skipIf(isSkipped)(
    'shows a closed menu after Back and, after registering, the form without its success message',
    async () => {
      const { url } = await newFront()
      await browser.open(`${url}/contact`)
      await browser.resize({ width: 360, height: 740 })
      await waitUntilHydrated(browser, '/contact')
      await browser.click('.bar__toggle')
      await waitUntilTrue(browser, "document.querySelector('.menu:popover-open')")
      await browser.click('.menu [href="/register"]')
      await waitUntilHydrated(browser, '/register')
      await browser.evaluate('history.back()')
      await waitUntilHydrated(browser, '/contact')
      await waitUntilTrue(browser, 'document.querySelector(\'[aria-label="Open menu"]\')')
      await waitUntilTrue(browser, "!document.documentElement.className.includes('is-locked')")

      await browser.open(`${url}/register`)
      await waitUntilHydrated(browser, '/register')
      await browser.type('[name=name]', 'Amina Wanjiru')
      await browser.type('[name=email]', newEmail())
      for (const name of ['password', 'confirmPassword']) await browser.type(`[name=${name}]`, PASSWORD)
      await browser.click('main form [type=submit]')
      const success = "document.body.textContent.includes('Registration successful! Redirecting to login...')"
      await waitUntilTrue(browser, `location.pathname === '/' && ${success}`)
      await waitUntilHydrated(browser, '/login')
      await waitUntilTrue(browser, `document.body.textContent.includes('You’re logged in as') && !${success}`)
      await browser.evaluate('history.back()')
      await waitUntilHydrated(browser, '/register')
      await waitUntilTrue(browser, `document.querySelector('[name=name]') && !${success}`)
    },
  )

  it.skipIf(isSkipped)(
    'browses, adds to the cart, logs in and orders, despite double taps and a lost connection',
    async () => {
      const { email, token } = await newAccount()
      const front = await newFront()
      const shopUrl = front.url
      await browser.resize({ width: 1280, height: 860 })
      // Forms must accept both typed text and autofill, which sets a value without key events.
      const typeText: EnterText = (selector, text) => browser.type(selector, text)
      const autofill: EnterText = (selector, text) => setValue(browser, selector, text)
      const logIn = async (enter: EnterText) => {
        await waitUntilHydrated(browser, '/login')
        // Until Login has rendered, checkout's email field is still on the page.
        await waitUntilTrue(browser, "document.querySelector('main [name=password]')")
        await waitUntilAtTop(browser)
        await enter('main [name=email]', email)
        await enter('main [name=password]', PASSWORD)
        const entered = "[...document.querySelectorAll('main form input')].map(({ value }) => value).join()"
        expect(await browser.evaluate(entered)).toBe(`${email},${PASSWORD}`)
        await browser.click('main form [type=submit]')
      }

      await browser.open(shopUrl)
      await waitUntilHydrated(browser, '/')
      await waitUntilTrue(browser, "!document.body.textContent.includes('Preparing Your Perfect Fit')")
      await browser.click('main a[href="/products"]')
      await waitUntilHydrated(browser, '/products')
      await waitUntilTrue(browser, "document.querySelector('main li button')")
      for (const _ of [1, 2, 3]) await browser.click('main li button')
      await browser.click('main li:nth-child(2) button')
      await waitUntilTrue(
        browser,
        `document.querySelector('a[href="/cart"]').textContent.includes('2 items')`,
      )
      const toasts =
        "[...document.querySelectorAll('.toast')].filter((toast) => toast.offsetWidth > 1).length"
      expect(await browser.evaluate(toasts)).toBeLessThanOrEqual(3)

      front.isDisconnected = true
      // Without the Navigation API, links load documents, and the shop stays on the page only if `navigator.onLine` is
      // false.
      await browser.evaluate(
        "'NavigateEvent' in window || Boolean(Object.defineProperty(navigator, 'onLine', { value: false }))",
      )
      await browser.click('.menu a[href="/about"]')
      await waitUntilTrue(
        browser,
        "document.querySelector('.flash-message')?.textContent.includes('will open when you reconnect')",
      )
      await waitUntilTrue(browser, "document.querySelector('main li button')")
      front.isDisconnected = false
      await waitUntilHydrated(browser, '/about')
      await waitUntilTrue(browser, "document.body.textContent.includes('Crafting Childhood Memories')")

      await browser.open(`${shopUrl}/login`)
      await logIn(typeText)
      await waitUntilHydrated(browser, '/')

      await browser.open(`${shopUrl}/cart`)
      await waitUntilTrue(browser, `document.querySelector('a[href="/checkout"]')`)
      for (const _ of [1, 2]) await browser.click('[aria-label^="Decrease"]')
      // Gives both taps the same `timeStamp`, so that they count as a double tap even on a slow machine.
      await browser.evaluate(
        "Reflect.defineProperty(MouseEvent.prototype, 'timeStamp', { value: 0, configurable: true })",
      )
      await browser.clickTwice('[aria-label^="Decrease"]')
      await waitUntilTrue(browser, "document.body.textContent.includes('Cart Items (1)')")
      await browser.evaluate("Reflect.deleteProperty(MouseEvent.prototype, 'timeStamp')")
      // Undo appears once the cart is stored, which happens after rendering.
      await waitUntilTrue(browser, "document.querySelector('.cart__undo')")
      await browser.click('.cart__undo')
      await waitUntilTrue(browser, "document.body.textContent.includes('Cart Items (2)')")
      await browser.click('a[href="/checkout"]')
      await waitUntilTrue(browser, "document.querySelector('#email')?.value")
      await setValue(browser, '#country', 'Kenya')
      await setValue(browser, '#state', 'Nairobi')
      await setValue(browser, '#address', 'Moi Avenue 4')
      await browser.type('#zip', '00100')
      await browser.open(`${shopUrl}/checkout`)
      await waitUntilTrue(browser, "document.querySelector('#zip')?.value === '00100'")
      // Checkout checks the session only when it opens. Later, only the order's response reveals that it ended.
      const hasAsked =
        "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/api/auth/session'))"
      await waitUntilTrue(browser, hasAsked)
      const unconfirmed = "document.querySelectorAll('.confirm-sizes .line-size').length"
      await waitUntilTrue(browser, `${unconfirmed} > 0`)
      while (Number(await browser.evaluate(unconfirmed)) > 0) await browser.click('.confirm-sizes .button')
      const sendOrder = async (enter: EnterText) => {
        for (const [field, text] of Object.entries(CARD)) await enter(field, text)
        await browser.click('main form button:not([type=button])')
      }
      const session = await browser.evaluate("localStorage.getItem('token')")
      await fetch(`${shopUrl}/api/auth/logout`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${session}` },
      })
      await sendOrder(autofill)
      await waitUntilTrue(browser, "document.body.textContent.includes('Your cart and details are saved.')")
      await logIn(autofill)
      await waitUntilHydrated(browser, '/checkout')
      await waitUntilAtTop(browser)
      await waitUntilTrue(browser, "document.querySelector('#zip')?.value === '00100'")
      await sendOrder(typeText)
      await waitUntilTrue(browser, "document.body.textContent.includes('Processing...')")
      await browser.click('.bar__cart')
      await waitUntilTrue(browser, 'document.querySelector(\'.order-notice a[href^="/order/"]\')')
      await browser.click('.order-notice a')
      await waitUntilTrue(
        browser,
        "location.pathname.startsWith('/order/') && document.querySelector('main ol')",
      )

      const answer = await fetch(`${shopUrl}/api/orders`, { headers: { Authorization: `Bearer ${token}` } })
      expect(await answer.json()).toMatchObject({ orders: [{ lines: [{ qty: 1 }, { qty: 1 }] }] })
    },
  )
})
