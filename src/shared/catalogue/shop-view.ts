import { CATEGORIES, type Catalogue, PRODUCTS_PER_PAGE, type Product } from './catalogue.ts'
import { cardWithStock, collectUnitsLeft } from './catalogue-stock.ts'
import { memoizeByCatalogue, productsInCategory } from './catalogue-views.ts'
import { productItems } from './items.ts'
import type { Found } from './search.ts'
import {
  isNarrowed,
  type ShopChoice,
  type ShopFilter,
  type ShopView,
  type Sort,
  sizeSlug,
} from './shop-filter.ts'
import { sizeGroups, sizesInLabel } from './sizes.ts'

const shopLists = memoizeByCatalogue<Catalogue>()
const shopViews = memoizeByCatalogue<ShopView>()
const sizeLabels = memoizeByCatalogue<ReadonlyMap<string, string>>()

/**
 * The products that match a filter, in its order; `found` is what its query finds. Memoized only without query, size and
 * prices: they would fill the memory.
 */
export function shopProducts(catalogue: Catalogue, filter: ShopFilter, found?: Found): Catalogue {
  const { category, sort } = filter
  if (!isNarrowed(filter)) {
    return shopLists(catalogue, `${category} ${sort}`, () =>
      sorted(productsInCategory(catalogue, category), sort),
    )
  }
  return sorted(narrowed(productsInCategory(found?.products ?? catalogue, category), catalogue, filter), sort)
}

/**
 * The Shop page's data (§ 2); with `since`, of all pages from that one on. Unless it is narrowed, the same catalogue gives
 * the same view of a page, so that what is made from it can be cached with it.
 */
export function shopView(
  catalogue: Catalogue,
  { page: asked, isFiltering, ...filter }: ShopChoice,
  { since = asked, found }: { since?: string | null; found?: Found } = {},
): ShopView {
  const all = shopProducts(catalogue, filter, found)
  const { items, from, page, pages } = pageOfList(all, asked, since)
  const count = all.length
  const view = (): ShopView => {
    const shown = { products: items.map(cardWithStock), ...collectUnitsLeft(items), count, from, page, pages }
    return { ...filter, ...shown, failed: false }
  }
  const isKept = !isNarrowed(filter) && from === page && !isFiltering
  if (isKept) return shopViews(catalogue, `${filter.category} ${filter.sort} ${page}`, view)

  const { size: asGiven, ...rest } = view()
  const sizeLabel = asGiven && labelOfSize(catalogue, asGiven)
  const { corrected, isNear, suggestions } = found ?? {}
  return {
    ...rest,
    ...(asGiven && sizeLabel && { size: asGiven, sizeLabel }),
    ...(isFiltering && { sizes: sizeGroups(catalogue) }),
    ...(corrected && { corrected }),
    ...(isNear && { isNear }),
    ...(found && filter.category !== 'All' && { elsewhere: inOtherCategories(catalogue, filter, found) }),
    ...(suggestions && count === 0 && { suggestions }),
  }
}

function inOtherCategories(catalogue: Catalogue, filter: ShopFilter, found: Found) {
  return CATEGORIES.flatMap((category) => {
    if (category === 'All' || category === filter.category) return []
    const { length: count } = shopProducts(catalogue, { ...filter, category }, found)
    return count > 0 ? [{ category, count }] : []
  })
}

/** The size that a slug in the address names; undefined where no product comes in it. */
function labelOfSize(catalogue: Catalogue, slug: string): string | undefined {
  const labels = sizeLabels(catalogue, '', () => {
    const sizes = sizeGroups(catalogue).flatMap(({ sizes }) => sizes)
    return new Map(sizes.map((size) => [sizeSlug(size), size]))
  })
  return labels.get(slug)
}

/** The products of which an item has the size and a price in the range, and is in stock if it must be; all for an unknown size. */
function narrowed(products: Catalogue, catalogue: Catalogue, filter: ShopFilter): Catalogue {
  const { minKsh = 0, maxKsh = Number.POSITIVE_INFINITY, inStock } = filter
  const label = filter.size && labelOfSize(catalogue, filter.size)
  if (!label && !filter.minKsh && !filter.maxKsh && !inStock) return products
  const matches = (product: Product) =>
    productItems(product).some(
      ({ id, size, price }) =>
        (!label || (size !== undefined && sizesInLabel(size).includes(label))) &&
        price >= minKsh &&
        price <= maxKsh &&
        (!inStock || product.left?.[id] !== 0),
    )
  return products.filter(matches)
}

/** The products in the chosen order; among equal prices the catalogue's own stays. */
export function sorted(catalogue: Catalogue, sort: Sort): Catalogue {
  if (sort === '') return catalogue
  const sign = sort === 'price-asc' ? 1 : -1
  return catalogue.toSorted((one, other) => sign * (one.price - other.price))
}

/** Up to this many products are one grid, without pages. */
const ONE_GRID_PRODUCTS = 96
/** The last page has up to this many more, instead of a short page after it. */
const FEW_PRODUCTS = 12

/** A page of a list, or several in a row: the numbers of the first and the last, and of all pages there are, from 1. */
export type PageOf<Item> = { items: readonly Item[]; from: number; page: number; pages: number }

/**
 * The page of a list that an address asks for; an invalid number is the first page, one that is too high the last.
 * With `since`, all pages from that one on, as after several uses of "show more".
 */
export function pageOfList<Item>(list: readonly Item[], asked: string | null, since = asked): PageOf<Item> {
  const isOneGrid = list.length <= ONE_GRID_PRODUCTS
  const pages = isOneGrid ? 1 : Math.ceil((list.length - FEW_PRODUCTS) / PRODUCTS_PER_PAGE)
  const page = numberOf(asked, pages)
  const from = numberOf(since, page)
  const end = page === pages ? list.length : page * PRODUCTS_PER_PAGE
  return { items: list.slice((from - 1) * PRODUCTS_PER_PAGE, end), from, page, pages }
}

function numberOf(asked: string | null, last: number): number {
  return Math.min(last, Math.max(1, /^\d{1,9}$/.test(asked ?? '') ? Number(asked) : 1))
}
