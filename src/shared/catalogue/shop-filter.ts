import { href } from '#shared/routes.ts'
import { type Category, categoryFrom, type ProductCard, type UnitsLeft } from './catalogue.ts'

/** The sort orders, by their value in the address; the empty one is the catalogue's own. */
export const SORTS = { '': 'Our order', 'price-asc': 'Lowest price', 'price-desc': 'Highest price' } as const
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

/** The Shop's filter: category (All by default), search query, sort order. */
export type ShopFilter = { category: Category; query: string; sort: Sort }
/** The Shop's address, parsed: a filter and a page. */
export type ShopChoice = ShopFilter & { page: string | null }

/** A page of the Shop's products, or several in a row, under the chosen filter; `failed` when the catalogue could not be read (§ 8). */
export type ShopView = {
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
}

/** The Shop when the catalogue could not be read: an empty grid (§ 8). */
export function failedShopView({ page: _, ...filter }: ShopChoice): ShopView {
  return { ...filter, products: [], count: 0, from: 1, page: 1, pages: 1, failed: true }
}

/** Reads the Shop's query (§ 2). */
export function shopChoiceFrom(search: URLSearchParams): ShopChoice {
  return {
    category: categoryFrom(search.get('category')),
    query: queryFrom(search.get('q')),
    sort: sortFrom(search.get('sort')),
    page: search.get('page'),
  }
}

/** The Shop's address for a filter and a page; defaults are left out. */
export function shopHref({ category = 'All', query, sort }: Partial<ShopFilter>, page = 1): string {
  return href(
    'shop',
    {},
    {
      ...(category !== 'All' && { category }),
      ...(query && { q: query }),
      ...(sort && { sort }),
      ...(page > 1 && { page: String(page) }),
    },
  )
}

/** The Shop's title: the query and the category, where there are such, and the page's number from the second on. */
export function shopTitle({ category, query, page }: Pick<ShopView, 'category' | 'query' | 'page'>): string {
  const parts = [query && `“${query}”`, category !== 'All' && category, 'Shop', page > 1 && `Page ${page}`]
  return parts.filter(Boolean).join(' · ')
}
