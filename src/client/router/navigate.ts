import type { createStore } from 'jotai'
import { startTransition } from 'react'
import type { PageData } from '#shared/page-data.ts'
import { documentTitle, type PageName, pageOf } from '#shared/routes.ts'
import { dataOf } from './data-source.ts'
import { type PageModule, type Place, placeOf, type View } from './page.ts'
import { forgetScroll, recallScroll, rememberScroll } from './scroll-memory.ts'
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

let router: RouterOptions | undefined
/** The history entry on the screen. */
let entryKey = 'first'
/** Counts navigations: one that is overtaken by a later one shows nothing. */
let latest = 0

/** Takes over links, back and forward. Called once, after hydration. */
export function startRouter(options: RouterOptions): void {
  router = options
  entryKey = keyOf(history.state) ?? newKey()
  history.replaceState({ key: entryKey }, '')
  history.scrollRestoration = 'manual'
  document.addEventListener('click', followLink)
  addEventListener('popstate', ({ state }) => {
    rememberScroll(entryKey)
    entryKey = keyOf(state) ?? newKey()
    void show(new URL(location.href), { kind: 'back', scrollY: recallScroll(entryKey) })
  })
  // On a reload or a return from another site the browser itself restores the position.
  addEventListener('pagehide', () => {
    rememberScroll(entryKey)
    history.scrollRestoration = 'auto'
  })
  addEventListener('pageshow', () => {
    history.scrollRestoration = 'manual'
  })
}

/** Goes to an address of this site inside the app; `replace` leaves no history entry behind. */
export function navigate(address: string, { replace = false } = {}): void {
  const url = new URL(address, location.href)
  if (!replace) rememberScroll(entryKey)
  entryKey = newKey()
  forgetScroll(entryKey)
  history[replace ? 'replaceState' : 'pushState']({ key: entryKey }, '', url)
  void show(url, { kind: 'forward' })
}

/** Fetches what a page will need, so that going there is instant. Failures wait until it is really visited. */
export function prefetch(url: URL): void {
  const place = placeOf(url)
  router
    ?.loadPage(place.name)
    .then((page) => page.load(place))
    .catch(() => {})
}

async function show(url: URL, arrival: View['arrival']): Promise<void> {
  if (!router) return location.assign(url)
  const navigation = ++latest
  const { store, loadPage, viewOf } = router
  const place = placeOf(url)
  const current = store.get(viewAtom)
  const isSamePage = current?.place.pathname === place.pathname

  if (isSamePage && current.place.search.toString() === place.search.toString()) {
    store.set(viewAtom, { ...current, place, arrival })
    return
  }

  try {
    const page = await loadPage(place.name)
    if (navigation !== latest) return
    const data = page.load(place)
    const view = viewOf(page, place, dataOf(data), { key: isSamePage ? current.key : entryKey, arrival })
    startTransition(() => store.set(viewAtom, view))
    document.title = documentTitle(pageOf(place.name).title)
    const known = await data
    if (navigation !== latest) return
    if (page.title) document.title = documentTitle(page.title(known))
    if (!isSamePage) store.set(announcementAtom, document.title)
  } catch {
    // The page's script is out of reach (offline, or a new version is live): let the browser try, and say so if it fails.
    location.assign(url)
  }
}

function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const link = linkOf(event.target)
  if (!link) return
  event.preventDefault()
  const isHere = link.href === location.href
  navigate(link.href, { replace: isHere })
}

/** The link of this site that an event happened on, unless it asks for a new tab or a download. */
export function linkOf(target: EventTarget | null): HTMLAnchorElement | undefined {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin)
    return undefined
  return link.pathname.includes('.') ? undefined : link
}

function newKey(): string {
  return Math.random().toString(36).slice(2, 10)
}

function keyOf(state: unknown): string | undefined {
  return state && typeof state === 'object' && 'key' in state && typeof state.key === 'string'
    ? state.key
    : undefined
}
