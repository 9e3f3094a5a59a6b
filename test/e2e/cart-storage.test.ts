import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectNoComplaints, journeys, type Shopper, says, shopper, visit } from '#test/support/shopper.ts'

const line = { id: 1, title: 'Romper', description: 'Soft.', price: 1850, image: '/images/mark.svg', qty: 2 }

/** A visitor whose browser already keeps this text under `cart`. */
async function shopperWith(stored: string): Promise<Shopper> {
  const visitor = await shopper()
  await visitor.page.addInitScript((text) => {
    if (!sessionStorage.seeded) localStorage.cart = text
    sessionStorage.seeded = 'yes'
  }, stored)
  return visitor
}

const badge = (page: Page) => page.locator('.bar__cart .badge')
const addFirst = (page: Page) => page.getByRole('button', { name: 'Add to Cart' }).first().click()
const stored = (page: Page) => page.evaluate(() => localStorage.getItem('cart'))
const qtyById = async (page: Page) =>
  Object.fromEntries(
    JSON.parse((await stored(page)) ?? '[]').map(({ id, qty }: { id: number; qty: number }) => [id, qty]),
  )

journeys('the stored cart', () => {
  it('is there again on the next page load', async () => {
    const visitor = await shopperWith(
      JSON.stringify([line, { ...line, id: 999_999, title: 'Sold out for good' }]),
    )
    const { page } = visitor
    await visit(visitor, '/')
    await page.getByText('2 items').waitFor({ state: 'attached' })
    expect(await badge(page).innerText()).toMatch(/^2/)
    await page.reload()
    await page.getByText('2 items').waitFor({ state: 'attached' })
    expectNoComplaints(visitor)
  })

  it.each([
    ['broken', '[{"id":1,'],
    [
      'full of nonsense',
      JSON.stringify([null, 1, 'a', [], { ...line, qty: -4 }, { ...line, price: 'free' }]),
    ],
    ['huge', JSON.stringify('x'.repeat(4_000_000))],
  ])('counts for nothing when it is %s, and does not stand in the way', async (_, text) => {
    const visitor = await shopperWith(text)
    const { page } = visitor
    await visit(visitor, '/product/1')
    await addFirst(page)
    await page.getByText('1 item', { exact: true }).waitFor({ state: 'attached' })
    expect(await qtyById(page)).toEqual({ 1: 1 })
    expectNoComplaints(visitor)
  })

  it('keeps its valid lines when others are not', async () => {
    const visitor = await shopperWith(JSON.stringify([{ ...line, qty: 1e9 }, { ...line, id: 2 }, { id: 3 }]))
    const { page } = visitor
    await visit(visitor, '/products')
    await page.getByText('1 item', { exact: true }).waitFor({ state: 'attached' })
    await addFirst(page)
    await page.getByText('2 items').waitFor({ state: 'attached' })
    expect(await qtyById(page)).toEqual({ 1: 1, 2: 2 })
    expectNoComplaints(visitor)
  })

  it('is followed by other tabs, which add to it without losing lines', async () => {
    const visitor = await shopper()
    const { page } = visitor
    const other = await page.context().newPage()
    await visit(visitor, '/product/1')
    await visit({ ...visitor, page: other }, '/product/2')
    await page.locator('.product__detail button').click()
    await other.getByText('1 item', { exact: true }).waitFor({ state: 'attached' })
    await other.locator('.product__detail button').click()
    await page.getByText('2 items').waitFor({ state: 'attached' })
    await page.locator('.product__detail button').click()
    await other.waitForFunction(() => JSON.parse(localStorage.cart)[0].qty === 2)
    expect(await qtyById(other)).toEqual({ 1: 2, 2: 1 })
    await page.evaluate(() => localStorage.clear())
    await badge(other).waitFor({ state: 'detached' })
    expectNoComplaints(visitor)
  })

  it('lives on in the page when storage is full or forbidden', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await page.addInitScript(() => {
      const refuse = () => {
        throw new DOMException('no', 'QuotaExceededError')
      }
      Storage.prototype.setItem = refuse
      Object.defineProperty(window, 'localStorage', { get: refuse })
    })
    await visit(visitor, '/products')
    await says(page, 'Added to cart', () => addFirst(page))
    await page.getByText('1 item', { exact: true }).waitFor({ state: 'attached' })
    await page.getByRole('link', { name: 'Buy Now' }).nth(1).click()
    await page.locator('.product__detail button').click()
    await page.getByText('2 items').waitFor({ state: 'attached' })
    expectNoComplaints(visitor)
  })
})
