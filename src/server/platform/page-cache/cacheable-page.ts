import type { CatalogueSource } from '#server/catalogue/catalogue-source.ts'
import { type Catalogue, productIdFrom } from '#shared/catalogue/catalogue.ts'
import { inCategory } from '#shared/catalogue/catalogue-views.ts'
import { itemById } from '#shared/catalogue/items.ts'
import { type ShopChoice, shopChoiceFrom } from '#shared/catalogue/shop-filter.ts'
import { pageOfList } from '#shared/catalogue/shop-view.ts'
import { homeGreeting, shopGreeting } from '#shared/greeting.ts'
import { matchRoute, type PageName } from '#shared/routes.ts'

/** A page that is the same for every visitor without a session, as its address names it. */
export type CacheablePage = {
  name: PageName
  /** The page, its parameters and the catalogue's version, where it shows products. */
  content: string
  /** Its greeting at the visitor's hour, 0–23, where it has one. */
  greetingAt?: (hour: number) => string
}

/** What else a page's markup depends on. */
export type KeyContext = {
  /** The shop's public origin, in the page's links. */
  origin: string
  /** The visitor's hour, 0–23. */
  hour: number
  /** The footer's. */
  year: string
  /** Made for Save-Data. */
  isDataSaver: boolean
}

/** The key that a page is cached under. Only the slots differ between requests with the same key. */
export function cacheKey({ content, greetingAt }: CacheablePage, context: KeyContext): string {
  const { origin, hour, year, isDataSaver } = context
  return `${content} ${greetingAt?.(hour)} ${origin} ${year} ${isDataSaver ? 'data-saver' : 'full'}`
}

/**
 * The cacheable page at an address. Undefined where the page depends on a text in the address, or on a catalogue that
 * is not in memory yet. Keys are made of known values alone, so that query strings cannot fill the cache.
 */
export function cacheablePage(url: URL, source: CatalogueSource): CacheablePage | undefined {
  const { name, params } = matchRoute(url.pathname)
  const catalogue = source.current()
  const version = source.version()
  switch (name) {
    case 'home':
      return { name, content: name, greetingAt: homeGreeting }
    case 'shop': {
      const choice = shopChoiceFrom(url.searchParams)
      return catalogue && !choice.query
        ? { name, content: `shop ${version} ${listKey(catalogue, choice)}`, greetingAt: shopGreeting }
        : undefined
    }
    case 'product': {
      const id = productIdFrom(params.id ?? '')
      const isKnown = catalogue && itemById(catalogue, id)
      return isKnown ? { name, content: `product ${version} ${id}` } : undefined
    }
    case 'about':
    case 'contact':
    case 'login':
    case 'register':
    case 'forgotPassword':
    case 'findOrder':
      return { name, content: name }
    default:
      return undefined
  }
}

/** The parameters that cacheable pages depend on: the Shop's. */
const PARAMETERS = ['category', 'q', 'sort', 'page']

/** An address without parameters that change no page: `utm_source`, `fbclid` and whatever else is added to a shared link. */
export function withoutUnusedParameters(address: string): string {
  const [page = '', query] = address.split('?', 2)
  if (!query) return page
  const given = new URLSearchParams(query)
  const used = PARAMETERS.flatMap((name) => {
    const value = given.get(name)
    return value ? [[name, value]] : []
  })
  return used.length > 0 ? `${page}?${new URLSearchParams(used)}` : page
}

/** Category, order and the number of the page that the address leads to. */
function listKey(catalogue: Catalogue, { category, sort, page }: ShopChoice): string {
  const number = page ? pageOfList(inCategory(catalogue, category), page).page : 1
  return `${category} ${sort} ${number}`
}
