import { fitsChosenSize, isSameAge } from './ages.ts'
import { countFilters, isCacheable, isFiltered, toSizeSlug } from './applied-filters.ts'
import { isSplitByAudience, listAudiences } from './audiences.ts'
import { CATEGORIES, type Catalogue, type Category, PRODUCTS_PER_PAGE, type Product } from './catalogue.ts'
import { collectUnitsLeft } from './catalogue-stock.ts'
import { createCatalogueMemo, findRelatedProducts, listProductsInCategory } from './catalogue-views.ts'
import { listFilterGroups, withoutFilterGroup } from './filter-groups.ts'
import { listProductItems } from './items.ts'
import {
  isAvailableInSize,
  moveToEnd,
  type SizePredicate,
  toGridCard,
  withAgeSizesFirst,
  withSoldOutLast,
} from './named-size.ts'
import {
  isWithinLimits,
  JUST_ABOVE_RATIO,
  listNearestPrices,
  type PriceLimits,
  sortByNearestPrice,
} from './price-limits.ts'
import type { SearchResult } from './search.ts'
import type { Audience, OfferedSizes, ShopFilter, ShopQuery, ShopView, Sort } from './shop-filter.ts'
import { findNamedSizes, getAge, groupSizes, splitSizeLabel } from './sizes.ts'

const memoizeShopList = createCatalogueMemo<Catalogue>()
const memoizeShopView = createCatalogueMemo<ShopView>()
const memoizeSizeLabels = createCatalogueMemo<ReadonlyMap<string, string>>()

/** Identifies a cacheable list of the catalogue. */
export function getListKey({ category, audience, sort }: ShopFilter): string {
  return `${category} ${audience} ${sort}`
}

/** `found` has the results of the search query. Only cacheable lists are memoized, which bounds memory use. */
export function listShopProducts(catalogue: Catalogue, filter: ShopFilter, found?: SearchResult): Catalogue {
  const { category, sort } = filter
  const isNamedSize = createSizePredicate(catalogue, filter, found)
  const createList = () => {
    const sorted = sortProducts(
      filterProducts(listProductsInCategory(found?.products ?? catalogue, category), catalogue, filter),
      sort,
    )
    const products =
      sort === '' ? sorted : moveToEnd(sorted, (product) => found?.mentions?.has(product) ?? false)
    if (!isNamedSize) return products
    const isUnsorted = sort === '' && !found
    return withSoldOutLast(isUnsorted ? withAgeSizesFirst(products, isNamedSize) : products, isNamedSize)
  }
  return isCacheable(filter) ? memoizeShopList(catalogue, getListKey(filter), createList) : createList()
}

/** Returns undefined if neither the filter nor the search names a size. */
function createSizePredicate(
  catalogue: Catalogue,
  { size }: ShopFilter,
  found: SearchResult | undefined,
): SizePredicate | undefined {
  const label = size && findSizeLabel(catalogue, size)
  return label ? (size) => fitsChosenSize(size, label) : found?.isNamedSize
}

/** If `isFiltered`, a list of at least one and at most this many products is shown with related products. */
const MAX_RESULTS_WITH_RELATED = 3

type ViewOptions = { since?: string | null; found?: SearchResult; categories?: readonly Category[] }

/**
 * The first page of a cacheable list is memoized, because the cache of its markup compares objects by identity. Further
 * pages aren't: each would keep its markup in memory.
 */
