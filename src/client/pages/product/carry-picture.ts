import { flushSync } from 'react-dom'
import { isStill } from '../../router/arrive.ts'
import type { Carry } from '../../router/page.ts'
import { savesData } from '../../state/saves-data.ts'

/** Names the picture for the browser. */
const CARRIED = 'carried'
/** How long the browser may take to capture the picture; the shopper waits meanwhile. */
const CAPTURE_MS = 50

/**
 * Shows a product's page while its picture moves there from the card that leads to it. Not where the browser knows no
 * view transitions or is slow with them, where the shopper wants stillness or little data, where the card is not on the
 * screen, and where the page scrolls to its top on the way (§ 2): one motion is enough.
 */
export const carryPicture: Carry = (address, show) => {
  if (!document.startViewTransition || scrollY > 0 || isStill() || savesData()) return false
  const before = pictureIn(`li:has(a[href="${address}"]) img`)
  if (!before) return false

  const root = document.documentElement
  let after: HTMLElement | undefined
  root.dataset.carrying = 'true'
  before.style.viewTransitionName = CARRIED
  const transition = document.startViewTransition(() => {
    clearTimeout(deadline)
    before.style.viewTransitionName = ''
    flushSync(show)
    after = pictureIn('article > img')
    if (after) after.style.viewTransitionName = CARRIED
  })
  const deadline = setTimeout(() => transition.skipTransition(), CAPTURE_MS)
  const end = () => {
    if (after) after.style.viewTransitionName = ''
    delete root.dataset.carrying
  }
  transition.finished.then(end, end)
  // One that is overtaken by another has nothing to complain of.
  transition.ready.catch(() => {})
  transition.updateCallbackDone.catch(() => {})
  return true
}

/** The first such picture of the page that is on the screen. */
function pictureIn(place: string): HTMLElement | undefined {
  return Array.from(document.querySelectorAll<HTMLElement>(`main ${place}`)).find((picture) => {
    const { top, bottom, left, right } = picture.getBoundingClientRect()
    return bottom > 0 && top < innerHeight && right > 0 && left < innerWidth
  })
}
