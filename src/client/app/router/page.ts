import { atom, type createStore } from 'jotai'
import type { ComponentType, ReactElement, ReactNode } from 'react'
import type { PageData } from '#shared/page-data.ts'
import { matchRoute, type PageName } from '#shared/routes.ts'
import type { DataSource } from './page-data.tsx'

export type PageLocation = {
  name: PageName
  pathname: string
  search: URLSearchParams
  hash: string
  params: Record<string, string>
  /** The query of the first page shown, if a `rel="next"` link appended this page to it. */
  appendedTo?: URLSearchParams
}

export function parseLocation(
  { pathname, searchParams: search, hash }: URL,
  appendedTo?: string,
): PageLocation {
  const location = { pathname, search, hash, ...matchRoute(pathname) }
  return appendedTo === undefined ? location : { ...location, appendedTo: new URLSearchParams(appendedTo) }
}

export type PageProps<Name extends PageName> = { location: PageLocation; data: DataSource<PageData[Name]> }

/** `entry.tsx` lists all exports but `Page`, to exclude them from Fast Refresh. */
export type PageModule<Name extends PageName> = {
  Page: ComponentType<PageProps<Name>>
  /** After a rejection, the router reloads the document. */
  load?: (location: PageLocation) => PageData[Name] | Promise<PageData[Name]>
  prefetch?: () => unknown
  /** Adds the data that the document's data block omits because the server's markup contains it. */
  restoreData?: (data: PageData[Name]) => PageData[Name]
  title?: (data: PageData[Name]) => string
  viewTransition?: StartViewTransition
}

/** Calls `render` inside a view transition and returns true, or returns false without calling it. */
export type StartViewTransition = (pathname: string, render: () => void) => boolean

/** The types of the Navigation API, plus `load` for the document itself and `append` for a `rel="next"` link. */
export type NavigationType = 'load' | 'reload' | 'push' | 'replace' | 'append' | 'traverse'

export type View = {
  location: PageLocation
  /** A new key resets the page's React state. */
  key: string
  navigationType: NavigationType
  element: ReactNode
  /** Called after React has committed the view and before the browser paints it. */
  onRendered?: (() => void) | undefined
}

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

export function isDocumentLoad({ navigationType }: View): boolean {
  return navigationType === 'load' || navigationType === 'reload'
}

/** These pages have no long form, so reloading the service worker's shell loses little input. */
export const PAGES_SAFE_TO_RELOAD: readonly PageName[] = [
  'home',
  'shop',
  'product',
  'about',
  'cart',
  'dashboard',
  'order',
]

/** Both the server and the browser set it before the first render. */
export const viewAtom = atom<View | null>(null)

/** A string says that the shopper is offline or the connection slow. Other messages are elements. */
export const messageBarAtom = atom<string | ReactElement>('')

export const announcementAtom = atom('')

export function navigate(url: string, { replace = false } = {}): void {
  location[replace ? 'replace' : 'assign'](url)
}

/** Without the Navigation API, forms and links load documents. */
export function isRouterSupported(): boolean {
  return 'NavigateEvent' in window
}

/** Adds no history entry. The page must read the new URL from {@link viewAtom}, because its props don't change. */
export const replaceUrlAtom = atom(null, (get, set, url: string) => {
  history.replaceState(history.state, '', url)
  const view = get(viewAtom)
  if (view) set(viewAtom, { ...view, onRendered: undefined, location: parseLocation(new URL(location.href)) })
})

export function getDocumentNavigationType(window: Window): 'load' | 'reload' {
  const [entry] = window.performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const isReloadOrTraversal =
    entry?.type !== 'navigate' && getEntryState(window.navigation?.currentEntry).appendedTo === undefined
  return isReloadOrTraversal ? 'reload' : 'load'
}

type EntryState = {
  scrollY: number
  appendedTo: string | undefined
}

export function getEntryState(entry: { getState: () => unknown } | null): EntryState {
  const { scrollY, appendedTo } = Object(entry?.getState())
  return {
    scrollY: typeof scrollY === 'number' ? scrollY : 0,
    appendedTo: typeof appendedTo === 'string' ? appendedTo : undefined,
  }
}
