import type { Page } from 'playwright-core'

const MOST_STOPS = 60

/** The element that has the focus, and what is wrong with how it shows; null when none has. */
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

/** Puts the keyboard before the page's first stop, unless a dialog holds it. How many stops there are from there. */
const startOn = (page: Page) =>
  page.evaluate(() => {
    const start = document.createElement('span')
    start.tabIndex = -1
    document.body.insertBefore(start, document.body.firstChild)
    start.focus()
    start.remove()
    const stops = (document.querySelector('dialog:modal') ?? document).querySelectorAll<HTMLElement>(
      'a[href], button:enabled, input:enabled:not([type=hidden]), select:enabled, textarea:enabled',
    )
    return Array.from(stops).filter(
      (stop) => stop.checkVisibility() && stop.tabIndex >= 0 && !stop.closest('[inert]'),
    ).length
  })

/** Goes through the page with Tab alone, or through its first stops: what is hidden, not marked, never reached, or too many. */
export async function tabProblemsOn(page: Page): Promise<string[]> {
  const all = await startOn(page)
  const stops = Math.min(all, MOST_STOPS)
  const names: string[] = []
  const problems: string[] = []
  for (let stop = 0; stop < stops; stop++) {
    await page.keyboard.press('Tab')
    const focus = await focusOn(page)
    if (!focus) {
      problems.push(`left after ${names.length} of ${stops} stops, the last ${names.at(-1)}`)
      break
    }
    if (focus.name === names.at(-1)) problems.push(`stuck: ${focus.name}`)
    names.push(focus.name)
    problems.push(...focus.problems.map((problem) => `${problem}: ${focus.name}`))
  }
  if (stops < all) return problems
  await page.keyboard.press('Tab')
  const beyond = await focusOn(page)
  if (beyond && beyond.name !== names[0]) problems.push(`one too many: ${beyond.name}`)
  return problems
}
