import { useToaster } from 'react-hot-toast/headless'
import { TOAST_MS } from '../state/toasts.ts'

/** How long a toast takes to leave; frame.css moves it out in this time. */
const LEAVING_MS = 200

const lifetimes = {
  removeDelay: LEAVING_MS,
  error: { duration: TOAST_MS.error },
  blank: { duration: TOAST_MS.blank },
  success: { duration: TOAST_MS.success },
}

/** The toasts themselves, the newest on top. Taps and clicks go through them: they are never in the way. */
export function Toasts() {
  const { toasts } = useToaster(lifetimes)
  return (
    <ul className="toasts">
      {toasts.map((toast) => (
        <li
          key={toast.id}
          className={`toast toast--${toast.type} ${toast.className ?? ''}`}
          data-leaving={toast.visible ? undefined : ''}
        >
          {typeof toast.message === 'function' ? toast.message(toast) : toast.message}
        </li>
      ))}
    </ul>
  )
}
