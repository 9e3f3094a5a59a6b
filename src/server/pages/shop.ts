import {
  failedShopView,
  type ShopView,
  shopChoiceFrom,
  shopHref,
  shopTitle,
} from '#shared/rules/shop-filter.ts'
import { shopView } from '#shared/rules/shop-view.ts'
import { shop } from '#shared/shop.ts'
import type { PageHead } from '../render/document.ts'
import { catalogueView, type PageLoader } from './page-loader.ts'

/** The Shop under the category in the address; an unknown one is All (§ 2). */
export const shopPage: PageLoader<'shop'> = async (request) => {
  const choice = shopChoiceFrom(request.url.searchParams)
  const data = catalogueView(request, (catalogue) => shopView(catalogue, choice), failedShopView(choice))
  // Only an address with a page number waits for the catalogue, to know whether that page exists.
  const shown = data instanceof Promise && !choice.page ? failedShopView(choice) : await data
  return { status: 200, data, head: shopHead(shown, request.origin) }
}

/**
 * Title and canonical address: categories and further pages are pages of their own; another sort order is the same
 * page, and search results are not indexed.
 */
function shopHead(view: ShopView, origin: string): Partial<PageHead> {
  const { category, query, sort, page } = view
  if (query) return { title: shopTitle(view), canonical: origin + shopHref({ category }), indexed: false }
  const canonical = origin + shopHref({ category }, sort ? 1 : page)
  if (category === 'All' && page === 1) return { canonical }
  const what = category === 'All' ? 'Everything' : category
  const where = page > 1 ? ` (page ${page})` : ''
  return {
    title: shopTitle(view),
    description: `${what} at ${shop.name}${where}: made with care for children and mothers in ${shop.city}, priced in ${shop.currency}.`,
    canonical,
  }
}
