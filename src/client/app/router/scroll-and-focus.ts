import type { View } from './page.ts'

/** Paths on which a route change leaves the scroll position alone (§ 2). */
const SCROLL_EXCLUDED_PATHS: readonly string[] = []
/** Id of the element that holds the page, focused after a route change. */
export const MAIN_ID = 'main'
/** Id of the first item that was appended to a page, focused then. */
export const APPENDED_ID = 'appended'

/**
 * Scrolls and moves focus once a view is in the document (§ 2): to the element that the hash names, else smoothly to
 * the top with focus on the page. Appended items get the focus without scrolling; `restoreScroll` takes the place of
 * scrolling on back and forward. `previous` is the view before.
 */
export function scrollAndFocus(
  { location, navigationType }: View,
  previous: View | null,
  restoreScroll = () => {},
  excludedPaths = SCROLL_EXCLUDED_PATHS,
): void {
  const isRouteChange = previous !== null && previous.location.pathname !== location.pathname
  if (isRouteChange) focus(document.getElementById(MAIN_ID))
  switch (navigationType) {
    case 'traverse':
      restoreScroll()
      break
    case 'reload':
      // The browser restores the scroll position of a document that is reloaded or returned to.
      break
    case 'append':
      focus(document.getElementById(APPENDED_ID))
      break
    default: {
      const target = document.getElementById(decodeHash(location.hash))
      const isTop = isRouteChange
        ? !excludedPaths.includes(location.pathname)
        : isSameAddress(location, previous)
      target?.scrollIntoView()
      focus(target)
      if (!target && isTop)
        window.scrollTo({ top: 0, behavior: prefersReducedMotion() ? 'instant' : 'smooth' })
    }
  }
}

function focus(element: HTMLElement | null): void {
  if (!element) return
  element.focus({ preventScroll: true })
  if (document.activeElement === element) return
  // Headings and sections are focusable only with a tabindex.
  element.tabIndex = -1
  element.focus({ preventScroll: true })
}

/** Whether a view follows another at the very same address: its link was followed on the page itself. */
export function isSameAddress({ search, pathname, hash }: View['location'], previous: View | null): boolean {
  return (
    previous?.location.pathname === pathname &&
    previous.location.search.toString() === search.toString() &&
    previous.location.hash === hash
  )
}

export function prefersReducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

function decodeHash(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1))
  } catch {
    return hash.slice(1)
  }
}
