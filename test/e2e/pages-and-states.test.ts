import { expect, it } from 'vitest'
import { matchRoute, routes } from '#shared/routes.ts'
import { violationsOn } from '#test/support/axe.ts'
import { cutTextsOn, motionsOn, sidewaysOn, smallTargetsOn, spaceText } from '#test/support/page-checks.ts'
import { DESKTOP, journeys, PHONE, scrollTo } from '#test/support/shopper.ts'
import { states } from '#test/support/states.ts'
import { tabProblemsOn } from '#test/support/tab-walk.ts'

/** Besides a phone's and a desktop's, for one state of each page. */
const WIDTHS = [768, 1920]
/** What the states of one page share; one of them is enough on a desktop. */
const FRAME = ['.bar', 'footer']

/** What the browser says of an answer with an error, and the shop of its own (§ 8): a state may be about just that. */
const FAILURE =
  /^Failed to load resource: the server responded with a status of (400|404|409|500|503)|^Failed to fetch products$|^Checkout submission failed/

it('test/support/states.ts has a state of every page', () => {
  const visited = states.map(({ address }) => matchRoute(address.replace(/[?#].*/, '')).name)
  expect(new Set(visited)).toEqual(new Set([...Object.keys(routes), 'notFound']))
})

journeys('every page, in every state,', () => {
  it.each(states)(
    'is accessible on a phone and a desktop, by keyboard alone too, and never scrolls sideways: $name',
    async ({ arrive, name, address }) => {
      const { page, complaints } = await arrive()
      const expectFits = async (viewport: { width: number; height: number }) => {
        await page.setViewportSize(viewport)
        expect(await sidewaysOn(page), `${viewport.width} pixels wide`).toEqual([])
      }
      const isFirst = states.find((state) => state.address === address)?.name === name
      const expectKeyboard = async (where: string) =>
        expect(await tabProblemsOn(page), `by keyboard, on a ${where}`).toEqual([])
      // Each change of the size lays the page out and paints it anew: as few as there are sizes.
      await expectFits(PHONE)
      expect(await violationsOn(page), 'on a phone').toEqual([])
      expect(await smallTargetsOn(page), 'too small for a thumb').toEqual([])
      expect(await motionsOn(page), 'moves although the visitor asked for stillness').toEqual([])
      for (const width of isFirst ? WIDTHS : []) await expectFits({ width, height: PHONE.height })
      await expectFits(DESKTOP)
      // What the bar half covers where a state has scrolled to is not what this is about.
      await scrollTo(page, 0)
      expect(await violationsOn(page, { exclude: isFirst ? [] : FRAME }), 'on a desktop').toEqual([])
      await expectKeyboard('desktop')
      await expectFits({ width: 320, height: PHONE.height })
      if (isFirst) await expectKeyboard('phone')
      await spaceText(page)
      expect(await sidewaysOn(page), '320 pixels wide, text spaced out').toEqual([])
      expect(await cutTextsOn(page), 'text cut off where it is spaced out').toEqual([])
      expect(complaints.filter((line) => !FAILURE.test(line))).toEqual([])
    },
  )
})
