import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import type { PaymentMethod } from '#shared/payments/providers.ts'

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
  isSessionAging?: true
  /** The visitor saves data: system fonts, less decoration, no prefetching. */
  savesData?: true
  /** Milliseconds since the epoch. */
  nowMs: number
  /** The visitor's time of day as `09:05:07`, and the shop's year. Made by the server: `Intl` costs the browser a long task. */
  clock: string
  /** IANA name. */
  timeZone: string
  year: string
  /** Where API calls go; the site's own `/api` unless configured (§ 7). */
  apiBase: string
  /** The ways to pay that checkout offers, in order; the simulated card alone where they are left out. */
  payments?: readonly PaymentMethod[]
  /** Zones and pickup, where any are configured. */
  delivery?: DeliveryTerms
  /** The service worker is switched off. */
  hasNoServiceWorker?: true
  /** The service worker made this document without the shop, whose catalogue it had last at this time, in milliseconds. */
  storedAtMs?: number
  /** The shop took too long for this document; where it is left out, the request for it failed. */
  isSlow?: true
  /** The chat widget's script, where one is configured and this is Home's document (§ 2). */
  chatScript?: string
  /** A chat widget is configured: Home is a document of its own, whose policy alone admits it. */
  isHomeApart?: true
}

/** What the shop tells its service worker about the build that it belongs to. */
export type OfflineBuild = {
  /** Differs with the files of the build. */
  id: string
  /** Addresses of the build's scripts, styles and fonts; their names change with their content. */
  assets: readonly string[]
  /** The document of every page without a connection, cut where its boot data goes. It shows nobody's data. */
  shell: readonly [start: string, end: string]
  /** What the shell's boot data has besides the time. */
  boot: Omit<Boot, 'nowMs' | 'clock' | 'timeZone' | 'year'>
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
