import { href } from '#shared/routes.ts'
import { toSizeSlug } from './applied-filters.ts'
import {
  type Category,
  type ProductCard,
  parseCategory,
  type SizeScale,
  type UnitsLeft,
} from './catalogue.ts'
import type { FilterGroup } from './filter-groups.ts'
import type { HelpLink } from './help-links.ts'
import type { SizeGroup } from './sizes.ts'

/** The keys are the values of the URL parameter `sort`. Featured is the catalogue's order or, in a search, relevance. */
export const SORT_LABELS = {
  '': 'Featured',
  'price-asc': 'Lowest price',
  'price-desc': 'Highest price',
  newest: 'Newest',
} as const
export type Sort = keyof typeof SORT_LABELS

export const MAX_QUERY_CHARACTERS = 60

export function parseQueryText(text: string | null | undefined): string {
  const characters = [...(text ?? '').replace(/\s+/g, ' ').trim()]
  return characters.slice(0, MAX_QUERY_CHARACTERS).join('').trim()
}

export function parseSort(value: string | null | undefined): Sort {
  return value && Object.hasOwn(SORT_LABELS, value) ? (value as Sort) : ''
}

export const PRODUCT_COUNT_ID = 'products'
export const FILTERS_ID = 'filters'

/** The values of the URL parameter `for`. */
export const AUDIENCES = ['Kids', 'Women'] as const
export type Audience = (typeof AUDIENCES)[number]

export type ProductFilters = {
  audience?: Audience | undefined
  size?: string | undefined
  minKsh?: number | undefined
  maxKsh?: number | undefined
  inStock?: true | undefined
}

export type ShopFilter = ProductFilters & { category: Category; query: string; sort: Sort }
export type ShopQuery = ShopFilter & { page: string | null; isFilterOpen: boolean }

export type OfferedSizes = Readonly<Record<Audience | 'Everyone', readonly SizeGroup[]>>

export type ShopView = ProductFilters & {
  category: Category
  query: string
  sort: Sort
  products: readonly ProductCard[]
  /** The products that follow the others, because only their descriptions match the query. */
  mentions?: readonly ProductCard[]
  left?: UnitsLeft
  count: number
  /** After "More products", the view starts at page `from` and ends at `page`. */
  from: number
  page: number
  pages: number
  /** Whether the catalogue couldn't be loaded (§ 8). */
  hasFailed?: boolean
  sizeLabel?: string
  /** Whether the category and search contain products only for children and products only for women. */
  isSplitByAudience?: boolean
  /** The sizes of the listed products. Set only while the filter form is open. */
  sizes?: OfferedSizes
  /** The size of each scale that the filter or the search names, unless it names several. */
  namedSizes?: Readonly<Partial<Record<SizeScale, string>>>
  corrected?: string
  isNearMatch?: boolean
  /** Whether a search matches nothing within the price limits, so `products` are the nearest in price. */
  isOutsideLimits?: boolean
  /** Set if no product has the query's size. The products are those of the next lower age, the nearest shoe sizes or any. */
  nearest?: 'age' | 'size' | 'any'
  /** Whether those prices are at most 20% above the limit. */
  isJustAbove?: boolean
  /** The nearest products in stock up to 20% above the maximum price. Only on the last page. */
  justAbove?: readonly ProductCard[]
  /** Products like the first one, if a search or filters leave only a few. */
  related?: readonly ProductCard[]
  otherCategories?: readonly { category: Category; count: number }[]
  suggestions?: readonly string[]
  /** A page that answers the query, if it matches no products. */
  help?: HelpLink
  /**
   * If only the filters leave nothing, how many products each finds when it is removed, most first. Empty if no single
   * filter does. Undefined if the category and search match nothing without filters either.
   */
  removableFilters?: readonly { group: FilterGroup; count: number }[]
}

export function createFailedShopView({ page: _, isFilterOpen: __, ...filter }: ShopQuery): ShopView {
  return { ...filter, products: [], count: 0, from: 1, page: 1, pages: 1, hasFailed: true }
}

const MAX_SLUG_CHARACTERS = 60

export function parseShopQuery(search: URLSearchParams, categories?: readonly Category[]): ShopQuery {
  const size = toSizeSlug(search.get('size') ?? '').slice(0, MAX_SLUG_CHARACTERS)
  const prices = [parsePriceKsh(search.get('min')), parsePriceKsh(search.get('max'))] as const
  const isSwapped = prices[0] !== undefined && prices[1] !== undefined && prices[0] > prices[1]
  const [minKsh, maxKsh] = isSwapped ? [prices[1], prices[0]] : prices
  return {
    category: parseCategory(search.get('category'), categories),
    query: parseQueryText(search.get('q')),
    sort: parseSort(search.get('sort')),
    audience: AUDIENCES.find(
      (audience) => audience.toLowerCase() === search.get('for')?.trim().toLowerCase(),
    ),
    size: size || undefined,
    minKsh,
    maxKsh,
    inStock: search.get('stock') === '1' || undefined,
    page: search.get('page'),
    isFilterOpen: search.get('filters') === 'open',
  }
}

function parsePriceKsh(text: string | null): number | undefined {
  return /^\d{1,8}$/.test(text ?? '') ? Number(text) || undefined : undefined
}

export function toShopParameters(filter: Partial<ShopFilter>): Record<string, string> {
  const { category, query, sort, audience, size, minKsh, maxKsh, inStock } = filter
  const parameters = {
    category: category !== 'All' && category,
    q: query,
    for: audience,
    size,
    min: minKsh,
    max: maxKsh,
    stock: inStock && '1',
    sort,
  }
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => (value ? [[name, String(value)]] : [])),
  )
}

export function shopHref(filter: Partial<ShopFilter>, page = 1): string {
  return href('shop', {}, { ...toShopParameters(filter), ...(page > 1 && { page: String(page) }) })
}

export function filtersHref(filter: Partial<ShopFilter>): string {
  return href('shop', {}, { ...toShopParameters(filter), filters: 'open' })
}

export function formatShopTitle({ category, audience, query, page }: ShopView): string {
  const parts = [
    query && `“${query}”`,
    category !== 'All' && category,
    audience,
    'Shop',
    page > 1 && `Page ${page}`,
  ]
  return parts.filter(Boolean).join(' · ')
}
