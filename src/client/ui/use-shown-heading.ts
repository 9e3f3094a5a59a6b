import { useSetAtom } from 'jotai'
import { type RefObject, useEffect, useRef } from 'react'
import { announcementAtom } from '#client/app/router/page.ts'
import { prefersReducedMotion } from '#client/app/router/scroll-and-focus.ts'

/** `.is-locked` is set while the menu is open. */
const IN_USE_SELECTOR = ':is(input, select, textarea):focus, dialog[open], .is-locked'

export function focusHeading(heading: HTMLElement | null): void {
  heading?.focus({ preventScroll: true })
  heading?.scrollIntoView({ block: 'center', behavior: prefersReducedMotion() ? 'instant' : 'smooth' })
}

/**
 * Shows the ref's heading when `state` changes, and on mount if `isNew`. While the shopper uses a field, dialog or
 * menu, the heading is only announced.
 */
export function useShownHeading(state: string, isNew = false): RefObject<HTMLHeadingElement | null> {
  const headingRef = useRef<HTMLHeadingElement>(null)
  const announce = useSetAtom(announcementAtom)
  const previousRef = useRef(isNew ? undefined : state)
  useEffect(() => {
    const heading = headingRef.current
    const isChanged = previousRef.current !== state
    previousRef.current = state
    if (!heading || !isChanged) return
    if (!document.querySelector(IN_USE_SELECTOR)) focusHeading(heading)
    else if (!heading.closest('[role=status]')) announce(heading.textContent)
  }, [state, announce])
  return headingRef
}
