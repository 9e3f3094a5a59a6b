import type { Query } from 'minisearch'
import { calculatePriceWithVatKsh } from '#shared/checkout/fees.ts'
import { listAudiences } from './audiences.ts'
import type { Catalogue, Product } from './catalogue.ts'
import { findHelpLink, findOrderNumberLink, type HelpLink } from './help-links.ts'
import { listProductItems } from './items.ts'
import { isProductSoldOut, moveToEnd, withAgeSizesFirst, withSoldOutLast } from './named-size.ts'
import { isWithinLimits, type PriceLimits, sortByNearestPrice } from './price-limits.ts'
import { parsePriceLimits } from './price-words.ts'
import { FIELD_WEIGHTS, getSearchIndex, type SearchIndex } from './search-index.ts'
import { type SearchWordRow, SUGGESTED_SEARCHES } from './search-words.ts'
import { sortProducts } from './shop-view.ts'
import { parseQuery } from './size-words.ts'
import { getAge, hasSize, suitsSize } from './sizes.ts'
import { asksOnlyForLowPrices, findNearestWord, stem, toWords, withoutStopWords } from './words.ts'

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

/** The weights are relative to an exact match. */
const SYNONYM_WEIGHT = 0.6
const PREFIX_WEIGHT = 0.8
/** Ranks sold-out products below those that match about as well, but keeps title matches above category matches. */
const SOLD_OUT_WEIGHT = 0.25
const MAX_COMPLETIONS = 20
const MIN_PART_CHARACTERS = 3
/** If more products than this share only mention a part of the query, none are found. */
const MAX_VAGUE_SHARE = 0.25

const NAME_FIELDS = Object.keys(FIELD_WEIGHTS).filter((field) => field !== 'description')

const ANY_CHILD_STEMS = ['kid', 'kidz', 'child', 'toddler', 'mtoto', 'watoto', 'toto']
const CHILD_STEMS = new Set([
  ...ANY_CHILD_STEMS,
  ...['girl', 'boy', 'msichana', 'wasichana', 'mvulana', 'wavulana', 'kijana', 'vijana', 'kiume'],
  ...['mtoto kike', 'watoto kike', 'mtoto kiume', 'watoto kiume'],
])

