import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { shop } from '#shared/shop.ts'
import { DESKTOP, expectNoComplaints, journeys, shopper, visit } from '#test/support/shopper.ts'
import items from '../../public/Items.json'

const field = (page: Page) => page.getByRole('searchbox', { name: 'Search the shop' })
const order = (page: Page) => page.getByRole('combobox', { name: 'Order' })
const told = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text })

journeys('searching the Shop', () => {
  it('follows the typing without losing the focus, and the address follows without a history of letters', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await visit(visitor, '/about')
    await page.evaluate(() => document.querySelector<HTMLElement>('.menu a[href="/products"]')?.click())
    await told(page, `Everything: ${items.length} products`).waitFor()
    await field(page).pressSequentially('romp', { delay: 20 })
    await told(page, /for “romp”/).waitFor()
    await page.keyboard.type('er')
    await told(page, /Everything: \d+ products? for “romper”/).waitFor()
    expect(await field(page).inputValue()).toBe('romper')
    expect(await field(page).evaluate((input) => input === document.activeElement)).toBe(true)
    expect(page.url()).toMatch(/\/products\?q=romper$/)
    expect(await page.title()).toBe(`“romper” · Shop · ${shop.name}`)

    await page.goBack()
    await told(page, `Everything: ${items.length} products`).waitFor()
    await page.goBack()
    await page.waitForURL('**/about')
    await page.goForward()
    await page.goForward()
    await told(page, /for “romper”/).waitFor()
    expect(await field(page).inputValue()).toBe('romper')
    expectNoComplaints(visitor)
  })

  it('goes together with the category and the order, there and back', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/products?q=cotton')
    await page.getByRole('link', { name: 'Clothing', exact: true }).click()
    await told(page, /^Clothing: \d+ products for “cotton”$/).waitFor()
    await order(page).selectOption('Lowest price')
    await told(page, /lowest price first$/).waitFor()
    expect(page.url()).toMatch(/\?category=Clothing&q=cotton&sort=price-asc$/)
    const prices = (await page.locator('.grid b').allInnerTexts()).map((text) => Number(text.slice(4)))
    expect(prices).toEqual(prices.toSorted((one, other) => one - other))
    await page.goBack()
    await told(page, /^Clothing: \d+ products for “cotton”$/).waitFor()
    expect(await order(page).inputValue()).toBe('')
    await page.goBack()
    await told(page, /^Everything/).waitFor()
    expectNoComplaints(visitor)
  })

  it('inside a category leads back to the category, by Back and from a search without results', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await visit(visitor, '/products?category=Toys')
    await field(page).pressSequentially('spaceship')
    await told(page, 'Toys: 0 products for “spaceship”').waitFor()
    await page.goBack()
    await told(page, /^Toys: \d+ products$/).waitFor()
    expect(await field(page).inputValue()).toBe('')
    await page.goForward()
    await page.getByRole('link', { name: 'Back to Toys' }).click()
    await told(page, /^Toys: \d+ products$/).waitFor()
    expectNoComplaints(visitor)
  })

  it('on Enter moves to the results; finds nothing kindly, and leads back', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await visit(visitor, '/products')
    await field(page).fill('spaceship')
    await page.keyboard.press('Enter')
    await told(page, 'Everything: 0 products for “spaceship”').waitFor()
    const focused = await page.evaluate(() => {
      const { activeElement } = document
      return activeElement && { id: activeElement.id, outline: getComputedStyle(activeElement).outlineStyle }
    })
    expect(focused).toEqual({ id: 'products', outline: 'none' })
    await page.getByRole('heading', { name: 'No products found' }).waitFor()
    await page.getByRole('link', { name: 'See all products' }).click()
    await told(page, `Everything: ${items.length} products`).waitFor()
    await expect.poll(() => field(page).inputValue()).toBe('')
    expectNoComplaints(visitor)
  })

  it('loads no document while something is typed, and none without a connection, in browsers without the Navigation API', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await page.addInitScript(() => Reflect.deleteProperty(window, 'NavigateEvent'))
    await page.clock.install()
    await visit(visitor, '/products?category=Toys')
    await field(page).pressSequentially('woo')
    await page.clock.runFor(1000)
    await field(page).pressSequentially('den')
    expect(new URL(page.url()).search).toBe('?category=Toys')
    await page.context().setOffline(true)
    await page.keyboard.press('Enter')
    await told(page, 'opens by itself').waitFor()
    await page.context().setOffline(false)
    await told(page, /^Toys: \d+ products? for “wooden”$/).waitFor()
    await page.context().setOffline(true)
    await order(page).selectOption('Lowest price')
    await told(page, 'opens by itself').waitFor()
    await page.context().setOffline(false)
    await page.waitForURL('**/products?category=Toys&q=wooden&sort=price-asc')
  })

  it('works without scripts', async () => {
    const { page } = await shopper({ javaScriptEnabled: false })
    await page.goto('/products?category=Toys')
    await field(page).fill('wood')
    await order(page).selectOption('Highest price')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL('**/products?category=Toys&q=wood&sort=price-desc')
    await told(page, /^Toys: \d+ products? for “wood”, highest price first$/).waitFor()
  })
})
