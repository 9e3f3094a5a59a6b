import { atom, useAtom, useAtomValue } from 'jotai'
import { useEffect } from 'react'
import { href } from '#shared/routes.ts'
import { REDIRECT_AFTER_REGISTER_MS } from '#shared/rules/auth-limits.ts'
import { navigate, offlineMessageAtom, viewAtom } from '../router/page.ts'

/** Registration's success message, shown until Login is reached (§ 2); empty otherwise. */
export const flashMessageAtom = atom('')

/** Shows the flash message, or that there is no connection. Redirects from Home to Login (§ 2) unless the shopper goes elsewhere. */
export function FlashMessage() {
  const [message, setMessage] = useAtom(flashMessageAtom)
  const offlineMessage = useAtomValue(offlineMessageAtom)
  const name = useAtomValue(viewAtom)?.location.name

  useEffect(() => {
    if (!message || name === 'register') return
    if (name !== 'home') return setMessage('')
    const redirect = setTimeout(() => navigate(href('login'), { replace: true }), REDIRECT_AFTER_REGISTER_MS)
    return () => clearTimeout(redirect)
  }, [message, name, setMessage])

  return (
    <p className="flash-message" role="status">
      {message || offlineMessage}
    </p>
  )
}
