import type { Query } from 'minisearch'
import { calculatePriceWithVatKsh } from '#shared/checkout/fees.ts'
import type { Catalogue, Product } from './catalogue.ts'
import { findOrderNumberLink, findPhraseHelp, findWordHelp, type HelpLink } from './help-links.ts'
import { listProductItems } from './items.ts'
import { isProductSoldOut, moveToEnd, withAgeSizesFirst, withSoldOutLast } from './named-size.ts'
import { isWithinLimits, type PriceLimits, sortByNearestPrice } from './price-limits.ts'
import { parsePriceLimits } from './price-words.ts'
import { getSearchIndex, type SearchIndex } from './search-index.ts'
import { isForChildren, matchTerms, NAME_FIELDS, toQuery } from './search-matches.ts'
import { getWordTable, isKnownWord, MIN_PART_CHARACTERS, toTerms, type Vocabulary } from './search-terms.ts'
import { type SearchWordRow, SUGGESTED_SEARCHES } from './search-words.ts'
import { sortProducts } from './shop-view.ts'
import { parseQuery } from './size-words.ts'
import { getAge, hasSize, suitsSize } from './sizes.ts'
import { findSort, isLowPriceWord, isStopWord, toWords, withoutStopWords } from './words.ts'

export type SearchResult = {
  products: Catalogue
  corrected?: string
  /** True if the products don't match every word, or their prices aren't within the query's limits. */
  isNearMatch?: boolean
  /** The query's price limits, and the query without them. Undefined if it has none. */
  price?: PriceLimits & { query: string }
  /** The products that the query matches without its price limits, except `mentions`. Undefined if it has none. */
  atAnyPrice?: Catalogue
  /** True if at most `mentions` are within the price limits. The other products are the nearest in price. */
  isOutsideLimits?: boolean
  /** The products that only their descriptions match, unless the query matches no others. */
  mentions?: ReadonlySet<Product>
  suggestions?: readonly string[]
  /** Set, without products, if the query is about something else, such as delivery. */
  help?: HelpLink
  /** Set if no product has the query's size. The products are those of the next lower age, the nearest shoe sizes or any. */
  nearest?: 'age' | 'size' | 'any'
  /** Whether the query's words exclude a product, as `boy` excludes dresses. It isn't suggested either. */
  isExcluded?: (product: Product) => boolean
  /** Undefined if the query names no size that a product has. */
  isNamedSize?: (size: string) => boolean
}

/** Ranks sold-out products below those that match about as well, but keeps title matches above category matches. */
const SOLD_OUT_WEIGHT = 0.25
/** If more products than this share only mention a part of the query, none are found. */
const MAX_VAGUE_SHARE = 0.25

/**
 * Matches words by stem and synonym. Unknown words are completed, split or corrected. Ages, sizes and price limits
 * filter the results unless nothing would remain.
 */
export function searchCatalogue(
  catalogue: Catalogue,
  query: string,
  searchWords: readonly SearchWordRow[],
): SearchResult | Promise<SearchResult> {
  const index = getSearchIndex(catalogue)
  const table = getWordTable(searchWords)
  return index instanceof Promise
    ? index.then((readyIndex) => searchProducts({ ...readyIndex, ...table }, catalogue, query))
    : searchProducts({ ...index, ...table }, catalogue, query)
}

function searchProducts(index: Vocabulary, catalogue: Catalogue, query: string): SearchResult {
  const orderHelp = findOrderNumberLink(query)
  if (orderHelp) return { products: [], help: orderHelp }
  const filter = parseQueryFilter(query, catalogue)
  const { words, isFilter, isNamedSize } = filter
  const isSoldOut = (product: Product) => isProductSoldOut(product, isNamedSize)
  const rank = (query: Query) => rankProducts(index, catalogue, query, isSoldOut)
  const help =
    isFilter || words.some((word) => /^\d/.test(word))
      ? findHelp(words, index, rank)
      : (findPhraseHelp(words) ?? findHelp(words, index, rank))
  if (help) return { products: [], suggestions: suggestSearches(index), help }
  return filterWithoutWords(filter, catalogue) ?? searchByWords(filter, { index, catalogue, query, rank })
}

type QueryFilter = ReturnType<typeof parseQueryFilter>

