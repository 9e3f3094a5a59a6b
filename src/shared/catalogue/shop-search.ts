import type { Catalogue, Category } from './catalogue.ts'
import { type SearchResult, searchCatalogue } from './search.ts'
import type { SearchWordRow } from './search-words.ts'
import type { ShopFilter, ShopQuery, ShopView } from './shop-filter.ts'
import { createShopView, listMatches } from './shop-view.ts'

export type ProductCount = { count: number; isNearMatch: boolean }

/**
 * Like `createShopView`, but applies the search query. Returns a promise if the query needs an index that isn't
 * complete yet.
 */
export function createSearchView(
  catalogue: Catalogue,
  choice: ShopQuery,
  searchWords: readonly SearchWordRow[],
  { since = choice.page, categories }: { since?: string | null; categories?: readonly Category[] } = {},
): ShopView | Promise<ShopView> {
  return withSearchResults(catalogue, choice, searchWords, (found) =>
    createShopView(catalogue, choice, { since, ...(found && { found }), ...(categories && { categories }) }),
  )
}

export function countProducts(
  catalogue: Catalogue,
  filter: ShopFilter,
  searchWords: readonly SearchWordRow[],
): ProductCount | Promise<ProductCount> {
  return withSearchResults(catalogue, filter, searchWords, (found) => {
    const { all, isNearMatch } = listMatches(catalogue, filter, found)
    return { count: all.length, isNearMatch }
  })
}

function withSearchResults<Value>(
  catalogue: Catalogue,
  { query }: ShopFilter,
  searchWords: readonly SearchWordRow[],
  compute: (found?: SearchResult) => Value,
): Value | Promise<Value> {
  if (!query) return compute()
  const matches = searchCatalogue(catalogue, query, searchWords)
  return matches instanceof Promise ? matches.then(compute) : compute(matches)
}
