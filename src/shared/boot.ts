import type { Category, ProductImage } from '#shared/catalogue/catalogue.ts'
import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import type { ContactDetails } from '#shared/content/content.ts'
import type { PaymentMethod } from '#shared/payments/providers.ts'
import { shop } from './shop.ts'

export type CookieUser = { name: string; email: string }

/** The data in the document's `boot` block. Most of it lets the first client render reproduce the server's markup. */
export type Boot = {
  cookieUser: CookieUser | null
  /** Whether the browser should renew the session. */
  isSessionRenewalDue: boolean
  savesData: boolean
  nowMs: number
  /**
   * The time in `timeZone`, as `09:05:07`. The server formats it, because `Intl` is slow enough to block the browser.
   */
  clock: string
  timeZone: string
  year: string
  apiBase: string
  payments: readonly PaymentMethod[]
  delivery: DeliveryTerms
  hasServiceWorker: boolean
  /**
   * When the catalogue was cached, in milliseconds since the epoch. Null unless the service worker served this
   * document.
   */
  storedAtMs: number | null
  /** True if the service worker served this document because the server was too slow. */
  isSlow: boolean
  /** On Login, the protected page that redirected to it. */
  requestedPath: string | null
  chatScript: string | null
  /**
   * True if a chat widget is configured. Only Home's security policy allows it, so links between Home and other pages
   * load documents.
   */
  hasChatWidget: boolean
  /** The owner's hero photo, or null for the drawing in the build. */
  hero: ProductImage | null
  /** The owner's contact details, or null for those in `shop.ts`. */
  contact: Pick<ContactDetails, 'email' | 'whatsapp'> | null
  /** The categories with a filter button, or null for those in the specification. */
  categories: readonly Category[] | null
}

export const DEFAULT_BOOT: Boot = {
  cookieUser: null,
  isSessionRenewalDue: false,
  savesData: false,
  nowMs: 0,
  clock: '',
  timeZone: shop.timeZone,
  year: '',
  apiBase: '/api',
  payments: ['simulated'],
  delivery: { zones: {}, highestFeeKsh: null, pickup: '' },
  hasServiceWorker: true,
  storedAtMs: null,
  isSlow: false,
  requestedPath: null,
  chatScript: null,
  hasChatWidget: false,
  hero: null,
  contact: null,
  categories: null,
}

export function serializeBoot(boot: Boot): string {
  const defaults = new Map<string, unknown>(Object.entries(DEFAULT_BOOT))
  const isNotDefault = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(defaults.get(name))
  return serializeDataBlock(Object.fromEntries(Object.entries(boot).filter(isNotDefault)))
}

export function parseBoot(json: string): Boot {
  return { ...DEFAULT_BOOT, ...JSON.parse(json) }
}

export type OfflineBuild = {
  id: string
  assets: readonly string[]
  /** The scripts that public pages don't use. They are cached once the visitor has logged in. */
  accountAssets: readonly string[]
  /** The offline document, split where its boot data goes. It contains no personal data. */
  shell: readonly [start: string, end: string]
  boot: Boot
  headers: Readonly<Record<string, string>>
}

export const BOOT_BLOCK_ID = 'boot'
export const PAGE_BLOCK_ID = 'page-data'

/** Escapes `<`, because `</script>` would close the element. */
export function serializeDataBlock(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
}
