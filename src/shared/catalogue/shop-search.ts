import type { Catalogue } from './catalogue.ts'
import { type Found, findProducts } from './search.ts'
import type { ShopFilter, ShopQuery, ShopView } from './shop-filter.ts'
import { shopProducts, shopView } from './shop-view.ts'

/** {@link shopView}, of what the choice's query finds where it has one. A promise while a large catalogue is being indexed. */
export function searchView(
  catalogue: Catalogue,
  choice: ShopQuery,
  since = choice.page,
): ShopView | Promise<ShopView> {
  return afterSearch(catalogue, choice, (found) =>
    shopView(catalogue, choice, { since, ...(found && { found }) }),
  )
}

/** How many products a filter shows. */
export function countProducts(catalogue: Catalogue, filter: ShopFilter): number | Promise<number> {
  return afterSearch(catalogue, filter, (found) => shopProducts(catalogue, filter, found).length)
}

function afterSearch<Made>(
  catalogue: Catalogue,
  { query }: ShopFilter,
  make: (found?: Found) => Made,
): Made | Promise<Made> {
  if (!query) return make()
  const found = findProducts(catalogue, query)
  return found instanceof Promise ? found.then(make) : make(found)
}
