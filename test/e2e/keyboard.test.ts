import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { DESKTOP, journeys, PHONE, type Shopper, shopper, visit } from '#test/support/shopper.ts'
import { signedInShopper, storedLine } from '#test/support/signed-in-shopper.ts'

const MOST_STOPS = 90

/** The element that has the focus, and what is wrong with how it shows. */
const focusOn = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement
    if (!element || element === document.body) return null
    const name = element.outerHTML.slice(0, 100)
    const box = element.getBoundingClientRect()
    const spots = [0.1, 0.5, 0.9].flatMap((x) =>
      [0.15, 0.5, 0.85].map((y) => document.elementFromPoint(box.x + box.width * x, box.y + box.height * y)),
    )
    const isSeen = spots.some((spot) => spot !== null && (element.contains(spot) || spot.contains(element)))
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element)
    const isMarked =
      outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2 && !/, 0\)$/.test(outlineColor)
    return { name, problems: [...(isSeen ? [] : ['hidden']), ...(isMarked ? [] : ['not marked'])] }
  })

/** Walks the whole page with Tab; what is wrong at each stop, and the stops. */
async function walk({ page }: Shopper) {
  const stops: string[] = []
  const problems: string[] = []
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await page.keyboard.press('Tab')
    const focus = await focusOn(page)
    if (!focus || (stop > 0 && focus.name === stops[0])) break
    stops.push(focus.name)
    problems.push(...focus.problems.map((problem) => `${problem}: ${focus.name}`))
  }
  return { stops, problems }
}

/** How many stops the page's own order has, the menu of phones left out while it is closed. */
const reachable = (page: Page) =>
  page.evaluate(
    () =>
      Array.from(
        document.querySelectorAll<HTMLElement>('a[href], button, input:not([type=hidden]), select, textarea'),
      ).filter(
        (element) =>
          element.checkVisibility() && element.tabIndex >= 0 && !('disabled' in element && element.disabled),
      ).length,
  )

const PAGES = [
  '/',
  '/products?category=Toys',
  '/product/1',
  '/about',
  '/contact',
  '/login',
  '/register',
  '/nowhere',
]

journeys('by keyboard alone', () => {
  it.each(PAGES.flatMap((address) => [PHONE, DESKTOP].map((viewport) => ({ address, viewport }))))(
    'every stop on $address is seen, marked and reached, $viewport.width pixels wide',
    async ({ address, viewport }) => {
      const visitor = await shopper({ viewport, reducedMotion: 'reduce' })
      await visit(visitor, address)
      if (address === '/') await visitor.page.keyboard.press('Escape')
      const count = await reachable(visitor.page)
      const { stops, problems } = await walk(visitor)
      expect(problems).toEqual([])
      expect(stops.length).toBe(count)
    },
  )

  it.each(['/cart', '/checkout', '/dashboard'])(
    'every stop on %s is seen, marked and reached',
    async (address) => {
      const cart = [storedLine(0, { qty: 2 }), storedLine(1), storedLine(2)]
      const visitor = await signedInShopper({ cart, reducedMotion: 'reduce' })
      await visit(visitor, address)
      await visitor.page.locator('main :is(.button, .icon-button)').first().waitFor()
      const { stops, problems } = await walk(visitor)
      expect(problems).toEqual([])
      expect(stops.length).toBeGreaterThan(5)
    },
  )

  it('the question before removing a line holds the focus, and gives it back', async () => {
    const visitor = await signedInShopper({ cart: [storedLine(0), storedLine(1)] })
    const { page } = visitor
    await visit(visitor, '/cart')
    const remove = page.getByRole('button', { name: /^Remove/ }).first()
    await remove.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Remove Item' })
    await dialog.waitFor()
    for (let i = 0; i < 6; i++) {
      await page.keyboard.press('Tab')
      const isOutside = await page.evaluate(() => {
        const focus = document.activeElement
        return focus !== document.body && focus?.closest('dialog') === null
      })
      expect(isOutside).toBe(false)
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect(await remove.evaluate((button) => button === document.activeElement)).toBe(true)
  })
})
