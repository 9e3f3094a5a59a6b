import { href } from '#shared/routes.ts'
import { type Category, type ProductCard, parseCategory, type UnitsLeft } from './catalogue.ts'
import type { SizeGroup } from './sizes.ts'

/** The sort orders, by their value in the address; the empty one is the catalogue's own, or a search's best match. */
export const SORTS = { '': 'Featured', 'price-asc': 'Lowest price', 'price-desc': 'Highest price' } as const
export type Sort = keyof typeof SORTS

/** Longer queries are cut here, in characters. */
export const MAX_QUERY_CHARACTERS = 60

/** A normalized query: trimmed, with single spaces, cut at the limit. */
export function queryFrom(text: string | null | undefined): string {
  const characters = [...(text ?? '').replace(/\s+/g, ' ').trim()]
  return characters.slice(0, MAX_QUERY_CHARACTERS).join('').trim()
}

/** The order an address names; an unknown or missing one is the catalogue's own. */
export function sortFrom(value: string | null | undefined): Sort {
  return value && Object.hasOwn(SORTS, value) ? (value as Sort) : ''
}

/** Ids that the Shop's addresses lead to: the line with the number of products, and the form with the filters. */
export const COUNT_ID = 'products'
export const FILTERS_ID = 'filters'

/** What narrows the Shop besides category and words; each is left out where it does not. */
export type Narrowing = {
  /** A size's slug, `2-3-years`. */
  size?: string
  minKsh?: number
  maxKsh?: number
  /** Only what can be bought now. */
  inStock?: true
}

/** The Shop's filter: category (All by default), search query, sort order, and what narrows it further. */
export type ShopFilter = Narrowing & { category: Category; query: string; sort: Sort }
/** The Shop's address, parsed: a filter, a page, and whether the form with the filters is open. */
export type ShopChoice = ShopFilter & { page: string | null; isFiltering: boolean }

/** A page of the Shop's products, or several in a row, under the chosen filter; `failed` when the catalogue could not be read (§ 8). */
export type ShopView = Narrowing & {
  category: Category
  /** The search query; empty without one. */
  query: string
  sort: Sort
  products: readonly ProductCard[]
  left?: UnitsLeft
  /** How many there are on all pages. */
  count: number
  /** The first and the last page shown: the same, until "show more" is used. */
  from: number
  page: number
  pages: number
  failed: boolean
  /** The chosen size as products write it. */
  sizeLabel?: string
  /** The sizes to choose from, where the form with the filters is open. */
  sizes?: readonly SizeGroup[]
  /** The query as it was understood, where a word was misspelled. */
  corrected?: string
  /** The products have some of the words; none has all. */
  isNear?: boolean
  /** What the search finds in other categories than the chosen one. */
  elsewhere?: readonly { category: Category; count: number }[]
  /** Other searches, where this one finds nothing. */
  suggestions?: readonly string[]
}

/** The Shop when the catalogue could not be read: an empty grid (§ 8). */
export function failedShopView({ page: _, isFiltering: __, ...filter }: ShopChoice): ShopView {
  return { ...filter, products: [], count: 0, from: 1, page: 1, pages: 1, failed: true }
}

/** The longest slug of a size, in characters. */
const MAX_SLUG_CHARACTERS = 60

/** Reads the Shop's query (§ 2). */
export function shopChoiceFrom(search: URLSearchParams): ShopChoice {
  const size = sizeSlug(search.get('size') ?? '').slice(0, MAX_SLUG_CHARACTERS)
  const prices = [priceFrom(search.get('min')), priceFrom(search.get('max'))] as const
  // The wrong way round, they still say what is meant.
  const isSwapped = prices[0] !== undefined && prices[1] !== undefined && prices[0] > prices[1]
  const [minKsh, maxKsh] = isSwapped ? [prices[1], prices[0]] : prices
  return {
    category: parseCategory(search.get('category')),
    query: queryFrom(search.get('q')),
    sort: sortFrom(search.get('sort')),
    ...(size && { size }),
    ...(minKsh !== undefined && { minKsh }),
    ...(maxKsh !== undefined && { maxKsh }),
    ...(search.get('stock') === '1' && { inStock: true }),
    page: search.get('page'),
    isFiltering: search.get('filters') === 'open',
  }
}

/** A size as it is in the Shop's address: `2-3-years` for `2–3 years`. */
export function sizeSlug(size: string): string {
  return size
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}

/** A price in whole KSH; undefined for anything else, and for 0, which excludes nothing. */
function priceFrom(text: string | null): number | undefined {
  return /^\d{1,8}$/.test(text ?? '') ? Number(text) || undefined : undefined
}

/** Whether a filter has more than a category and a sort order. */
export function isNarrowed({ query, size, minKsh, maxKsh, inStock }: ShopFilter): boolean {
  return [query, size, minKsh, maxKsh, inStock].some(Boolean)
}

/** The parameters of a filter in the Shop's address; defaults are left out. */
export function shopParameters(filter: Partial<ShopFilter>): Record<string, string> {
  const { category = 'All', query, sort, size, minKsh, maxKsh, inStock } = filter
  return {
    ...(category !== 'All' && { category }),
    ...(query && { q: query }),
    ...(size && { size }),
    ...(minKsh && { min: String(minKsh) }),
    ...(maxKsh && { max: String(maxKsh) }),
    ...(inStock && { stock: '1' }),
    ...(sort && { sort }),
  }
}

/** The Shop's address for a filter and a page; defaults are left out. */
export function shopHref(filter: Partial<ShopFilter>, page = 1): string {
  return href('shop', {}, { ...shopParameters(filter), ...(page > 1 && { page: String(page) }) })
}

/** The Shop's address with the form open that changes a filter. */
export function filtersHref(filter: Partial<ShopFilter>): string {
  return href('shop', {}, { ...shopParameters(filter), filters: 'open' })
}

/** The Shop's title: the query and the category, where there are such, and the page's number from the second on. */
export function shopTitle({ category, query, page }: Pick<ShopView, 'category' | 'query' | 'page'>): string {
  const parts = [query && `“${query}”`, category !== 'All' && category, 'Shop', page > 1 && `Page ${page}`]
  return parts.filter(Boolean).join(' · ')
}
