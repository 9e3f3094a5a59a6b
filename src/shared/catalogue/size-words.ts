import { getMonths, overlaps } from './ages.ts'
import type { SizePredicate } from './named-size.ts'
import { parseNumberWord, toWords } from './words.ts'

/** The letter sizes for UK dress sizes, as in the size guide. */
const LETTERS_BY_UK_SIZE: Readonly<Record<string, string>> = {
  8: 'S',
  10: 'S',
  12: 'M',
  14: 'M',
  16: 'L',
  18: 'L',
  20: 'XL',
  22: 'XXL',
}
const WOMENS_WORDS = 'dress|gown|skirt|trousers|shirt|coat|jumpsuit|women|womens|ladies|gauni|sketi|suruali'
const CHILD_WORDS = 'kids?|child|children|boys?|girls?|mtoto|watoto|mvulana|wavulana|msichana|wasichana'
const SHOE_WORDS = 'shoes?|footwear|sandals?|slides|espadrilles|viatu|kiatu'
/** Women's shoe sizes by their UK sizes, as in the size guide. */
const SHOE_SIZES_BY_UK_SIZE: Readonly<Record<string, string>> = {
  4: 'EU 37',
  5: 'EU 38',
  6: 'EU 39',
  8: 'EU 42',
}
const UK_SHOE_SIZE_PATTERN = new RegExp(
  `(?<=\\b(?:${SHOE_WORDS}) (?:size )?)uk ([4568])\\b|\\buk ([4568])(?= (?:${SHOE_WORDS})\\b)`,
)
/** `uk 8`, `dress size 12`, `dress 16` and `size 12 dress`. */
const UK_SIZE_PATTERN = new RegExp(
  `\\buk (?:size )?(8|1[02468]|2[02])\\b|(?<=\\b(?:${WOMENS_WORDS}) )(?:(?:size|saizi) (1[02468]|2[02])\\b|(1[68]|2[02])$)|\\bsize (1[02468]|2[02])(?= (?:${WOMENS_WORDS})\\b)`,
)
const HEAD_SIZE_PATTERN =
  /\b(\d{2}) ?cm\b|(?<=\b(?:hats?|caps?|beanies?|kofia) )(?:(?:size|saizi) )?([45]\d)\b|^(?:(?:size|saizi) )?(5\d)$/
/** Most gifts for a newborn, such as blankets, have no size or age. */
const NEWBORN_GIFT_PATTERN =
  /\b(?:(?:gift|present)s? (?:ideas )?for (?:an? |my |the )?new ?borns?(?: baby)?|new ?borns?(?: baby)? (?:gift|present)s?|zawadi (?:ya|za) (?:mtoto mchanga|watoto wachanga|kichanga))\b/