/** A product matches the term if it matches any of the alternatives. */
type Term = {
  /** The key of the word or phrase. */
  stem: string
  alternatives: readonly Query[]
  /** The alternatives that aren't only similar, as trousers are to jeans. */
  exact: readonly Query[]
  except: readonly string[]
}
type Vocabulary = SearchIndex & WordTable
const NO_TERM: Term = { stem: '', alternatives: [], exact: [], except: [] }

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
  const { rest, limits: namedLimits, isAmountAlone } = parsePriceLimits(query)
  const limits = isAmountAlone ? withShownPrice(namedLimits, catalogue) : namedLimits
  const { words, sizes, isForChild, nearest } = parseQuery(rest, (matchesSize) =>
    catalogue.some((product) => hasSize(product, matchesSize)),
  )
  const filterBySize = (products: Catalogue) =>
    products.filter((product) => sizes.every((matchesSize) => suitsSize(product, matchesSize)))
  const filterByPrice = (products: Catalogue) =>
    products.filter((product) => listProductItems(product).some(({ price }) => isWithinLimits(price, limits)))
  const hasLimits = Object.keys(limits).length > 0
  const priceFilter = hasLimits && { price: { ...limits, query: rest } }
  const isFilter = sizes.length > 0 || hasLimits
  const filtered = isFilter ? filterByPrice(filterBySize(catalogue)) : catalogue
  const isNamedSize = (size: string) => sizes.every((matchesSize) => matchesSize(size))
  // The nearest sizes aren't selected, because they may be too small.
  const sizeFilter = nearest ? { nearest, isNearMatch: true } : sizes.length > 0 && { isNamedSize }
  const isSoldOut = (product: Product) => isProductSoldOut(product, isNamedSize)
  if (words.length === 0 && isFilter && filtered.length > 0) {
    const ordered = sizes.length > 0 ? withAgeSizesFirst(filtered, isNamedSize) : filtered
    return {
      products: withSoldOutLast(ordered, isNamedSize),
      ...sizeFilter,
      ...priceFilter,
      ...(hasLimits && { atAnyPrice: filterBySize(catalogue) }),
    }
  }

  if (asksOnlyForLowPrices(words)) {
    const products = withSoldOutLast(sortProducts(filtered, 'price-asc'), isNamedSize)
    return { products, ...sizeFilter, ...priceFilter }
  }

  const searchWords = filtered.length > 0 || (isForChild && words.length > 0) ? words : toWords(rest || query)
  const significantWords = withoutStopWords(searchWords)
  const rank = (query: Query) => rankProducts(index, catalogue, query, isSoldOut)
  const help = findHelp(searchWords, index, rank)
  if (help) return { products: [], suggestions: suggestSearches(index), help }
  const { terms, corrections } = toTerms(significantWords, index)
  const isExcluded = createExclusion(terms)
  const rankIncluded = (combineWith: 'AND' | 'OR', included: readonly Term[]) =>
    rank({ combineWith, queries: included.map(toQuery) }).filter((product) => !isExcluded(product))
  const childTerms = terms.filter((term) => CHILD_STEMS.has(term.stem))
  const childStems = childTerms.flatMap(({ stem }) => stem.split(' '))
  const otherWords = significantWords.filter((word) => !childStems.includes(stem(word)))
  const otherTerms = childTerms.length > 0 ? toTerms(otherWords, index).terms : []
  const forChildren = otherTerms.length > 0 ? rankForChildren(childTerms, otherTerms, rank) : []
  const isForAllChildren = terms.length > 0 && terms.every((term) => ANY_CHILD_STEMS.includes(term.stem))
  const ranked = forChildren.length > 0 ? forChildren : rankIncluded('AND', terms)
  const matchingAll = isForAllChildren
    ? withSoldOutLast([...new Set([...ranked, ...catalogue.filter(isForChildren)])], isNamedSize)
    : ranked
  const matchingSome = matchingAll.length > 0 ? [] : rankIncluded('OR', terms.filter(isLongTerm))
  const products = matchingAll.length > 0 ? matchingAll : matchingSome
  const namedTerms = forChildren.length > 0 ? otherTerms : terms
  const named = new Set(rank({ combineWith: 'OR', queries: namedTerms.map(toQuery), fields: NAME_FIELDS }))
  const mentions = new Set(isForAllChildren ? [] : products.filter((product) => !named.has(product)))
  const isTooVague =
    mentions.size === matchingSome.length && matchingSome.length > catalogue.length * MAX_VAGUE_SHARE
  if (products.length === 0 || isTooVague) return { products: [], suggestions: suggestSearches(index) }
  const isOnlySimilar = terms.some(
    ({ alternatives, exact }) =>
      exact.length < alternatives.length &&
      rank({ combineWith: 'OR', queries: [...exact], fields: NAME_FIELDS }).length === 0,
  )
  const isMatch = (product: Product) => mentions.size === products.length || !mentions.has(product)
  // If no product has the size, all of them remain, because those without sizes or ages may suit any age.
  const inNamedSize = filterBySize(products)
  const matchingSize = inNamedSize.some(isMatch) ? inNamedSize : []
  const hasSizesOnly = products.filter(isMatch).every((product) => product.sizing || getAge(product))
  const inSize = matchingSize.length > 0 ? matchingSize : isForChild ? withChildrenFirst(products) : products
  const affordable = filterByPrice(inSize)
  const outsideLimits = affordable.some(isMatch) ? [] : sortByNearestPrice(inSize.filter(isMatch), limits)
  const isOutsideLimits = outsideLimits.length > 0
  const isInOtherSizes = matchingSize.length === 0 && hasSizesOnly
  return {
    products: [...outsideLimits, ...affordable],
    isExcluded,
    ...(mentions.size < products.length && { mentions }),
    ...((matchingSize.length > 0 || !nearest) && sizeFilter),
    ...priceFilter,
    ...(hasLimits && { atAnyPrice: inSize.filter(isMatch) }),
    ...(isOutsideLimits && { isOutsideLimits }),
    ...(corrections.size > 0 && { corrected: correctQuery(rest, corrections) }),
    ...((matchingAll.length === 0 || isOnlySimilar || isOutsideLimits || isInOtherSizes) && {
      isNearMatch: true,
    }),
    ...(matchingAll.length > 0 && isInOtherSizes && { nearest: 'any' }),
  }
}

