import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  blockRequests,
  DESKTOP_VIEWPORT,
  journeys,
  openShopper,
  type Shopper,
  visit,
  waitForHydration,
} from '#test/support/shopper.ts'
import { openSignedInShopper, storedLine } from '#test/support/signed-in-shopper.ts'

const MAX_SHIFT = 0.02
const PHONE_WIDTH = 360
/** These pages have other layouts on wider screens, so they are also checked at these widths. */
const MORE_WIDTHS: Record<string, number[]> = {
  '/': [1280],
  '/products': [768, 1280, 1920],
  '/product/1': [1280],
  '/cart': [1280],
  '/checkout': [1280],
}
const LONG_WORD = 'Kindergartenbettwäschegarnitur'.repeat(2)

const PUBLIC_PATHS = ['/', '/products', '/product/999', '/about', '/contact', '/login']
const SIGNED_IN_PATHS = ['/cart', '/checkout', '/dashboard', '/product/1']

declare global {
  interface Window {
    shifts: { value: number; moved: string[] }[]
  }
}

type LayoutShift = PerformanceEntry & { value: number; sources: { node: Node | null }[] }

async function recordShifts({ page }: Shopper): Promise<void> {
  await page.addInitScript(() => {
    window.shifts = []
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as LayoutShift[]) {
        const moved = sources.map(({ node }) =>
          node instanceof Element ? `${node.tagName}.${node.className}` : String(node?.nodeName),
        )
        window.shifts.push({ value, moved })
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

/** Opens a page whose fonts and images arrive only after it has painted and hydrated. */
async function loadSlowly({ page }: Shopper, path: string): Promise<void> {
  const sendRest = await blockRequests(page, /\.(woff2|svg|avif|jpg|png)(\?|$)/)
  await page.goto(path, { waitUntil: 'commit' })
  await page.locator('footer').waitFor()
  await waitForPaint(page)
  // Input starts the scripts now. Otherwise they would wait for the load event, and so for the blocked files.
  await page.keyboard.press('Shift')
  await waitForHydration(page)
  await waitForPaint(page)
  sendRest()
  await page.waitForLoadState('load')
  await page.evaluate(() => document.fonts.ready)
  await waitForPaint(page)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
}

async function navigateSlowly({ page }: Shopper, path: string): Promise<void> {
  const sendCatalogue = await blockRequests(page, '/Items.json')
  await page.evaluate((to) => document.querySelector<HTMLElement>(`a[href="${to}"]`)?.click(), path)
  await page.locator('main :is(.line, .waiting)').first().waitFor()
  await page.evaluate(() => {
    window.shifts = []
  })
  sendCatalogue()
  await page.locator('main :is(.line, .waiting)').first().waitFor({ state: 'detached' })
  await page.evaluate(() =>
    Promise.all(Array.from(document.images, (image) => image.loading === 'lazy' || image.decode())),
  )
  await waitForPaint(page)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
}

/** After two frames, pending changes are painted. */
const waitForPaint = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))

async function expectNoShift({ page }: Shopper, label: string): Promise<void> {
  const shifts = await page.evaluate(() => window.shifts)
  const sum = shifts.reduce((total, { value }) => total + value, 0)
  expect(sum, `${label}: ${JSON.stringify(shifts)}`).toBeLessThanOrEqual(MAX_SHIFT)
}

async function expectNoShiftAtWidths(
  visitor: Shopper,
  path: string,
  open: () => Promise<void>,
  widths = MORE_WIDTHS[path] ?? [],
) {
  await recordShifts(visitor)
  for (const width of [PHONE_WIDTH, ...widths]) {
    await visitor.page.setViewportSize({ width, height: DESKTOP_VIEWPORT.height })
    await open()
    await expectNoShift(visitor, `${path}, ${width} pixels wide`)
  }
}

journeys('the layout', () => {
  it.each(PUBLIC_PATHS)('of %s doesn’t shift while slow fonts and images load', async (path) => {
    const visitor = await openShopper()
    await expectNoShiftAtWidths(visitor, path, () => loadSlowly(visitor, path))
  })

  it('of /login doesn’t shift when it says what is in the cart after a redirect', async () => {
    const cart = JSON.stringify([storedLine(0), storedLine(1), storedLine(2)])
    const visitor = await openShopper({ localStorage: { cart } })
    await expectNoShiftAtWidths(visitor, '/cart', async () => {
      await loadSlowly(visitor, '/cart')
      await visitor.page
        .getByText('Log in or register to open your cart. We’ve saved your 3 items.')
        .waitFor()
    })
  })

  it.each([
    ['/products', [DESKTOP_VIEWPORT.width]],
    ['/dashboard', []],
  ])('of %s doesn’t shift when the page is opened inside the app', async (path, widths) => {
    const visitor = await openSignedInShopper()
    const openFromAbout = async () => {
      await visit(visitor, '/about')
      await navigateSlowly(visitor, path)
    }
    await expectNoShiftAtWidths(visitor, path, openFromAbout, widths)
  })

  it.each(SIGNED_IN_PATHS)('of %s doesn’t shift for a signed-in shopper with a cart', async (path) => {
    const visitor = await openSignedInShopper({
      name: `Wanjiru ${LONG_WORD}`,
      cart: [storedLine(0, { title: LONG_WORD, qty: 12 }), storedLine(1), storedLine(2)],
    })
    await expectNoShiftAtWidths(visitor, path, () => loadSlowly(visitor, path))
  })
})
