import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { shop } from '#shared/shop.ts'
import {
  DESKTOP,
  expectNoComplaints,
  holdBack,
  journeys,
  says,
  shopper,
  visit,
} from '#test/support/shopper.ts'
import items from '../../public/Items.json'

const cards = (page: Page) => page.locator('.grid > li')
const storedCart = (page: Page) => page.evaluate(() => JSON.parse(localStorage.getItem('cart') ?? 'null'))

journeys('the Shop', () => {
  it('shows every product as a card', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/products')
    // A cold shop streams its cards: skeletons stand beside them for a moment.
    await expect.poll(() => cards(page).count()).toBe(items.length)
    const first = cards(page).first()
    expect(await first.innerText()).toMatch(
      /^Organic Cott…\s+A short-sleeved .+…\s+KSH 1850\s+Buy Now\s+Add to Cart$/,
    )
    expect(await first.getByRole('img').getAttribute('alt')).toBe('Organic Cotton Snap Romper')
    expectNoComplaints(visitor)
  })

  it("greets by the device's own clock", async () => {
    const visitor = await shopper()
    await visitor.page.clock.setFixedTime('2026-11-21T15:00:00Z')
    await visit(visitor, '/products')
    await visitor.page.getByText('Good evening', { exact: true }).waitFor()
    expectNoComplaints(visitor)
  })

  it('adds to the cart from a card: one line for each product, counted by the badge, with a toast', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await visit(visitor, '/products')
    const add = (index: number) => cards(page).nth(index).getByRole('button', { name: 'Add to Cart' }).click()
    await says(page, 'Added to cart', () => add(4), '.toast')
    await add(4)
    await add(5)
    await page.getByRole('link', { name: 'Cart 2 items' }).waitFor()
    const [first, second] = items.slice(4)
    await page.waitForFunction(() => JSON.parse(localStorage.getItem('cart') ?? '[]')[1]?.category)
    expect(await storedCart(page)).toEqual([
      { ...first, description: first?.description.slice(0, 101), qty: 2 },
      { ...second, description: second?.description.slice(0, 101), qty: 1 },
    ])
    expectNoComplaints(visitor)
  })

  it('filters in the address, keeps focus and scroll, announces what is shown, and comes back', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/products')
    await page.evaluate(() => scrollTo(0, 60))
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
    await page.reload()
    expect(await cards(page).count()).toBe(8)
    await page.getByRole('link', { name: 'All', exact: true }).click()
    await page.getByText(`Everything: ${items.length} products`).waitFor()
    expectNoComplaints(visitor)
  })

  it('works without scripts: cards, categories and links', async () => {
    const { page } = await shopper({ javaScriptEnabled: false })
    await page.goto('/products')
    await page.getByRole('link', { name: 'Toys' }).click()
    await page.waitForURL('**/products?category=Toys')
    expect(await cards(page).count()).toBe(8)
    await cards(page).first().getByRole('link', { name: 'Buy Now' }).click()
    await page.waitForURL('**/product/*')
    expect(await page.getByRole('heading', { level: 1 }).innerText()).not.toBe('')
  })

  it('shows six empty cards while the catalogue loads, then the products', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await visit(visitor, '/about')
    const sendFile = await holdBack(page, '/Items.json')
    await page.evaluate(() => document.querySelector<HTMLElement>('.menu a[href="/products"]')?.click())
    await page.getByText('Loading products').waitFor()
    expect(await page.locator('.grid--skeleton > li').count()).toBe(6)
    sendFile()
    await page.getByText(`Everything: ${items.length} products`).waitFor()
    expectNoComplaints(visitor)
  })

  it('reports it when the catalogue cannot be read, logs it, and tries again', async () => {
    const visitor = await shopper()
    const { page, complaints } = visitor
    await visit(visitor, '/about')
    await page.route('/Items.json', (route) => route.fulfill({ status: 500 }))
    const logged = () => complaints.filter((complaint) => complaint === 'Failed to fetch products')
    const link = page.getByRole('link', { name: 'Shop', exact: true })
    await page.getByRole('button', { name: 'Open menu' }).click()
    await Promise.all([page.waitForResponse('**/Items.json'), link.hover()])
    await Promise.all([page.waitForResponse('**/Items.json'), link.focus()])
    expect(logged()).toEqual([])
    await link.click()
    await page.getByText('We could not load our products').waitFor()
    expect(await cards(page).count()).toBe(0)
    expect(logged()).toHaveLength(1)
    await page.unroute('/Items.json')
    await page.getByRole('link', { name: 'Try again' }).click()
    await page.getByText(`Everything: ${items.length} products`).waitFor()
  })
})
