import { delay } from '#client/app/wait.ts'
import type { PageData } from '#shared/page-data.ts'
import { formatDocumentTitle, getPageDefinition, type PageName } from '#shared/routes.ts'
import {
  loadWhileOnline,
  reportUntilOnline,
  setConnectionLossAtom,
  waitForConnection,
  waitForDataOrProbe,
  watchConnection,
} from './connection.ts'
import {
  announcementAtom,
  getEntryState,
  type NavigationType,
  type PageLocation,
  parseLocation,
  type RouterDeps,
  type View,
  viewAtom,
} from './page.ts'
import { createDataSource, suspendOnFailure } from './page-data.tsx'
import type { Screen } from './screen.ts'
import { isSameUrl } from './scroll-and-focus.ts'
import type { ScrollRestoration } from './scroll-restoration.ts'

const BUSY_AFTER_MS = 100
/** After this time, a Suspense fallback renders, which React shows for at least 300 ms. */
const DATA_GRACE_MS = 100

type NavigationTarget = {
  location: PageLocation
  navigationType: NavigationType
  isSamePage: boolean
  signal: AbortSignal
  restoreScroll: () => void
}
type HandlerDeps = RouterDeps & { screen: Screen; scroll: ScrollRestoration }

export function createNavigationHandler(deps: HandlerDeps) {
  const { store, loadPage, createView, navigation, window, screen, scroll } = deps
  const { document, location } = window

  async function handleNavigation(event: NavigateEvent, url: URL): Promise<void> {
    const { signal, destination } = event
    const navigationType: NavigationType = event.info === 'append' ? 'append' : event.navigationType
    const { appendedTo, scrollY } = getEntryState(destination)
    const restoreScroll = () => scroll.restore(scrollY)
    const to = parseLocation(url, appendedTo)
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

  /** If the page's chunk or data can't be fetched, reloads the document once the server responds. */
  async function openPage(target: NavigationTarget): Promise<void> {
    const { signal } = target
    const watch = watchConnection(store, signal)
    try {
      await loadAndShow(target, watch)
    } catch {
      // Aborted navigations also end here. After a deployment, the chunk may no longer exist.
      await waitForConnection(signal, watch.onLost)
      if (!signal.aborted) {
        store.set(setConnectionLossAtom, null)
        return location.reload()
      }
    }
    if (watch.isLost()) void reportUntilOnline(store)
  }

  async function loadAndShow(
    target: NavigationTarget,
    watch: ReturnType<typeof watchConnection>,
  ): Promise<void> {
    const { location, navigationType, isSamePage, signal, restoreScroll } = target
    const endBusy = startBusy(signal)
    const page = await loadWhileOnline(loadPage(location.name), watch)
    signal.throwIfAborted()
    const data = await loadData(page.load?.(location) ?? (null as PageData[PageName]), target, watch)
    signal.throwIfAborted()
    const key = (isSamePage && store.get(viewAtom)?.key) || `${navigation.currentEntry?.id}`
    const view = createView(page, location, createDataSource(suspendOnFailure(data.value)), {
      key,
      navigationType,
    })
    const canAnimate = navigationType === 'push' && !isSamePage && !(data.value instanceof Promise)
    const viewTransition = canAnimate ? page.viewTransition : undefined
    await screen.show(view, { signal, restoreScroll, viewTransition })
    endBusy()
    if (!isSamePage) document.title = formatDocumentTitle(getPageDefinition(location.name).title)

    const loaded = data.value instanceof Promise ? await loadWhileOnline(data.value, watch) : data.value
    signal.throwIfAborted()
    if (page.title) document.title = formatDocumentTitle(page.title(loaded))
    if (!isSamePage) store.set(announcementAtom, document.title)
    screen.cacheView(view, document.title)
  }

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

/** The result is wrapped in an object, because an async function would await a returned promise. */
async function loadData<Data>(
  data: Data | Promise<Data>,
  { location, navigationType, isSamePage }: NavigationTarget,
  watch: ReturnType<typeof watchConnection>,
): Promise<{ value: Data | Promise<Data> }> {
  if (!(data instanceof Promise)) return { value: data }
  // A hash, appended items and a restored position need the data. On the same page, the old content stays until
  // the data has loaded.
  const mustWait = isSamePage || location.hash || location.appendedTo || navigationType === 'traverse'
  if (mustWait) return { value: await loadWhileOnline(data, watch) }
  // The current page stays until the server responds, because the data may never arrive.
  await waitForDataOrProbe(data, watch)
  const isLoaded = await Promise.race([data.then(() => true), delay(DATA_GRACE_MS)])
  return { value: isLoaded ? await data : data }
}

function isHashChange(current: View, target: PageLocation): boolean {
  const isSameQuery = current.location.search.toString() === target.search.toString()
  return isSameQuery && !isSameUrl(target, current)
}
