import type { Query } from 'minisearch'
import type { Catalogue, Product } from './catalogue.ts'
import { FIELD_WEIGHTS, type SearchIndex, searchIndex } from './search-index.ts'
import { SEARCH_WORDS, type SearchWordRow, SUGGESTED_SEARCHES } from './search-words.ts'
import { sizesWanted } from './size-words.ts'
import { comesIn } from './sizes.ts'
import { nearestWord, stem, withoutStopWords, wordsOf } from './words.ts'

/** What a query finds, best match first. */
export type Found = {
  products: Catalogue
  /** The query as it was understood, where a word was misspelled. */
  corrected?: string
  /** No product has all words; these have some. */
  isNear?: boolean
  /** Other searches that find something, where this one finds nothing. */
  suggestions?: readonly string[]
}

/** What another word for a searched one counts, and a word that it only begins. */
const OTHER_WORD_WEIGHT = 0.6
const BEGINNING_WEIGHT = 0.8
/** Words that an unfinished one may be completed to. */
const MAX_COMPLETIONS = 20
const MIN_PART = 3

/** Words that belong together, and what may stand for them. */
type Term = { alternatives: readonly Query[]; except: readonly string[] }
const NOTHING: Term = { alternatives: [], except: [] }

/**
 * Searches a catalogue: whole words in any form, the words of the table, beginnings of words where no whole one matches,
 * then typos. Ages and sizes are what products come in. A match in a title is above one in a category or a description.
 */
export function findProducts(catalogue: Catalogue, query: string): Found | Promise<Found> {
  const index = searchIndex(catalogue)
  return index instanceof Promise
    ? index.then((built) => find(built, catalogue, query))
    : find(index, catalogue, query)
}

function find(index: SearchIndex, catalogue: Catalogue, query: string): Found {
  const { words, sizes } = sizesWanted(query)
  const inSizes = (products: Catalogue) =>
    products.filter((product) => sizes.every((isWanted) => comesIn(product, isWanted)))
  const fitting = sizes.length > 0 ? inSizes(catalogue) : catalogue
  if (words.length === 0 && sizes.length > 0 && fitting.length > 0) return { products: fitting }

  const counting = fitting.length > 0 ? words : wordsOf(query)
  const { terms, corrections } = termsOf(withoutStopWords(counting), index)
  const all = ranked(index, catalogue, terms, 'AND')
  const products = all.length > 0 ? all : ranked(index, catalogue, terms, 'OR')
  if (products.length === 0) return { products, suggestions: suggestionsIn(index) }
  // A product without ages may suit every age.
  const sized = inSizes(products)
  return {
    products: sized.length > 0 ? sized : products,
    ...(corrections.size > 0 && { corrected: correct(query, corrections) }),
    ...(all.length === 0 && { isNear: true }),
  }
}

function suggestionsIn(index: SearchIndex): readonly string[] {
  return SUGGESTED_SEARCHES.filter((words) => wordsOf(words).every((word) => isKnown(word, index)))
}

function ranked(
  { engine }: SearchIndex,
  catalogue: Catalogue,
  terms: readonly Term[],
  combineWith: 'AND' | 'OR',
): Catalogue {
  const queries = terms.map(({ alternatives }): Query => ({ combineWith: 'OR', queries: [...alternatives] }))
  const hidden = new Set(terms.flatMap(({ except }) => except.map(stem)))
  const isHidden = ({ title }: Product) =>
    hidden.size > 0 && wordsOf(title).some((word) => hidden.has(stem(word)))
  return engine
    .search({ combineWith, queries })
    .toSorted((one, other) => other.score - one.score || one.id - other.id)
    .flatMap(({ id }) => catalogue[id] ?? [])
    .filter((product) => !isHidden(product))
}

