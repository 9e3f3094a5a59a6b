import type { View } from './page.ts'

/** Paths that a route change opens without scrolling to the top (§ 2). */
const SCROLL_EXCLUDED_PATHS: readonly string[] = []
export const MAIN_ID = 'main'
export const APPENDED_ID = 'appended'

/** Scrolls and moves focus after a navigation (§ 2). */
export function scrollAndFocus(
  { location, navigationType }: View,
  previous: View | null,
  restoreScroll = () => {},
  excludedPaths = SCROLL_EXCLUDED_PATHS,
): void {
  const isRouteChange = previous !== null && previous.location.pathname !== location.pathname
  if (isRouteChange) focusElement(document.getElementById(MAIN_ID))
  switch (navigationType) {
    case 'traverse':
      restoreScroll()
      break
    case 'reload':
      break
    case 'append':
      focusElement(document.getElementById(APPENDED_ID))
      break
    default: {
      const target = document.getElementById(decodeHash(location.hash))
      const isTop = isRouteChange ? !excludedPaths.includes(location.pathname) : isSameUrl(location, previous)
      target?.closest('details')?.setAttribute('open', '')
      target?.scrollIntoView()
      focusElement(target)
      if (!target && isTop) {
        // The redirecting page may still be scrolling smoothly to the top, and browsers would drop a second smooth
        // scroll.
        const isRedirect = isRouteChange && navigationType === 'replace'
        // Firefox drops a smooth scroll if the page has just jumped and become shorter.
        window.scrollTo({ top: window.scrollY })
        window.scrollTo({ top: 0, behavior: isRedirect || prefersReducedMotion() ? 'instant' : 'smooth' })
      }
    }
  }
}

function focusElement(element: HTMLElement | null): void {
  if (!element) return
  element.focus({ preventScroll: true })
  if (document.activeElement === element) return
  // Headings and sections can only be focused if they have a tabindex.
  element.tabIndex = -1
  element.focus({ preventScroll: true })
}

export function isSameUrl({ search, pathname, hash }: View['location'], previous: View | null): boolean {
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