export function createShopView(
  catalogue: Catalogue,
  { page: requestedPage, isFilterOpen, ...filter }: ShopQuery,
  { since = requestedPage, found, categories = CATEGORIES }: ViewOptions = {},
): ShopView {
  const isMention = (product: Product) => found?.mentions?.has(product) ?? false
  const { all, isOutsideLimits, isJustAbove, isNearMatch } = listMatches(catalogue, filter, found)
  const { items, from, page, pages } = paginate(all, requestedPage, since)
  const count = all.length
  const sizeLabel = filter.size && findSizeLabel(catalogue, filter.size)
  const isNamedSize = createSizePredicate(catalogue, filter, found)
  const isExactSize = sizeLabel ? (size: string) => isSameAge(size, sizeLabel) : isNamedSize
  const toCard = (product: Product) => toGridCard(product, isNamedSize, isExactSize)
  const createView = (): ShopView => {
    const [first] = all
    const similar =
      first && isFiltered(filter) && count <= MAX_RESULTS_WITH_RELATED
        ? findRelatedProducts(
            catalogue,
            first,
            (product) =>
              !found?.isExcluded?.(product) && (!isNamedSize || isAvailableInSize(product, isNamedSize)),
          )
        : []
    const justAbove =
      page === pages && !isNearMatch
        ? listJustAbove(catalogue, filter, found).filter((product) => !all.includes(product))
        : []
    const related = similar.filter((product) => !all.includes(product) && !justAbove.includes(product))
    const hasMentionsLast = pages === 1 && (isOutsideLimits || !isNearMatch)
    const mentions = items.filter((product) => hasMentionsLast && isMention(product))
    const products = items.filter((product) => !mentions.includes(product)).map(toCard)
    const listed = listProductsInCategory(found?.products ?? catalogue, filter.category)
    return {
      ...filter,
      products,
      ...(mentions.length > 0 && { mentions: mentions.map(toCard) }),
      ...collectUnitsLeft([...items, ...justAbove, ...related]),
      ...(isSplitByAudience(listed) && { isSplitByAudience: true }),
      count,
      from,
      page,
      pages,
      ...(justAbove.length > 0 && { justAbove: justAbove.map(toCard) }),
      ...(related.length > 0 && { related: related.map(toCard) }),
      ...(count === 0 &&
        listed.length > 0 &&
        countFilters(filter) > 0 && { removableFilters: countWithoutEachFilter(catalogue, filter, found) }),
    }
  }
  const isMemoized = isCacheable(filter) && page === 1 && !isFilterOpen
  if (isMemoized) return memoizeShopView(catalogue, getListKey(filter), createView)

  const { size: sizeInUrl, ...rest } = createView()
  const { corrected, suggestions, price, help } = found ?? {}
  // Of several shoe sizes for an age, the one for exactly that age is chosen.
  const namedSizes = isNamedSize &&
    isExactSize && { ...findNamedSizes(items, isNamedSize), ...findNamedSizes(items, isExactSize) }
  return {
    ...rest,
    ...(price && withPriceLimits(filter, price)),
    ...(sizeInUrl && sizeLabel && { size: sizeInUrl, sizeLabel }),
    ...(namedSizes && { namedSizes }),
    ...(isFilterOpen && { sizes: listSizes(catalogue, filter, { found, sizeLabel }) }),
    ...(count > 0 && corrected && { corrected }),
    ...(isNearMatch && { isNearMatch }),
    ...(found?.nearest && { nearest: found.nearest }),
    ...(isOutsideLimits && { isOutsideLimits }),
    ...(isJustAbove && { isJustAbove }),
    ...(found &&
      filter.category !== 'All' && {
        otherCategories: countOtherCategories(catalogue, filter, { found, categories }),
      }),
    ...(suggestions && count === 0 && { suggestions }),
    ...(help && { help }),
  }
}

/** If a search matches nothing within the price limits, or only mentions, the nearest in price come first. */
export function listMatches(catalogue: Catalogue, filter: ShopFilter, found: SearchResult | undefined) {
  const all = listShopProducts(catalogue, filter, found)
  const isMatch = (product: Product) => !found?.mentions?.has(product)
  const limits = getPriceLimits(filter, found)
  const toMatches = (all: Catalogue, isOutsideLimits = false, isJustAbove = false) => ({
    all,
    isOutsideLimits,
    isJustAbove,
    isNearMatch: all.length > 0 && (isOutsideLimits || found?.isNearMatch || !all.some(isMatch)),
  })
  const withNearest = (matches: Catalogue, mentions: Catalogue) => {
    const { nearest, isJustAbove } = listNearestPrices(matches, limits)
    return toMatches([...nearest, ...mentions], nearest.length > 0, isJustAbove)
  }
  if (found?.isOutsideLimits && all.some(isMatch))
    return withNearest(
      all.filter(isMatch),
      all.filter((product) => !isMatch(product)),
    )
  if (!filter.query || !(filter.minKsh || filter.maxKsh) || all.some(isMatch)) return toMatches(all)
  const matches = listShopProducts(catalogue, withoutFilterGroup(filter, 'price'), found).filter(isMatch)
  return withNearest(filter.sort === '' ? sortByNearestPrice(matches, filter) : matches, all)
}

const MAX_JUST_ABOVE = 4

function listJustAbove(catalogue: Catalogue, filter: ShopFilter, found: SearchResult | undefined): Catalogue {
  const { maxKsh } = getPriceLimits(filter, found)
  if (!maxKsh) return []
  const limits = { minKsh: maxKsh, maxKsh: maxKsh * JUST_ABOVE_RATIO, inStock: true } as const
  const products = found?.atAnyPrice ?? found?.products.filter((product) => !found.mentions?.has(product))
  const matches = listShopProducts(catalogue, { ...filter, ...limits }, products && { ...found, products })
  return sortByNearestPrice(matches, { maxKsh }).slice(0, MAX_JUST_ABOVE)
}

function getPriceLimits(filter: ShopFilter, found: SearchResult | undefined): PriceLimits {
  return found?.price ? withPriceLimits(filter, found.price) : filter
}

/** Shows the price limits of the query as if they had been entered in the filter form. */
function withPriceLimits({ minKsh, maxKsh }: ShopFilter, price: NonNullable<SearchResult['price']>) {
  const min = Math.max(minKsh ?? 0, price.minKsh ?? 0)
  const max = Math.min(maxKsh ?? Infinity, price.maxKsh ?? Infinity)
  return { query: price.query, minKsh: min || undefined, maxKsh: max < Infinity ? max : undefined }
}

