import type { createStore } from 'jotai'
import { startTransition } from 'react'
import type { PageData } from '#shared/page-data.ts'
import { documentTitle, href, type PageName, pageOf } from '#shared/routes.ts'
import { bootAtom } from '../state/boot.ts'
import { dataOf } from './data-source.ts'
import { type Arrival, type PageModule, type Place, placeOf, type View } from './page.ts'
import { recallScroll, rememberScroll } from './scroll-memory.ts'
import { announcementAtom, viewAtom } from './view.ts'

type Store = ReturnType<typeof createStore>

/** What the router needs of the app; handed in once by the browser entry. */
type RouterOptions = {
  store: Store
  loadPage: <Name extends PageName>(name: Name) => Promise<PageModule<Name>>
  viewOf: <Name extends PageName>(
    page: PageModule<Name>,
    place: Place,
    data: ReturnType<typeof dataOf<PageData[Name]>>,
    rest: Pick<View, 'key' | 'arrival'>,
  ) => View
}

/** How many views back and forward find as they were, data included. */
const KEPT_VIEWS = 20

let router: RouterOptions | undefined
/** The history entry that the address belongs to. */
let entryKey = 'first'
/** The one that the screen shows: the same, but while a page is on its way. */
let shownKey = entryKey
/** Counts navigations: one that is overtaken by a later one shows nothing. */
let latest = 0
/** What each history entry of this document showed. */
const visited = new Map<string, { view: View; title: string }>()

/** How the shopper came to this document: afresh, or back to where they were on it. */
export function firstArrival(): Arrival {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const { key, since } = entryOf(history.state)
  // A document has one page of a series: the place among those that had been added to it is none in this one.
  const isSame = since === undefined && entry?.type !== 'navigate'
  const scrollY = key && isSame ? recallScroll(key) : undefined
  return { kind: 'load', ...(scrollY !== undefined && { scrollY }) }
}

/** Takes over links, back and forward. Called once, after hydration has begun. */
export function startRouter(options: RouterOptions): void {
  router = options
  entryKey = entryOf(history.state).key ?? newKey()
  shownKey = entryKey
  history.replaceState({ key: entryKey }, '')
  const view = options.store.get(viewAtom)
  if (view) keep(entryKey, view, document.title)

  document.addEventListener('click', followLink)
  addEventListener('popstate', ({ state }) => {
    rememberScroll(shownKey)
    const { key, since } = entryOf(state)
    entryKey = key ?? newKey()
    // An entry without a key is the browser's own: a hash that was typed into the address.
    if (!key) history.replaceState({ key: entryKey }, '')
    void show(
      new URL(location.href),
      key ? { kind: 'return', scrollY: recallScroll(key) ?? 0 } : { kind: 'forward' },
      since,
    )
  })
  takeOverScrolling()
}

/** Back and forward inside the app restore the position here; on a reload or a return from elsewhere the browser does. */
function takeOverScrolling(): void {
  const takeOver = () => {
    history.scrollRestoration = 'manual'
  }
  // Before the load event the browser may not have restored it yet.
  if (document.readyState === 'complete') takeOver()
  else addEventListener('load', takeOver, { once: true })
  addEventListener('pageshow', ({ persisted }) => persisted && takeOver())
  addEventListener('pagehide', () => {
    rememberScroll(shownKey)
    history.scrollRestoration = router?.store.get(viewAtom)?.place.since ? 'manual' : 'auto'
  })
}

/**
 * Goes to an address of this site inside the app. `replace` leaves no history entry behind; nor does `adds`, which
 * keeps what is on the screen above what the address adds to it.
 */
export function navigate(address: string, { replace = false, adds = false } = {}): void {
  const url = new URL(address, location.href)
  if (!router || url.origin !== location.origin || leavesHomeApart(url)) {
    location[replace ? 'replace' : 'assign'](url)
    return
  }
  const isHere = url.href === location.href
  const isReplaced = replace || adds || isHere
  if (!isReplaced) rememberScroll(shownKey)
  entryKey = newKey()
  const shown = adds ? router.store.get(viewAtom)?.place : undefined
  const since = (shown?.since ?? shown?.search)?.toString()
  history[isReplaced ? 'replaceState' : 'pushState']({ key: entryKey, since }, '', url)
  void show(url, { kind: adds ? 'more' : isHere ? 'again' : 'forward' }, since)
}

