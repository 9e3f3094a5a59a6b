import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { matchRoute, routes } from '#shared/routes.ts'
import { listViolations } from '#test/support/axe.ts'
import {
  applyTextSpacing,
  listAnimations,
  listClippedText,
  listHorizontalOverflow,
  listSmallTargets,
} from '#test/support/page-checks.ts'
import { DESKTOP_VIEWPORT, journeys, PHONE_VIEWPORT, scrollTo, waitUntilTrue } from '#test/support/shopper.ts'
import { type Visit, visits } from '#test/support/states.ts'
import { listTabProblems } from '#test/support/tab-walk.ts'

/** The width at which WCAG 1.4.10 (reflow) requires pages not to scroll sideways. */
const SMALL_PHONE = 320
const WIDTHS = [768, 1920]
/** These states are also checked at double the text size. */
const IN_LARGE_TEXT = [
  'Home',
  'the Shop',
  'a product',
  'Contact with errors',
  'a filled cart, one line removed and another with a new price',
  'checkout with errors',
]
/** The doubled font sizes in pixels. They are browser settings, so media queries use them too. */
const DOUBLED_FONTS = { standard: 32, fixed: 26 }
const DEFAULT_FONTS = { standard: 16, fixed: 13 }
/** All pages share these parts. They are checked only in a page's first state and in states with `hasChangedFrame`. */
const FRAME_SELECTORS = ['.bar', 'footer']

/** Matches errors that the browser and the shop log (§ 8) in some of the states. */
const FAILURE_PATTERN =
  /^Failed to load resource: the server responded with a status of (400|404|409|500|503)|^Failed to fetch products$|^Checkout submission failed/

it('test/support/states.ts has a state for every page', () => {
  const visited = visits.map(({ path }) => matchRoute(path.replace(/[?#].*/, '')).name)
  expect(new Set(visited)).toEqual(new Set([...Object.keys(routes), 'notFound']))
})

it('test/support/states.ts has the states that are checked in large text', () => {
  const all = visits.flatMap(({ states }) => states.map(({ name }) => name))
  expect(all).toEqual(expect.arrayContaining(IN_LARGE_TEXT))
})

const formatStateNames = ({ states }: Visit) => states.map(({ name }) => name).join('; ')

journeys('a page in each of its states', () => {
  it.each(visits.map((visit) => [formatStateNames(visit), visit] as const))(
    'is accessible on phone and desktop and by keyboard, and never scrolls sideways: %s',
    async (_, visit) => {
      const { page, consoleErrors } = await visit.openPage()
      const isFirstVisit = visits.find(({ path }) => path === visit.path) === visit
      for (const [index, { name, action, hasChangedFrame }] of visit.states.entries()) {
        const isFirst = isFirstVisit && index === 0
        await action?.(page)
        await expectState(page, name, { isWhole: hasChangedFrame ?? isFirst })
        if (isFirst) await expectFirstState(page, name)
        if (IN_LARGE_TEXT.includes(name)) await expectNoCutLargeText(page, name)
      }
      expect(consoleErrors.filter((line) => !FAILURE_PATTERN.test(line))).toEqual([])
    },
  )
})

async function expectFits(page: Page, name: string, width: number): Promise<void> {
  await page.setViewportSize({
    width,
    height: width < DESKTOP_VIEWPORT.width ? PHONE_VIEWPORT.height : DESKTOP_VIEWPORT.height,
  })
  expect(await listHorizontalOverflow(page), `${name}: ${width} pixels wide`).toEqual([])
}

async function expectFirstState(page: Page, name: string): Promise<void> {
  for (const width of WIDTHS) await expectFits(page, name, width)
  await expectFits(page, name, PHONE_VIEWPORT.width)
  expect(await listTabProblems(page), `${name}: by keyboard, on a phone`).toEqual([])
}

/**
 * Checks a state at only two widths, because each change of width causes a new layout. Leaves the page at phone width
 * for the next state.
 */
async function expectState(page: Page, name: string, { isWhole }: { isWhole: boolean }): Promise<void> {
  const exclude = isWhole ? [] : FRAME_SELECTORS
  await expectFits(page, name, DESKTOP_VIEWPORT.width)
  // The menu closes a frame after the screen has become wider.
  await waitUntilTrue(page, () => !document.querySelector('.menu:popover-open'))
  // At the top, the bar doesn't cover elements, so the check includes all of them.
  await scrollTo(page, 0)
  expect(await listViolations(page, { exclude }), `${name}: on a desktop`).toEqual([])
  expect(
    await listTabProblems(page, isWhole ? 'body' : 'main'),
    `${name}: by keyboard, on a desktop`,
  ).toEqual([])
  await expectFits(page, name, SMALL_PHONE)
  await scrollTo(page, 0)
  expect(await listViolations(page, { exclude }), `${name}: on a phone`).toEqual([])
  expect(await listSmallTargets(page), `${name}: too small for a thumb`).toEqual([])
  expect(await listAnimations(page), `${name}: animations under reduced motion`).toEqual([])
  await applyTextSpacing(page)
  expect(await listHorizontalOverflow(page), `${name}: text spaced out`).toEqual([])
  expect(await listClippedText(page), `${name}: text cut off where it is spaced out`).toEqual([])
  await page.evaluate(() => {
    document.adoptedStyleSheets = []
  })
}

const readRootFontSize = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).fontSize)

const listOverflow = (page: Page) =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll('.bar *, .shop__head *'))
      .filter((element) => element.checkVisibility() && !element.closest('.visually-hidden'))
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => `${element.tagName} .${element.className}`),
  )

const countHeadingLines = (page: Page) =>
  page.locator('h1').evaluate((heading) => {
    const range = document.createRange()
    range.selectNodeContents(heading)
    return range.getClientRects().length
  })

async function expectNoCutLargeText(page: Page, name: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  try {
    await devtools.send('Page.setFontSizes', { fontSizes: DOUBLED_FONTS })
    expect(await readRootFontSize(page)).toBe('32px')
    for (const size of [DESKTOP_VIEWPORT, PHONE_VIEWPORT]) {
      const label = `${name} in large text, ${size.width} pixels wide`
      await page.setViewportSize(size)
      expect(await listHorizontalOverflow(page), label).toEqual([])
      expect(await listClippedText(page), label).toEqual([])
      expect(await listOverflow(page), label).toEqual([])
      if (name === 'the Shop')
        expect(await countHeadingLines(page), `${label}: the heading breaks no word`).toBeLessThanOrEqual(3)
    }
  } finally {
    // The next tests use the same page.
    await devtools.send('Page.setFontSizes', { fontSizes: DEFAULT_FONTS })
  }
  expect(await readRootFontSize(page)).toBe('16px')
}
