import { atom, type createStore } from 'jotai'
import type { ComponentType, ReactNode } from 'react'
import type { PageData } from '#shared/page-data.ts'
import { matchRoute, type PageName } from '#shared/routes.ts'
import type { DataSource } from './page-data.tsx'

export type PageLocation = {
  name: PageName
  pathname: string
  search: URLSearchParams
  hash: string
  params: Record<string, string>
  /** The query of the list's first page, if this page was appended to it by a `rel="next"` link. */
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

/** A page's module. `entry.tsx` lists the exports besides `Page`, to exclude them from Fast Refresh. */
export type PageModule<Name extends PageName> = {
  Page: ComponentType<PageProps<Name>>
  /** Returns the data, without a promise if the browser has it. After a rejection, the router reloads the document. */
  load?: (location: PageLocation) => PageData[Name] | Promise<PageData[Name]>
  /** Called when the visitor hovers, focuses or touches a link to the page. */
  prefetch?: () => unknown
  /**
   * Loads the page's lazy sections. The server awaits it before rendering, so that the markup includes the
   * sections.
   */
  fetchSections?: () => Promise<unknown>
  title?: (data: PageData[Name]) => string
  viewTransition?: StartViewTransition
}

/** Calls `render` inside a view transition and returns true, or returns false without calling it. */
export type StartViewTransition = (pathname: string, render: () => void) => boolean

/** The types of the Navigation API, plus `load` for the document itself and `append` for a `rel="next"` link. */
export type NavigationType = 'load' | 'reload' | 'push' | 'replace' | 'append' | 'traverse'

export type View = {
  location: PageLocation
  /** Unique per page visit, so that each visit starts with fresh state. */
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

/** The current view. Both the server and the browser set it before the first render. */
export const viewAtom = atom<View | null>(null)

export const offlineMessageAtom = atom('')

/** The text that screen readers announce, such as the title after a route change. Empty after a full load. */
export const announcementAtom = atom('')

export function navigate(url: string, { replace = false } = {}): void {
  location[replace ? 'replace' : 'assign'](url)
}

/** Returns whether the browser has the Navigation API. Without it, forms and links load documents. */
export function isRouterSupported(): boolean {
  return 'NavigateEvent' in window
}

/**
 * Replaces the URL without a route change or history entry. The page reads the new URL from {@link viewAtom}, not
 * from its props.
 */
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

/** The state of a history entry. It outlives the document. */
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
