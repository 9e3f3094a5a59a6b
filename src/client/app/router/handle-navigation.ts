import { delay } from '#client/app/wait.ts'
import type { PageData } from '#shared/page-data.ts'
import { documentTitle, type PageName, pageOf } from '#shared/routes.ts'
import {
  connectionLostAtom,
  followLost,
  untilAnswered,
  waitForConnection,
  watchConnection,
  whileLoading,
} from './connection.ts'
import {
  announcementAtom,
  entryState,
  locationOf,
  type NavigationType,
  type PageLocation,
  type RouterDeps,
  type View,
  viewAtom,
} from './page.ts'
import { dataOf } from './page-data.tsx'
import type { Screen } from './screen.ts'
import { isSameAddress } from './scroll-and-focus.ts'
import type { ScrollRestoration } from './scroll-restoration.ts'

/** A page that loads faster is not shown as loading, in milliseconds. */
const BUSY_AFTER_MS = 100
/** How long data may follow the server's first answer, in milliseconds: React keeps a Suspense fallback for 300. */
const DATA_FOLLOWS_MS = 100

type Target = {
  location: PageLocation
  navigationType: NavigationType
  isSamePage: boolean
  signal: AbortSignal
  restoreScroll: () => void
}
type HandlerDeps = RouterDeps & { screen: Screen; scroll: ScrollRestoration }

/** The handler of intercepted navigations: resolves when the page is on the screen with its data. */
export function createNavigationHandler(deps: HandlerDeps) {
  const { store, loadPage, createView, navigation, window, screen, scroll } = deps
  const { document, location } = window

  async function handleNavigation(event: NavigateEvent, url: URL): Promise<void> {
    const { signal, destination } = event
    const navigationType: NavigationType = event.info === 'append' ? 'append' : event.navigationType
    const { appendedTo, scrollY } = entryState(destination)
    const restoreScroll = () => scroll.restore(scrollY)
    const to = locationOf(url, appendedTo)
    const current = store.get(viewAtom)
    const isSamePage = current?.location.pathname === to.pathname

    const cached = navigationType === 'traverse' ? screen.cachedView(destination) : undefined
    if (cached) {
      await screen.show({ ...cached.view, navigationType }, { signal, restoreScroll })
      document.title = cached.title
      if (!isSamePage) store.set(announcementAtom, cached.title)
      return
    }
    if (current && isSamePage && isHashChange(current, to)) {
      const view = { ...current, location: { ...current.location, hash: to.hash }, navigationType }
      await screen.show(view, { signal, restoreScroll })
      return screen.cacheView(view, document.title)
    }
    await openPage({ location: to, navigationType, isSamePage, signal, restoreScroll })
  }

  /** Opens a page; where its chunk or data cannot be fetched, waits for the connection and loads its document. */
  async function openPage(target: Target): Promise<void> {
    const { signal } = target
    const watch = watchConnection(store, signal)
    try {
      await loadAndShow(target, watch)
    } catch {
      // Without a connection the shopper stays, and goes on when it is back; with one a new version is live. Either way
      // the browser loads the document then.
      await waitForConnection(signal, watch.onLost)
      if (!signal.aborted) {
        store.set(connectionLostAtom, null)
        return location.reload()
      }
    }
    // Nothing is awaited any more, and the connection is still lost.
    if (watch.isLost()) void followLost(store)
  }

  async function loadAndShow(target: Target, watch: ReturnType<typeof watchConnection>): Promise<void> {
    const { location, navigationType, isSamePage, signal, restoreScroll } = target
    const endBusy = startBusy(signal)
    const page = await whileLoading(loadPage(location.name), watch)
    signal.throwIfAborted()
    const data = await dataToShow(page.load?.(location) ?? (null as PageData[PageName]), target, watch)
    signal.throwIfAborted()
    const key = (isSamePage && store.get(viewAtom)?.key) || `${navigation.currentEntry?.id}`
    const view = createView(page, location, dataOf(untilFailure(data.value)), { key, navigationType })
    const canAnimate = navigationType === 'push' && !isSamePage && !(data.value instanceof Promise)
    const viewTransition = canAnimate ? page.viewTransition : undefined
    await screen.show(view, { signal, restoreScroll, viewTransition })
    endBusy()
    if (!isSamePage) document.title = documentTitle(pageOf(location.name).title)

    const loaded = data.value instanceof Promise ? await whileLoading(data.value, watch) : data.value
    signal.throwIfAborted()
    if (page.title) document.title = documentTitle(page.title(loaded))
    if (!isSamePage) store.set(announcementAtom, document.title)
    screen.cacheView(view, document.title)
  }

  /** Lets styles show that a page is loading, from {@link BUSY_AFTER_MS} until the returned function is called. */
  function startBusy(signal: AbortSignal): () => void {
    const setBusy = (isBusy: boolean) => document.documentElement.toggleAttribute('data-busy', isBusy)
    const timer = setTimeout(setBusy, BUSY_AFTER_MS, true)
    const endBusy = () => {
      clearTimeout(timer)
      setBusy(false)
    }
    signal.addEventListener('abort', endBusy)
    return endBusy
  }

  return handleNavigation
}

/**
 * The data to render a page with: loaded where the page cannot be shown without it, otherwise a promise that the page
 * suspends on. In an object, because an async function would await the promise.
 */
async function dataToShow<Data>(
  data: Data | Promise<Data>,
  { location, navigationType, isSamePage }: Target,
  watch: ReturnType<typeof watchConnection>,
): Promise<{ value: Data | Promise<Data> }> {
  if (!(data instanceof Promise)) return { value: data }
  // The element that a hash names, and the scroll position to restore, may exist only with the data.
  const mustWait = isSamePage || location.hash || location.appendedTo || navigationType === 'traverse'
  if (mustWait) return { value: await whileLoading(data, watch) }
  // The page on the screen stays until the server answers: the data may never come.
  await untilAnswered(data, watch)
  const isLoaded = await Promise.race([data.then(() => true), delay(DATA_FOLLOWS_MS)])
  return { value: isLoaded ? await data : data }
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
