import { useAtomValue } from 'jotai'
import { type ComponentType, useEffect, useState } from 'react'
import { plainToastsAtom, toastsAskedAtom } from '../state/toasts.ts'

/** The toast area at the top right of every page (§ 2); what fills it is fetched with the first toast. */
export function ToastArea() {
  const asked = useAtomValue(toastsAskedAtom)
  const plain = useAtomValue(plainToastsAtom)
  const [Toasts, setToasts] = useState<ComponentType>()

  // Not `lazy`, which would keep throwing after one failed fetch of the script.
  useEffect(() => {
    if (asked === 0 || Toasts) return
    import('./toasts.tsx').then(
      (script) => setToasts(() => script.Toasts),
      () => {},
    )
  }, [asked, Toasts])

  return (
    <div className="toast-area" aria-live="polite">
      {Toasts && <Toasts />}
      {plain.length > 0 && (
        <ul className="toasts">
          {plain.map(({ id, kind, message }) => (
            <li key={id} className={`toast toast--${kind}`}>
              {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
