import { useAtom, useAtomValue } from 'jotai'
import { useEffect } from 'react'
import { href } from '#shared/routes.ts'
import { REDIRECT_AFTER_REGISTER_MS } from '#shared/rules/auth-forms.ts'
import { navigate } from '../router/navigate.ts'
import { viewAtom } from '../router/view.ts'
import { passageAtom } from '../state/passage.ts'

/** Says that the registration succeeded, and leads from Home on to Login (§ 2), unless the shopper goes another way. */
export function Passage() {
  const [message, setMessage] = useAtom(passageAtom)
  const name = useAtomValue(viewAtom)?.place.name

  useEffect(() => {
    if (!message || name === 'register') return
    if (name !== 'home') return setMessage('')
    const redirect = setTimeout(() => navigate(href('login'), { replace: true }), REDIRECT_AFTER_REGISTER_MS)
    return () => clearTimeout(redirect)
  }, [message, name, setMessage])

  return (
    <p className="passage" role="status">
      {message}
    </p>
  )
}
