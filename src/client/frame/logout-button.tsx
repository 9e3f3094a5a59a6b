import { useSetAtom, useStore } from 'jotai'
import { type FormEvent, useState } from 'react'
import { href, LOGOUT_PATH, pageOf } from '#shared/routes.ts'
import { navigate } from '../router/navigate.ts'
import { viewAtom } from '../router/view.ts'
import { logOutAtom } from '../state/session.ts'

/** Ends the session, also before its script is here: leads from a public page to Home; where a session is needed, the route guard leads to Login (§ 4). */
export function LogoutButton() {
  const store = useStore()
  const logOut = useSetAtom(logOutAtom)
  const [isBusy, setIsBusy] = useState(false)

  const end = async (event: FormEvent) => {
    event.preventDefault()
    setIsBusy(true)
    const hasEnded = await logOut()
    setIsBusy(false)
    const place = store.get(viewAtom)?.place
    if (!hasEnded || !place || pageOf(place.name).access === 'signed-in') return
    if (place.name !== 'home') navigate(href('home'))
  }

  return (
    <form method="post" action={LOGOUT_PATH} onSubmit={end}>
      <button type="submit" className="button button--quiet" disabled={isBusy}>
        Logout
      </button>
    </form>
  )
}