/** Fetches what a page will need, so that going there is instant. Failures wait until it is really visited. */
export function prefetch(url: URL): void {
  router
    ?.loadPage(placeOf(url).name)
    .then((page) => page.loadAhead?.())
    .catch(() => {})
}

async function show(url: URL, arrival: Arrival, since?: string): Promise<void> {
  if (!router) return
  const navigation = ++latest
  setBusy(false)
  const key = entryKey
  const { store, loadPage, viewOf } = router
  const place = placeOf(url, since)
  const current = store.get(viewAtom)
  const isSamePage = current?.place.pathname === place.pathname
  const isSameQuery = isSamePage && current.place.search.toString() === place.search.toString()

  const put = (view: View) => {
    // The browser may begin a transition only after another navigation.
    if (navigation !== latest) return
    shownKey = key
    store.set(viewAtom, view)
  }

  const before = arrival.kind === 'return' ? visited.get(key) : undefined
  if (before) {
    put({ ...before.view, arrival })
    document.title = before.title
    if (!isSamePage) store.set(announcementAtom, before.title)
    return
  }
  if (isSameQuery && arrival.kind !== 'again') {
    const view = { ...current, place: { ...current.place, hash: place.hash }, arrival }
    put(view)
    keep(key, view, document.title)
    return
  }

  try {
    setBusy(true)
    const page = await loadPage(place.name)
    if (navigation !== latest) return
    const loading = page.load(place)
    // What a hash names, and the place to return to, may exist only once the data is here.
    const isAwaited = place.hash || place.since || arrival.kind === 'return'
    const data = isAwaited ? await loading : loading
    if (navigation !== latest) return
    const view = viewOf(page, place, dataOf(data), { key: isSamePage ? current.key : key, arrival })
    const canCarry = arrival.kind === 'forward' && !isSamePage && !(data instanceof Promise)
    if (!canCarry || !page.carry?.(place.pathname, () => put(view))) startTransition(() => put(view))
    setBusy(false)
    if (!isSamePage) document.title = documentTitle(pageOf(place.name).title)

    const known = await data
    if (navigation !== latest) return
    if (page.title) document.title = documentTitle(page.title(known))
    if (!isSamePage) store.set(announcementAtom, document.title)
    keep(key, view, document.title)
  } catch {
    // The page's script, or more of the page, is out of reach (offline, or a new version is live): let the browser try, and say so if it fails.
    if (navigation === latest) location.reload()
  }
}

function keep(key: string, view: View, title: string): void {
  visited.set(key, { view, title })
  const [oldest] = visited.keys()
  if (visited.size > KEPT_VIEWS && oldest !== undefined) visited.delete(oldest)
}

/** Lets styles show that a page is on its way. */
function setBusy(isBusy: boolean): void {
  document.documentElement.toggleAttribute('data-busy', isBusy)
}

function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const link = linkOf(event.target)
  if (!link || entersHomeApart(link)) return
  event.preventDefault()
  navigate(link.href, { adds: link.rel === 'next' })
}

/**
 * With a chat widget, links to Home load its document, and whatever leaves that one loads another: a third party's
 * script lives on no page but Home (§ 2), least of all beside a card form.
 */
function entersHomeApart({ pathname }: HTMLAnchorElement): boolean {
  const boot = router?.store.get(bootAtom)
  return boot?.isHomeApart === true && !boot.chatScript && pathname === href('home')
}

function leavesHomeApart({ pathname }: URL): boolean {
  return router?.store.get(bootAtom).chatScript !== undefined && pathname !== href('home')
}

/** The link of this site that an event happened on, unless it asks for a new tab or a download, or leads to a file. */
export function linkOf(target: EventTarget | null): HTMLAnchorElement | undefined {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin)
    return undefined
  return link.pathname.includes('.') ? undefined : link
}

function newKey(): string {
  return Math.random().toString(36).slice(2, 10)
}

/** What this router wrote into a history entry; nothing where it was somebody else, or the browser. */
function entryOf(state: { key?: unknown; since?: unknown } | null): { key?: string; since?: string } {
  const { key, since } = state ?? {}
  return {
    ...(typeof key === 'string' && { key }),
    ...(typeof since === 'string' && { since }),
  }
}
