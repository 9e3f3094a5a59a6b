import { useAtomValue } from 'jotai'
import { useEffect, useState } from 'react'
import { href, pageOf } from '#shared/routes.ts'
import { navigate } from '../router/navigate.ts'
import type { View } from '../router/page.ts'
import { sessionAtom } from '../state/session.ts'

/** Shows a page to those who may see it: "Loading..." while that is being found out, `/login` instead of it otherwise (§ 2). */
export function RouteGuard({ view }: { view: View }) {
  const { status } = useAtomValue(sessionAtom)
  const isOpen = pageOf(view.place.name).access === 'public' || status === 'signed-in'
  const isRefused = !isOpen && status === 'signed-out'

  useEffect(() => {
    if (isRefused) navigate(href('login'), { replace: true })
  }, [isRefused])

  if (isOpen) return <Standing key={view.key} view={view} />
  return (
    <p className="notice waiting" role="status">
      Loading...
    </p>
  )
}

/** A page on the screen; one that was gone to inside the app fades in. */
function Standing({ view }: { view: View }) {
  const [className] = useState(view.arrival.kind === 'load' ? undefined : 'arriving')
  return <div className={className}>{view.element}</div>
}
