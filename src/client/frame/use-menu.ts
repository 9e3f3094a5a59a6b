import { useEffect, useRef, useState } from 'react'
import type { View } from '../router/page.ts'
import { lockScroll } from '../ui/scroll-lock.ts'

/** Where the links fit into the bar and there is no menu to open; the same figure as in frame.css. */
const BAR_HOLDS_LINKS = '(min-width: 60rem)'

/**
 * The mobile menu (§ 2). It is a popover: the browser itself opens it, closes it on Escape and minds the focus.
 * Added here: the page stays put while it is open, and it closes when it is in the way.
 */
export function useMenu(view: View | null) {
  const menu = useRef<HTMLElement>(null)
  const [isOpen, setIsOpen] = useState(false)

  // It may have been opened before the page was awake.
  useEffect(() => setIsOpen(menu.current?.matches('[popover]:popover-open') ?? false), [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: each new view closes the menu
  useEffect(() => menu.current?.hidePopover?.(), [view])

  useEffect(() => {
    if (!isOpen) return
    const close = () => menu.current?.hidePopover()
    // The focus has gone on to what the menu covers.
    const closeWhenLeft = ({ target }: FocusEvent) => {
      if (target instanceof Element && !target.closest('header')) close()
    }
    const wide = matchMedia(BAR_HOLDS_LINKS)
    lockScroll(true)
    wide.addEventListener('change', close)
    document.addEventListener('focusin', closeWhenLeft)
    return () => {
      lockScroll(false)
      wide.removeEventListener('change', close)
      document.removeEventListener('focusin', closeWhenLeft)
    }
  }, [isOpen])

  return { menu, isOpen, onToggle: ({ newState }: { newState: string }) => setIsOpen(newState === 'open') }
}
