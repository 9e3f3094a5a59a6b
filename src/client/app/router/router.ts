import type { createStore } from 'jotai'
import { startTransition } from 'react'
import { bootAtom, savesData } from '#client/app/boot.ts'
import { afterPaint, pause } from '#client/app/wait.ts'
import type { PageData } from '#shared/page-data.ts'
import { documentTitle, href, matchRoute, type PageName, pageOf } from '#shared/routes.ts'
import {
  awaitConnection,
  connectionLostAtom,
  followLost,
  untilAnswered,
  waitForConnection,
  watchConnection,
  whileLoading,
} from './connection.ts'
import { clickedLink, followWhenConnected, isFile, linkOf } from './links.ts'
import {
  announcementAtom,
  entryState,
  locationOf,
  type NavigationType,
  type PageLocation,
  type PageModule,
  type View,
  viewAtom,
} from './page.ts'
import { type DataSource, dataOf } from './page-data.tsx'
import { isSameAddress, scrollAndFocus } from './scroll-and-focus.ts'

export type RouterDeps = {
  store: ReturnType<typeof createStore>
  loadPage: <Name extends PageName>(name: Name) => Promise<PageModule<Name>>
  createView: <Name extends PageName>(
    page: PageModule<Name>,
    location: PageLocation,
    data: DataSource<PageData[Name]>,
    rest: Pick<View, 'key' | 'navigationType' | 'onRendered'>,
  ) => View
  navigation: Navigation
  window: Window
}

/** How many views back and forward find as they were, data included. */
const CACHED_VIEWS = 20
/** A page that is there sooner is not shown as loading, in milliseconds. */
const BUSY_AFTER_MS = 100
/** How long data may follow the server's first answer, in milliseconds: React keeps a Suspense fallback for 300. */
const DATA_FOLLOWS_MS = 100

/**
 * Makes the router: from `start` on it renders the pages that links, scripts, back and forward lead to, restores
 * scroll position and data on back and forward, and prefetches pages on intent.
 */
