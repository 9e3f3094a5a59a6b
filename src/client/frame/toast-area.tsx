import { useAtomValue, useSetAtom } from 'jotai'
import { useEffect } from 'react'
import { loadToastsAtom, toastLibraryAtom } from '../state/toasts.ts'

/** How long a toast takes to disappear, in milliseconds; frame.css moves it out in this time. */
const REMOVE_DELAY_MS = 200
/** When the library is loaded in browsers that do not report idle time, in milliseconds. */
const LOAD_AFTER_MS = 2000

/** The toasts at the top right of every page (§ 2). The library is loaded ahead, so that a toast can report a lost connection. */
export function ToastArea() {
  const library = useAtomValue(toastLibraryAtom)
  const load = useSetAtom(loadToastsAtom)

  useEffect(() => {
    const whenIdle = window.requestIdleCallback ?? ((run: () => void) => setTimeout(run, LOAD_AFTER_MS))
    whenIdle(() => void load())
  }, [load])

  return (
    <div className="toast-area" aria-live="polite">
      {library && <Toasts useToaster={library.useToaster} />}
    </div>
  )
}

/** The newest toast first. Taps and clicks go through them. */
function Toasts({ useToaster }: { useToaster: typeof import('react-hot-toast/headless').useToaster }) {
  const { toasts } = useToaster({ removeDelay: REMOVE_DELAY_MS })
  return (
    <ul className="toasts">
      {toasts.map(({ id, type, className = '', visible, message }) => (
        <li key={id} className={`toast toast--${type} ${className}`} data-leaving={visible ? undefined : ''}>
          {typeof message === 'string' && message}
        </li>
      ))}
    </ul>
  )
}
