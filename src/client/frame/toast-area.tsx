import { useAtomValue } from 'jotai'
import { toastsAtom } from '../state/toasts.ts'

/** The toasts at the top right of every page (§ 2). Taps and clicks go through them: they are never in the way. */
export function ToastArea() {
  const toasts = useAtomValue(toastsAtom)
  return (
    <div className="toast-area" aria-live="polite">
      <ul className="toasts">
        {toasts.map(({ id, kind, message, isLeaving }) => (
          <li key={id} className={`toast toast--${kind}`} data-leaving={isLeaving || undefined}>
            {message}
          </li>
        ))}
      </ul>
    </div>
  )
}
