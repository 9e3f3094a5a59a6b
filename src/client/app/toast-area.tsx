import { type RefObject, useEffect } from 'react'
import { toast, useToaster } from 'react-hot-toast/headless'

/** The duration of the exit transition in layout.css. */
const REMOVE_DELAY_MS = 200
const GAP_PX = 8
const FIELD_SELECTOR = 'input, select, textarea'
/** Toasts must not cover these elements. Links with a picture are too large to avoid. */
const COVERED_SELECTOR = `h1, h2, h3, button, summary, a:not(:has(img)), ${FIELD_SELECTOR}`

export const toastLibrary = { toast, ToastList, avoidControls }

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
 * Moves toasts to the highest place where they cover no heading, button or field. If there is none, only the
 * newest toast shows, away from the focused field.
 */
function avoidControls(list: HTMLElement): () => void {
  const abort = new AbortController()
  const { signal } = abort

  function place() {
    list.style.translate = ''
    list.removeAttribute('data-crowded')
    if (!list.textContent) return
    const covered = [...document.querySelectorAll(COVERED_SELECTOR)].filter(
      (element) => !list.contains(element),
    )
    const shift = shiftToFit(list, covered)
    if (shift === undefined) list.setAttribute('data-crowded', '')
    const focused = document.activeElement?.matches(FIELD_SELECTOR) ? [document.activeElement] : []
    list.style.translate = `0 ${shift ?? shiftToFit(list, covered) ?? shiftToFit(list, focused) ?? 0}px`
  }

  const sizes = new ResizeObserver(place)
  sizes.observe(list)
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
 * Returns how many pixels the list must move down to clear these elements. Returns undefined if it fits
 * nowhere.
 */
function shiftToFit(list: HTMLElement, covered: readonly Element[]): number | undefined {
  const { top, bottom, height, left, right } = list.getBoundingClientRect()
  const { offsetTop, height: visibleHeight } = visualViewport ?? { offsetTop: 0, height: innerHeight }
  const obstacles = covered
    .map((element) => (element.closest('.field') ?? element).getBoundingClientRect())
    .filter((rect) => rect.height > 0 && rect.left < right && left < rect.right)
  const lowest = offsetTop + visibleHeight - height
  const candidates = [top, ...obstacles.map((rect) => rect.bottom + GAP_PX)].filter(
    (at) => at >= top && at <= lowest,
  )
  const free = candidates
    .toSorted((a, b) => a - b)
    .find((at) => !obstacles.some((rect) => at < rect.bottom && rect.top < at + bottom - top))
  return free === undefined ? undefined : free - top
}
