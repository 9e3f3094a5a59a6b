import { useAtom, useAtomValue } from 'jotai'
import { useEffect } from 'react'
import { navigate, offlineMessageAtom, viewAtom } from '#client/app/router/page.ts'
import { createStoredAtom } from '#client/app/stored-atom.ts'
import { toastLibraryAtom } from '#client/app/toasts.ts'
import { onPageRestored } from '#client/app/wait.ts'
import { REDIRECT_AFTER_REGISTER_MS } from '#shared/accounts/limits.ts'
import { href } from '#shared/routes.ts'

/** The value is stored, because Register and Home may be separate documents. Leaving Home clears it (§ 2). */
export const hasRegisteredAtom = createStoredAtom({
  key: 'registered',
  storage: 'session',
  empty: false,
  parse: (text) => text === 'true',
})

/** After a registration, redirects from Home to Login (§ 2). */
export function FlashMessage() {
  const [hasRegistered, setHasRegistered] = useAtom(hasRegisteredAtom)
  const [offlineMessage, setOfflineMessage] = useAtom(offlineMessageAtom)
  const name = useAtomValue(viewAtom)?.location.name

  useEffect(() => {
    if (!hasRegistered || name === 'register') return
    if (name !== 'home') return void setHasRegistered(() => null)
    const redirect = setTimeout(() => navigate(href('login'), { replace: true }), REDIRECT_AFTER_REGISTER_MS)
    return () => clearTimeout(redirect)
  }, [hasRegistered, name, setHasRegistered])

  const text = hasRegistered ? 'Registration successful! Redirecting to login...' : offlineMessage
  const library = useAtomValue(toastLibraryAtom)

  // When Firefox restores a page from the back/forward cache, it also restores the old session storage.
  useEffect(() => onPageRestored(() => void setHasRegistered(() => null)), [setHasRegistered])

  // An empty live region must stay in the page, or screen readers don't announce its next text.
  return (
    <div
      className={text ? `flash-message banner${hasRegistered ? ' banner--success' : ''}` : undefined}
      role="status"
    >
      {text}
      {library && offlineMessage && <library.CloseButton onClick={() => setOfflineMessage('')} />}
    </div>
  )
}