/** If a price before VAT is exactly this maximum, it is what the shopper read on a card. */
function withShownPrice(limits: PriceLimits, catalogue: Catalogue): PriceLimits {
  const { maxKsh } = limits
  const isShown = catalogue.some((product) => listProductItems(product).some(({ price }) => price === maxKsh))
  return maxKsh && isShown ? { maxKsh: Math.ceil(calculatePriceWithVatKsh(maxKsh)) } : limits
}

function withChildrenFirst(products: Catalogue): Catalogue {
  return moveToEnd(products, (product) => !isForChildren(product))
}

function isForChildren(product: Product): boolean {
  return listAudiences(product).includes('Kids')
}

/** Returns a link for a query with words such as `delivery`, unless any of its words names a product. */
function findHelp(
  words: readonly string[],
  index: Vocabulary,
  rank: (query: Query) => Catalogue,
): HelpLink | undefined {
  const link = findHelpLink(words)
  if (!link) return undefined
  const namesProduct = withoutStopWords(words).some((word) => {
    if (word.length < MIN_PART_CHARACTERS) return false
    const { terms, corrections } = toTerms([word], index)
    const query: Query = { combineWith: 'OR', queries: terms.map(toQuery), fields: NAME_FIELDS }
    return corrections.size === 0 && rank(query).length > 0
  })
  return namesProduct ? undefined : link
}

/** Shorter words match too much to be found alone. */
function isLongTerm({ stem }: Term): boolean {
  return stem.length >= MIN_PART_CHARACTERS
}

function suggestSearches(index: Vocabulary): readonly string[] {
  return SUGGESTED_SEARCHES.filter((words) => toWords(words).every((word) => isKnownWord(word, index)))
}

/**
 * `girl toys` and `kids toys` rank toys that name girls or children first, but also find the others, because few name
 * them. Returns none if the best match is excluded, as for `boy dress`.
 */
function rankForChildren(
  childTerms: readonly Term[],
  otherTerms: readonly Term[],
  rank: (query: Query) => Catalogue,
): Catalogue {
  const others: Query = { combineWith: 'AND', queries: otherTerms.map(toQuery) }
  const both: Query = { combineWith: 'AND', queries: [others, ...childTerms.map(toQuery)] }
  const products = rank({ combineWith: 'OR', queries: [others, both] }).filter(isForChildren)
  const isExcluded = createExclusion([...childTerms, ...otherTerms])
  const [best] = products
  return best && isExcluded(best) ? [] : products.filter((product) => !isExcluded(product))
}

function toQuery({ alternatives }: Term): Query {
  return { combineWith: 'OR', queries: [...alternatives] }
}