/** Separates the query's sizes, ages and price limits from its other words. */
function parseQueryFilter(query: string, catalogue: Catalogue) {
  const { rest, limits: namedLimits, isAmountAlone } = parsePriceLimits(query)
  const limits = isAmountAlone ? withShownPrice(namedLimits, catalogue) : namedLimits
  const { words, sizes, isForChild, nearest } = parseQuery(rest, (matchesSize) =>
    catalogue.some((product) => hasSize(product, matchesSize)),
  )
  const filterBySize = (products: Catalogue) =>
    products.filter((product) => sizes.every((matchesSize) => suitsSize(product, matchesSize)))
  const filterByPrice = (products: Catalogue) =>
    products.filter((product) => listProductItems(product).some(({ price }) => isWithinLimits(price, limits)))
  const hasSizes = sizes.length > 0
  const hasLimits = Object.keys(limits).length > 0
  const isFilter = hasSizes || hasLimits
  const isNamedSize = (size: string) => sizes.every((matchesSize) => matchesSize(size))
  return {
    rest,
    words,
    limits,
    isForChild,
    nearest,
    hasSizes,
    hasLimits,
    isFilter,
    isNamedSize,
    filterBySize,
    filterByPrice,
    filtered: isFilter ? filterByPrice(filterBySize(catalogue)) : catalogue,
    priceFilter: hasLimits && { price: { ...limits, query: rest } },
    // The nearest sizes aren't selected, because they may be too small.
    sizeFilter: nearest ? { nearest, isNearMatch: true } : hasSizes && { isNamedSize },
  }
}

/** Lists what the filter finds if the query has no other words, or only words for an order such as `cheap`. */
function filterWithoutWords(filter: QueryFilter, catalogue: Catalogue): SearchResult | undefined {
  const { words, filtered, isFilter, hasSizes, hasLimits, isNamedSize, filterBySize } = filter
  const { sizeFilter, priceFilter } = filter
  if (filtered.length === 0) return undefined
  const sort = findSort(words)
  if (sort !== undefined) {
    const products = withSoldOutLast(sortProducts(filtered, sort), isNamedSize)
    return { products, ...sizeFilter, ...priceFilter }
  }
  if (!isFilter || !words.every(isStopWord)) return undefined
  const ordered = hasSizes ? withAgeSizesFirst(filtered, isNamedSize) : filtered
  return {
    products: withSoldOutLast(ordered, isNamedSize),
    ...sizeFilter,
    ...priceFilter,
    ...(hasLimits && { atAnyPrice: filterBySize(catalogue) }),
  }
}

type WordSearch = {
  index: Vocabulary
  catalogue: Catalogue
  query: string
  rank: (query: Query) => Catalogue
}

