import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { shop as brand } from '#shared/shop.ts'
import {
  DESKTOP_VIEWPORT,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  visit,
  waitForHydration,
} from '#test/support/shopper.ts'
import items from '../../public/Items.json'

const PAGE_COUNT = 4
const largeCatalogue = Array.from({ length: 200 }, (_, index) => ({
  ...items[index % items.length],
  ...{ id: index + 1, scale: undefined, sizes: undefined },
}))

const cards = (page: Page) => page.locator('.grid > li')
const moreLink = (page: Page) => page.getByRole('link', { name: 'More products' })
const readCount = (page: Page) => page.locator('#products').innerText()
const readScrollTop = (page: Page) => page.evaluate(() => scrollY)

const waitForCards = (page: Page, count: number) =>
  page.waitForFunction((n) => document.querySelectorAll('.grid > li').length === n, count)

async function showMore(page: Page, cardsThen: number): Promise<void> {
  await moreLink(page).press('Enter')
  await waitForCards(page, cardsThen)
}

const focusedCard = (page: Page) =>
  cards(page).evaluateAll((all) => {
    const index = all.findIndex((card) => card.matches(':focus'))
    return { index, link: all[index]?.querySelector('a')?.pathname }
  })

journeys('more products', () => {
  it('are appended, restored after Back, and replaced by another category, search or sort order', async () => {
    const visitor = await openShopper({ viewport: DESKTOP_VIEWPORT, reducedMotion: 'no-preference' })
    const { page } = visitor
    await page.route('**/Items.json', (route) => route.fulfill({ json: largeCatalogue }))
    const requests: string[] = []
    // Pictures and the favicon don't count, because the browser may fetch them again.
    page.on('request', (request) => {
      if (request.resourceType() !== 'image' && !request.url().endsWith('.svg')) requests.push(request.url())
    })
    await visit(visitor, '/about')
    await page.locator('.menu a[href="/products"]').click()
    await page.getByText(`${largeCatalogue.length} products, page 1 of ${PAGE_COUNT}`).waitFor()
    await waitForCards(page, 60)

    // The link must not scroll the page. It moves focus to the first new card and updates the URL and the count.
    await moreLink(page).focus()
    const before = await readScrollTop(page)
    const entries = await page.evaluate(() => history.length)
    await showMore(page, 120)
    expect(await readScrollTop(page)).toBe(before)
    expect(await focusedCard(page)).toEqual({ index: 60, link: '/product/61' })
    expect(await readCount(page)).toBe(
      `${largeCatalogue.length} products, 120 shown, pages 1 to 2 of ${PAGE_COUNT}`,
    )
    expect(page.url()).toMatch(/\/products\?page=2#products$/)
    expect(await page.title()).toBe(`Shop · Page 2 · ${brand.name}`)
    await showMore(page, 180)
    expect(await focusedCard(page)).toEqual({ index: 120, link: '/product/121' })
    expect(await page.getByRole('link', { name: 'Previous products' }).count()).toBe(0)
    expect(requests.filter((url) => url.endsWith('/Items.json'))).toHaveLength(1)
    expect(await page.evaluate(() => history.length)).toBe(entries)

    const link = cards(page).nth(150).getByRole('link')
    await link.scrollIntoViewIfNeeded()
    // Clicks with a script, because Playwright's `click()` may scroll first.
    const topBefore = await link.evaluate((element: HTMLElement) => {
      element.click()
      return scrollY
    })
    await page.waitForURL('**/product/151')
    // The carousel's script is the page's last request, so this waits for the carousel.
    await page.getByRole('button', { name: 'Pause carousel' }).waitFor()
    await page.waitForFunction(() => scrollY === 0)
    requests.length = 0
    await page.goBack()
    await waitForCards(page, 180)
    expect(await readScrollTop(page)).toBe(topBefore)
    expect(requests, 'requests on Back').toEqual([])

    // A reload keeps only the history, but Back must still restore the cards and the scroll position.
    await page.locator('.menu a[href="/contact"]').evaluate((contact: HTMLElement) => contact.click())
    await page.waitForURL('**/contact')
    await page.reload()
    await waitForHydration(page)
    await page.goBack()
    await waitForCards(page, 180)
    await page.waitForFunction((top) => scrollY === top, topBefore)

    await page.getByLabel('Sort by').selectOption('price-asc')
    await page.getByText(`lowest price first, page 1 of ${PAGE_COUNT}`).waitFor()
    expect(await cards(page).count()).toBe(60)
    await showMore(page, 120)
    await page.getByRole('link', { name: 'Clothing', exact: true }).click()
    await page.getByText(/^Clothing: .*lowest price first/).waitFor()
    expect(await cards(page).count()).toBeLessThanOrEqual(60)
    await page.goBack()
    await page.getByText(/^\d+ products, .*pages 1 to 2 of/).waitFor()
    expect(await cards(page).count()).toBe(120)
    await page.getByRole('searchbox').fill('cotton')
    await page.getByText(/results for “cotton”, lowest price first/).waitFor()
    expect(await cards(page).count()).toBeLessThanOrEqual(60)
    await page.goBack()
    await page.getByText(/^\d+ products, .*pages 1 to 2 of/).waitFor()
    expect(await cards(page).count()).toBe(120)
    expectNoConsoleErrors(visitor)
  })
})
