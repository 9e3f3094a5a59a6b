import { useAtomValue } from 'jotai'
import { useEffect, useState } from 'react'
import { isDocumentLoad, navigate, type View } from '#client/app/router/page.ts'
import { isSessionEndingAtom, sessionAtom } from '#client/app/session.ts'
import { REQUESTED_PAGE_COOKIE, requestedPageOptions } from '#shared/accounts/requested-page.ts'
import { href, pageDefinition } from '#shared/routes.ts'
import { ErrorBoundary } from './error-boundary.tsx'

/**
 * Renders a page for visitors who may see it; shows "Loading..." until the session is known and redirects others to
 * `/login` (§ 2).
 */
export function RouteGuard({ view }: { view: View }) {
  const { status } = useAtomValue(sessionAtom)
  const isAllowed = pageDefinition(view.location.name).access === 'public' || status === 'signed-in'
  const isEnding = useAtomValue(isSessionEndingAtom)
  const mustLogIn = !isAllowed && status === 'signed-out' && !isEnding

  // biome-ignore lint/correctness/useExhaustiveDependencies: redirect once for each protected page
  useEffect(() => {
    if (!mustLogIn) return
    const { path, maxAge, sameSite } = requestedPageOptions
    const page = encodeURIComponent(location.pathname + location.search)
    // biome-ignore lint/suspicious/noDocumentCookie: older Firefox and Safari have no Cookie Store API
    document.cookie = `${REQUESTED_PAGE_COOKIE}=${page}; path=${path}; max-age=${maxAge}; samesite=${sameSite}`
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
