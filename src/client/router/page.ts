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
}

/** Takes an address of this site apart. */
export function placeOf(url: URL): Place {
  return { pathname: url.pathname, search: url.searchParams, hash: url.hash, ...matchRoute(url.pathname) }
}

/** A page's data, read while rendering: returns it, or suspends until it is there. */
export type DataSource<Data> = {
  read: () => Data
  /** The data block's JSON on the server, empty while hydrating it; undefined when there is none in the document. */
  blockJson?: () => string
}

export type PageProps<Name extends PageName> = { place: Place; data: DataSource<PageData[Name]> }

/** What a page's module offers: the component, and how the browser gets its data for in-app navigation. */
export type PageModule<Name extends PageName> = {
  Page: ComponentType<PageProps<Name>>
  /** Gives the data at once when the browser has it, else a promise; failures are part of the data. */
  load: (place: Place) => PageData[Name] | Promise<PageData[Name]>
  /** The document title, where the data says more than the route table. */
  title?: (data: PageData[Name]) => string
}

/** How the shopper came to a view: the document itself, a link, or back and forward. */
export type Arrival = { kind: 'load' } | { kind: 'forward' } | { kind: 'back'; scrollY: number }

/** What is on the screen. */
export type View = {
  place: Place
  /** Differs for every page visited, so that each starts afresh. */
  key: string
  arrival: Arrival
  element: ReactNode
}
