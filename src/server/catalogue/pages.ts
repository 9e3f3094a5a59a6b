import { catalogueView, type PageLoader } from '#server/platform/pages/page-loader.ts'
import type { PageHead } from '#server/platform/render/document.ts'
import { failedProductView, MAX_RATING, type Product, parseProductId } from '#shared/catalogue/catalogue.ts'
import { productView } from '#shared/catalogue/catalogue-views.ts'
import { type Item, productItems } from '#shared/catalogue/items.ts'
import { shareAddress } from '#shared/catalogue/pictures.ts'
import {
  failedShopView,
  isNarrowed,
  type ShopView,
  shopChoiceFrom,
  shopHref,
  shopTitle,
} from '#shared/catalogue/shop-filter.ts'
import { searchView } from '#shared/catalogue/shop-search.ts'
import { formatKsh } from '#shared/format.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'

/** The Shop under the category in the address; an unknown one is All (§ 2). */
export const shopPage: PageLoader<'shop'> = async (request) => {
  const choice = shopChoiceFrom(request.url.searchParams)
  const loading = catalogueView(request, (catalogue) => searchView(catalogue, choice), failedShopView(choice))
  // Only a page number waits for the catalogue, to know whether that page exists, and a search, to be complete without scripts.
  const mustWait = choice.page !== null || choice.query !== ''
  const data = mustWait ? await loading : loading
  const shown = data instanceof Promise ? failedShopView(choice) : data
  return { status: 200, data, head: shopHead(shown, request.origin) }
}

/**
 * Title and canonical address: categories and further pages are pages of their own; another sort order and filters are
 * the same page, and search results are not indexed.
 */
function shopHead(view: ShopView, origin: string): Partial<PageHead> {
  const { category, query, sort, page } = view
  if (query) return { title: shopTitle(view), canonical: origin + shopHref({ category }), indexed: false }
  const canonical = origin + shopHref({ category }, sort || isNarrowed(view) ? 1 : page)
  if (category === 'All' && page === 1) return { canonical }
  const what = category === 'All' ? 'Everything' : category
  const where = page > 1 ? ` (page ${page})` : ''
  return {
    title: shopTitle(view),
    description: `${what} at ${shop.name}${where}: made with care in ${shop.city} for children and mothers, priced in ${shop.currency}.`,
    canonical,
  }
}

/** One product; 404 for an unknown id (§ 2). Waits for the catalogue, because the status depends on it. */
export const productPage: PageLoader<'product'> = async (request) => {
  const id = parseProductId(request.params.id ?? '')
  const data = await catalogueView(request, (catalogue) => productView(catalogue, id), failedProductView)
  if (data.product) return { status: 200, data, head: productHead(data.product, request.origin) }
  return data.failed
    ? { status: 200, data, head: {} }
    : { status: 404, data, head: { title: 'Product not found', indexed: false } }
}

/** Title, link preview and schema.org data of a product. */
function productHead(product: Product, origin: string): Partial<PageHead> {
  const { id, title, description, price, image, category, rating } = product
  const address = origin + href('product', { id })
  const picture = new URL(shareAddress(image) ?? image, origin).href
  const offers = productItems(product).map((item) => offerOf(item, origin))
  return {
    title,
    description,
    canonical: address,
    previewTitle: `${title} · ${formatKsh(price)}`,
    ...shareImage(image, origin),
    jsonLd: [
      {
        '@context': 'https://schema.org',
        '@type': 'Product',
        name: title,
        description,
        category,
        image: picture,
        url: address,
        sku: String(id),
        brand: { '@type': 'Brand', name: shop.name },
        offers: offers.length > 1 ? offers : offers[0],
        additionalProperty: { '@type': 'PropertyValue', name: 'Rating', value: rating, maxValue: MAX_RATING },
      },
    ],
  }
}

/** What an item is offered for: of a product with sizes, each size has its own offer. */
function offerOf({ id, product, size, price }: Item, origin: string) {
  return {
    '@type': 'Offer',
    ...(size && { name: size, sku: String(id) }),
    url: origin + href('product', { id }),
    price: String(price),
    priceCurrency: shop.currencyIso,
    availability: `https://schema.org/${availabilityOf(product.left?.[id])}`,
  }
}

/** schema.org's word for what is left of an item; undefined where there is enough, or where it’s made to order. */
function availabilityOf(left: number | undefined): 'InStock' | 'LimitedAvailability' | 'OutOfStock' {
  if (left === undefined) return 'InStock'
  return left > 0 ? 'LimitedAvailability' : 'OutOfStock'
}

/** Link previews do not support SVG: a drawing is shared as the picture the build makes of it, another SVG with the shop's. */
function shareImage(image: string, origin: string): Partial<PageHead> {
  const made = shareAddress(image)
  if (made) return { image: { url: new URL(made, origin).href, width: 1200, height: 630 } }
  return image.endsWith('.svg') ? {} : { image: { url: new URL(image, origin).href } }
}
