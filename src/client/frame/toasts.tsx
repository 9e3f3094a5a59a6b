import { useToaster } from 'react-hot-toast/headless'
import { TOAST_MS } from '#shared/rules/toasts.ts'

const lifetimes = {
  error: { duration: TOAST_MS.error },
  blank: { duration: TOAST_MS.blank },
  success: { duration: TOAST_MS.success },
}

/** The toasts themselves; the newest on top, paused while the pointer rests on them. */
export function Toasts() {
  const { toasts, handlers } = useToaster(lifetimes)
  return (
    <ul className="toasts" onMouseEnter={handlers.startPause} onMouseLeave={handlers.endPause}>
      {toasts.map((toast) => (
        <li
          key={toast.id}
          className={`toast toast--${toast.type} ${toast.className ?? ''}`}
          data-visible={toast.visible}
        >
          {typeof toast.message === 'function' ? toast.message(toast) : toast.message}
        </li>
      ))}
    </ul>
  )
}
