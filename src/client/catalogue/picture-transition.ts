import { flushSync } from 'react-dom'
import { savesData } from '#client/app/boot.ts'
import type { StartViewTransition } from '#client/app/router/page.ts'
import { prefersReducedMotion } from '#client/app/router/scroll-and-focus.ts'

const TRANSITION_NAME = 'product-picture'
/** How long the browser may take to capture the page before the transition is skipped; the shopper waits meanwhile. */
const CAPTURE_MS = 50

/**
 * Renders a product's page in a view transition that moves its picture there from the card that was followed. Not
 * where the browser has no view transitions or is slow, for visitors who prefer reduced motion or save data, when the
 * card is not on the screen, nor when the page also has to scroll to its top (§ 2).
 */
export const startPictureTransition: StartViewTransition = (pathname, render) => {
  if (!document.startViewTransition || scrollY > 0 || prefersReducedMotion() || savesData()) return false
  const before = visiblePicture(`li:has(a[href="${pathname}"]) img`)
  if (!before) return false

  const root = document.documentElement
  let after: HTMLImageElement | undefined
  root.dataset.viewTransition = TRANSITION_NAME
  before.style.viewTransitionName = TRANSITION_NAME
  const transition = document.startViewTransition(() => {
    clearTimeout(deadline)
    before.style.viewTransitionName = ''
    flushSync(render)
    after = visiblePicture('article img')
    if (!after) return
    after.style.viewTransitionName = TRANSITION_NAME
    // Until its own width is loaded.
    after.style.background = `url("${before.currentSrc}") 50% / cover`
  })
  const deadline = setTimeout(() => transition.skipTransition(), CAPTURE_MS)
  const end = () => {
    if (after) after.style.viewTransitionName = ''
    delete root.dataset.viewTransition
  }
  transition.finished.then(end, end)
  // A transition that is skipped rejects these; that is no error.
  transition.ready.catch(() => {})
  transition.updateCallbackDone.catch(() => {})
  return true
}

/** The first match in the page that is on the screen. */
function visiblePicture(selector: string): HTMLImageElement | undefined {
  return Array.from(document.querySelectorAll<HTMLImageElement>(`main ${selector}`)).find((picture) => {
    const { top, bottom, left, right } = picture.getBoundingClientRect()
    return bottom > 0 && top < innerHeight && right > 0 && left < innerWidth
  })
}
