import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { shop } from '#shared/shop.ts'
import {
  DESKTOP,
  expectNoComplaints,
  holdBack,
  hydrated,
  journeys,
  scrollTo,
  shopper,
  visit,
  withoutNavigationApi,
} from '#test/support/shopper.ts'
import items from '../../public/Items.json'

const field = (page: Page) => page.getByRole('searchbox', { name: 'Search the shop' })
const order = (page: Page) => page.getByRole('combobox', { name: 'Sort by' })
const told = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text })

journeys('searching the Shop', () => {
  it('follows the typing without losing the focus, goes together with category and order, and comes back', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    const all = `Everything: ${items.length} products`
    await visit(visitor, '/about')
    await page.evaluate(() => document.querySelector<HTMLElement>('.menu a[href="/products"]')?.click())
    await told(page, all).waitFor()
    await field(page).pressSequentially('cott', { delay: 20 })
    await told(page, /for “cott”/).waitFor()
    await page.keyboard.type('on')
    await told(page, /^\d+ results? for “cotton”/).waitFor()
    expect(await field(page).inputValue()).toBe('cotton')
    expect(await field(page).evaluate((input) => input === document.activeElement)).toBe(true)
    expect(page.url()).toMatch(/\/products\?q=cotton$/)
    expect(await page.title()).toBe(`“cotton” · Shop · ${shop.name}`)

    // No entry of the history for each letter.
    await page.goBack()
    await told(page, all).waitFor()
    await page.goBack()
    await page.waitForURL('**/about')
    await page.goForward()
    await page.goForward()
    await told(page, /for “cotton”/).waitFor()
    expect(await field(page).inputValue()).toBe('cotton')

    await page.getByRole('link', { name: 'Clothing', exact: true }).click()
    await told(page, /^Clothing: \d+ results for “cotton”$/).waitFor()
    // Chosen while a search waits for the end of the typing, and on a busy screen: the choice keeps its own entry.
    await page.evaluate(() => {
      const { requestAnimationFrame } = window
      window.requestAnimationFrame = (run) => {
        window.requestAnimationFrame = requestAnimationFrame
        return window.setTimeout(requestAnimationFrame, 400, run)
      }
      document.querySelector('[type=search]')?.dispatchEvent(new InputEvent('input', { bubbles: true }))
    })
    await order(page).selectOption('Lowest price')
    await told(page, /lowest price first$/).waitFor()
    expect(page.url()).toMatch(/\?category=Clothing&q=cotton&sort=price-asc$/)
    const prices = (await page.locator('.grid b').allInnerTexts()).map((text) => Number(text.slice(4)))
    expect(prices.length).toBeGreaterThan(1)
    expect(prices).toEqual(prices.toSorted((one, other) => one - other))
    await page.goBack()
    await told(page, /^Clothing: \d+ results for “cotton”$/).waitFor()
    expect(await order(page).inputValue()).toBe('')
    await page.goBack()
    await told(page, /^\d+ results for “cotton”$/).waitFor()
    expectNoComplaints(visitor)
  })

  it('that finds nothing says so, moves to the results on Enter, and leads back to the category or to all products', async () => {
    const visitor = await shopper()
    const { page } = visitor
    // Chosen before the scripts have come, an order counts, too.
    const sendScripts = await holdBack(page, '**/assets/*.js')
    await page.goto('/products?category=Toys', { waitUntil: 'commit' })
    await order(page).selectOption('Lowest price')
    sendScripts()
    await told(page, /^Toys: \d+ products, lowest price first$/).waitFor()
    await page.goBack()
    await hydrated(page)
    await told(page, /^Toys: \d+ products$/).waitFor()
    expect(await order(page).inputValue()).toBe('')

    await field(page).pressSequentially('spaceship')
    await told(page, 'Toys: 0 results for “spaceship”').waitFor()
    await page.goBack()
    await told(page, /^Toys: \d+ products$/).waitFor()
    expect(await field(page).inputValue()).toBe('')
    await page.goForward()
    await page.getByRole('link', { name: 'Back to Toys' }).click()
    await told(page, /^Toys: \d+ products$/).waitFor()

    await field(page).fill('spaceship')
    await page.keyboard.press('Enter')
    await told(page, 'Toys: 0 results for “spaceship”').waitFor()
    const focused = await page.evaluate(() => {
      const { activeElement } = document
      return activeElement && { id: activeElement.id, outline: getComputedStyle(activeElement).outlineStyle }
    })
    expect(focused).toEqual({ id: 'products', outline: 'none' })
    await page.getByRole('heading', { name: 'No products found' }).waitFor()
    await page.getByRole('link', { name: 'All', exact: true }).click()
    await told(page, '0 results for “spaceship”').waitFor()
    await page.getByRole('link', { name: 'See all products' }).click()
    await told(page, `Everything: ${items.length} products`).waitFor()
    await expect.poll(() => field(page).inputValue()).toBe('')
    expectNoComplaints(visitor)
  })

  it('filters from wherever in the list, counts before it shows, keeps the words, and removes one filter at a time', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await visit(visitor, '/products')
    await scrollTo(page, 2000)
    await page.getByRole('link', { name: 'Filters' }).click()
    const form = page.getByRole('form', { name: 'Filters' })
    await form.getByRole('button', { name: `Show ${items.length} products` }).waitFor()
    expect(await form.evaluate((element) => element === document.activeElement)).toBe(true)
    await form.getByLabel('Age or size').selectOption('2–3 years')
    await form.getByRole('button', { name: 'Show 9 products' }).waitFor()
    await form.getByLabel('Price to (KSH)').fill('2000')
    await form.getByRole('button', { name: 'Show 3 products' }).click()
    await told(page, /^Everything: 3 products$/).waitFor()
    expect(page.url()).toMatch(/\/products\?size=2-3-years&max=2000#products$/)
    expect(await form.count()).toBe(0)

    await field(page).fill('tee')
    await told(page, /^1 result for “tee”$/).waitFor()
    await page.getByRole('link', { name: 'Toys', exact: true }).click()
    await told(page, /^Toys: 0 results for “tee”$/).waitFor()
    await page.getByRole('link', { name: '1 in Clothing' }).click()
    await told(page, /^Clothing: 1 result for “tee”$/).waitFor()
    await page.getByRole('link', { name: /^Remove Up to KSH 2000/ }).click()
    await page.waitForURL('**/products?category=Clothing&q=tee&size=2-3-years')
    await page.getByRole('link', { name: /^Remove 2–3 years/ }).click()
    await page.waitForURL('**/products?category=Clothing&q=tee')
    expect(await page.getByRole('navigation', { name: 'Chosen filters' }).count()).toBe(0)
    // The list took the place of the form it was chosen in.
    await page.evaluate(() => history.go(-5))
    await told(page, /^Everything: 3 products$/).waitFor()
    await page.goBack()
    await told(page, `Everything: ${items.length} products`).waitFor()

    await scrollTo(page, 2000)
    await page.getByRole('link', { name: 'Top' }).click()
    await page.waitForFunction(() => scrollY < 400)
    expectNoComplaints(visitor)
  })

  it('filters without scripts', async () => {
    const { page } = await shopper({ javaScriptEnabled: false })
    await page.goto('/products?category=Clothing&q=dress')
    await page.getByRole('link', { name: 'Filters' }).click()
    await page.getByLabel('Age or size').selectOption('2–3 years')
    await page.getByLabel('Availability').selectOption('In stock')
    await page.getByRole('button', { name: 'Show products' }).click()
    await told(page, 'Clothing: 1 result for “dress”').waitFor()
    await page.getByRole('link', { name: /^Remove In stock/ }).click()
    await page.waitForURL('**/products?category=Clothing&q=dress&size=2-3-years')
  })

  it('loads no document while something is typed, and none without a connection, in browsers without the Navigation API', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await withoutNavigationApi(page)
    await page.clock.install()
    await visit(visitor, '/products?category=Toys')
    await field(page).pressSequentially('woo')
    await page.clock.runFor(1000)
    await field(page).pressSequentially('den')
    expect(new URL(page.url()).search).toBe('?category=Toys')
    await page.context().setOffline(true)
    await page.keyboard.press('Enter')
    await told(page, 'will open when you reconnect').waitFor()
    await page.context().setOffline(false)
    await told(page, /^Toys: \d+ results? for “wooden”$/).waitFor()
    await hydrated(page)
    await page.context().setOffline(true)
    await order(page).selectOption('Lowest price')
    await told(page, 'will open when you reconnect').waitFor()
    await page.context().setOffline(false)
    await page.waitForURL('**/products?category=Toys&q=wooden&sort=price-asc')
    // A document's fields are not as they were left, but of its address: else nobody could go back.
    await page.goBack()
    await hydrated(page)
    expect(await order(page).inputValue()).toBe('')
    await page.clock.runFor(1000)
    expect(new URL(page.url()).searchParams.get('sort')).toBe('')
  })
})
