import { useAtom, useAtomValue } from 'jotai'
import { useEffect } from 'react'
import { navigate, offlineMessageAtom, viewAtom } from '#client/app/router/page.ts'
import { storedAtom } from '#client/app/stored-atom.ts'
import { onPageRestored } from '#client/app/wait.ts'
import { REDIRECT_AFTER_REGISTER_MS } from '#shared/accounts/limits.ts'
import { href } from '#shared/routes.ts'

/** Whether the visitor has just registered, until Login is reached (§ 2). Stored, as each page may be a document. */
export const hasRegisteredAtom = storedAtom({
  key: 'registered',
  storage: 'session',
  empty: false,
  parse: (text) => text === 'true',
})

/** Shows registration's success, or that there is no connection. Redirects from Home to Login (§ 2) unless the shopper goes elsewhere. */
export function FlashMessage() {
  const [hasRegistered, setHasRegistered] = useAtom(hasRegisteredAtom)
  const offlineMessage = useAtomValue(offlineMessageAtom)
  const name = useAtomValue(viewAtom)?.location.name

  useEffect(() => {
    if (!hasRegistered || name === 'register') return
    if (name !== 'home') return void setHasRegistered(() => null)
    const redirect = setTimeout(() => navigate(href('login'), { replace: true }), REDIRECT_AFTER_REGISTER_MS)
    return () => clearTimeout(redirect)
  }, [hasRegistered, name, setHasRegistered])

  // The shopper went elsewhere; Firefox gives this document the session's storage as it was.
  useEffect(() => onPageRestored(() => void setHasRegistered(() => null)), [setHasRegistered])

  return (
    <p className="flash-message" role="status">
      {hasRegistered ? 'Registration successful! Redirecting to login...' : offlineMessage}
    </p>
  )
}
