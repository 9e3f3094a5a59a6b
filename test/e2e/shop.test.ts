import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { shop } from '#shared/shop.ts'
import {
  blockRequests,
  DESKTOP_VIEWPORT,
  expectBriefText,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  scrollTo,
  visit,
} from '#test/support/shopper.ts'
import { readStored } from '#test/support/signed-in-shopper.ts'
import items from '../../public/Items.json'

declare global {
  interface Window {
    createdHeadings: number
  }
}

const cards = (page: Page) => page.locator('.grid > li')

journeys('the Shop', () => {
  it("greets by the device's clock, adds products from its cards, and filters by category in the URL", async () => {
    const visitor = await openShopper({ viewport: DESKTOP_VIEWPORT })
    const { page } = visitor
    await page.addInitScript(() => {
      Date.prototype.getHours = () => 18
    })
    await visit(visitor, '/products')
    await page.getByText('Good evening', { exact: true }).waitFor()
    // After a cold start, the page may contain both skeletons and streamed cards for a moment.
    await expect.poll(() => cards(page).count()).toBe(items.length)
    const firstCard = await cards(page).first().innerText()
    expect(firstCard).toMatch(
      /^Organic Cott…\s+KSH 1850\s+KSH\s2,146 with VAT\s+0–18 months\s+A short-sleeved .+…\s+Buy Now\s+Add to Cart$/,
    )

    const add = (index: number) => cards(page).nth(index).getByRole('button', { name: 'Add to Cart' }).click()
    await expectBriefText(page, 'Added to cart', () => add(4), '.toast')
    await add(4)
    await add(5)
    await page.getByRole('link', { name: 'Cart 2 items' }).waitFor()
    const [first, second] = items.slice(4)
    await page.waitForFunction(() => JSON.parse(localStorage.getItem('cart') ?? '[]')[1]?.category)
    expect(await readStored(page, 'cart')).toEqual([
      { ...first, description: first?.description.slice(0, 101), qty: 2 },
      { ...second, description: second?.description.slice(0, 101), qty: 1 },
    ])

    await scrollTo(page, 60)
    const toys = page.getByRole('link', { name: 'Toys' })
    await toys.focus()
    await page.keyboard.press('Enter')
    await page.getByText('Toys: 8 products').waitFor()
    expect(page.url()).toMatch(/\/products\?category=Toys$/)
    expect(await cards(page).count()).toBe(8)
    expect(await page.title()).toBe(`Toys · Shop · ${shop.name}`)
    expect(await toys.getAttribute('aria-current')).toBe('true')
    expect(await toys.evaluate((link) => link === document.activeElement)).toBe(true)
    expect(await page.evaluate(() => scrollY)).toBe(60)

    await page.getByRole('link', { name: 'Mom & Baby' }).click()
    await page.getByText('Mom & Baby: 7 products').waitFor()
    await page.goBack()
    await page.getByText('Toys: 8 products').waitFor()
    await page.getByRole('link', { name: 'All', exact: true }).click()
    await page.getByText(`${items.length} products`).waitFor()
    await page.goBack()
    await page.getByText('Toys: 8 products').waitFor()
    await page.goBack()
    await page.getByText(`${items.length} products`).waitFor()
    expect(await cards(page).count(), 'back to the first list').toBe(items.length)
    expect(await cards(page).first().innerText()).toBe(firstCard)
    expectNoConsoleErrors(visitor)
  })

  it('opens a product by its name or price, and keeps filters, sort order and the link to the top in view', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    for (const viewport of [DESKTOP_VIEWPORT, { width: 740, height: 360 }]) {
      await page.setViewportSize(viewport)
      await visit(visitor, '/products')
      await scrollTo(page, 900)
      for (const name of ['Filters', 'Top'])
        await page.getByRole('link', { name }).click({ trial: true, timeout: 5000 })
      expect(await page.evaluate(() => scrollY), `with ${viewport.width} pixels`).toBe(900)
    }
    await page.setViewportSize(DESKTOP_VIEWPORT)
    for (const text of ['Kikoi Wrap D…', 'KSH 4800', 'KSH\u00a05,568 with VAT']) {
      await visit(visitor, '/products')
      const box = await cards(page).nth(1).getByText(text, { exact: true }).boundingBox()
      await page.mouse.click((box?.x ?? 0) + 4, (box?.y ?? 0) + 4)
      await page.getByRole('heading', { level: 1, name: 'Kikoi Wrap Dress' }).waitFor()
      expect(new URL(page.url()).pathname, text).toBe('/product/2')
    }
  })

  it('shows six empty cards while the catalogue loads, reports a failure, and can retry', async () => {
    const visitor = await openShopper()
    const { page, consoleErrors } = visitor
    await page.addInitScript(() => {
      window.createdHeadings = 0
      const create = Document.prototype.createElement
      Document.prototype.createElement = function createElement(name: string, options?: object) {
        if (name === 'h2') window.createdHeadings++
        return create.call(this, name, options)
      }
    })
    const sendFile = await blockRequests(page, '/Items.json')
    await visit(visitor, '/about')
    const link = page.getByRole('link', { name: 'Shop', exact: true })
    await page.getByRole('button', { name: 'Open menu' }).click()
    await link.click()
    await page.getByText('Loading products').waitFor()
    expect(await page.locator('.grid--skeleton > li').count()).toBe(6)
    sendFile()
    await page.getByText(`${items.length} products`).waitFor()
    await expect.poll(() => cards(page).count()).toBe(items.length)
    const created = await page.evaluate(() => window.createdHeadings)
    expect(created, 'card headings created, including discarded ones').toBeLessThan(2 * items.length)
    expectNoConsoleErrors(visitor)

    await page.unroute('/Items.json')
    await page.route('/Items.json', (route) => route.fulfill({ status: 500 }))
    await visit(visitor, '/about')
    const logged = () => consoleErrors.filter((complaint) => complaint === 'Failed to fetch products')
    await page.getByRole('button', { name: 'Open menu' }).click()
    await Promise.all([page.waitForResponse('**/Items.json'), link.hover()])
    await Promise.all([page.waitForResponse('**/Items.json'), link.focus()])
    expect(logged()).toEqual([])
    await link.click()
    await page.getByText('We couldn’t load the products').waitFor()
    expect(await cards(page).count()).toBe(0)
    expect(logged()).toHaveLength(1)
    await page.unroute('/Items.json')
    await page.getByRole('link', { name: 'Try again' }).click()
    await page.getByText(`${items.length} products`).waitFor()

    await page.route('/Items.json', (route) => route.fulfill({ status: 500 }))
    await visit(visitor, '/products')
    await cards(page).first().getByRole('button', { name: 'Add to Cart' }).click()
    await page.getByRole('link', { name: 'Cart 1 item' }).waitFor()
    expect(await readStored(page, 'cart')).toMatchObject([
      { title: items[0]?.title, description: items[0]?.description.slice(0, 90) },
    ])
  })
})