function termsOf(words: readonly string[], index: SearchIndex) {
  const terms: Term[] = []
  const corrections = new Map<string, string>()
  for (let at = 0; at < words.length; ) {
    const length = phraseLength(words.slice(at))
    const [word = '', next = ''] = words.slice(at)
    const known = length > 1 || isKnown(word, index) ? termOf(words.slice(at, at + length)) : undefined
    // Written in two words: `head band`.
    const joined = length === 1 && next && index.names.has(word + next) ? termOf([word + next]) : undefined
    at += joined ? 2 : length
    const term = joined ?? known ?? completed(word, index.names) ?? parted(word, index)
    const nearest = term ? undefined : nearestWord(word, correctionsIn(index))
    if (nearest) corrections.set(word, nearest)
    terms.push(term ?? (nearest ? termOf([nearest]) : completed(word, index.stems.keys())) ?? NOTHING)
  }
  return { terms, corrections }
}

/** A word or phrase itself, and what the table has for it. */
function termOf(phrase: readonly string[]): Term {
  const rows = table.get(keyOf(phrase)) ?? []
  const others = rows.flatMap(({ finds }) => finds)
  return {
    alternatives: [
      weighted(phrase.join(' '), 1),
      ...others.map((other) => weighted(other, OTHER_WORD_WEIGHT)),
    ],
    except: rows.flatMap(({ except = [] }) => except),
  }
}

/** All the words of a text, in any of the fields. */
function weighted(text: string, weight: number): Query {
  const { title, category, description } = FIELD_WEIGHTS
  const boost = { title: title * weight, category: category * weight, description: description * weight }
  return { combineWith: 'AND', queries: [text], boost }
}

/** The words that one begins, as it is while it is being typed; undefined when it begins none. */
function completed(word: string, words: Iterable<string>): Term | undefined {
  const begins = (other: string) => other.startsWith(word)
  const completions = [...words].filter(begins).slice(0, MAX_COMPLETIONS)
  const ofTable = [...tableWords].filter(begins).flatMap((other) => termOf([other]).alternatives)
  if (completions.length + ofTable.length === 0) return undefined
  const own = completions.map((completion) => weighted(completion, BEGINNING_WEIGHT))
  return { alternatives: [...own, ...ofTable], except: [] }
}

/** Two words that were written as one: `sunhat`. */
function parted(word: string, index: SearchIndex): Term | undefined {
  for (let at = MIN_PART; at <= word.length - MIN_PART; at++) {
    const parts = [word.slice(0, at), word.slice(at)]
    if (parts.every((part) => index.stems.has(part))) return termOf(parts)
  }
  return undefined
}

function isKnown(word: string, { engine }: SearchIndex): boolean {
  return table.has(stem(word)) || engine.search(word).length > 0
}

function* correctionsIn({ names }: SearchIndex): Iterable<string> {
  yield* names
  yield* tableWords
}

/** The query with its misspelled words replaced. */
function correct(query: string, corrections: ReadonlyMap<string, string>): string {
  return wordsOf(query)
    .map((word) => corrections.get(word) ?? word)
    .join(' ')
}

/** The word table by the stems of what is searched for. */
const table = new Map<string, SearchWordRow[]>()
/** Its single words, as they are written. */
const tableWords = new Set<string>()
let longestPhrase = 1
for (const row of SEARCH_WORDS)
  for (const text of row.words) {
    const words = withoutStopWords(wordsOf(text))
    const key = keyOf(words)
    table.set(key, [...(table.get(key) ?? []), row])
    if (words.length === 1) tableWords.add(text)
    longestPhrase = Math.max(longestPhrase, words.length)
  }

function keyOf(words: readonly string[]): string {
  return words.map(stem).join(' ')
}

/** How many of the first words belong together: a phrase of the table, else one. */
function phraseLength(words: readonly string[]): number {
  for (let length = Math.min(longestPhrase, words.length); length > 1; length--)
    if (table.has(keyOf(words.slice(0, length)))) return length
  return 1
}
