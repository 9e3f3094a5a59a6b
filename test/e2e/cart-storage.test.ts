import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  expectBriefText,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  visit,
} from '#test/support/shopper.ts'
import { openSignedInShopper, readStored, storedLine } from '#test/support/signed-in-shopper.ts'

const getCartBadge = (page: Page) => page.locator('.bar__cart .badge')
const addToCart = (page: Page) =>
  page.locator('.product__detail').getByRole('button', { name: 'Add to Cart' })
const qtyById = async (page: Page) =>
  Object.fromEntries(
    ((await readStored(page, 'cart')) as { id: number; qty: number }[]).map(({ id, qty }) => [id, qty]),
  )

journeys('the cart', () => {
  it('drops invalid stored lines and stays in sync across tabs without losing additions', async () => {
    const line = storedLine(5, { title: 'Shuka' })
    const invalid = [{ ...storedLine(1), qty: 1e9 }, { ...storedLine(2), price: 'free' }, { id: 3 }, null]
    const cart = [...invalid, line] as (typeof line)[]
    const visitor = await openSignedInShopper({ cart })
    const { page } = visitor
    await visit(visitor, '/product/1')
    await page.getByText('1 item', { exact: true }).waitFor({ state: 'attached' })
    await addToCart(page).click()
    await page.getByText('2 items').waitFor({ state: 'attached' })

    const other = await page.context().newPage()
    await visit({ ...visitor, page: other }, '/cart')
    await other.getByRole('heading', { name: 'Cart Items (2)' }).waitFor()
    await other.getByRole('button', { name: 'Increase quantity of Shuka' }).click()
    await page.waitForFunction((text) => localStorage.cart.includes(text), '"qty":2')
    await addToCart(page).click()
    await other.waitForFunction(() => localStorage.cart.match(/"qty":2/g)?.length === 2)
    expect(await qtyById(other)).toEqual({ [line.id]: 2, 1: 2 })
    await other.locator('.cart-line .badge').nth(1).getByText('2').waitFor()

    await other.getByRole('button', { name: 'Clear Cart' }).click()
    await getCartBadge(page).waitFor({ state: 'detached' })
    expectNoConsoleErrors(visitor)
  })

  it('stays in memory across pages while storage is full or blocked', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    await page.addInitScript(() => {
      const refuse = () => {
        throw new DOMException('no', 'QuotaExceededError')
      }
      Storage.prototype.setItem = refuse
      Object.defineProperty(window, 'localStorage', { get: refuse })
    })
    await visit(visitor, '/product/1')
    await expectBriefText(page, 'to cart', () => addToCart(page).click(), '.toast')
    await page.getByText('1 item', { exact: true }).waitFor({ state: 'attached' })
    await page.getByRole('link', { name: 'Buy Now' }).first().click()
    await page.waitForURL(/\/product\/(?!1$)\d+$/)
    await page
      .getByRole('heading', { name: 'Organic Cotton Snap Romper', level: 1 })
      .waitFor({ state: 'detached' })
    await addToCart(page).click()
    await page.getByText('2 items').waitFor({ state: 'attached' })
    expectNoConsoleErrors(visitor)
  })
})
