import { useAtomValue } from 'jotai'
import { lazy, Suspense } from 'react'
import { toastsWantedAtom } from '../state/toasts.ts'

const Toasts = lazy(() => import('./toasts.tsx').then(({ Toasts }) => ({ default: Toasts })))

/** The toast area at the top right of every page (§ 2); what fills it is fetched with the first toast. */
export function ToastArea() {
  const isWanted = useAtomValue(toastsWantedAtom)
  return (
    <div className="toast-area" aria-live="polite">
      {isWanted && (
        <Suspense>
          <Toasts />
        </Suspense>
      )}
    </div>
  )
}
