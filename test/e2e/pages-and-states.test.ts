import { expect, it } from 'vitest'
import { matchRoute, routes } from '#shared/routes.ts'
import { violationsOn } from '#test/support/axe.ts'
import { cutTextsOn, motionsOn, sidewaysOn, smallTargetsOn, spaceText } from '#test/support/page-checks.ts'
import { DESKTOP, journeys, PHONE } from '#test/support/shopper.ts'
import { states } from '#test/support/states.ts'
import { tabProblemsOn } from '#test/support/tab-walk.ts'

const WIDTHS = [320, 360, 768, 1280, 1920]

/** What the browser says of an answer with an error, and the shop of its own (§ 8): a state may be about just that. */
const FAILURE =
  /^Failed to load resource: the server responded with a status of (400|404|500|503)|^Failed to fetch products$|^Checkout submission failed/

it('test/support/states.ts has a state of every page', () => {
  const visited = states.map(({ address }) => matchRoute(address.replace(/[?#].*/, '')).name)
  expect(new Set(visited)).toEqual(new Set([...Object.keys(routes), 'notFound']))
})

journeys('every page, in every state,', () => {
  it.each(states)(
    'is accessible on a phone and a desktop, by keyboard alone too, and never scrolls sideways: $name',
    async ({ arrive, name, address }) => {
      const { page, complaints } = await arrive()
      expect(await violationsOn(page), 'on a phone').toEqual([])
      expect(await smallTargetsOn(page), 'too small for a thumb').toEqual([])
      expect(await motionsOn(page), 'moves although the visitor asked for stillness').toEqual([])
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: PHONE.height })
        expect(await sidewaysOn(page), `${width} pixels wide`).toEqual([])
      }
      await page.setViewportSize(DESKTOP)
      // The colours of a page do not change with its state there; on a phone they are measured in each.
      const contrast = states.find((state) => state.address === address)?.name === name
      expect(await violationsOn(page, { contrast }), 'on a desktop').toEqual([])
      await page.setViewportSize({ width: 320, height: PHONE.height })
      await spaceText(page)
      expect(await sidewaysOn(page), '320 pixels wide, text spaced out').toEqual([])
      expect(await cutTextsOn(page), 'text cut off where it is spaced out').toEqual([])
      for (const viewport of [DESKTOP, PHONE]) {
        await page.setViewportSize(viewport)
        expect(await tabProblemsOn(page), `by keyboard, ${viewport.width} pixels wide`).toEqual([])
      }
      expect(complaints.filter((line) => !FAILURE.test(line))).toEqual([])
    },
  )
})
