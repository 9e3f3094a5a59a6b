import { bootAtom } from '#client/app/boot.ts'
import { href, matchRoute } from '#shared/routes.ts'
import { awaitConnection } from './connection.ts'
import { createNavigationHandler } from './handle-navigation.ts'
import { followLinksWhenOnline, followSamePageLinks, isFileUrl, prefetchOnIntent } from './links.ts'
import type { RouterDeps } from './page.ts'
import { createScreen } from './screen.ts'
import { createScrollRestoration } from './scroll-restoration.ts'

/**
 * Makes the router: from `start` on it renders the pages that links, scripts, back and forward lead to, restores
 * scroll position and data on back and forward, and prefetches pages on intent.
 */
export function createRouter(deps: RouterDeps) {
  const { store, loadPage, navigation, window } = deps

  function start(): void {
    // Without the Navigation API links load documents, which every page supports.
    if (!('NavigateEvent' in window && 'intercept' in NavigateEvent.prototype)) {
      followLinksWhenOnline((signal) => awaitConnection(store, signal))
      return
    }
    const scroll = createScrollRestoration({ navigation, window })
    const screen = createScreen({ store, navigation, window, scroll })
    const handleNavigation = createNavigationHandler({ ...deps, screen, scroll })
    const samePageLinks = followSamePageLinks({ store, navigation, window })
    prefetchOnIntent({ loadPage, window })

    navigation.addEventListener('navigate', function interceptNavigation(event) {
      const url = new URL(event.destination.url)
      if (!changesPage(event)) return
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

  /** Whether the browser has to load a document: for files, downloads, posted forms and redirects. */
  function needsDocument(event: NavigateEvent, url: URL): boolean {
    if (event.formData || event.downloadRequest !== null || isFileUrl(url)) return true
    // The server redirects what differs from a page's path by letter case or a trailing slash.
    if (matchRoute(url.pathname).redirectTo) return true
    return crossesChatWidget(event, url)
  }

  /**
   * With a chat widget, links to Home load its document, and links from it load others: a third party's script runs on
   * no page but Home (§ 2).
   */
  function crossesChatWidget({ userInitiated, navigationType }: NavigateEvent, { pathname }: URL): boolean {
    const { isHomeApart, chatScript } = store.get(bootAtom)
    const isHome = pathname === href('home')
    if (chatScript) return !isHome
    return isHomeApart && isHome && userInitiated && navigationType !== 'traverse'
  }

  return { start }
}

/** False for reloads, and for navigations that leave the page on the screen as it is. */
function changesPage({
  canIntercept,
  navigationType,
  destination,
  hashChange,
  info,
}: NavigateEvent): boolean {
  // React shows the browser's loading indicator by navigations of its own.
  if (!canIntercept || navigationType === 'reload' || info === 'react-transition') return false
  // A page has replaced its own address: it stays as it is.
  return !(navigationType === 'replace' && destination.sameDocument && !hashChange)
}
