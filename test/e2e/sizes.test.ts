import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { listViolations } from '#test/support/axe.ts'
import {
  DESKTOP,
  expectBriefText,
  expectNoComplaints,
  journeys,
  shopper,
  visit,
} from '#test/support/shopper.ts'
import { signedInShopper, stored, storedLine } from '#test/support/signed-in-shopper.ts'

const size = (page: Page, name: string) => page.getByRole('radio', { name, exact: true })
const line = (page: Page, n: number) => page.locator('.cart-line').nth(n)
const cardOf = (page: Page, title: string) =>
  page.locator('.grid > li', { has: page.getByAltText(title) }).first()
const addressOf = (page: Page) => new URL(page.url()).pathname
const follow = (page: Page, address: string) =>
  page.evaluate((to) => document.querySelector<HTMLElement>(`a[href="${to}"]`)?.click(), address)

async function sizesInCart(page: Page) {
  const cart = (await stored(page, 'cart')) as {
    id: number
    size?: string
    isSizeAssumed?: true
    qty: number
  }[]
  return cart.map(({ id, size, isSizeAssumed, qty }) => [id, size, isSizeAssumed ? 'assumed' : 'chosen', qty])
}

journeys('a size', () => {
  it('is selected on the product page, remembered for its scale, and part of the address', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await visit(visitor, '/product/30')
    expect(await page.getByRole('radio', { checked: true }).count()).toBe(0)
    const entries = await page.evaluate(() => history.length)
    await expectBriefText(page, 'Size 6–7 years: KSH 4650', () => size(page, '6–7 years').check())
    expect(await page.locator('.product__price').innerText()).toBe('KSH 4650')
    await page.keyboard.press('ArrowLeft')
    expect(await size(page, '4–5 years').evaluate((radio) => radio === document.activeElement)).toBe(true)
    const address = addressOf(page)
    expect(address).toMatch(/^\/product\/1\d\d$/)
    expect(await page.evaluate(() => history.length)).toBe(entries)
    expect(await listViolations(page)).toEqual([])

    await page.getByRole('link', { name: 'Size guide' }).click()
    const guide = page.getByRole('dialog', { name: 'Children’s clothes' })
    await guide.getByRole('cell', { name: '104–116' }).waitFor()
    expect(await listViolations(page), 'on a phone').toEqual([])
    await page.setViewportSize(DESKTOP)
    expect(await listViolations(page), 'on a desktop').toEqual([])
    await page.keyboard.press('Escape')
    await guide.waitFor({ state: 'detached' })
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Size guide')

    await follow(page, '/about')
    await page.getByRole('heading', { level: 1, name: 'Crafting' }).waitFor()
    await page.goBack()
    await size(page, '4–5 years').waitFor()
    expect([addressOf(page), await size(page, '4–5 years').isChecked()]).toEqual([address, true])

    await visit(visitor, '/product/3')
    // The product hydrates after the layout.
    await expect.poll(() => size(page, '4–5 years').isChecked()).toBe(true)
    expectNoComplaints(visitor)
  })

  it('defaults on a card to the one selected last, or to the first, which cart and checkout ask to confirm; changing it merges equal lines', async () => {
    const cart = [storedLine(0, { qty: 2 }), storedLine(0, { id: 101, size: '3–6 months', qty: 3 })]
    const visitor = await signedInShopper({ cart })
    const { page } = visitor
    await page.evaluate(() => localStorage.setItem('sizes', '{"age":"12–18 months"}'))
    await visit(visitor, '/products')
    for (const title of ['Organic Cotton Snap Romper', 'Kikoi Wrap Dress'])
      await expectBriefText(page, 'Added to cart', () =>
        cardOf(page, title).getByRole('button', { name: 'Add to Cart' }).click(),
      )
    await page.getByRole('link', { name: 'Cart 4 items' }).waitFor()
    await expect
      .poll(() => sizesInCart(page))
      .toEqual([
        [1, '0–3 months', 'chosen', 2],
        [101, '3–6 months', 'chosen', 3],
        [103, '12–18 months', 'chosen', 1],
        [2, 'S', 'assumed', 1],
      ])
    await page.locator('.bar__cart').click()
    await page.getByRole('link', { name: 'Proceed to Checkout' }).click()
    const note = page.getByRole('note').filter({ hasText: 'Please confirm these sizes:' })
    await note.waitFor()
    expect(await note.getByRole('listitem').allInnerTexts()).toEqual(['Kikoi Wrap Dress, S'])
    await note.getByRole('link').click()

    await line(page, 3).getByText('You haven’t chosen a size yet.').waitFor()
    expect(await page.getByText('You haven’t chosen a size yet.').count()).toBe(1)
    await line(page, 3).locator('summary').click()
    const guide = line(page, 3).getByRole('link', { name: 'Size guide' })
    expect(await guide.getAttribute('href')).toBe('/about#size-guide-clothing')
    await line(page, 3).getByRole('button', { name: 'S', exact: true }).click()
    await page.getByText('You haven’t chosen a size yet.').waitFor({ state: 'detached' })

    await line(page, 1).locator('summary').click()
    await page.setViewportSize(DESKTOP)
    expect(await listViolations(page)).toEqual([])
    await expectBriefText(page, 'Organic Cotton Snap Romper: size 0–3 months', () =>
      line(page, 1).getByRole('button', { name: '0–3 months' }).click(),
    )
    await page.waitForFunction(() => document.querySelectorAll('.cart-line').length === 3)
    const merged = page.locator('.cart-line', { hasText: 'KSH 9250' })
    expect(await merged.locator('summary').evaluate((summary) => summary === document.activeElement)).toBe(
      true,
    )
    expect((await sizesInCart(page)).toSorted()).toEqual([
      [1, '0–3 months', 'chosen', 5],
      [103, '12–18 months', 'chosen', 1],
      [2, 'S', 'chosen', 1],
    ])
    expectNoComplaints(visitor)
  })
})
