import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { cutTextsOn, sidewaysOn } from '#test/support/page-checks.ts'
import { DESKTOP, journeys, PHONE } from '#test/support/shopper.ts'
import { visits } from '#test/support/states.ts'

/** Twice the usual, in pixels: the browser's own setting, which media queries follow too. */
const TWICE = { standard: 32, fixed: 26 }
const USUAL = { standard: 16, fixed: 13 }
/** One page of each kind, in the state with most on it. */
const NAMES = [
  'Home',
  'the Shop',
  'a product',
  'Contact with errors',
  'a filled cart, one line removed and another with a new price',
  'checkout with errors',
]

const rootSizeOf = (page: Page) => page.evaluate(() => getComputedStyle(document.documentElement).fontSize)

/** Comes to a state by the visit that goes through it. */
async function arriveAt(name: string): Promise<Page> {
  const visit = visits.find(({ states }) => states.some((state) => state.name === name))
  if (!visit) throw new Error(`test/support/states.ts has no state "${name}".`)
  const { page } = await visit.arrive()
  for (const state of visit.states) {
    await state.act?.(page)
    if (state.name === name) break
  }
  return page
}

/** What of the bar and the Shop's head sticks out of the screen, be it cut off. */
const outsideOn = (page: Page) =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll('.bar *, .shop__head *'))
      .filter((element) => element.checkVisibility() && !element.closest('.visually-hidden'))
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => `${element.tagName} .${element.className}`),
  )

journeys('text of twice its size', () => {
  it.each(NAMES)('cuts nothing and moves nothing out of view: %s', async (name) => {
    const page = await arriveAt(name)
    const devtools = await page.context().newCDPSession(page)
    try {
      for (const size of [PHONE, DESKTOP]) {
        await page.setViewportSize(size)
        await devtools.send('Page.setFontSizes', { fontSizes: TWICE })
        expect(await rootSizeOf(page)).toBe('32px')
        expect(await sidewaysOn(page), `${size.width} px`).toEqual([])
        expect(await cutTextsOn(page), `${size.width} px`).toEqual([])
        expect(await outsideOn(page), `${size.width} px`).toEqual([])
        if (name === 'the Shop') {
          const lines = await page.locator('.shop__head h1').evaluate((heading) => {
            const range = document.createRange()
            range.selectNodeContents(heading)
            return range.getClientRects().length
          })
          expect(lines, 'the heading breaks no word').toBeLessThanOrEqual(3)
        }
      }
    } finally {
      // The next tests have the page, too.
      await devtools.send('Page.setFontSizes', { fontSizes: USUAL })
    }
    expect(await rootSizeOf(page)).toBe('16px')
  })
})
