import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { openFront } from '#test/support/front.ts'
import { OTHER_BROWSERS, type OtherBrowser } from '#test/support/other-browsers.ts'
import { newAccount, PASSWORD } from '#test/support/signed-in-shopper.ts'

const CARD = {
  '#ccName': 'Amina Wanjiru',
  '#ccNumber': '4242424242424242',
  '#ccExpiration': '2039-12',
  '#ccCVV': '987',
}

/** Waits until an expression is true in the page. */
const holds = (browser: OtherBrowser, expression: string) =>
  expect.poll(() => browser.evaluate(`Boolean(${expression})`), { message: expression }).toBe(true)

const hydratedAt = (browser: OtherBrowser, pathname: string) =>
  holds(
    browser,
    `location.pathname === '${pathname}' && document.documentElement.dataset.hydrated === 'true'`,
  )

/** Chooses an option as a browser's own list of them would. */
const choose = (browser: OtherBrowser, selector: string, value: string) =>
  browser.evaluate(`(() => {
    const select = document.querySelector('${selector}')
    Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set.call(select, '${value}')
    select.dispatchEvent(new Event('change', { bubbles: true }))
  })()`)

describe.each(OTHER_BROWSERS)('$name', ({ name, packages, launch }) => {
  const skipped = `${name} is not installed: apt-get install ${packages}`
  if (!launch && process.env.CI === 'true') throw new Error(skipped)
  if (!launch) console.warn(`${skipped}. Its journey is skipped.`)

  it.skipIf(!launch || !inject('shopUrl'))(
    'browses, adds to the cart, signs in and orders, with taps too many and without a line',
    async () => {
      const { email, token } = await newAccount()
      const front = await openFront(inject('shopUrl') ?? '')
      onTestFinished(front.close)
      // A first visit: nothing answers for the shop but the shop.
      front.isSwitchedOff = true
      const shopUrl = front.url
      const browser = await launch?.()
      if (!browser) return
      onTestFinished(() => browser.close())
      const logIn = async () => {
        await hydratedAt(browser, '/login')
        await browser.type('main [name=email]', email)
        await browser.type('main [name=password]', PASSWORD)
        await browser.click('main form button')
      }

      await browser.open(shopUrl)
      await hydratedAt(browser, '/')
      await holds(browser, "!document.body.textContent.includes('Preparing Your Perfect Fit')")
      await browser.click('main a[href="/products"]')
      await hydratedAt(browser, '/products')
      await holds(browser, "document.querySelector('main li button')")
      for (const _ of [1, 2, 3]) await browser.click('main li button')
      await browser.click('main li:nth-child(2) button')
      await holds(browser, `document.querySelector('a[href="/cart"]').textContent.includes('2 items')`)
      const toasts =
        "[...document.querySelectorAll('.toast')].filter((toast) => toast.offsetWidth > 1).length"
      expect(await browser.evaluate(toasts)).toBeLessThanOrEqual(3)

      front.isCut = true
      // Where links load documents, only a browser that knows of it can stay.
      await browser.evaluate(
        "'NavigateEvent' in window || Boolean(Object.defineProperty(navigator, 'onLine', { value: false }))",
      )
      await browser.click('.menu a[href="/about"]')
      await holds(browser, "document.querySelector('.flash-message').textContent.includes('opens by itself')")
      await holds(browser, "document.querySelector('main li button')")
      front.isCut = false
      await hydratedAt(browser, '/about')
      await holds(browser, "document.body.textContent.includes('Crafting Childhood Memories')")

      await browser.open(`${shopUrl}/login`)
      await logIn()
      await hydratedAt(browser, '/')

      await browser.open(`${shopUrl}/cart`)
      await holds(browser, `document.querySelector('a[href="/checkout"]')`)
      for (const _ of [1, 2]) await browser.click('[aria-label^="Decrease"]')
      await browser.clickTwice('[aria-label^="Decrease"]')
      await holds(browser, "document.body.textContent.includes('Cart Items (1)')")
      await browser.click('.cart__undo button')
      await holds(browser, "document.body.textContent.includes('Cart Items (2)')")
      await browser.click('a[href="/checkout"]')
      await holds(browser, "document.querySelector('#email')?.value")
      await choose(browser, '#country', 'Kenya')
      await choose(browser, '#state', 'Nairobi')
      await browser.type('#address', 'Moi Avenue 4')
      await browser.type('#zip', '00100')
      await browser.open(`${shopUrl}/checkout`)
      await holds(browser, "document.querySelector('#zip')?.value === '00100'")
      // Checkout asks who is here as it opens: from then on only the order can find that the session has ended.
      const hasAsked =
        "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/api/auth/session'))"
      await holds(browser, hasAsked)
      const sendOrder = async () => {
        for (const [field, text] of Object.entries(CARD)) await browser.type(field, text)
        await browser.click('main form button:not([type=button])')
      }
      const session = await browser.evaluate("localStorage.getItem('token')")
      await fetch(`${shopUrl}/api/auth/logout`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${session}` },
      })
      await sendOrder()
      await holds(browser, "document.body.textContent.includes('Your cart and your details are kept.')")
      await logIn()
      await hydratedAt(browser, '/checkout')
      await holds(browser, "document.querySelector('#zip')?.value === '00100'")
      await sendOrder()
      await holds(browser, "document.body.textContent.includes('Processing...')")
      await browser.click('.bar__cart')
      await holds(browser, 'document.querySelector(\'.order-notice a[href^="/order/"]\')')
      await browser.click('.order-notice a')
      await holds(browser, "location.pathname.startsWith('/order/') && document.querySelector('main ol')")

      const answer = await fetch(`${shopUrl}/api/orders`, { headers: { Authorization: `Bearer ${token}` } })
      expect(await answer.json()).toMatchObject({ orders: [{ lines: [{ qty: 1 }, { qty: 1 }] }] })
    },
  )
})
