import { atom, type createStore } from 'jotai'
import type { ComponentType, ReactNode } from 'react'
import type { PageData } from '#shared/page-data.ts'
import { matchRoute, type PageName } from '#shared/routes.ts'
import type { DataSource } from './page-data.tsx'

/** An address of this site, parsed. */
export type PageLocation = {
  name: PageName
  pathname: string
  search: URLSearchParams
  /** With its `#`, or empty. */
  hash: string
  params: Record<string, string>
  /** The query of the first page of a list, when this page of it was appended to those before (`rel="next"`). */
  appendedTo?: URLSearchParams
}

/** Parses an address of this site. */
export function locationOf({ pathname, searchParams: search, hash }: URL, appendedTo?: string): PageLocation {
  const location = { pathname, search, hash, ...matchRoute(pathname) }
  return appendedTo === undefined ? location : { ...location, appendedTo: new URLSearchParams(appendedTo) }
}

export type PageProps<Name extends PageName> = { location: PageLocation; data: DataSource<PageData[Name]> }

/**
 * What a page's module exports: the component and, for a page with data, how the browser gets it for navigation inside
 * the app. `entry.tsx` names the exports that are no components, so that the page is refreshed without a reload.
 */
export type PageModule<Name extends PageName> = {
  Page: ComponentType<PageProps<Name>>
  /**
   * Returns the data at once when the browser has it, else a promise; failures are part of the data. Rejects without a
   * connection, and for a location with `appendedTo`: its document is then loaded. Left out by pages without data.
   */
  load?: (location: PageLocation) => PageData[Name] | Promise<PageData[Name]>
  /** Fetches what `load` will need when a link to the page is hovered, focused or touched. */
  prefetch?: () => unknown
  /** Fetches the page's sections that have chunks of their own: the server sends them with the page. */
  fetchSections?: () => Promise<unknown>
  /** The document title, where it depends on the data. */
  title?: (data: PageData[Name]) => string
  viewTransition?: StartViewTransition
}

/** Calls `render` inside a view transition to a page at `pathname` and returns true, or returns false without calling it. */
export type StartViewTransition = (pathname: string, render: () => void) => boolean

/**
 * How the shopper came to a view, as the Navigation API names it; besides, `load` is the document itself, and `append`
 * a `rel="next"` link, which adds a page of a list to those on the screen.
 */
export type NavigationType = 'load' | 'reload' | 'push' | 'replace' | 'append' | 'traverse'

/** What is on the screen. */
export type View = {
  location: PageLocation
  /** Differs for every page visited, so that each starts with fresh state. */
  key: string
  navigationType: NavigationType
  element: ReactNode
  /** Called when the view is in the document, before it is painted. */
  onRendered?: (() => void) | undefined
}

/** What the router works with. */
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

/** Whether a view came with the document, not by navigation inside the app. */
export function isDocumentLoad({ navigationType }: View): boolean {
  return navigationType === 'load' || navigationType === 'reload'
}

/** What is on the screen; set before the first render on both sides. */
export const viewAtom = atom<View | null>(null)

/** The layout's message while the connection is missing; empty while there is one. */
export const offlineMessageAtom = atom('')

/** What screen readers are told after a route change; empty on a full load. */
export const announcementAtom = atom('')

/**
 * Goes to an address of this site, as a link to it would: inside the app where the router intercepts the navigation,
 * else as a document. `replace` leaves no history entry behind.
 */
export function navigate(address: string, { replace = false } = {}): void {
  location[replace ? 'replace' : 'assign'](address)
}

/** Whether the router shows pages inside the document: where it does not, forms and links load documents. */
export function canFollow(): boolean {
  return 'NavigateEvent' in window
}

/**
 * Replaces the address of the page on the screen: no route change, no history entry. The page stays as it is, its props
 * too: what it shows of its address it reads from {@link viewAtom}.
 */
export const replaceAddressAtom = atom(null, (get, set, address: string) => {
  history.replaceState(history.state, '', address)
  const view = get(viewAtom)
  if (view) set(viewAtom, { ...view, onRendered: undefined, location: locationOf(new URL(location.href)) })
})

/** How the shopper came to the document itself. */
export function documentNavigationType(window: Window): 'load' | 'reload' {
  const [entry] = window.performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const isRestored =
    entry?.type !== 'navigate' && entryState(window.navigation?.currentEntry).appendedTo === undefined
  return isRestored ? 'reload' : 'load'
}

/** What the router stores with a history entry, which outlives the document. */
type EntryState = {
  /** In pixels from the top. */
  scrollY: number
  /** See {@link PageLocation}. */
  appendedTo: string | undefined
}

/** What is stored with a history entry; defaults where it is another's, or nothing. */
export function entryState(entry: { getState: () => unknown } | null): EntryState {
  const { scrollY, appendedTo } = Object(entry?.getState())
  return {
    scrollY: typeof scrollY === 'number' ? scrollY : 0,
    appendedTo: typeof appendedTo === 'string' ? appendedTo : undefined,
  }
}
