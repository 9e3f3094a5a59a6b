import { expect, it } from 'vitest'
import { violationsOn } from '#test/support/axe.ts'
import { cutTextsOn, motionsOn, sidewaysOn, smallTargetsOn, spaceText } from '#test/support/page-checks.ts'
import { DESKTOP, journeys, PHONE } from '#test/support/shopper.ts'
import { states } from '#test/support/states.ts'

const WIDTHS = [320, 360, 768, 1280, 1920]

journeys('every page, in every state,', () => {
  it.each(states)(
    'is accessible on a phone and a desktop, and never scrolls sideways: $name',
    async ({ arrive }) => {
      const { page } = await arrive()
      expect(await violationsOn(page), 'on a phone').toEqual([])
      expect(await smallTargetsOn(page), 'too small for a thumb').toEqual([])
      expect(await motionsOn(page), 'moves although the visitor asked for stillness').toEqual([])
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: PHONE.height })
        expect(await sidewaysOn(page), `${width} pixels wide`).toEqual([])
      }
      await page.setViewportSize(DESKTOP)
      expect(await violationsOn(page), 'on a desktop').toEqual([])
      await page.setViewportSize({ width: 320, height: PHONE.height })
      await spaceText(page)
      expect(await sidewaysOn(page), '320 pixels wide, text spaced out').toEqual([])
      expect(await cutTextsOn(page), 'text cut off where it is spaced out').toEqual([])
    },
  )
})
