import type { View } from './page.ts'

/** Paths on which a route change leaves the scroll position alone (§ 2). */
const SCROLL_EXCLUDED_PATHS: readonly string[] = []
/** Id of the element that holds the page, focused after a route change. */
export const MAIN_ID = 'main'
/** Id of the first thing that was added to a page, focused then. */
export const ADDED_ID = 'added'

/**
 * Scrolls and moves focus once a view stands (§ 2): to the element the hash names; else back to where the
 * shopper was, or smoothly to the top with focus on the page. What was added to a page has the focus, and nothing
 * moves. `previous` is the view before it.
 */
export function arrive(
  { place, arrival }: View,
  previous: View | null,
  excludedPaths = SCROLL_EXCLUDED_PATHS,
): void {
  const isRouteChange = previous !== null && previous.place.pathname !== place.pathname
  if (isRouteChange) focusOn(document.getElementById(MAIN_ID))
  if ('scrollY' in arrival) {
    // On a load the browser has mostly restored the position by itself, long before this script ran.
    if (arrival.kind === 'return' || window.scrollY === 0) jumpTo(arrival.scrollY)
    return
  }
  const isMore = arrival.kind === 'more'
  const target = document.getElementById(isMore ? ADDED_ID : decodeHash(place.hash))
  if (target) {
    if (!isMore) target.scrollIntoView()
    focusOn(target)
  } else if (arrival.kind === 'again' || (isRouteChange && !excludedPaths.includes(place.pathname))) {
    window.scrollTo({ top: 0, behavior: isStill() ? 'instant' : 'smooth' })
  }
}

function jumpTo(top = 0): void {
  window.scrollTo({ top, behavior: 'instant' })
}

function focusOn(element: HTMLElement | null): void {
  if (!element) return
  element.focus({ preventScroll: true })
  if (document.activeElement === element) return
  // Headings and sections take focus only when told that they may.
  element.tabIndex = -1
  element.focus({ preventScroll: true })
}

/** Whether the shopper wants nothing to move. */
export function isStill(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

function decodeHash(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1))
  } catch {
    return hash.slice(1)
  }
}
