import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import { DEFAULT_METHOD, type PaymentMethod } from '#shared/payments/providers.ts'
import { shop } from './shop.ts'

/** The signed-in person's data that pages show; `name` may be empty. */
export type Visitor = { name: string; email: string }

/**
 * What the server sends about this request in the document's `boot` data block, so that the first client render
 * equals the server's.
 */
export type Boot = {
  /** The signed-in visitor the page was rendered for; null for a visitor without a session. */
  visitor: Visitor | null
  /** The session has not been renewed for a day or more; the browser requests it. */
  isSessionAging: boolean
  /** The visitor saves data: system fonts, less decoration, no prefetching. */
  savesData: boolean
  /** Milliseconds since the epoch. */
  nowMs: number
  /** The visitor's time of day as `09:05:07`, and the shop's year. Made by the server: `Intl` costs the browser a long task. */
  clock: string
  /** IANA name. */
  timeZone: string
  year: string
  /** Where API calls go; the site's own `/api` unless configured (§ 7). */
  apiBase: string
  /** The ways to pay that checkout offers, in order. */
  payments: readonly PaymentMethod[]
  delivery: DeliveryTerms
  hasServiceWorker: boolean
  /**
   * When the service worker last received the catalogue, in milliseconds since the epoch, if it made this document
   * offline; null for a document from the server.
   */
  storedAtMs: number | null
  /** The service worker made this document because the server took too long; false if the request failed. */
  isSlow: boolean
  /** The chat widget's script on Home, if one is configured (§ 2); null on every other page. */
  chatScript: string | null
  /** A chat widget is configured: Home is always loaded as a document, because only its policy allows the widget. */
  isHomeApart: boolean
}

/** What documents leave out of their boot data. */
export const DEFAULT_BOOT: Boot = {
  visitor: null,
  isSessionAging: false,
  savesData: false,
  nowMs: 0,
  clock: '',
  timeZone: shop.timeZone,
  year: '',
  apiBase: '/api',
  payments: [DEFAULT_METHOD],
  delivery: { zones: {}, highestFeeKsh: null, pickup: '' },
  hasServiceWorker: true,
  storedAtMs: null,
  isSlow: false,
  chatScript: null,
  isHomeApart: false,
}

/** The content of the boot data block: what differs from {@link DEFAULT_BOOT}. */
export function bootJson(boot: Boot): string {
  const defaults = new Map<string, unknown>(Object.entries(DEFAULT_BOOT))
  const isOwn = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(defaults.get(name))
  return dataBlockJson(Object.fromEntries(Object.entries(boot).filter(isOwn)))
}

/** Reads the content of the boot data block. */
export function bootFrom(json: string): Boot {
  return { ...DEFAULT_BOOT, ...JSON.parse(json) }
}

/** What the shop tells its service worker about the build that it belongs to. */
export type OfflineBuild = {
  /** Differs with the files of the build. */
  id: string
  /** Addresses of the build's scripts, styles and fonts; their names change with their content. */
  assets: readonly string[]
  /** The document of every page without a connection, cut where its boot data goes. It shows nobody's data. */
  shell: readonly [start: string, end: string]
  /** The shell's boot data; the service worker fills in the time. */
  boot: Boot
  /** The shell's headers, its content security policy among them. */
  headers: Readonly<Record<string, string>>
}

/** Element ids of the document's JSON data blocks. */
export const BOOT_BLOCK_ID = 'boot'
export const PAGE_BLOCK_ID = 'page-data'

/** JSON for a script element: `<` cannot close it, and the line separators are escaped. */
export function dataBlockJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
}
