import { SCROLL_EXCLUDED_PATHS } from '#shared/rules/navigation.ts'
import type { View } from './page.ts'

/** Id of the element that holds the page, focused after a route change. */
export const MAIN_ID = 'main'

/**
 * Scrolls and moves focus once a view stands (§ 2): to the element the hash names; else back to where the
 * shopper was, or smoothly to the top with focus on the page. `previous` is the view before it.
 */
export function arrive({ place, arrival }: View, previous: View | null): void {
  const isRouteChange = previous !== null && previous.place.pathname !== place.pathname
  if (isRouteChange) focusOn(document.getElementById(MAIN_ID))
  if ('scrollY' in arrival) {
    // On a load the browser has mostly restored the position by itself, long before this script ran.
    if (arrival.kind === 'return' || window.scrollY === 0) jumpTo(arrival.scrollY)
    return
  }
  const target = place.hash ? document.getElementById(decodeHash(place.hash)) : null
  if (target) {
    target.scrollIntoView()
    focusOn(target)
  } else if (arrival.kind === 'again' || (isRouteChange && !SCROLL_EXCLUDED_PATHS.includes(place.pathname))) {
    window.scrollTo({ top: 0, behavior: smoothUnlessReduced() })
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

function smoothUnlessReduced(): ScrollBehavior {
  return matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth'
}

function decodeHash(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1))
  } catch {
    return hash.slice(1)
  }
}
