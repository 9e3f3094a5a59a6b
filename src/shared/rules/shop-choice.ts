import type { ShopView } from '../page-data.ts'
import { href } from '../routes.ts'
import { type Category, categoryFrom } from './catalogue.ts'
import { queryFrom, type Sort, sortFrom } from './search-query.ts'

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
