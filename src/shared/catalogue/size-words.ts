import { getMonths, overlaps } from './ages.ts'
import type { SizePredicate } from './named-size.ts'
import { parseNumberWord, toWords } from './words.ts'

const LETTER_WORDS: Readonly<Record<string, string>> = { small: 's', medium: 'm', large: 'l' }
const MONTHS_PER_YEAR = 12
const CHILD_SHOE_SIZES = Array.from({ length: 19 }, (_, index) => `EU ${16 + index}`)

type SizeRule = {
  pattern: RegExp
  /** Whether the pattern matches only ages. */
  isAge?: boolean
  /** Whether the rule applies only if a product has such a size. */
  isOptional?: boolean
  toPredicate: (...groups: (string | undefined)[]) => SizePredicate
}

/** The rules match the query's words joined by spaces. Each removes its first match, which later rules don't see. */
const SIZE_RULES: readonly SizeRule[] = [
  {
    // A query that is still being typed can end with the start of a unit.
    pattern:
      /\b(?:(?:age[sd]?|size|saizi) )?(\d{1,2})(?: (?:to )?(\d{1,2}))?(?: (years?|yrs?|yo|months?|mths?|mos?|(?:y|yea?|m|mont?|mth)$)|(y|yrs?|yo|t|m|mths?|mos?))(?: olds?| ol?$)?\b/,
    isAge: true,
    toPredicate: (from, to, unit, suffix) => toAgePredicate(from, to, /^m/.test(unit ?? suffix ?? '')),
  },
  {
    pattern: /\b(miaka|mwaka|miezi|mwezi|age[sd]?|umri) (\d{1,2})(?: (?:to )?(\d{1,2}))?\b/,
    isAge: true,
    toPredicate: (unit, from, to) => toAgePredicate(from, to, /^mie|^mwe/.test(unit ?? '')),
  },
  {
    pattern: /\b(?:newborn|new born|mtoto mchanga)s?\b/,
    isAge: true,
    toPredicate: () => toAgePredicate('0', undefined, true),
  },
  {
    pattern: /\b(?<!\beu )(12|18) (?:to )?(18|24)\b/,
    isAge: true,
    toPredicate: (from, to) => toAgePredicate(from, to, true),
  },
  {
    pattern: /\b(?:eu|size|saizi|namba|ukubwa)? ?(1[6-9]|[2-4]\d)\b/,
    toPredicate: (number) => (size) => size === `EU ${number}`,
  },
  {
    pattern:
      /\b(?:size |sz |saizi )(xs|s|m|l|x{1,3}l|small|medium|large)\b|\b(xs|s|m|l|x{1,3}l|(?:small|medium|large)$|^(?:small|medium|large)(?= ))\b/,
    toPredicate:
      (named, letter = named ?? '') =>
      (size) =>
        size.toLowerCase() === (LETTER_WORDS[letter] ?? letter),
  },
  {
    pattern: /\b(?:size |saizi )?(\d{1,2}) (?:to )?(\d{1,2})\b/,
    toPredicate: (from, to) => (size) => [`${from}–${to} years`, `${from}–${to} months`].includes(size),
  },
  {
    pattern: /\b(?:size|saizi|namba|ukubwa) (1[0-5]|[1-9])\b/,
    isAge: true,
    isOptional: true,
    toPredicate: (years) => toAgePredicate(years, undefined, false),
  },
  {
    // `dress 2`, but not `set of 2` or an unfinished `under 3000`.
    pattern:
      /(?<=\p{L} )(?<!\b(?:eu|of|set|pack|no|number|under|below|over|above|than|from|to|ya|hadi|max|min) )(1[0-5]|[1-9])$/u,
    isAge: true,
    isOptional: true,
    toPredicate: (years) => toAgePredicate(years, undefined, false),
  },
]

export type ParsedQuery = {
  words: string[]
  sizes: readonly SizePredicate[]
  /** Whether the query names an age or a child's shoe size. */
  isForChild: boolean
  /** Set if no product has the query's size, so that `sizes` are those of the next lower age or the nearest shoe sizes. */
  nearest: 'age' | 'size' | undefined
}

/** `isOffered` returns whether a product has one of the sizes. */
export function parseQuery(query: string, isOffered: (matchesSize: SizePredicate) => boolean): ParsedQuery {
  let text = toWords(query)
    .map((word) => parseNumberWord(word) ?? word)
    .join(' ')
  const sizes: SizePredicate[] = []
  let isForChild = false
  let nearest: ParsedQuery['nearest']
  for (const { pattern, isAge, isOptional, toPredicate } of SIZE_RULES) {
    const match = pattern.exec(text)
    if (!match) continue
    const matchesSize = toPredicate(...match.slice(1))
    if (isOptional && !isOffered(matchesSize)) continue
    const findNearest = isAge ? findLowerAge : findNextShoeSizes
    const nearestSizes = isOptional || isOffered(matchesSize) ? undefined : findNearest(match, isOffered)
    if (nearestSizes) nearest = isAge ? 'age' : 'size'
    sizes.push(nearestSizes ?? matchesSize)
    isForChild ||= isAge ?? CHILD_SHOE_SIZES.some(matchesSize)
    text = text.replace(pattern, ' ')
  }
  return { words: text.split(' ').filter(Boolean), sizes, isForChild, nearest }
}

function findLowerAge(
  match: RegExpExecArray,
  isOffered: (matchesSize: SizePredicate) => boolean,
): SizePredicate | undefined {
  const years = Number(match.slice(1).find((group) => /^\d+$/.test(group ?? '')))
  const isInMonths = match.slice(1).some((group) => /^m(?!iaka|waka)/.test(group ?? ''))
  if (isInMonths) return undefined
  for (let age = years - 1; age > 0; age--) {
    const matchesSize = toAgePredicate(String(age), undefined, false)
    if (isOffered(matchesSize)) return matchesSize
  }
  return undefined
}

function findNextShoeSizes(
  [, number]: RegExpExecArray,
  isOffered: (matchesSize: SizePredicate) => boolean,
): SizePredicate | undefined {
  const labels = [Number(number) - 1, Number(number) + 1].map((next) => `EU ${next}`)
  const matchesSize: SizePredicate = (size) => labels.includes(size)
  return isOffered(matchesSize) ? matchesSize : undefined
}

function toAgePredicate(from = '0', to: string | undefined, isInMonths: boolean): SizePredicate {
  const unit = isInMonths ? 1 : MONTHS_PER_YEAR
  const fromMonths = Number(from) * unit
  const toMonths = to === undefined ? fromMonths + 1 : Number(to) * unit
  return (size) => overlaps(getMonths(size), { fromMonths, toMonths })
}
