import { useAtomValue, useSetAtom } from 'jotai'
import { useEffect, useState } from 'react'
import { isDocumentLoad, navigate, type View } from '#client/app/router/page.ts'
import { isSessionEndingAtom, requestedPageAtom, sessionAtom } from '#client/app/session.ts'
import { getPageDefinition, href } from '#shared/routes.ts'
import { ErrorBoundary } from './error-boundary.tsx'

/** Redirects from protected pages to Login (§ 2). */
export function RouteGuard({ view }: { view: View }) {
  const setRequested = useSetAtom(requestedPageAtom)
  const { status } = useAtomValue(sessionAtom)
  const isAllowed = !getPageDefinition(view.location.name).needsLogin || status === 'signed-in'
  const isEnding = useAtomValue(isSessionEndingAtom)
  const mustLogIn = !isAllowed && status === 'signed-out' && !isEnding

  // biome-ignore lint/correctness/useExhaustiveDependencies: redirect once for each protected page
  useEffect(() => {
    if (!mustLogIn) return
    setRequested(view.location.pathname)
    navigate(href('login'), { replace: true })
  }, [mustLogIn, view.key])

  if (isAllowed) return <PageTransition key={view.key} view={view} />
  return (
    <p className="notice waiting" role="status">
      Loading...
    </p>
  )
}

function PageTransition({ view }: { view: View }) {
  const [className] = useState(isDocumentLoad(view) ? undefined : 'page-enter')
  return (
    <div className={className}>
      <ErrorBoundary view={view}>{view.element}</ErrorBoundary>
    </div>
  )
}
