import { bootAtom } from '#client/app/boot.ts'
import { href, matchRoute } from '#shared/routes.ts'
import { waitForConnectionWithMessage } from './connection.ts'
import { createNavigationHandler } from './handle-navigation.ts'
import { followLinksWhenOnline, followSamePageLinks, isFileUrl, prefetchOnIntent } from './links.ts'
import type { RouterDeps } from './page.ts'
import { createScreen } from './screen.ts'
import { createScrollRestoration } from './scroll-restoration.ts'

export function createRouter(deps: RouterDeps) {
  const { store, loadPage, navigation, window } = deps

  function start(): void {
    if (!('NavigateEvent' in window && 'intercept' in NavigateEvent.prototype)) {
      followLinksWhenOnline((signal) => waitForConnectionWithMessage(store, signal))
      return
    }
    const scroll = createScrollRestoration({ navigation, window })
    const screen = createScreen({ store, navigation, window, scroll })
    const handleNavigation = createNavigationHandler({ ...deps, screen, scroll })
    const samePageLinks = followSamePageLinks({ store, navigation, window })
    prefetchOnIntent({ loadPage, window })

    navigation.addEventListener('navigate', function interceptNavigation(event) {
      const url = new URL(event.destination.url)
      if (!isPageChange(event)) return
      samePageLinks.cancel()
      if (needsDocument(event, url)) return
      screen.saveEntry()
      event.intercept({
        scroll: 'manual',
        focusReset: 'manual',
        handler: () => handleNavigation(event, url),
      })
    })
  }

  function needsDocument(event: NavigateEvent, url: URL): boolean {
    if (event.formData || event.downloadRequest !== null || isFileUrl(url)) return true
    // The server redirects paths with a trailing slash or the wrong letter case.
    if (matchRoute(url.pathname).redirectTo) return true
    return crossesChatWidget(event, url)
  }

  /** The chat widget's script may run on Home only (§ 2). */
  function crossesChatWidget({ userInitiated, navigationType }: NavigateEvent, { pathname }: URL): boolean {
    const { hasChatWidget, chatScript } = store.get(bootAtom)
    const isHome = pathname === href('home')
    if (chatScript) return !isHome
    return hasChatWidget && isHome && userInitiated && navigationType !== 'traverse'
  }

  return { start }
}

function isPageChange({
  canIntercept,
  navigationType,
  destination,
  hashChange,
  info,
}: NavigateEvent): boolean {
  // React starts `react-transition` navigations to show the browser's loading indicator.
  if (!canIntercept || navigationType === 'reload' || info === 'react-transition') return false
  // Excludes the page's own calls of `history.replaceState`.
  return !(navigationType === 'replace' && destination.sameDocument && !hashChange)
}