function searchByWords(filter: QueryFilter, { index, catalogue, query, rank }: WordSearch): SearchResult {
  const { rest, words, limits, isForChild, nearest, hasLimits, isNamedSize, filtered } = filter
  const { filterBySize, filterByPrice, sizeFilter, priceFilter } = filter
  const queryWords = filtered.length > 0 || (isForChild && words.length > 0) ? words : toWords(rest || query)
  const { terms, corrections } = toTerms(withoutStopWords(queryWords), index)
  const matches = matchTerms(terms, catalogue, rank)
  const { main, named, isExcluded, isRanked } = matches
  const products = isRanked ? matches.products : withSoldOutLast(matches.products, isNamedSize)
  const mentions = new Set(isRanked ? products.filter((product) => !named.has(product)) : [])
  const isTooVague =
    matches.quality === 'some-words' &&
    mentions.size === products.length &&
    products.length > catalogue.length * MAX_VAGUE_SHARE
  if (products.length === 0 || isTooVague) return { products: [], suggestions: suggestSearches(index) }
  const isOnlySimilar = main.some(
    ({ alternatives, exact }) =>
      exact.length < alternatives.length &&
      rank({ combineWith: 'OR', queries: [...exact], fields: NAME_FIELDS }).length === 0,
  )
  const isMatch = (product: Product) => mentions.size === products.length || !mentions.has(product)
  // If no product has the size, all of them remain, because those without sizes or ages may suit any age.
  const inNamedSize = filterBySize(products)
  const matchingSize = inNamedSize.some(isMatch) ? inNamedSize : []
  const hasSizesOnly = products.filter(isMatch).every((product) => product.sizing || getAge(product))
  const inSize =
    matchingSize.length > 0
      ? matchingSize
      : isForChild
        ? withChildrenFirst(
            withNearestFirst(
              products,
              rest,
              (product) => isMatch(product) && !isProductSoldOut(product, isNamedSize),
            ),
          )
        : products
  const affordable = filterByPrice(inSize)
  const outsideLimits = affordable.some(isMatch) ? [] : sortByNearestPrice(inSize.filter(isMatch), limits)
  const isOutsideLimits = outsideLimits.length > 0
  const isInOtherSizes = matchingSize.length === 0 && hasSizesOnly
  const isComplete = matches.quality === 'all-words'
  const isByPrice = queryWords.some(isLowPriceWord)
  return {
    products: [...outsideLimits, ...(isByPrice ? sortProducts(affordable, 'price-asc') : affordable)],
    isExcluded,
    ...(mentions.size < products.length && { mentions }),
    ...((matchingSize.length > 0 || !nearest) && sizeFilter),
    ...priceFilter,
    ...(hasLimits && { atAnyPrice: inSize.filter(isMatch) }),
    ...(isOutsideLimits && { isOutsideLimits }),
    ...(corrections.size > 0 && { corrected: correctQuery(rest, corrections) }),
    ...((!isComplete || isOnlySimilar || isOutsideLimits || isInOtherSizes) && { isNearMatch: true }),
    ...(isComplete && isInOtherSizes && { nearest: 'any' }),
  }
}

/** If a price before VAT is exactly this maximum, it is what the shopper read on a card. */
function withShownPrice(limits: PriceLimits, catalogue: Catalogue): PriceLimits {
  const { maxKsh } = limits
  const isShown = catalogue.some((product) => listProductItems(product).some(({ price }) => price === maxKsh))
  return maxKsh && isShown ? { maxKsh: Math.ceil(calculatePriceWithVatKsh(maxKsh)) } : limits
}

/** Of toys for 10 years, those for up to 8 come first. */
function withNearestFirst(
  products: Catalogue,
  query: string,
  isPreferred: (product: Product) => boolean,
): Catalogue {
  const { sizes } = parseQuery(query, (matchesSize) =>
    products.some((product) => suitsSize(product, matchesSize)),
  )
  return moveToEnd(
    products,
    (product) => !isPreferred(product) || !sizes.every((matchesSize) => suitsSize(product, matchesSize)),
  )
}

function withChildrenFirst(products: Catalogue): Catalogue {
  return moveToEnd(products, (product) => !isForChildren(product))
}

/** Returns a link for a query with words such as `delivery`, unless another of its words names a product. */
function findHelp(
  words: readonly string[],
  index: Vocabulary,
  rank: (query: Query) => Catalogue,
): HelpLink | undefined {
  const link = findWordHelp(words)
  if (!link) return undefined
  const namesProduct = withoutStopWords(words).some((word) => {
    if (word.length < MIN_PART_CHARACTERS || !isKnownWord(word, index)) return false
    const { terms } = toTerms([word], index)
    return rank({ combineWith: 'OR', queries: terms.map(toQuery), fields: NAME_FIELDS }).length > 0
  })
  return namesProduct ? undefined : link
}

function suggestSearches(index: Vocabulary): readonly string[] {
  return SUGGESTED_SEARCHES.filter((words) => toWords(words).every((word) => isKnownWord(word, index)))
}

function rankProducts(
  { engine }: SearchIndex,
  catalogue: Catalogue,
  query: Query,
  isSoldOut: (product: Product) => boolean,
): Catalogue {
  return engine
    .search(query)
    .flatMap(({ id, score }) => {
      const product = catalogue[id]
      if (!product) return []
      return [{ id, product, score: isSoldOut(product) ? score * SOLD_OUT_WEIGHT : score }]
    })
    .toSorted((a, b) => b.score - a.score || a.id - b.id)
    .map(({ product }) => product)
}

function correctQuery(query: string, corrections: ReadonlyMap<string, string>): string {
  return toWords(query)
    .map((word) => corrections.get(word) ?? word)
    .join(' ')
}
