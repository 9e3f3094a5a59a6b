import type { CatalogueSource } from '#server/catalogue/catalogue-source.ts'
import { isCacheable } from '#shared/catalogue/applied-filters.ts'
import { type Catalogue, parseProductId } from '#shared/catalogue/catalogue.ts'
import { findItem } from '#shared/catalogue/items.ts'
import { parseShopQuery, type ShopQuery } from '#shared/catalogue/shop-filter.ts'
import { getListKey, listShopProducts, paginate } from '#shared/catalogue/shop-view.ts'
import { getHomeGreeting, getShopGreeting } from '#shared/greeting.ts'
import { matchRoute, type PageName } from '#shared/routes.ts'

export type CacheablePage = {
  name: PageName
  content: string
  getGreeting?: (hour: number) => string
}

export type CacheKeyContext = {
  origin: string
  hour: number
  year: string
  isDataSaver: boolean
}

export function createCacheKey({ content, getGreeting }: CacheablePage, context: CacheKeyContext): string {
  const { origin, hour, year, isDataSaver } = context
  return `${content} ${getGreeting?.(hour)} ${origin} ${year} ${isDataSaver ? 'data-saver' : 'full'}`
}

/** The cache key contains only known values, so that made-up query strings can't fill the cache. */
export function toCacheablePage(
  url: URL,
  source: CatalogueSource,
  { version: contentVersion, categories }: { version: string; categories: readonly string[] },
): CacheablePage | undefined {
  const { name, params } = matchRoute(url.pathname)
  const catalogue = source.current()
  const version = source.version()
  switch (name) {
    case 'home':
      return { name, content: `${name} ${contentVersion}`, getGreeting: getHomeGreeting }
    case 'shop': {
      const choice = parseShopQuery(url.searchParams, categories)
      return catalogue && isCacheable(choice) && !choice.isFilterOpen
        ? {
            name,
            content: `shop ${version} ${contentVersion} ${getListKey(choice)} ${getPageNumber(catalogue, choice)}`,
            getGreeting: getShopGreeting,
          }
        : undefined
    }
    case 'product': {
      const id = parseProductId(params.id ?? '')
      const isKnown = catalogue && findItem(catalogue, id)
      return isKnown ? { name, content: `product ${version} ${id}` } : undefined
    }
    case 'about':
    case 'contact':
    case 'login':
    case 'register':
    case 'forgotPassword':
      return { name, content: `${name} ${contentVersion}` }
    case 'findOrder':
      return url.searchParams.get('number') ? undefined : { name, content: `${name} ${contentVersion}` }
    default:
      return undefined
  }
}

const USED_PARAMETERS = [
  'category',
  'q',
  'for',
  'size',
  'min',
  'max',
  'stock',
  'sort',
  'page',
  'filters',
  'number',
]

/** Removes the parameters that no cacheable page reads, such as `utm_source`. */
export function withoutUnusedParameters(url: string): string {
  if (!url.includes('?')) return url
  const { origin, pathname, searchParams } = new URL(url)
  const usedParameters = USED_PARAMETERS.flatMap((name) => {
    const value = searchParams.get(name)
    return value ? [[name, value]] : []
  })
  const page = origin + pathname
  return usedParameters.length > 0 ? `${page}?${new URLSearchParams(usedParameters)}` : page
}

function getPageNumber(catalogue: Catalogue, choice: ShopQuery): number {
  return choice.page ? paginate(listShopProducts(catalogue, choice), choice.page).page : 1
}