export function createRouter({ store, loadPage, createView, navigation, window }: RouterDeps) {
  const { document, history, location } = window
  /** Key of the history entry that the screen shows: not the current one while a page is loading. */
  let renderedKey: string | undefined
  /** The frame after a scroll position was restored; the next view on the screen must not be scrolled there. */
  let restoredFrame = 0
  /** The link on the same page that is followed once its tap is painted, unless another navigation begins before. */
  let tappedLink: HTMLAnchorElement | undefined
  /** What the latest history entries of this document showed, by the entry's key. */
  const views = new Map<string | undefined, { view: View; title: string; url: string }>()

  function start(): void {
    // Without the Navigation API links load documents, which every page supports.
    if (!('NavigateEvent' in window && 'intercept' in NavigateEvent.prototype)) {
      followWhenConnected((signal) => awaitConnection(store, signal))
      return
    }
    renderedKey = navigation.currentEntry?.key
    const view = store.get(viewAtom)
    // A document holds one page of a list, also where others had been appended to it.
    navigation.updateCurrentEntry({ state: null })
    if (view) cacheView(view, document.title)
    navigation.addEventListener('navigate', interceptNavigation)
    document.addEventListener('click', followOnSamePage)
    // A hovered, touched or focused link may be followed soon.
    document.addEventListener('pointerover', prefetchLink, { passive: true })
    document.addEventListener('focusin', prefetchLink)
    // A reloaded document is shorter than one with appended pages: the browser must not scroll as far.
    window.addEventListener('pagehide', () => {
      history.scrollRestoration =
        entryState(navigation.currentEntry).appendedTo === undefined ? 'auto' : 'manual'
    })
    window.addEventListener('pageshow', () => {
      history.scrollRestoration = 'auto'
    })
  }

  function interceptNavigation(event: NavigateEvent): void {
    const url = new URL(event.destination.url)
    // React shows the browser's loading indicator by navigations of its own.
    if (!event.canIntercept || event.navigationType === 'reload' || event.info === 'react-transition') return
    // A page has replaced its own address: it stays as it is.
    if (event.navigationType === 'replace' && event.destination.sameDocument && !event.hashChange) return
    tappedLink = undefined
    if (event.formData || event.downloadRequest !== null || isFile(url) || needsDocument(event, url)) return
    saveScroll()
    event.intercept({ scroll: 'manual', focusReset: 'manual', handler: () => handleNavigation(event, url) })
  }

  /** Resolves when the page that the navigation leads to is on the screen with its data. */
  async function handleNavigation(event: NavigateEvent, url: URL): Promise<void> {
    const { signal, destination } = event
    const navigationType: NavigationType = event.info === 'append' ? 'append' : event.navigationType
    const current = store.get(viewAtom)
    const { appendedTo, scrollY } = entryState(destination)
    const target = locationOf(url, appendedTo)
    const isSamePage = current?.location.pathname === target.pathname
    const restoreScroll = () => scrollInstantly(scrollY)

    const cached = views.get(destination.key)
    if (navigationType === 'traverse' && cached?.url === url.href) {
      await render({ ...cached.view, navigationType }, signal, restoreScroll)
      document.title = cached.title
      if (!isSamePage) store.set(announcementAtom, cached.title)
      return
    }
    if (current && isSamePage && isHashChange(current, target)) {
      const view = { ...current, location: { ...current.location, hash: target.hash }, navigationType }
      await render(view, signal, restoreScroll)
      return cacheView(view, document.title)
    }

    const watch = watchConnection(store, signal)
    const busy = setTimeout(setBusy, BUSY_AFTER_MS, true)
    const endBusy = () => {
      clearTimeout(busy)
      setBusy(false)
    }
    try {
      signal.addEventListener('abort', endBusy)
      const page = await whileLoading(loadPage(target.name), watch)
      signal.throwIfAborted()
      let data = page.load?.(target) ?? (null as PageData[PageName])
      // The element that a hash names, and the scroll position to restore, may exist only with the data.
      const mustWait = isSamePage || target.hash || target.appendedTo || navigationType === 'traverse'
      if (data instanceof Promise && mustWait) data = await whileLoading(data, watch)
      else if (data instanceof Promise) {
        // What is on the screen must not go for data that may never come.
        await untilAnswered(data, watch)
        if (await Promise.race([data.then(() => true), pause(DATA_FOLLOWS_MS)])) data = await data
      }
      signal.throwIfAborted()
      const key = isSamePage && current ? current.key : `${navigation.currentEntry?.id}`
      const view = createView(page, target, dataOf(untilFailure(data)), { key, navigationType })
      const canAnimate = navigationType === 'push' && !isSamePage && !(data instanceof Promise)
      await render(view, signal, restoreScroll, canAnimate ? page.viewTransition : undefined)
      endBusy()
      if (!isSamePage) document.title = documentTitle(pageOf(target.name).title)

      const loaded = data instanceof Promise ? await whileLoading(data, watch) : data
      signal.throwIfAborted()
      if (page.title) document.title = documentTitle(page.title(loaded))
      if (!isSamePage) store.set(announcementAtom, document.title)
      cacheView(view, document.title)
    } catch {
      // The page's chunk or data cannot be fetched. Without a connection the shopper stays, and goes on when it is back;
      // with one a new version is live. Either way the browser loads the document then.
      await waitForConnection(signal, watch.onLost)
      if (!signal.aborted) {
        store.set(connectionLostAtom, null)
        return location.reload()
      }
    }
    // Nothing is awaited any more, and the line is still dead.
    if (watch.isLost()) void followLost(store)
  }

  /** Puts a view on the screen unless the navigation is aborted. Resolves once it is in the document. */
  function render(
    view: View,
    signal: AbortSignal,
    restoreScroll: () => void,
    viewTransition?: PageModule<PageName>['viewTransition'],
  ): Promise<void> {
    return new Promise((resolve) => {
      const previous = store.get(viewAtom)
      let isRendered = false
      const onRendered = () => {
        if (isRendered) return
        isRendered = true
        renderedKey = navigation.currentEntry?.key
        window.cancelAnimationFrame(restoredFrame)
        scrollAndFocus(view, previous, restoreScroll)
        resolve()
      }
      const show = () => !signal.aborted && store.set(viewAtom, { ...view, onRendered })
      if (view.navigationType === 'traverse') show()
      else if (!viewTransition?.(view.location.pathname, show)) startTransition(() => void show())
    })
  }

  /** Stores the scroll position with the current history entry, for a later return to it. */
  function saveScroll(): void {
    const { currentEntry } = navigation
    if (currentEntry?.key !== renderedKey) return
    const view = store.get(viewAtom)
    const cached = views.get(renderedKey)
    if (view && cached && cached.url !== location.href) cacheView(view, cached.title)
    navigation.updateCurrentEntry({ state: { ...entryState(currentEntry), scrollY: window.scrollY } })
  }

  function scrollInstantly(top: number): void {
    window.scrollTo({ top, behavior: 'instant' })
    const { scrollY } = window
    // A smooth scroll still under way in the compositor can move the page once more, a frame later.
    restoredFrame = window.requestAnimationFrame(() => {
      if (window.scrollY !== scrollY) window.scrollTo({ top: scrollY, behavior: 'instant' })
    })
  }

  /**
   * The server redirects what differs from a page's path by letter case or a trailing slash. With a chat widget, links
   * to Home load its document, and links from it load others: a third party's script runs on no page but Home (§ 2).
   */
  function needsDocument({ userInitiated, navigationType }: NavigateEvent, { pathname }: URL): boolean {
    if (matchRoute(pathname).redirectTo) return true
    const { isHomeApart, chatScript } = store.get(bootAtom)
    const isHome = pathname === href('home')
    if (chatScript) return !isHome
    return isHomeApart && isHome && userInitiated && navigationType !== 'traverse'
  }

  /**
   * Follows a link to another part of the same page, like a filter, once the browser has painted the tap; a `rel="next"`
   * link without a history entry, keeping what is on the screen above what it adds.
   */
  function followOnSamePage(event: MouseEvent): void {
    const link = clickedLink(event)
    if (link?.pathname !== location.pathname || link.search === location.search) return
    event.preventDefault()
    const shown = store.get(viewAtom)?.location
    const appendedTo = (shown?.appendedTo ?? shown?.search)?.toString()
    const append = { history: 'replace', state: { appendedTo }, info: 'append' } as const
    tappedLink = link
    afterPaint(() => {
      if (tappedLink === link) navigation.navigate(link.href, link.rel === 'next' ? append : {})
    })
  }

  /** Fetches a page's code and data before its link is followed; not for visitors who save data. */
  function prefetchLink({ target }: Event): void {
    const link = savesData() ? undefined : linkOf(target)
    if (!link || (link.pathname === location.pathname && link.search === location.search)) return
    loadPage(locationOf(new URL(link.href)).name)
      .then((page) => page.prefetch?.())
      .catch(() => {})
  }

  function cacheView(view: View, title: string): void {
    views.set(navigation.currentEntry?.key, { view, title, url: location.href })
    const [oldest] = views.keys()
    if (views.size > CACHED_VIEWS) views.delete(oldest)
  }

  /** Lets styles show that a page is loading. */
  function setBusy(isBusy: boolean): void {
    document.documentElement.toggleAttribute('data-busy', isBusy)
  }

  return { start }
}

/** The same data, but pending for ever where it fails: the page goes on loading while the router deals with it. */
function untilFailure<Data>(data: Data | Promise<Data>): Data | Promise<Data> {
  return data instanceof Promise ? data.catch(() => new Promise<never>(() => {})) : data
}

/** Whether two locations differ by their hash alone. */
function isHashChange(current: View, target: PageLocation): boolean {
  const isSameQuery = current.location.search.toString() === target.search.toString()
  return isSameQuery && !isSameAddress(target, current)
}
