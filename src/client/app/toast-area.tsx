import { useEffect, useRef } from 'react'
import { toast, useToaster } from 'react-hot-toast/headless'

/** Matches the exit transition in layout.css. */
const REMOVE_DELAY_MS = 200
const GAP = 8
const FIELD = 'input, select, textarea'

export const toastLibrary = { toast, Toasts }

function Toasts() {
  const { toasts } = useToaster({ removeDelay: REMOVE_DELAY_MS })
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => (list.current ? avoidFocusedField(list.current) : undefined), [])
  return (
    <ul className="toasts" ref={list}>
      {toasts.map(({ id, type, className = '', visible, message }) => (
        <li key={id} className={`toast toast--${type} ${className}`} data-leaving={visible ? undefined : ''}>
          {typeof message === 'string' && message}
        </li>
      ))}
    </ul>
  )
}

/**
 * Moves the toasts below the focused field if they overlap it, else above it. Where neither fits, shows only the
 * newest toast. Returns a cleanup function.
 */
function avoidFocusedField(list: HTMLElement): () => void {
  const abort = new AbortController()
  const { signal } = abort

  function place() {
    list.style.translate = ''
    list.removeAttribute('data-crowded')
    const field = document.activeElement?.matches(FIELD) ? document.activeElement : null
    const fieldRect = field && (field.closest('.field') ?? field).getBoundingClientRect()
    if (!fieldRect || !isOverlapping(list.getBoundingClientRect(), fieldRect)) return
    const shift = shiftToFit(list, fieldRect)
    if (shift === undefined) list.setAttribute('data-crowded', '')
    list.style.translate = `0 ${shift ?? shiftToFit(list, fieldRect) ?? shiftBelow(list, fieldRect)}px`
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

/** Pixels to move the list clear of the field; undefined if it doesn't fit. */
function shiftToFit(list: HTMLElement, fieldRect: DOMRect): number | undefined {
  const { top, bottom, height } = list.getBoundingClientRect()
  const { offsetTop, height: seen } = visualViewport ?? { offsetTop: 0, height: innerHeight }
  if (fieldRect.bottom + GAP + height <= offsetTop + seen) return fieldRect.bottom + GAP - top
  return fieldRect.top - GAP - height >= offsetTop ? fieldRect.top - GAP - bottom : undefined
}

function shiftBelow(list: HTMLElement, fieldRect: DOMRect): number {
  return fieldRect.bottom + GAP - list.getBoundingClientRect().top
}

function isOverlapping(a: DOMRect, b: DOMRect): boolean {
  return a.height > 0 && a.top < b.bottom && b.top < a.bottom && a.left < b.right && b.left < a.right
}
