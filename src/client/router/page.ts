import type { ComponentType, ReactNode } from 'react'
import type { PageData } from '#shared/page-data.ts'
import { matchRoute, type PageName } from '#shared/routes.ts'

/** Where the shopper is: an address of this site, taken apart. */
export type Place = {
  name: PageName
  pathname: string
  search: URLSearchParams
  /** With its `#`, or empty. */
  hash: string
  params: Record<string, string>
  /** The query of the address that the shopper came from for more, whose content stays above: see {@link Arrival}. */
  since?: URLSearchParams
}

/** Takes an address of this site apart; `since` as it stands in a history entry. */
export function placeOf({ pathname, searchParams: search, hash }: URL, since?: string): Place {
  const place = { pathname, search, hash, ...matchRoute(pathname) }
  return since === undefined ? place : { ...place, since: new URLSearchParams(since) }
}

/** A page's data, read while rendering: returns it, or suspends until it is there. */
export type DataSource<Data> = {
  read: () => Data
  /** The data block's JSON on the server, empty while hydrating it; undefined when there is none in the document. */
  blockJson?: () => string
}

/** For a page whose markup says nearly all of its data, so that the data block need not say it again. */
export type MarkupData<Data> = {
  /** On the server: the data without what the markup says. */
  withoutMarkup: (data: Data) => Data
  /** In the browser, before React has touched the markup: the data whole again; undefined when it does not fit. */
  withMarkup: (data: Data) => Data | undefined
}

export type PageProps<Name extends PageName> = { place: Place; data: DataSource<PageData[Name]> }

/** What a page's module offers: the component, and how the browser gets its data for in-app navigation. */
export type PageModule<Name extends PageName> = {
  Page: ComponentType<PageProps<Name>>
  /**
   * Gives the data at once when the browser has it, else a promise; failures are part of the data, but a place with
   * `since` rejects, and its address is then asked for as a document.
   */
  load: (place: Place) => PageData[Name] | Promise<PageData[Name]>
  /** Fetches what `load` will need, on the mere intent to come here; rejects on failure, and says nothing of it. */
  loadAhead?: () => unknown
  /** The document title, where the data says more than the route table. */
  title?: (data: PageData[Name]) => string
  markup?: MarkupData<PageData[Name]>
  carry?: Carry
}

/**
 * A page's own way of being entered by a link to its address inside the app: calls `show` a little later, and returns
 * true; or returns false, having done nothing, where the usual way will do.
 */
export type Carry = (address: string, show: () => void) => boolean

/**
 * How the shopper came to a view: by the document itself (`scrollY` when it was reloaded or returned to), by a link,
 * by a link to where they already were, by one to the next of a series, which adds that one to what is there
 * (`rel="next"`), or by back and forward.
 */
export type Arrival =
  | { kind: 'load'; scrollY?: number }
  | { kind: 'forward' }
  | { kind: 'again' }
  | { kind: 'more' }
  | { kind: 'return'; scrollY: number }

/** What is on the screen. */
export type View = {
  place: Place
  /** Differs for every page visited, so that each starts afresh. */
  key: string
  arrival: Arrival
  element: ReactNode
}
