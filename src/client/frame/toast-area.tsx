import { useAtomValue, useSetAtom } from 'jotai'
import { useEffect } from 'react'
import { loadToastsAtom, toastLibraryAtom } from '../state/toasts.ts'

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
      {library && <library.Toasts />}
    </div>
  )
}
