import { useAtomValue } from 'jotai'
import { useEffect, useState } from 'react'
import { isDocumentLoad, navigate, type View } from '#client/app/router/page.ts'
import { isSessionEndingAtom, sessionAtom } from '#client/app/session.ts'
import { href, pageOf } from '#shared/routes.ts'
import { ErrorBoundary } from './error-boundary.tsx'

/** Renders a page for those who may see it: "Loading..." while that is being resolved, `/login` instead of it otherwise (§ 2). */
export function RouteGuard({ view }: { view: View }) {
  const { status } = useAtomValue(sessionAtom)
  const isAllowed = pageOf(view.location.name).access === 'public' || status === 'signed-in'
  const isEnding = useAtomValue(isSessionEndingAtom)
  const isRefused = !isAllowed && status === 'signed-out' && !isEnding

  // biome-ignore lint/correctness/useExhaustiveDependencies: each page that is refused leads to Login.
  useEffect(() => {
    if (isRefused) navigate(href('login'), { replace: true })
  }, [isRefused, view.key])

  if (isAllowed) return <PageTransition key={view.key} view={view} />
  return (
    <p className="notice waiting" role="status">
      Loading...
    </p>
  )
}

/** A page on the screen; one that was navigated to inside the app fades in. */
function PageTransition({ view }: { view: View }) {
  const [className] = useState(isDocumentLoad(view) ? undefined : 'page-enter')
  return (
    <div className={className}>
      <ErrorBoundary view={view}>{view.element}</ErrorBoundary>
    </div>
  )
}
