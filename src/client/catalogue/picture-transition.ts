import { flushSync } from 'react-dom'
import { savesData } from '#client/app/boot.ts'
import type { StartViewTransition } from '#client/app/router/page.ts'
import { prefersReducedMotion } from '#client/app/router/scroll-and-focus.ts'

const TRANSITION_NAME = 'product-picture'
/** Capturing the page delays the navigation, so the transition is skipped if capturing takes longer than this. */
const CAPTURE_MS = 50

/** A scrolled page isn't animated, because the router scrolls to the top (§ 2). */
export const startPictureTransition: StartViewTransition = (pathname, render) => {
  if (!document.startViewTransition || scrollY > 0 || prefersReducedMotion() || savesData()) return false
  const cardPicture = findVisiblePicture(`li:has(a[href="${pathname}"]) img`)
  if (!cardPicture) return false

  const root = document.documentElement
  let pagePicture: HTMLImageElement | undefined
  root.dataset.viewTransition = TRANSITION_NAME
  cardPicture.style.viewTransitionName = TRANSITION_NAME
  const transition = document.startViewTransition(() => {
    clearTimeout(deadline)
    cardPicture.style.viewTransitionName = ''
    flushSync(render)
    pagePicture = findVisiblePicture('article img')
    if (!pagePicture) return
    pagePicture.style.viewTransitionName = TRANSITION_NAME
    // The card's picture fills the space until the page's own picture has loaded.
    pagePicture.style.background = `url("${cardPicture.currentSrc}") 50% / cover`
  })
  const deadline = setTimeout(() => transition.skipTransition(), CAPTURE_MS)
  const cleanUp = () => {
    if (pagePicture) pagePicture.style.viewTransitionName = ''
    delete root.dataset.viewTransition
  }
  transition.finished.then(cleanUp, cleanUp)
  transition.ready.catch(() => {})
  transition.updateCallbackDone.catch(() => {})
  return true
}

function findVisiblePicture(selector: string): HTMLImageElement | undefined {
  return Array.from(document.querySelectorAll<HTMLImageElement>(`main ${selector}`)).find((picture) => {
    const { top, bottom, left, right } = picture.getBoundingClientRect()
    return bottom > 0 && top < innerHeight && right > 0 && left < innerWidth
  })
}
