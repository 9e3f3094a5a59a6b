import type { PriceLimits } from './price-limits.ts'
import { parseNumberWord } from './words.ts'

const CURRENCY = '(?:kshs?|kes|shs?|bob|shillings?|shilingi)'
/** `500`, `3,000`, `3 000` and `2.5k`. Smaller numbers are ages and sizes. */
const NUMBER = String.raw`([1-9]\d{0,2}[, ]\d{3}|[1-9]\d{2,5}|\d{1,3}(?:\.\d)?k)`
/** From 1,000, so that sizes such as 100–110 aren't prices. */
const LARGE_NUMBER = String.raw`([1-9]\d{0,2}[, ]\d{3}|[1-9]\d{3,5}|\d{1,3}(?:\.\d)?k)`
const BEFORE = `${CURRENCY}\\.? ?`
const AFTER = `(?:/[=-]| ?${CURRENCY})`
const END = '(?![\\p{L}\\p{N}])'
/** With or without a currency. */
const AMOUNT = `(?:${BEFORE})?${NUMBER}${AFTER}?${END}`

/** `elfu mbili` is 2000, `mia tano` 500, and `elfu mbili mia tano` 2500. */
const SWAHILI_AMOUNT_PATTERN =
  /\b(?:elfu|thao) (\p{L}+|\d+)(?: (?:na )?mia (\p{L}+|\d+))?|\b(?:mia|soo) (\p{L}+|\d+)/giu

/** `5000+` is at least 5000. */
const AT_LEAST_PATTERN = /([1-9][\d,]*k?) ?\+/giu
/** Smaller numbers after a word are sizes. */
const LAST_AMOUNT_PATTERN = /(?<=\p{L} )([3-9]\d{2})$/u

const toPattern = (...parts: string[]) => new RegExp(`\\b${parts.join(' ?')}`, 'iu')
const RANGE_PATTERN = toPattern(
  `(?:between|btw|from|kati ya|kuanzia|${CURRENCY})`,
  AMOUNT,
  '(?:to|and|-|–|hadi|na)',
  AMOUNT,
)
const BARE_RANGE_PATTERN = toPattern(`(?:${LARGE_NUMBER}|([3-9]\\d{2}))${AFTER}?`, '(?:to|-|–|hadi)', AMOUNT)
/** Without a dash, as in the sizes 100–110. */
const RANGE_ALONE_PATTERN = toPattern(`^${NUMBER}`, '(?:to|hadi)', `${NUMBER}$`)
const MAX_BEFORE_PATTERN = toPattern(AMOUNT, '(?:and|or) (?:below|less|under|cheaper)')
const MIN_BEFORE_PATTERN = toPattern(AMOUNT, '(?:and|or) (?:above|more|over)')
const MAX_PATTERN = toPattern(
  '(?:under|below|(?:less|cheaper|not more) than|up to|max(?:imum)?|around|about|(?:chini|bei) ya|hadi)',
  AMOUNT,
)
const MIN_PATTERN = toPattern(
  '(?:over|above|more than|at least|from|min(?:imum)?|(?:zaidi|juu) ya|kuanzia)',
  AMOUNT,
)
const PRICE_PATTERN = toPattern(
  `(?:${BEFORE}${NUMBER}${AFTER}?|${NUMBER}${AFTER}|^${NUMBER}$|${LARGE_NUMBER})${END}`,
)

/**
 * Removes texts such as `under 3000`, `chini ya elfu mbili`, `2000+` or `from 1,000 to 2,000` from a query. An amount
 * without such words, as in `500`, `dress 2500` or `dress ksh 250`, is a maximum, and `isAmountAlone` is true.
 */
export function parsePriceLimits(query: string): {
  rest: string
  limits: PriceLimits
  isAmountAlone: boolean
} {
  let rest = query
    .replace(AT_LEAST_PATTERN, 'over $1')
    .replace(SWAHILI_AMOUNT_PATTERN, (amount, ...[thousands, hundreds, alone]: (string | undefined)[]) => {
      const total = parseNumber(thousands) * 1000 + parseNumber(hundreds ?? alone) * 100
      return total > 0 ? String(total) : amount
    })
  function take(pattern: RegExp): number[] {
    const amounts = (pattern.exec(rest)?.slice(1) ?? []).filter(Boolean).map(parseAmountKsh)
    rest = rest.replace(pattern, ' ')
    return amounts.toSorted((a, b) => a - b)
  }
  const [from, to] = [RANGE_PATTERN, BARE_RANGE_PATTERN, RANGE_ALONE_PATTERN].flatMap(take)
  let [maxKsh = to] = [MAX_PATTERN, MAX_BEFORE_PATTERN].flatMap(take)
  const [minKsh = from] = [MIN_PATTERN, MIN_BEFORE_PATTERN].flatMap(take)
  const isAmountAlone = !maxKsh && !minKsh
  if (isAmountAlone) [maxKsh] = [...take(PRICE_PATTERN), ...take(LAST_AMOUNT_PATTERN)]
  return {
    isAmountAlone,
    rest: rest.replace(/\s+/g, ' ').trim(),
    limits: { ...(minKsh && { minKsh }), ...(maxKsh && { maxKsh }) },
  }
}

function parseAmountKsh(text: string): number {
  const amount = Number.parseFloat(text.replace(/[, ]/g, ''))
  return /k$/i.test(text) ? amount * 1000 : amount
}

function parseNumber(text = ''): number {
  return parseNumberWord(text.toLowerCase()) ?? (Number(text) || 0)
}