function createExclusion(terms: readonly Term[]): (product: Product) => boolean {
  const excludedStems = new Set(terms.flatMap(({ except }) => except.map(stem)))
  return ({ title }) => excludedStems.size > 0 && toWords(title).some((word) => excludedStems.has(stem(word)))
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

function toTerms(words: readonly string[], index: Vocabulary) {
  const terms: Term[] = []
  const corrections = new Map<string, string>()
  for (let at = 0; at < words.length; ) {
    const length = countPhraseWords(words.slice(at), index)
    const [word = '', next = ''] = words.slice(at)
    const knownTerm =
      length > 1 || isKnownWord(word, index) ? toTerm(words.slice(at, at + length), index) : undefined
    // Makes `head band` find `headband`.
    const compound =
      length === 1 && next && index.names.has(word + next) ? toTerm([word + next], index) : undefined
    at += compound ? 2 : length
    const term = compound ?? knownTerm ?? completeWord(word, index.names, index) ?? splitCompound(word, index)
    const isCode = /\d/.test(word)
    const nearest = term || isCode ? undefined : findNearestWord(word, listCorrectionCandidates(index))
    if (nearest) corrections.set(word, nearest)
    terms.push(
      term ?? (nearest ? toTerm([nearest], index) : completeWord(word, index.stems.keys(), index)) ?? NO_TERM,
    )
  }
  return { terms, corrections }
}

function toTerm(phrase: readonly string[], { rowsByStems }: WordTable): Term {
  const key = toStemKey(phrase)
  const rows = rowsByStems.get(key) ?? []
  const listSynonyms = (from: readonly SearchWordRow[]): readonly Query[] => [
    createWeightedQuery(phrase.join(' '), 1),
    ...from.flatMap(({ finds }) => finds.map((other) => createWeightedQuery(other, SYNONYM_WEIGHT))),
  ]
  return {
    stem: key,
    alternatives: listSynonyms(rows),
    exact: listSynonyms(rows.filter(({ isSimilar }) => !isSimilar)),
    except: rows.flatMap(({ except = [] }) => except),
  }
}

function createWeightedQuery(text: string, weight: number): Query {
  const boost = Object.fromEntries(
    Object.entries(FIELD_WEIGHTS).map(([field, fieldWeight]) => [field, fieldWeight * weight]),
  )
  return { combineWith: 'AND', queries: [text], boost }
}

function completeWord(word: string, words: Iterable<string>, table: WordTable): Term | undefined {
  const hasPrefix = (other: string) => other.startsWith(word)
  const completions = [...words].filter(hasPrefix).slice(0, MAX_COMPLETIONS)
  const synonymTerms = [...table.synonymWords].filter(hasPrefix).map((other) => toTerm([other], table))
  if (completions.length + synonymTerms.length === 0) return undefined
  const completionQueries = completions.map((completion) => createWeightedQuery(completion, PREFIX_WEIGHT))
  return {
    ...NO_TERM,
    stem: word,
    alternatives: [...completionQueries, ...synonymTerms.flatMap(({ alternatives }) => alternatives)],
    exact: [...completionQueries, ...synonymTerms.flatMap(({ exact }) => exact)],
  }
}

function splitCompound(word: string, index: Vocabulary): Term | undefined {
  for (let at = MIN_PART_CHARACTERS; at <= word.length - MIN_PART_CHARACTERS; at++) {
    const parts = [word.slice(0, at), word.slice(at)]
    if (parts.every((part) => index.stems.has(part))) return toTerm(parts, index)
  }
  return undefined
}

function isKnownWord(word: string, { engine, rowsByStems }: Vocabulary): boolean {
  return rowsByStems.has(stem(word)) || engine.search(word).length > 0
}

function* listCorrectionCandidates({ names, synonymWords }: Vocabulary): Iterable<string> {
  yield* names
  yield* synonymWords
}

function correctQuery(query: string, corrections: ReadonlyMap<string, string>): string {
  return toWords(query)
    .map((word) => corrections.get(word) ?? word)
    .join(' ')
}

type WordTable = {
  rowsByStems: ReadonlyMap<string, readonly SearchWordRow[]>
  synonymWords: ReadonlySet<string>
  longestPhraseWords: number
}

const wordTables = new WeakMap<readonly SearchWordRow[], WordTable>()

function getWordTable(rows: readonly SearchWordRow[]): WordTable {
  const table = wordTables.get(rows) ?? createWordTable(rows)
  wordTables.set(rows, table)
  return table
}

function createWordTable(rows: readonly SearchWordRow[]): WordTable {
  const rowsByStems = new Map<string, SearchWordRow[]>()
  const synonymWords = new Set<string>()
  let longestPhraseWords = 1
  for (const row of rows)
    for (const text of row.words) {
      const words = withoutStopWords(toWords(text))
      const key = toStemKey(words)
      rowsByStems.set(key, [...(rowsByStems.get(key) ?? []), row])
      if (words.length === 1) synonymWords.add(text)
      longestPhraseWords = Math.max(longestPhraseWords, words.length)
    }
  return { rowsByStems, synonymWords, longestPhraseWords }
}

function toStemKey(words: readonly string[]): string {
  return words.map(stem).join(' ')
}

function countPhraseWords(words: readonly string[], { rowsByStems, longestPhraseWords }: WordTable): number {
  for (let length = Math.min(longestPhraseWords, words.length); length > 1; length--)
    if (rowsByStems.has(toStemKey(words.slice(0, length)))) return length
  return 1
}
