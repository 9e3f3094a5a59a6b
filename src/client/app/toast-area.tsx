import { type RefObject, useEffect } from 'react'
import { toast, useToaster } from 'react-hot-toast/headless'

/** Must match the exit transition in layout.css. */
const REMOVE_DELAY_MS = 200
const GAP_PX = 8
const FIELD_SELECTOR = 'input, select, textarea'
/** Bars that may be sticky at the bottom of the screen. */
const BAR_SELECTOR = '.product__actions, .cart__bottom'
/** The row that undoes a removal. */
const UNDO_SELECTOR = '.cart__removed'
/** The text that tells the shopper how to pay. */
const PAYMENT_SELECTOR = '.payment .lead'
/** Toasts avoid covering these elements. Pages have too many other links to avoid them all. */
const COVERED_SELECTOR = `h1, h2, h3, button, summary, a.button, .chip, .banner, .bar, ${BAR_SELECTOR}, ${UNDO_SELECTOR}, ${PAYMENT_SELECTOR}, ${FIELD_SELECTOR}`
/** If a toast fits nowhere, it avoids only these elements. */
const VITAL_SELECTOR = `:is(${FIELD_SELECTOR}):focus, .bar, ${BAR_SELECTOR}, ${UNDO_SELECTOR}, ${PAYMENT_SELECTOR}`

export const toastLibrary = { toast, ToastList, CloseButton }

export function CloseButton({ onClick }: { onClick: () => void }) {
  return (
    <button type="button" className="icon-button" aria-label="Close" onClick={onClick}>
      <svg viewBox="0 0 24 24" width="1.375rem" height="1.375rem" aria-hidden="true">
        <path d="M6 6l12 12M18 6L6 18" />
      </svg>
    </button>
  )
}

function ToastList({ listRef }: { listRef: RefObject<HTMLUListElement | null> }) {
  const { toasts } = useToaster({ removeDelay: REMOVE_DELAY_MS })
  useEffect(() => (listRef.current ? avoidControls(listRef.current) : undefined), [listRef])
  return toasts.map(({ id, type, className = '', visible, message }) => (
    <li key={id} className={`toast toast--${type} ${className}`} data-leaving={visible ? undefined : ''}>
      {typeof message === 'string' && message}
    </li>
  ))
}

/**
 * Keeps the toasts clear of headings, buttons and fields where it can, moving them as little as possible. Returns a
 * cleanup function.
 */
function avoidControls(list: HTMLElement): () => void {
  const abort = new AbortController()
  const { signal } = abort
  let isShown = false
  let last = { screen: '', shift: 0 }

  function place() {
    list.style.translate = ''
    list.removeAttribute('data-crowded')
    const wasShown = isShown
    isShown = list.textContent !== ''
    if (!isShown) return
    const screen = [location.pathname, innerWidth, scrollY].join()
    if (!wasShown && screen !== last.screen) last.shift = 0
    const findShift = (selector: string) =>
      calculateShift(
        list,
        [...document.querySelectorAll(selector)].filter((element) => !list.contains(element)),
        last.shift,
      )
    let shift = findShift(COVERED_SELECTOR)
    if (shift === undefined) {
      list.setAttribute('data-crowded', '')
      shift = findShift(COVERED_SELECTOR) ?? findShift(VITAL_SELECTOR) ?? 0
    }
    last = { screen, shift }
    list.style.translate = `0 ${shift}px`
  }

  const sizes = new ResizeObserver(place)
  for (const element of [list, document.body]) sizes.observe(element)
  // The next page can have the same size, but other controls.
  window.navigation?.addEventListener('navigatesuccess', place, { signal })
  for (const type of ['focusin', 'focusout']) document.addEventListener(type, place, { signal })
  for (const type of ['scroll', 'resize']) {
    addEventListener(type, place, { signal, passive: true })
    visualViewport?.addEventListener(type, place, { signal })
  }
  return () => {
    abort.abort()
    sizes.disconnect()
  }
}

/**
 * Returns how far down, in pixels, the list must move to clear the elements. Prefers the shift closest to `lastShift`;
 * undefined if the list fits nowhere.
 */
function calculateShift(
  list: HTMLElement,
  covered: readonly Element[],
  lastShift: number,
): number | undefined {
  const { top, height, left, right } = list.getBoundingClientRect()
  const { offsetTop, height: visibleHeight } = visualViewport ?? { offsetTop: 0, height: innerHeight }
  const obstacles = covered
    .map((element) => (element.closest('.field') ?? element).getBoundingClientRect())
    .filter((rect) => rect.height > 0 && rect.left < right && left < rect.right)
  const lowest = offsetTop + visibleHeight - height
  const preferredTop = top + lastShift
  const free = [top, preferredTop, ...obstacles.map(({ bottom }) => bottom + GAP_PX)]
    .filter((at) => at >= top && at <= lowest)
    .toSorted((a, b) => Math.abs(a - preferredTop) - Math.abs(b - preferredTop))
    .find((at) => !obstacles.some((rect) => at < rect.bottom && rect.top < at + height))
  return free === undefined ? undefined : free - top
}
