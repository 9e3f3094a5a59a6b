import type { Page } from 'playwright-core'

/** Only the first Tab stops of a long page are checked, to save time. */
const MAX_STOPS = 30
const TAB = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 }

/** Null if nothing was focused. */
type Stop = { name: string; problems: string[] } | null

declare global {
  interface Window {
    stops: Stop[]
    recordStop: () => void
  }
}

/** Moves focus to the start of `from`, unless a dialog traps it. Returns the number of tab stops. */
const startTabWalk = (page: Page, from: 'body' | 'main') =>
  page.evaluate((from) => {
    const describeStop = () => {
      const element = document.activeElement
      if (!element || element === document.body) return null
      const name = element.outerHTML.slice(0, 100)
      const box = element.getBoundingClientRect()
      const points = [0.1, 0.5, 0.9].flatMap((x) =>
        [0.15, 0.5, 0.85].map((y) =>
          document.elementFromPoint(box.x + box.width * x, box.y + box.height * y),
        ),
      )
      const isVisible = points.some(
        (spot) => spot !== null && (element.contains(spot) || spot.contains(element)),
      )
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element)
      const hasFocusRing =
        outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2 && !/, 0\)$/.test(outlineColor)
      return {
        name,
        problems: [...(isVisible ? [] : ['hidden']), ...(hasFocusRing ? [] : ['no focus ring'])],
      }
    }
    window.stops = []
    removeEventListener('keyup', window.recordStop, true)
    window.recordStop = () => window.stops.push(describeStop())
    addEventListener('keyup', window.recordStop, true)

    const start = document.createElement('span')
    start.tabIndex = -1
    const root = document.querySelector(from)
    root?.insertBefore(start, root.firstChild)
    start.focus()
    const dialog = document.querySelector('dialog:modal')
    const stops = (dialog ?? document).querySelectorAll<HTMLElement>(
      'a[href], button:enabled, input:enabled:not([type=hidden]), select:enabled, textarea:enabled, summary',
    )
    // A radio group has a single tab stop: the checked button, or the first one.
    const count = Array.from(stops).filter(
      (stop) =>
        (dialog || start.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING) &&
        stop.checkVisibility() &&
        stop.tabIndex >= 0 &&
        !stop.closest('[inert]') &&
        !stop.matches('[type=radio]:not(:checked, label:first-child > :indeterminate)'),
    ).length
    start.remove()
    return count
  }, from)

/** Sends all presses at once. The browser handles them in order. */
async function pressTab(page: Page, times: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const presses = Array.from({ length: times }, () => [
    devtools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...TAB }),
    devtools.send('Input.dispatchKeyEvent', { type: 'keyUp', ...TAB }),
  ])
  await Promise.all(presses.flat())
  await devtools.detach()
}

/** Lists stops that are hidden or have no focus ring, and deviations from the expected number of stops. */
export async function listTabProblems(page: Page, from: 'body' | 'main' = 'body'): Promise<string[]> {
  const all = await startTabWalk(page, from)
  const count = Math.min(all, MAX_STOPS)
  await pressTab(page, all > count ? count : count + 1)
  const recorded = await page.evaluate(() => window.stops)
  const problems: string[] = []
  let last: string | undefined
  for (const [index, stop] of recorded.slice(0, count).entries()) {
    if (!stop) return [...problems, `left after ${index} of ${count} stops, the last ${last}`]
    if (stop.name === last) problems.push(`stuck: ${stop.name}`)
    problems.push(...stop.problems.map((problem) => `${problem}: ${stop.name}`))
    last = stop.name
  }
  if (recorded.length < count)
    problems.push(`recorded ${recorded.length} of ${count} Tab presses, the last at ${last}`)
  const beyond = recorded[count]
  if (beyond && beyond.name !== recorded[0]?.name) problems.push(`one too many: ${beyond.name}`)
  return problems
}
