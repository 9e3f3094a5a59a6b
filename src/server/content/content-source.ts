import type { PublishedCatalogue, PublishedText } from '#server/catalogue/published-catalogue.ts'
import type { Product } from '#shared/catalogue/catalogue.ts'
import { parseStoredCategories } from '#shared/catalogue/categories.ts'
import { parseRedirects, type Redirects } from '#shared/catalogue/redirects.ts'
import { SEARCH_WORDS } from '#shared/catalogue/search-words.ts'
import type { CashTerms } from '#shared/checkout/delivery.ts'
import {
  type ContactDetails,
  type PageContent,
  type RichText,
  TEXT_NAMES,
  type TextName,
} from '#shared/content/content.ts'
import { parseShopDay } from '#shared/time.ts'
import { type ContentValues, parseContentValues } from './content-schema.ts'
import { DEFAULT_CONTACT, DEFAULT_PAYMENTS, parseDefaultText } from './default-texts.ts'
import { renderRichText } from './rich-html.ts'

export type HeroPicture = Pick<Product, 'image'> & { alt: string }
/** `endMs` is exclusive. */
type Banner = { html: string; startMs: number; endMs: number }

export type Content = {
  version: string
  pages: PageContent
  banner: Banner | null
  /** Null means the default picture. */
  hero: HeroPicture | null
  /** Null means the default details. */
  contact: ContactDetails | null
  /** Undefined until the owner enters it. */
  deliveryTime: string | undefined
  cash: CashTerms | undefined
  showsPaybillInstructions: boolean
  /** Contains all categories in order, even empty ones. */
  categories: readonly string[]
  redirects: Redirects
}

export type ContentSource = {
  /** Returns the published content, or the default until it is loaded. */
  current(): Content
  /** Loads the published content, or the default if KV fails. Only a cold isolate waits for KV. */
  load(): Promise<Content>
}

export function createPublishedContent(
  published: Pick<PublishedCatalogue, 'content' | 'loadContent'>,
): ContentSource {
  let parsed: Content | undefined
  const parse = ({ hash, text }: PublishedText) => {
    if (parsed?.version !== hash) parsed = parseContent(text, hash)
    return parsed
  }
  return { current: () => parse(published.content()), load: async () => parse(await published.loadContent()) }
}

export function parseContent(json: string | null, version: string): Content {
  const values = parseContentValues(json)
  const stored: { categories?: unknown; redirects?: unknown } = json === null ? {} : JSON.parse(json)
  const { banner, hero = null, contact = null, featured = [], searchWords = SEARCH_WORDS } = values
  const { payments = DEFAULT_PAYMENTS } = values
  const details = contact ?? DEFAULT_CONTACT
  const texts = TEXT_NAMES.map((name) => [name, values[name]?.nodes ?? parseDefaultText(name, details)])
  return {
    version,
    pages: {
      ...(Object.fromEntries(texts) as Record<TextName, RichText>),
      contact: details,
      featured,
      searchWords,
    },
    banner: banner ? toBanner(banner) : null,
    hero,
    contact,
    deliveryTime: values.deliveryTime?.text,
    cash: toCashTerms(payments),
    showsPaybillInstructions: payments.payByHand,
    categories: parseStoredCategories(stored.categories),
    redirects: parseRedirects(stored.redirects),
  }
}

function toCashTerms(payments: ContentValues['payments']): CashTerms | undefined {
  const { cashOnDelivery, cashMaxKsh, cashCounties } = payments
  return cashOnDelivery && cashMaxKsh !== null ? { maxKsh: cashMaxKsh, counties: cashCounties } : undefined
}

function toBanner({ nodes, fromDay, untilDay }: ContentValues['banner']): Banner {
  return {
    html: renderRichText(nodes),
    startMs: parseShopDay(fromDay, 0)?.startMs ?? 0,
    endMs: parseShopDay(untilDay, 0)?.endMs ?? Number.POSITIVE_INFINITY,
  }
}

export function renderBanner({ banner }: Content, nowMs: number): string {
  if (!banner || nowMs < banner.startMs || nowMs >= banner.endMs) return ''
  return `<aside class="announcement" aria-label="Announcement"><p>${banner.html}</p></aside>`
}