/** `toys under 5` may become `toys under 500`. */
const UNFINISHED_LIMIT_PATTERN = / ?\b(?:under|below|over|above|than|up to) \d{1,2}$/
const LARGE_LETTERS = ['XL', 'XXL', 'XXXL']
const LETTER_WORDS: Readonly<Record<string, string>> = { small: 's', medium: 'm', large: 'l' }
const MONTHS_PER_YEAR = 12
const HALF_YEARS_PATTERN = /\b(\d{1,2})\.5 ?(?:years?|yrs?|y)\b/i
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
      /\b(?:(?:age[sd]?|size|saizi) )?(\d{1,2})(?: (?:to )?(\d{1,2}))?(?: (years?|yrs?|yo|months?|mn?ths?|mos?|(?:y|yea?|m|mont?|mth)$)|(y|years?|yrs?|yo|t|m|months?|mn?ths?|mos?))(?: olds?| ol?$)?\b/,
    isAge: true,
    toPredicate: (from, to, unit, suffix) => toAgePredicate(from, to, /^m/.test(unit ?? suffix ?? '')),
  },
  {
    pattern: /\b(?:(?:wiki|siku) \d{1,2}|\d{1,2} ?(?:weeks?|wks?)(?: olds?)?)\b/,
    isAge: true,
    toPredicate: () => toAgePredicate('0', undefined, true),
  },
  {
    pattern:
      /\b(?:umri (?:wa )?|kuanzia )?(miaka|mwaka|miezi|mwezi|age[sd]?|umri) (\d{1,2})(?: (?:(?:to|hadi|mpaka) )?(\d{1,2}))?\b/,
    isAge: true,
    toPredicate: (unit, from, to) => toAgePredicate(from, to, /^mie|^mwe/.test(unit ?? '')),
  },
  {
    pattern: /\b(?:(?:newborn|new born)s?|(?<=\b(?:mtoto|watoto) )(?:mchanga|wachanga)|kichanga)\b/,
    isAge: true,
    toPredicate: () => toAgePredicate('0', undefined, true),
  },
  {
    pattern: /\b(?<!\beu )(12|18) (?:to )?(18|24)\b/,
    isAge: true,
    toPredicate: (from, to) => toAgePredicate(from, to, true),
  },
  {
    pattern: UK_SHOE_SIZE_PATTERN,
    toPredicate:
      (...numbers) =>
      (size) =>
        size === SHOE_SIZES_BY_UK_SIZE[numbers.find(Boolean) ?? ''],
  },
  {
    pattern: UK_SIZE_PATTERN,
    toPredicate: toUkPredicate,
  },
  {
    pattern: /\b(?:(?:plus|big|large) sizes?|saizi kubwa)\b/,
    toPredicate: () => (size) => LARGE_LETTERS.includes(size),
  },
  {
    // `50 cm`, `hat 48` and `50`, which no shoes have.
    pattern: HEAD_SIZE_PATTERN,
    isOptional: true,
    toPredicate: (...numbers) => toHeadPredicate(Number(numbers.find(Boolean))),
  },
  {
    pattern: /\b(?:eu|eur|euro|size|saizi|namba|ukubwa|number|no)? ?(1[6-9]|[2-4]\d)(?: (?:eu|eur))?\b/,
    toPredicate: (number) => (size) => size === `EU ${number}`,
  },
  {
    pattern:
      /\b(?:size |sz |saizi )(xs|s|m|l|x{1,3}l|small|medium|large)\b|\b(xs|s|m|l|x{1,3}l|(?<!\btoo )(?:small|medium|large)$|^(?:small|medium|large)(?= ))\b/,
    toPredicate:
      (named, letter = named ?? '') =>
      (size) =>
        size.toLowerCase() === (LETTER_WORDS[letter] ?? letter),
  },
  {
    pattern: /\b(?:size |saizi )?(\d{1,2}) (?:to )?(\d{1,2})\b/,
    isOptional: true,
    toPredicate: (from, to) => (size) => [`${from}–${to} years`, `${from}–${to} months`].includes(size),
  },
  {
    // `size 5-6 dress`, `5-6` and `dress 5-6`.
    pattern: /(?:\b(?:size |saizi )|^)(\d{1,2}) (?:to )?(\d{1,2})\b|(?<=\p{L} )(\d{1,2}) (?:to )?(\d{1,2})$/u,
    isAge: true,
    isOptional: true,
    toPredicate: (from, to, lastFrom = from, lastTo = to) => toAgePredicate(lastFrom, lastTo, false),
  },
  {
    pattern: /\b(?:size|saizi|namba|ukubwa) (1[0-5]|[1-9])\b/,
    isAge: true,
    isOptional: true,
    toPredicate: (years) => toAgePredicate(years, undefined, false),
  },
  {
    pattern: /\bsize (8|1[02468]|2[02])(?: (?:to )?(1[02468]|2[02]))?\b/,
    isOptional: true,
    toPredicate: toUkPredicate,
  },
  {
    // `2` and `dress 2`, but not `set of 2` or an unfinished `under 3000`.
    pattern:
      /(?<=^|\p{L} )(?<!\b(?:eu|uk|us|of|set|pack|no|number|under|below|over|above|than|from|to|ya|hadi|max|min) )(1[0-5]|[1-9])$/u,
    isAge: true,
    isOptional: true,
    toPredicate: (years) => toAgePredicate(years, undefined, false),
  },
  {
    // `dress 12`, if nothing is for the age of 12. Not `girls dress 12`.
    pattern: new RegExp(`(?<!\\b(?:${CHILD_WORDS})\\b.*)(?<=\\b(?:${WOMENS_WORDS}) )(1[024])$`),
    isOptional: true,
    toPredicate: toUkPredicate,
  },
  {
    // `12`, `kids 12`, `girls dress 12`, `gift for 12` and `12 kids`. If there is nothing for the age, the next lower one is found.
    pattern: new RegExp(
      `(?<=^|\\b(?:${CHILD_WORDS})\\b.* |\\bfor )(?<!\\bof )(1[0-5]|[1-9])(?: (?:to )?1[0-5])?$|^(1[0-5]|[1-9])(?= (?:${CHILD_WORDS})\\b)`,
    ),
    isAge: true,
    toPredicate: (years, first) => toAgePredicate(years ?? first, undefined, false),
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
  let text = toWords(query.replace(HALF_YEARS_PATTERN, toMonths))
    .map((word) => parseNumberWord(word) ?? word)
    .join(' ')
    .replace(/\b(?:1st|first) birthday\b/, 'birthday 1 year')
    .replace(/\b(\d{1,2}) and a half years?\b/, toMonths)
    .replace(/\bmwaka 1 na nusu\b/, '18 months')
    .replace(NEWBORN_GIFT_PATTERN, 'baby gift')
    .replace(UNFINISHED_LIMIT_PATTERN, '')
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

function toMonths(_: string, years: string): string {
  return `${(Number(years) + 0.5) * MONTHS_PER_YEAR} months`
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

function toUkPredicate(...numbers: (string | undefined)[]): SizePredicate {
  return (size) => numbers.some((number) => number && size === LETTERS_BY_UK_SIZE[number])
}

function toHeadPredicate(centimetres: number): SizePredicate {
  return (size) => {
    const [, from, to = from] = /^(\d+)(?:–(\d+))? cm$/.exec(size) ?? []
    return Number(from) <= centimetres && centimetres <= Number(to)
  }
}

function toAgePredicate(from = '0', to: string | undefined, isInMonths: boolean): SizePredicate {
  const unit = isInMonths ? 1 : MONTHS_PER_YEAR
  const fromMonths = Number(from) * unit
  const toMonths = to === undefined ? fromMonths + 1 : Number(to) * unit
  return (size) => overlaps(getMonths(size), { fromMonths, toMonths })
}
