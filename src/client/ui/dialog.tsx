import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
} from 'react'
import { createPortal } from 'react-dom'

type DialogProps = {
  title: string
  onClose: () => void
  describedBy?: string
  initialFocus?: RefObject<HTMLElement | null>
  children: ReactNode
}

export function Dialog({ title, onClose, describedBy, initialFocus, children }: DialogProps) {
  const dialogRef = useRef<HTMLDialogElement>(null)
  const closeRef = useRef<HTMLButtonElement>(null)
  const titleId = useId()

  useEffect(() => {
    const opener = document.activeElement
    dialogRef.current?.showModal()
    ;(initialFocus ?? closeRef).current?.focus()
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [initialFocus])

  // In the body, because a dialog must not be inside the paragraph of its link.
  return createPortal(
    <dialog
      ref={dialogRef}
      className="dialog"
      aria-labelledby={titleId}
      aria-describedby={describedBy}
      onClose={onClose}
      onClick={(event) => isBackdrop(event) && onClose()}
      onKeyDown={trapFocus}
    >
      <div className="dialog__body stack">
        <header className="dialog__header">
          <h2 id={titleId}>{title}</h2>
          <button ref={closeRef} type="button" className="icon-button" aria-label="Close" onClick={onClose}>
            <svg viewBox="0 0 24 24" width="1.375rem" height="1.375rem" aria-hidden="true">
              <path d="M6 6l12 12M18 6L6 18" />
            </svg>
          </button>
        </header>
        {children}
      </div>
    </dialog>,
    document.body,
  )
}

/** The body fills the dialog, so clicks on the dialog element itself are on its backdrop. */
function isBackdrop({ target, currentTarget }: MouseEvent<HTMLDialogElement>): boolean {
  return target === currentTarget
}

/** Without this, Tab would move focus from the last control to the browser's toolbar. */
function trapFocus(event: KeyboardEvent<HTMLDialogElement>): void {
  if (event.key !== 'Tab') return
  const controls = [...event.currentTarget.querySelectorAll<HTMLElement>('a, button')]
  const [first, last] = [controls.at(0), controls.at(-1)]
  if (document.activeElement !== (event.shiftKey ? first : last)) return
  event.preventDefault()
  ;(event.shiftKey ? last : first)?.focus()
}
