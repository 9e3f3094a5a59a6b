import type { Query } from 'minisearch'
import { FIELD_WEIGHTS, type SearchIndex } from './search-index.ts'
import { OCCASIONS, type SearchWordRow } from './search-words.ts'
import { findNearestWord, listSwahiliStems, stem, toStemKey, toWords, withoutStopWords } from './words.ts'

/** A product matches the term if it matches any of the alternatives. */
export type Term = {
  /** The key of the word or phrase. */
  stem: string
  alternatives: readonly Query[]
  /** The alternatives that aren't only similar, as trousers are to jeans. */
  exact: readonly Query[]
  except: readonly string[]
  /** Set if the term names people. */
  people?: People | undefined
  /** Whether the term only says what a product is for, such as `christmas`. */
  isOccasion?: boolean
}
export type People = 'Babies' | 'Boys' | 'Girls' | 'Kids' | 'Women' | 'Men'
export type Vocabulary = SearchIndex & WordTable

/** The weights are relative to an exact match. */
const SYNONYM_WEIGHT = 0.6
const PREFIX_WEIGHT = 0.8
const MAX_COMPLETIONS = 20
export const MIN_PART_CHARACTERS = 3
const MIN_MENTION_CHARACTERS = 4
const NO_TERM: Term = { stem: '', alternatives: [], exact: [], except: [] }

const PEOPLE_BY_STEM: Readonly<Record<string, People>> = {
  babi: 'Babies',
  child: 'Kids',
  kid: 'Kids',
  girl: 'Girls',
  boy: 'Boys',
  woman: 'Women',
  mom: 'Women',
  ladi: 'Women',
  man: 'Men',
}
const OCCASION_STEMS = new Set(OCCASIONS.map(stem))

/** Reads known words and phrases from left to right. Splits, completes or corrects words that are unknown. */
export function toTerms(words: readonly string[], index: Vocabulary) {
  const terms: Term[] = []
  const corrections = new Map<string, string>()
  const known = words.flatMap((word) => toKnownWords(word, index))
  for (let at = 0; at < known.length; ) {
    const length = countPhraseWords(known.slice(at), index)
    const [word = '', next = ''] = known.slice(at)
    const knownTerm =
      length > 1 || isKnownWord(word, index) ? toTerm(known.slice(at, at + length), index) : undefined
    // Makes `head band` find `headband`.
    const compound =
      length === 1 && next && (index.names.has(word + next) || index.synonymWords.has(word + next))
        ? toTerm([word + next], index)
        : undefined
    at += compound ? 2 : length
    const term = compound ?? knownTerm ?? completeWord(word, index.names, index)
    const isCode = /\d/.test(word)
    const nearest = term || isCode ? undefined : findNearestWord(word, listCorrectionCandidates(index))
    if (nearest) corrections.set(word, nearest)
    terms.push(term ?? (nearest ? toTerm([nearest], index) : completeMention(word, index)) ?? NO_TERM)
  }
  return { terms, corrections }
}

/** Turns `babyshoes` into `baby` and `shoes`, and Swahili plurals into known singulars: `vikapu` into `kikapu`. */
function toKnownWords(word: string, index: Vocabulary): readonly string[] {
  if (isKnownWord(word, index)) return [word]
  const known = listSwahiliStems(word).find((other) => isKnownWord(other, index))
  if (known) return [known]
  const names = listCorrectionCandidates(index)
  const isUnfinished = names.some((name) => name.startsWith(word))
  const isMisspelled = findNearestWord(word, names, 1) !== undefined
  return (isUnfinished || isMisspelled ? undefined : splitCompound(word, index)) ?? [word]
}

function splitCompound(word: string, index: Vocabulary): readonly string[] | undefined {
  for (let at = word.length - MIN_PART_CHARACTERS; at >= MIN_PART_CHARACTERS; at--) {
    const parts = [word.slice(0, at), word.slice(at)]
    if (parts.every((part) => isKnownWord(part, index))) return parts
  }
  return undefined
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
    people: PEOPLE_BY_STEM[key] ?? findPeople(rows),
    isOccasion: OCCASION_STEMS.has(key),
  }
}

/** A word that finds only people, such as `mtoto = children`, names them. */
function findPeople(rows: readonly SearchWordRow[]): People | undefined {
  const people = rows.flatMap(({ finds }) => finds.map((word) => PEOPLE_BY_STEM[stem(word)]))
  return people.every(Boolean) ? people[0] : undefined
}

function createWeightedQuery(text: string, weight: number): Query {
  const boost = Object.fromEntries(
    Object.entries(FIELD_WEIGHTS).map(([field, fieldWeight]) => [field, fieldWeight * weight]),
  )
  return { combineWith: 'AND', queries: [text], boost }
}

function completeMention(word: string, index: Vocabulary): Term | undefined {
  return word.length < MIN_MENTION_CHARACTERS ? undefined : completeWord(word, index.stems.keys(), index)
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

export function isKnownWord(word: string, { engine, rowsByStems }: Vocabulary): boolean {
  return rowsByStems.has(stem(word)) || engine.search(word).length > 0
}

function listCorrectionCandidates({ names, synonymWords }: Vocabulary): readonly string[] {
  return [...names, ...synonymWords]
}

export type WordTable = {
  rowsByStems: ReadonlyMap<string, readonly SearchWordRow[]>
  synonymWords: ReadonlySet<string>
  longestPhraseWords: number
}

const wordTables = new WeakMap<readonly SearchWordRow[], WordTable>()

export function getWordTable(rows: readonly SearchWordRow[]): WordTable {
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
      rowsByStems.set(key, [...new Set([...(rowsByStems.get(key) ?? []), row])])
      if (words.length === 1) synonymWords.add(text)
      longestPhraseWords = Math.max(longestPhraseWords, words.length)
    }
  return { rowsByStems, synonymWords, longestPhraseWords }
}

function countPhraseWords(words: readonly string[], { rowsByStems, longestPhraseWords }: WordTable): number {
  for (let length = Math.min(longestPhraseWords, words.length); length > 1; length--)
    if (rowsByStems.has(toStemKey(words.slice(0, length)))) return length
  return 1
}
