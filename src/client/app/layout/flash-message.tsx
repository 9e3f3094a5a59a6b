import { useAtom, useAtomValue } from 'jotai'
import { useEffect } from 'react'
import { messageBarAtom, navigate, viewAtom } from '#client/app/router/page.ts'
import { createStoredAtom } from '#client/app/stored-atom.ts'
import { toastLibraryAtom } from '#client/app/toasts.ts'
import { onPageRestored } from '#client/app/wait.ts'
import { REDIRECT_AFTER_REGISTER_MS } from '#shared/accounts/limits.ts'
import { href } from '#shared/routes.ts'

/** The value is stored, because Register and Home may be separate documents. Any other page clears it (§ 2). */
export const hasRegisteredAtom = createStoredAtom({
  key: 'registered',
  storage: 'session',
  empty: false,
  parse: (text) => text === 'true',
})

/** After a registration, redirects from Home to Login (§ 2). */
export function FlashMessage() {
  const [hasRegistered, setHasRegistered] = useAtom(hasRegisteredAtom)
  const [message, setMessage] = useAtom(messageBarAtom)
  const name = useAtomValue(viewAtom)?.location.name

  useEffect(() => {
    if (!hasRegistered || name === 'register') return
    if (name !== 'home') return void setHasRegistered(() => null)
    const redirect = setTimeout(() => navigate(href('login'), { replace: true }), REDIRECT_AFTER_REGISTER_MS)
    return () => clearTimeout(redirect)
  }, [hasRegistered, name, setHasRegistered])

  const content = hasRegistered ? 'Registration successful! Redirecting to login...' : message
  const library = useAtomValue(toastLibraryAtom)

  // A shopper who leaves for another site before the redirect and then goes back must not be redirected.
  useEffect(() => onPageRestored(() => void setHasRegistered(() => null)), [setHasRegistered])

  // The empty live region stays in the page, because screen readers may ignore a region added together with its text.
  return (
    <div
      className={content ? `flash-message banner${hasRegistered ? ' banner--success' : ''}` : undefined}
      role="status"
    >
      {content}
      {library && message && <library.CloseButton onClick={() => setMessage('')} />}
    </div>
  )
}
