import { useAtomValue, useSetAtom } from 'jotai'
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { arrive, MAIN_ID } from '../router/arrive.ts'
import type { View } from '../router/page.ts'
import { announcementAtom, viewAtom } from '../router/view.ts'
import { startSessionAtom } from '../state/session.ts'
import { Footer } from './footer.tsx'
import { NavigationBar } from './navigation-bar.tsx'
import { Passage } from './passage.tsx'
import { ToastArea } from './toast-area.tsx'

// The server has no layout; its effects never run.
const useBrowserLayoutEffect = typeof window === 'undefined' ? () => {} : useLayoutEffect

/** What surrounds every page: the way past the navigation, the navigation itself, toasts, announcements, footer (§ 2). */
export function Frame({ children }: { children: ReactNode }) {
  const view = useAtomValue(viewAtom)
  const previous = useRef<View | null>(null)

  useBrowserLayoutEffect(() => {
    if (view) arrive(view, previous.current)
    previous.current = view
  }, [view])

  // Only now may the browser's own state differ from what the server rendered.
  const startSession = useSetAtom(startSessionAtom)
  useEffect(startSession, [startSession])

  // Marks the page as awake, for styles and tests.
  useEffect(() => {
    document.documentElement.dataset.hydrated = 'true'
  }, [])

  return (
    <>
      <a className="skip-link" href={`#${MAIN_ID}`}>
        Skip to content
      </a>
      <NavigationBar />
      <main id={MAIN_ID} tabIndex={-1}>
        {children}
      </main>
      <Footer />
      <Passage />
      <ToastArea />
      <Announcer />
    </>
  )
}

/** Tells screen readers the title of the page that a route change led to. */
function Announcer() {
  return (
    <p className="visually-hidden" role="status">
      {useAtomValue(announcementAtom)}
    </p>
  )
}
