import { SCROLL_EXCLUDED_PATHS } from '#shared/rules/navigation.ts'
import type { View } from './page.ts'

/** Id of the element that holds the page, focused after a route change. */
export const MAIN_ID = 'main'

/**
 * Scrolls and moves focus once a view stands (§ 2): to the element the hash names; else back to where the
 * shopper was, or smoothly to the top with focus on the page. `previous` is the view before it.
 */
export function arrive({ place, arrival }: View, previous: View | null): void {
  const target = place.hash ? document.getElementById(decodeHash(place.hash)) : null
  if (arrival.kind === 'back') {
    window.scrollTo({ top: arrival.scrollY, behavior: 'instant' })
  } else if (target) {
    target.scrollIntoView()
    focusOn(target)
  } else if (arrival.kind === 'forward' && previous?.place.pathname !== place.pathname) {
    focusOn(document.getElementById(MAIN_ID))
    if (!SCROLL_EXCLUDED_PATHS.includes(place.pathname))
      window.scrollTo({ top: 0, behavior: smoothUnlessReduced() })
  }
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
