import { loadCatalogueView, type PageLoader } from '#server/platform/pages/page-loader.ts'
import type { PageHead } from '#server/platform/render/document.ts'
import { resolveCartLink } from '#shared/cart/cart-link.ts'
import { isFiltered } from '#shared/catalogue/applied-filters.ts'
import { failedProductView, type Product, parseProductId } from '#shared/catalogue/catalogue.ts'
import { createProductView } from '#shared/catalogue/catalogue-views.ts'
import { getShareImageUrl } from '#shared/catalogue/pictures.ts'
import {
  createFailedShopView,
  formatShopTitle,
  parseShopQuery,
  type ShopView,
  shopHref,
} from '#shared/catalogue/shop-filter.ts'
import { createSearchView } from '#shared/catalogue/shop-search.ts'
import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import { formatKsh, formatNameWithSize } from '#shared/format.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { createProductJsonLd } from './merchant-data.ts'
import { listShownCategories } from './shown-categories.ts'

export const loadShopPage: PageLoader<'shop'> = async (request, ctx) => {
  const { searchWords } = ctx.content.current().pages
  const categories = listShownCategories(ctx)
  const choice = parseShopQuery(request.url.searchParams, categories)
  const loading = loadCatalogueView(
    request,
    (catalogue) => createSearchView(catalogue, choice, searchWords, { categories }),
    createFailedShopView(choice),
  )
  // Waits for the catalogue in two cases: page numbers depend on its length, and search results must be complete
  // without JavaScript.
  const needsCatalogue = choice.page !== null || choice.query !== ''
  const data = needsCatalogue ? await loading : loading
  const view = data instanceof Promise ? createFailedShopView(choice) : data
  return { status: 200, data, head: createShopHead(view, request.origin), toBlock: withoutTexts }
}

function withoutTexts(view: ShopView) {
  return { ...view, products: view.products.map(({ title: _, description: __, ...card }) => card) }
}

/** A searched, sorted or filtered page has the canonical URL of its category. */
function createShopHead(view: ShopView, origin: string): Partial<PageHead> {
  const { category, audience, query, sort, page } = view
  if (query)
    return { title: formatShopTitle(view), canonical: origin + shopHref({ category }), isIndexed: false }
  const canonical = origin + shopHref({ category }, sort || isFiltered(view) ? 1 : page)
  if (category === 'All' && !audience && page === 1) return { canonical }
  const categoryName = category === 'All' ? 'Everything' : category
  const pageSuffix = page > 1 ? ` (page ${page})` : ''
  return {
    title: formatShopTitle(view),
    description: `${categoryName} for ${audience?.toLowerCase() ?? 'children and women'} at ${shop.name}${pageSuffix}, made with care in ${shop.city} and priced in ${shop.currency}.`,
    canonical,
  }
}

/** Waits for the catalogue, because the response for an unknown id has status 404. */
export const loadProductPage: PageLoader<'product'> = async (request, { delivery }) => {
  const id = parseProductId(request.params.id ?? '')
  const data = await loadCatalogueView(
    request,
    (catalogue) => createProductView(catalogue, id),
    failedProductView,
  )
  if (data.product)
    return { status: 200, data, head: createProductHead(data.product, { origin: request.origin, delivery }) }
  return data.hasFailed
    ? { status: 200, data, head: {} }
    : { status: 404, data, head: { title: 'Product not found', isIndexed: false } }
}

export const loadBuyPage: PageLoader<'buy'> = async (request) => {
  const link = request.params.lines ?? ''
  const data = await loadCatalogueView(request, (catalogue) => resolveCartLink(link, catalogue), {
    outcome: 'failed' as const,
  })
  if (data.outcome !== 'resolved')
    return { status: data.outcome === 'malformed' ? 404 : 200, data, head: { title: 'Your items' } }
  const [first] = data.lines
  const description = data.lines
    .map(({ title, size, qty }) => `${qty} × ${formatNameWithSize(title, size)}`)
    .join(', ')
  return {
    status: 200,
    data,
    head: first ? { description, ...getShareImage(first.image, request.origin) } : {},
  }
}

function createProductHead(
  product: Product,
  { origin, delivery }: { origin: string; delivery: DeliveryTerms },
): Partial<PageHead> {
  const { id, title, description, price, image } = product
  return {
    title,
    description,
    canonical: origin + href('product', { id }),
    previewTitle: `${title} · ${formatKsh(price)}`,
    ...getShareImage(image, origin),
    jsonLd: createProductJsonLd(product, { origin, delivery }),
  }
}

/**
 * Link previews don't support SVG. The build rasterizes drawings; other SVG images are replaced by the shop's share
 * image.
 */
function getShareImage(image: string, origin: string): Partial<PageHead> {
  const rasterized = getShareImageUrl(image)
  if (rasterized) return { image: { url: new URL(rasterized, origin).href, width: 1200, height: 630 } }
  return image.endsWith('.svg') ? {} : { image: { url: new URL(image, origin).href } }
}
