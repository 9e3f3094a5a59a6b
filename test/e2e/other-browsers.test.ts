import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { OTHER_BROWSERS, type OtherBrowser } from '#test/support/other-browsers.ts'
import { newAccount, PASSWORD } from '#test/support/signed-in-shopper.ts'
import items from '../../public/Items.json'

const CARD = {
  '#ccName': 'Amina Wanjiru',
  '#ccNumber': '4242424242424242',
  '#ccExpiration': '1239',
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

  it.skipIf(!launch || !inject('shopUrl'))('browses, adds to the cart, signs in and orders', async () => {
    const shopUrl = inject('shopUrl') ?? ''
    const { email, token } = await newAccount()
    const browser = await launch?.()
    if (!browser) return
    onTestFinished(() => browser.close())

    await browser.open(shopUrl)
    await hydratedAt(browser, '/')
    await holds(browser, "!document.body.textContent.includes('Preparing Your Perfect Fit')")
    await browser.click('main a[href="/products"]')
    await hydratedAt(browser, '/products')
    await holds(browser, "document.querySelector('main li button')")
    await browser.click('main li button')
    await holds(browser, `document.querySelector('a[href="/cart"]').textContent.includes('1 item')`)

    await browser.open(`${shopUrl}/login`)
    await hydratedAt(browser, '/login')
    await browser.type('main [name=email]', email)
    await browser.type('main [name=password]', PASSWORD)
    await browser.click('main form button')
    await hydratedAt(browser, '/')

    await browser.open(`${shopUrl}/cart`)
    await holds(browser, `document.querySelector('a[href="/checkout"]')`)
    await browser.click('[aria-label^="Decrease"]')
    await holds(browser, "document.querySelector('.notice .cart__undo')")
    await browser.click('.cart__undo button')
    await holds(browser, `document.querySelector('a[href="/checkout"]')`)
    await browser.click('a[href="/checkout"]')
    await holds(browser, "document.querySelector('#email')?.value")
    await choose(browser, '#country', 'Kenya')
    await choose(browser, '#state', 'Nairobi')
    await browser.type('#address', 'Moi Avenue 4')
    await browser.type('#zip', '00100')
    await browser.open(`${shopUrl}/checkout`)
    await holds(browser, "document.querySelector('#zip')?.value === '00100'")
    for (const [field, text] of Object.entries(CARD)) await browser.type(field, text)
    await browser.click('main form button:not([type=button])')
    await holds(browser, "document.body.textContent.includes('Order Placed Successfully!')")

    const answer = await fetch(`${shopUrl}/api/orders`, { headers: { Authorization: `Bearer ${token}` } })
    expect(await answer.json()).toMatchObject({ orders: [{ lines: [{ title: items[0]?.title, qty: 1 }] }] })
  })
})