function listSizes(
  catalogue: Catalogue,
  filter: ShopFilter,
  { found, sizeLabel }: { found: SearchResult | undefined; sizeLabel: string | undefined },
): OfferedSizes {
  const listedProducts = new Set(listProductsInCategory(found?.products ?? catalogue, filter.category))
  const ages = [...new Set([...listedProducts].map(getAge))].filter((age) => age !== undefined)
  const sizesForAges = new Set(
    [...listSizeLabels(catalogue).values()].filter((size) => ages.some((age) => fitsChosenSize(age, size))),
  )
  const listSizesFor = (audience?: Audience) =>
    groupSizes(catalogue, (product, size, audiences) => {
      const isSelected = size === sizeLabel && (!audience || audience === filter.audience)
      const isListed = listedProducts.has(product) || sizesForAges.has(size)
      return isSelected || (isListed && (!audience || audiences.includes(audience)))
    })
  return { Everyone: listSizesFor(), Kids: listSizesFor('Kids'), Women: listSizesFor('Women') }
}

function countOtherCategories(
  catalogue: Catalogue,
  filter: ShopFilter,
  { found, categories }: { found: SearchResult; categories: readonly Category[] },
) {
  return categories.flatMap((category) => {
    if (category === 'All' || category === filter.category) return []
    const { all, isOutsideLimits } = listMatches(catalogue, { ...filter, category }, found)
    const count = isOutsideLimits && !found.isOutsideLimits ? 0 : all.length
    return count > 0 ? [{ category, count }] : []
  })
}

const MAX_REMOVABLE_FILTERS = 3

function countWithoutEachFilter(catalogue: Catalogue, filter: ShopFilter, found: SearchResult | undefined) {
  return listFilterGroups(filter)
    .map((group) => ({
      group,
      count: listShopProducts(catalogue, withoutFilterGroup(filter, group), found).length,
    }))
    .filter(({ count }) => count > 0)
    .toSorted(
      (first, second) =>
        Number(second.group === 'price') - Number(first.group === 'price') || second.count - first.count,
    )
    .slice(0, MAX_REMOVABLE_FILTERS)
}

function findSizeLabel(catalogue: Catalogue, slug: string): string | undefined {
  return listSizeLabels(catalogue).get(slug)
}

function listSizeLabels(catalogue: Catalogue): ReadonlyMap<string, string> {
  return memoizeSizeLabels(catalogue, '', () => {
    const sizes = groupSizes(catalogue).flatMap(({ sizes }) => sizes)
    return new Map(sizes.map((size) => [toSizeSlug(size), size]))
  })
}

/** The size, price and stock filters must match the same item. */
function filterProducts(products: Catalogue, catalogue: Catalogue, filter: ShopFilter): Catalogue {
  const { audience, inStock } = filter
  const label = filter.size && findSizeLabel(catalogue, filter.size)
  if (!audience && !label && !filter.minKsh && !filter.maxKsh && !inStock) return products
  const matches = (product: Product) =>
    (!audience || listAudiences(product).includes(audience)) &&
    listProductItems(product).some(
      ({ id, size, price }) =>
        (!label ||
          splitSizeLabel(size ?? getAge(product) ?? '').some((part) => fitsChosenSize(part, label))) &&
        isWithinLimits(price, filter) &&
        (!inStock || product.left?.[id] !== 0),
    )
  return products.filter(matches)
}

/** Products have no dates, but each new one has a higher id than all before it. */
export function sortProducts(catalogue: Catalogue, sort: Sort): Catalogue {
  if (sort === '') return catalogue
  const key = sort === 'newest' ? 'id' : 'price'
  const sign = sort === 'price-asc' ? 1 : -1
  return catalogue.toSorted((first, second) => sign * (first[key] - second[key]))
}

const MAX_UNPAGED_PRODUCTS = 96
/** The last page takes up to this many extra products, instead of a short page after it. */
const MAX_EXTRA_PRODUCTS = 12

export type ListPage<Item> = { items: readonly Item[]; from: number; page: number; pages: number }

/** Clamps the page number, treating an invalid one as 1. With `since`, includes all pages from `since` to `page`. */
export function paginate<Item>(
  list: readonly Item[],
  requestedPage: string | null,
  since = requestedPage,
): ListPage<Item> {
  const isOneGrid = list.length <= MAX_UNPAGED_PRODUCTS
  const pages = isOneGrid ? 1 : Math.ceil((list.length - MAX_EXTRA_PRODUCTS) / PRODUCTS_PER_PAGE)
  const page = clampPageNumber(requestedPage, pages)
  const from = clampPageNumber(since, page)
  const end = page === pages ? list.length : page * PRODUCTS_PER_PAGE
  return { items: list.slice((from - 1) * PRODUCTS_PER_PAGE, end), from, page, pages }
}

function clampPageNumber(requestedPage: string | null, last: number): number {
  return Math.min(last, Math.max(1, /^\d{1,9}$/.test(requestedPage ?? '') ? Number(requestedPage) : 1))
}
