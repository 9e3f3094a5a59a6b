import type { ShopView } from '../page-data.ts'
import type { Catalogue } from './catalogue.ts'
import { inCategory } from './catalogue-parts.ts'
import { pageOfList } from './paging.ts'
import { perCatalogue } from './per-catalogue.ts'
import { cardOf } from './product-card.ts'
import { matching, sorted } from './search.ts'
import type { ShopChoice, ShopFilter } from './shop-choice.ts'

const shopLists = perCatalogue<Catalogue>()
const shopViews = perCatalogue<ShopView>()

/** All that a filter lets through, in its order. Kept where no words are looked for: those would fill the memory. */
export function shopProducts(catalogue: Catalogue, { category, query, sort }: ShopFilter): Catalogue {
  const list = () => sorted(matching(inCategory(catalogue, category), query), sort)
  return query ? list() : shopLists(catalogue, `${category} ${sort}`, list)
}

/**
 * The Shop page's data (§ 2); with `since`, of all pages from that one on. Where no words are looked for, the same
 * catalogue gives the same view of a page, so that what is made from it can be kept with it.
 */
export function shopView(
  catalogue: Catalogue,
  { page: asked, ...filter }: ShopChoice,
  since = asked,
): ShopView {
  const all = shopProducts(catalogue, filter)
  const { items, from, page, pages } = pageOfList(all, asked, since)
  const count = all.length
  const view = () => ({ ...filter, products: items.map(cardOf), count, from, page, pages, failed: false })
  const isKept = !filter.query && from === page
  return isKept ? shopViews(catalogue, `${filter.category} ${filter.sort} ${page}`, view) : view()
}
