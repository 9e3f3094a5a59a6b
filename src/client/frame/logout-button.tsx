import { useSetAtom, useStore } from 'jotai'
import { useState } from 'react'
import { href, pageOf } from '#shared/routes.ts'
import { navigate } from '../router/navigate.ts'
import { viewAtom } from '../router/view.ts'
import { logOutAtom } from '../state/log-out.ts'

/** Ends the session: leads from a public page to Home; where a session is needed, the route guard leads to Login (§ 4). */
export function LogoutButton() {
  const store = useStore()
  const logOut = useSetAtom(logOutAtom)
  const [isBusy, setIsBusy] = useState(false)

  const end = async () => {
    setIsBusy(true)
    const hasEnded = await logOut()
    setIsBusy(false)
    const place = store.get(viewAtom)?.place
    if (!hasEnded || !place || pageOf(place.name).access === 'signed-in') return
    if (place.name !== 'home') navigate(href('home'))
  }

  return (
    <button type="button" className="button button--quiet" disabled={isBusy} onClick={end}>
      Logout
    </button>
  )
}
