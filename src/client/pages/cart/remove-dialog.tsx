import { useRef } from 'react'
import { Dialog } from '../../ui/dialog.tsx'

const QUESTION_ID = 'remove-question'

type RemoveDialogProps = { title: string; onCancel: () => void; onRemove: () => void }

/** "Remove Item": the question before a line is removed (§ 2). Escape, the backdrop and the close icon cancel. */
export function RemoveDialog({ title, onCancel, onRemove }: RemoveDialogProps) {
  const cancel = useRef<HTMLButtonElement>(null)
  return (
    <Dialog title="Remove Item" describedBy={QUESTION_ID} initialFocus={cancel} onClose={onCancel}>
      <p id={QUESTION_ID}>{`Are you sure you want to remove "${title}" from your cart?`}</p>
      <div className="dialog__actions">
        <button ref={cancel} type="button" className="button button--quiet" onClick={onCancel}>
          Cancel
        </button>
        <button type="button" className="button button--danger" onClick={onRemove}>
          Remove
        </button>
      </div>
    </Dialog>
  )
}
