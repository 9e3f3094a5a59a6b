import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shop as brand } from '#shared/shop.ts'
import { DESKTOP, expectNoComplaints, hydrated, journeys, shopper, visit } from '#test/support/shopper.ts'
import { prepareDatabase, type ServedShop, serve } from '#tools/local-shop.ts'
import { withCatalogue } from '#tools/measure/measured-shop.ts'
import { freePort } from '#tools/ports.ts'

const cards = (page: Page) => page.locator('.grid > li')
const more = (page: Page) => page.getByRole('link', { name: 'More products' })
const count = (page: Page) => page.locator('#products').innerText()
const scrollTop = (page: Page) => page.evaluate(() => scrollY)

/** Asks for more and waits until so many cards are there. */
async function showMore(page: Page, cardsThen: number): Promise<void> {
  await more(page).press('Enter')
  await page.waitForFunction((n) => document.querySelectorAll('.grid > li').length === n, cardsThen)
}

/** Where in the grid the focused card is, from 0, and the address of its product. */
const focusedCard = (page: Page) =>
  cards(page).evaluateAll((all) => {
    const index = all.findIndex((card) => card.matches(':focus'))
    return { index, link: all[index]?.querySelector('a')?.pathname }
  })

journeys('more products', () => {
  let folder: string
  let shop: ServedShop

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'pamba-'))
    const stateFolder = path.join(folder, 'state')
    await prepareDatabase(stateFolder)
    const assetsFolder = withCatalogue('many', 'dist/client', folder)
    shop = await serve({ port: await freePort(), stateFolder, assetsFolder, onLog: () => {} })
    // The first request reads the catalogue.
    await fetch(`${shop.url}/products?page=2`)
  })
  afterAll(async () => {
    await shop.close()
    await rm(folder, { recursive: true, force: true })
  })
  const shopperThere = () => shopper({ origin: shop.url, viewport: DESKTOP })

  it('join those on the screen: nothing moves, the first of them has the focus, the address and the count follow', async () => {
    const visitor = await shopperThere()
    const { page } = visitor
    await visit(visitor, '/products')
    expect(await cards(page).count()).toBe(60)
    await more(page).focus()
    const before = await scrollTop(page)
    const reads: string[] = []
    page.on('request', (request) => request.url().endsWith('/Items.json') && reads.push(request.url()))
    const entries = await page.evaluate(() => history.length)

    await showMore(page, 120)
    expect(await scrollTop(page)).toBe(before)
    expect(await focusedCard(page)).toEqual({ index: 60, link: '/product/61' })
    expect(await count(page)).toBe('Everything: 5000 products, 120 shown, pages 1 to 2 of 84')
    expect(page.url()).toMatch(/\/products\?page=2#products$/)
    expect(await page.title()).toBe(`Shop · Page 2 · ${brand.name}`)

    await showMore(page, 180)
    expect(await focusedCard(page)).toEqual({ index: 120, link: '/product/121' })
    expect(await page.getByRole('link', { name: 'Previous products' }).count()).toBe(0)
    expect(reads.length).toBeLessThanOrEqual(1)
    expect(await page.evaluate(() => history.length)).toBe(entries)
    expectNoComplaints(visitor)
  })

  it('are all there again after a visit to one of them, at the same place and without a request', async () => {
    const visitor = await shopperThere()
    const { page } = visitor
    await visit(visitor, '/products')
    await showMore(page, 120)
    await showMore(page, 180)
    const link = cards(page).nth(150).getByRole('link')
    await link.scrollIntoViewIfNeeded()
    // At once, and without the driver's own scrolling towards it.
    const before = await link.evaluate((element: HTMLElement) => {
      element.click()
      return scrollY
    })
    await page.waitForURL('**/product/151')
    // The last that the way there fetches is what moves the row of related products.
    await page.getByRole('button', { name: 'Pause the moving products' }).waitFor()
    await page.waitForFunction(() => scrollY === 0)
    const requests: string[] = []
    // Pictures may have left the browser's memory; the tab's icon is the browser's own affair.
    page.on('request', (request) => !request.url().endsWith('.svg') && requests.push(request.url()))
    await page.goBack()
    await page.waitForFunction(() => document.querySelectorAll('.grid > li').length === 180)
    expect(await scrollTop(page)).toBe(before)
    expect(requests).toEqual([])

    // Also when the product's page was loaded afresh meanwhile, which forgets all but the history.
    await page.goForward()
    await page.waitForURL('**/product/151')
    await page.reload()
    await hydrated(page)
    await page.goBack()
    await page.waitForFunction(() => document.querySelectorAll('.grid > li').length === 180)
    await page.waitForFunction((top) => scrollY === top, before)
    expectNoComplaints(visitor)
  })

  it('are the page that the address names once it is loaded or shared, with the way to those before', async () => {
    const visitor = await shopperThere()
    const { page } = visitor
    await visit(visitor, '/products')
    await showMore(page, 120)
    await showMore(page, 180)
    await page.reload()
    await hydrated(page)
    expect(await cards(page).count()).toBe(60)
    expect(await count(page)).toBe('Everything: 5000 products, page 3 of 84')
    const top = await page.locator('#products').evaluate((line) => line.getBoundingClientRect().top)
    expect(top).toBeGreaterThanOrEqual(0)
    expect(top).toBeLessThan(200)
    await showMore(page, 120)
    expect(await count(page)).toBe('Everything: 5000 products, 120 shown, pages 3 to 4 of 84')
    await page.getByRole('link', { name: 'Previous products' }).click()
    await page.getByText('page 2 of 84').waitFor()
    expect(await cards(page).count()).toBe(60)
    expectNoComplaints(visitor)
  })

  it('give way to another category, other words and another order', async () => {
    const visitor = await shopperThere()
    const { page } = visitor
    await visit(visitor, '/products')
    await showMore(page, 120)
    await page.getByLabel('Order').selectOption('price-asc')
    await page.getByText('lowest price first, page 1 of 84').waitFor()
    expect(await cards(page).count()).toBe(60)
    await showMore(page, 120)
    await page.getByRole('link', { name: 'Toys', exact: true }).click()
    await page.getByText(/^Toys: .*page 1 of/).waitFor()
    expect(await cards(page).count()).toBe(60)
    await showMore(page, 120)
    await page.getByRole('searchbox').fill('wood')
    await page.getByText(/^Toys: .* for “wood”, lowest price first, page 1 of/).waitFor()
    expect(await cards(page).count()).toBe(60)
    await page.goBack()
    await page.getByText(/^Toys: .*pages 1 to 2 of/).waitFor()
    await page.goBack()
    await page.getByText(/^Everything: .*pages 1 to 2 of 84/).waitFor()
    expect(await cards(page).count()).toBe(120)
    expectNoComplaints(visitor)
  })

  it('come as a page of their own when the browser cannot get the catalogue', async () => {
    const { page } = await shopperThere()
    await visit({ page, complaints: [] }, '/products')
    await page.route('**/Items.json', (route) => route.abort())
    await more(page).click()
    await page.getByText('page 2 of 84').waitFor()
    await expect.poll(() => cards(page).count()).toBe(60)
    expect(await page.locator('.grid a').first().getAttribute('href')).toBe('/product/61')
  })

  it('are a page of their own without scripts', async () => {
    const { page } = await shopper({ origin: shop.url, javaScriptEnabled: false })
    await page.goto(`${shop.url}/products`)
    await more(page).click()
    await page.waitForURL('**/products?page=2#products')
    expect(await count(page)).toBe('Everything: 5000 products, page 2 of 84')
    expect(await cards(page).count()).toBe(60)
  })
})
