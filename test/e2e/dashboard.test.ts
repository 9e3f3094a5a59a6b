import { expect, it } from 'vitest'
import {
  blockRequests,
  DESKTOP_VIEWPORT,
  expectNoConsoleErrors,
  journeys,
  PHONE_VIEWPORT,
  type Shopper,
  visit,
} from '#test/support/shopper.ts'
import { newAccount, openSignedInShopper, orderOneUnit } from '#test/support/signed-in-shopper.ts'
import items from '../../public/Items.json'

const CATALOGUE = '**/Items.json'

const link = ({ page }: Shopper, name: string) => page.getByRole('banner').getByRole('link', { name })
const isLoaded = (image: HTMLElement | SVGElement) =>
  image instanceof HTMLImageElement && image.naturalWidth > 0
const welcome = ({ page }: Shopper, name: string) =>
  page.getByRole('heading', { level: 1, name: `Welcome, ${name}`, exact: true })

const lines = items.slice(0, 4).map(({ id: productId, image }) => ({
  ...{ productId, image, title: 'Romper', size: null, unitPriceCents: 462_50, qty: 1 },
}))

const createOrder = (email: string, number: string, status: string) => ({
  ...{ key: 'a'.repeat(32), number, status, placedAtMs: Date.UTC(2026, 10, 21, 9), lines },
  totals: {
    ...{ subtotalCents: 1850_00, discountCents: 0, shippingCents: 0 },
    ...{ vatCents: 296_00, roundingCents: 0, totalCents: 2146_00 },
  },
  ...{ vatPercent: 16, deliveryZone: null, pickup: null, promoCode: null, email, card: null, payment: null },
  balance: { status: 'paid', paidCents: 2146_00, refundedCents: 0, refundDueCents: 0, dueCents: 0 },
})

journeys('the dashboard', () => {
  it('shows products and orders, loads older orders on demand, and greets a guest if the catalogue fails', async () => {
    const visitor = await openSignedInShopper({ viewport: DESKTOP_VIEWPORT })
    const { page, email, consoleErrors } = visitor
    const releaseCatalogue = await blockRequests(page, CATALOGUE)
    await page.route('**/api/orders*', (route) => route.abort())
    await visit(visitor, '/contact')
    await link(visitor, 'Dashboard').click()
    await page.getByText('Loading...').waitFor()
    expect(await page.getByText('Featured Products').count()).toBe(0)
    releaseCatalogue()
    await welcome(visitor, email).waitFor()
    const cards = page.locator('.featured a')
    expect(await cards.count()).toBe(4)
    expect(await cards.first().textContent()).toMatch(/KSH\d+$/)
    await expect.poll(() => cards.first().locator('img').evaluate(isLoaded)).toBe(true)

    await page.getByRole('alert').getByText('We couldn’t load your orders.').waitFor()
    await page.route('**/api/orders*', (route) => {
      const isFirst = !route.request().url().includes('before=')
      const order = isFirst
        ? createOrder(email, 'P-NEWEST', 'shipped')
        : createOrder(email, 'P-EARLIER', 'delivered')
      return route.fulfill({ json: { orders: [order], next: isFirst ? '1.P-NEWEST' : null } })
    })
    await page.getByRole('button', { name: 'Try again' }).click()
    const newest = page.getByRole('row', { name: 'P-NEWEST 21 Nov 2026 On its way KSH 2,146 4 items' })
    await newest.waitFor()
    const thumbnails = newest.locator('img')
    expect(await thumbnails.count()).toBe(1)
    const findTotalLink = (row: Element) => {
      const { right, y, height } = row.getBoundingClientRect()
      return document.elementFromPoint(right - 5, y + height / 2)?.getAttribute('href')
    }
    expect(await newest.evaluate(findTotalLink), 'all of the row is a link').toBe('/order/P-NEWEST')
    await expect.poll(() => thumbnails.first().evaluate(isLoaded)).toBe(true)
    const olderOrdersButton = page.getByRole('button', { name: 'Show older orders' })
    await olderOrdersButton.click()
    await page.getByRole('row', { name: 'P-EARLIER 21 Nov 2026 Delivered KSH 2,146 4 items' }).waitFor()
    expect(await olderOrdersButton.count()).toBe(0)

    await page.setViewportSize(PHONE_VIEWPORT)
    const total = newest.getByRole('cell').last()
    expect(await total.innerText(), 'an amount on one line').toBe('KSH\u00a02,146\n4 items')
    for (const textSize of ['100%', '130%', '200%']) {
      const width = await page.evaluate((size) => {
        document.documentElement.style.fontSize = size
        return document.documentElement.scrollWidth
      }, textSize)
      expect(width, `the page with text at ${textSize}`).toBe(PHONE_VIEWPORT.width)
    }
    await page.evaluate(() => document.documentElement.removeAttribute('style'))
    await page.setViewportSize(DESKTOP_VIEWPORT)

    expect(await page.getByRole('link', { name: 'Shop Now' }).getAttribute('href')).toBe('/products')
    await cards.first().click()
    await page.waitForURL('**/product/*')

    await page.unroute(CATALOGUE)
    await page.route(CATALOGUE, (route) => route.fulfill({ status: 503 }))
    await visit(visitor, '/contact')
    await link(visitor, 'Dashboard').click()
    await welcome(visitor, 'Guest').waitFor()
    await page.getByText('No featured products available.').waitFor()
    expect(consoleErrors).toContain('Failed to fetch products')
  })

  it('is rendered completely for the session cookie and hydrates without errors', async () => {
    const visitor = await openSignedInShopper({ viewport: DESKTOP_VIEWPORT })
    const { page } = visitor
    await visit(visitor, '/dashboard')
    await welcome(visitor, visitor.email).waitFor()
    expect(await page.locator('.featured a').count()).toBe(4)
    await page.getByText('You haven’t ordered anything yet.').waitFor()
    expectNoConsoleErrors(visitor)
  })

  it('asks a shopper with orders to confirm their email address, and resends the link', async () => {
    const account = await newAccount('Nafula Odera')
    await orderOneUnit(account)
    const visitor = await openSignedInShopper({ account })
    const { page } = visitor
    await visit(visitor, '/dashboard')
    await page.getByRole('button', { name: 'Resend the link' }).click()
    await page.getByRole('status').filter({ hasText: 'We’ve sent the link again.' }).waitFor()
    expectNoConsoleErrors(visitor)
  })
})
