import { type KeyboardEvent, type MouseEvent, useEffect, useRef } from 'react'

type RemoveDialogProps = { title: string; onCancel: () => void; onRemove: () => void }

/** "Remove Item": the question before a line is removed (§ 2). Escape, the backdrop and the close icon cancel. */
export function RemoveDialog({ title, onCancel, onRemove }: RemoveDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const cancel = useRef<HTMLButtonElement>(null)

  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    cancel.current?.focus()
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])

  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby="remove-title"
      aria-describedby="remove-question"
      onClose={onCancel}
      onClick={(event) => isBackdrop(event) && onCancel()}
      onKeyDown={keepFocusInside}
    >
      <div className="dialog__body stack">
        <header className="dialog__header">
          <h2 id="remove-title">Remove Item</h2>
          <button type="button" className="icon-button" aria-label="Close" onClick={onCancel}>
            <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
              <path d="M6 6l12 12M18 6L6 18" />
            </svg>
          </button>
        </header>
        <p id="remove-question">{`Are you sure you want to remove "${title}" from your cart?`}</p>
        <div className="dialog__actions">
          <button ref={cancel} type="button" className="button button--quiet" onClick={onCancel}>
            Cancel
          </button>
          <button type="button" className="button button--danger" onClick={onRemove}>
            Remove
          </button>
        </div>
      </div>
    </dialog>
  )
}

/** The dialog's body fills it, so that a click on the dialog itself is one on its backdrop. */
function isBackdrop({ target, currentTarget }: MouseEvent<HTMLDialogElement>): boolean {
  return target === currentTarget
}

/** The browser would let Tab leave a modal dialog for its own bars. */
function keepFocusInside(event: KeyboardEvent<HTMLDialogElement>): void {
  if (event.key !== 'Tab') return
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  const [first, last] = [buttons.at(0), buttons.at(-1)]
  if (document.activeElement !== (event.shiftKey ? first : last)) return
  event.preventDefault()
  ;(event.shiftKey ? last : first)?.focus()
}
