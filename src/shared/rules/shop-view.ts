import type { ShopView } from '../page-data.ts'
import { href } from '../routes.ts'
import { type Catalogue, type Category, categoryFrom, inCategory } from './catalogue.ts'
import { cardOf } from './catalogue-views.ts'
import { pageOfList } from './paging.ts'
import { matching, queryFrom, type Sort, sorted, sortFrom } from './search.ts'

/** What a shopper wants to see of the Shop: a category, All where none is named, the words to look for, the order. */
export type ShopFilter = { category: Category; query: string; sort: Sort }
/** What the Shop's address asks for: a filter, and a page. */
export type ShopChoice = ShopFilter & { page: string | null }

/** Reads the Shop's query (§ 2). */
export function shopChoiceFrom(search: URLSearchParams): ShopChoice {
  return {
    category: categoryFrom(search.get('category')),
    query: queryFrom(search.get('q')),
    sort: sortFrom(search.get('sort')),
    page: search.get('page'),
  }
}

/** The Shop's address for a choice; whatever goes without saying stays out of it. */
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

/** The Shop's title: the words looked for and the category, where there are such, and the page's number from the second on. */
export function shopTitle({ category, query, page }: Pick<ShopView, 'category' | 'query' | 'page'>): string {
  const parts = [query && `“${query}”`, category !== 'All' && category, 'Shop', page > 1 && `Page ${page}`]
  return parts.filter(Boolean).join(' · ')
}

/** All that a filter lets through, in its order. */
export function shopProducts(catalogue: Catalogue, { category, query, sort }: ShopFilter): Catalogue {
  return sorted(matching(inCategory(catalogue, category), query), sort)
}

const shopViews = new WeakMap<Catalogue, Map<string, ShopView>>()

/**
 * The Shop page's data (§ 2). Where no words are looked for, the same catalogue gives the same view, so that what is
 * made from it can be kept with it.
 */
export function shopView(catalogue: Catalogue, { page: asked, ...filter }: ShopChoice): ShopView {
  const all = shopProducts(catalogue, filter)
  const { items, page, pages } = pageOfList(all, asked)
  const views = shopViews.get(catalogue) ?? new Map<string, ShopView>()
  shopViews.set(catalogue, views)
  const key = `${filter.category} ${filter.sort} ${page}`
  const known = filter.query ? undefined : views.get(key)
  if (known) return known
  const view = { ...filter, products: items.map(cardOf), count: all.length, page, pages, failed: false }
  if (!filter.query) views.set(key, view)
  return view
}

/** The Shop page's data when the catalogue could not be read: the grid is empty (§ 8). */
export function failedShopView({ page: _, ...filter }: ShopChoice): ShopView {
  return { ...filter, products: [], count: 0, page: 1, pages: 1, failed: true }
}
