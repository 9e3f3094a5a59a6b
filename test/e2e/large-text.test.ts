import { expect, it } from 'vitest'
import { cutTextsOn, sidewaysOn } from '#test/support/page-checks.ts'
import { DESKTOP, journeys, PHONE } from '#test/support/shopper.ts'
import { states } from '#test/support/states.ts'

/** Twice the usual, in pixels: the browser's own setting, which media queries follow too. */
const TWICE = { standard: 32, fixed: 26 }
/** One page of each kind, in the state with most on it. */
const NAMES = [
  'Home',
  'the Shop',
  'a product',
  'Contact with errors',
  'a filled cart',
  'checkout with errors',
]

journeys('text of twice its size', () => {
  it.each(states.filter(({ name }) => NAMES.includes(name)))(
    'cuts nothing and moves nothing out of view: $name',
    async ({ arrive }) => {
      const { page } = await arrive()
      const devtools = await page.context().newCDPSession(page)
      for (const size of [PHONE, DESKTOP]) {
        await page.setViewportSize(size)
        await devtools.send('Page.setFontSizes', { fontSizes: TWICE })
        const rootSize = await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)
        expect(rootSize).toBe('32px')
        expect(await sidewaysOn(page), `${size.width} px`).toEqual([])
        expect(await cutTextsOn(page), `${size.width} px`).toEqual([])
      }
    },
  )
})
