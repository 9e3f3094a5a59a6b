import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { violationsOn } from '#test/support/axe.ts'
import { DESKTOP, journeys, PHONE } from '#test/support/shopper.ts'
import { states } from '#test/support/states.ts'

const WIDTHS = [320, 360, 768, 1280, 1920]

/** What sticks out of the page to its right; nothing on a page that cannot be scrolled sideways. */
const sidewaysOn = (page: Page) =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    return Array.from(document.querySelectorAll('#root *'))
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      .map((element) => `${element.tagName} .${element.className}`)
      .concat(`${scrollWidth} of ${clientWidth}`)
  })

journeys('every page, in every state,', () => {
  it.each(states)(
    'is accessible, on a phone and a desktop, and never scrolls sideways: $name',
    async ({ arrive }) => {
      const { page } = await arrive()
      expect(await violationsOn(page), 'on a phone').toEqual([])
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: PHONE.height })
        expect(await sidewaysOn(page), `${width} pixels wide`).toEqual([])
      }
      await page.setViewportSize(DESKTOP)
      expect(await violationsOn(page), 'on a desktop').toEqual([])
      await page.context().close()
    },
  )
})
