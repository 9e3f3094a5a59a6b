import { parseAgeRange } from '#shared/catalogue/ages.ts'
import { CATEGORIES, type SizeScale } from '#shared/catalogue/catalogue.ts'
import { DAY_MS, formatShopDateTime, parseShopDateTime } from '#shared/time.ts'

/**
 * Parses amounts such as `1250`, `1,250.00`, `1250,50` and `KSh 1 250` as KSH. Returns null for an empty cell and
 * NaN for anything else.
 */
export function parseAmountKsh(text: string): number | null {
  const digits = text.replaceAll(/^\s*(?:kshs?|kes)\.?|\s|\/[=-]$/gi, '')
  if (digits === '') return null
  const decimal = /^-?[\d.,]*?([.,])(\d{1,2})$/.exec(digits)
  const [whole = digits, cents = ''] = decimal
    ? [digits.slice(0, -1 - (decimal[2]?.length ?? 0)), decimal[2]]
    : []
  if (!/^-?(?:\d+|\d{1,3}(?:[.,]\d{3})+)$/.test(whole)) return Number.NaN
  return Number(`${whole.replaceAll(/[.,]/g, '')}.${cents || '0'}`)
}

/**
 * Parses a date, with or without a time, in the shop's time zone unless it has an offset. Returns null for empty text
 * and undefined for an invalid date.
 */
export function parseDateTime(text: string, { isEnd = false } = {}): string | null | undefined {
  if (text === '') return null
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text)
  const local = text.replace(' ', 'T')
  const atMs = parseShopDateTime(isDay ? `${text}T00:00` : local) ?? parseOffsetDateTime(local)
  if (atMs === undefined) return undefined
  // If a sale's end is only a day, the sale includes that day.
  return new Date(isDay && isEnd ? atMs + DAY_MS : atMs).toISOString()
}

function parseOffsetDateTime(text: string): number | undefined {
  const atMs = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(atMs) ? undefined : atMs
}

export function formatDateTime(moment: string | null): string {
  const atMs = Date.parse(moment ?? '')
  return Number.isNaN(atMs) ? '' : formatShopDateTime(atMs).replace('T', ' ')
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: '’',
  nbsp: ' ',
  rsquo: '’',
  ndash: '–',
}

export function htmlToText(html: string): string {
  if (!/<|&/.test(html)) return html
  return html
    .replaceAll(/<(script|style)\b.*?(?:<\/\1\s*>|$)/gis, '')
    .replaceAll(/<br\b[^<>]*>|<\/(?:p|div|li|h\d|tr)\s*>/gi, '\n')
    .replaceAll(/<li\b[^<>]*>/gi, '– ')
    .replaceAll(/<[a-z/!][^<>]*>/gi, '')
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,8}));/gi, (entity, decimal, hex, name) => {
      const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16)
      return Number.isNaN(code) ? (ENTITIES[String(name).toLowerCase()] ?? entity) : toSafeCharacter(code)
    })
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n\s*/g, '\n')
    .trim()
}

function toSafeCharacter(code: number): string {
  const isValid = code >= 32 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isValid ? String.fromCodePoint(code) : ''
}

/**
 * Parses category paths such as `Apparel > Clothing > Dresses`. Returns the last part that contains a default
 * category's name, or else the last part of the first path.
 */
export function parseCategoryPaths(paths: readonly string[]): string {
  const parts = paths.map((path) => path.split('>').map((part) => part.trim()))
  const knownCategories = CATEGORIES.filter((name) => name !== 'All').map((name) => name.toLowerCase())
  const isKnown = (part: string) => knownCategories.some((name) => part.toLowerCase().includes(name))
  return parts.flat().findLast(isKnown) ?? parts[0]?.at(-1) ?? ''
}

const CHILD_SHOE_SIZES = { from: 15, to: 35 }
const SHOE_SIZES = { from: 35, to: 50 }

export function inferScale(labels: readonly string[]): SizeScale | undefined {
  const sizes = labels.map((label) => label.split(/ [/&] /)[0]?.trim() ?? '')
  const areAll = (test: (size: string) => boolean) => sizes.every(test)
  const areBetween = (range: { from: number; to: number }) =>
    areAll(
      (size) =>
        /^(?:EU )?\d\d$/.test(size) &&
        Number(size.slice(-2)) >= range.from &&
        Number(size.slice(-2)) <= range.to,
    )
  if (areAll((size) => /^(?:\d?X{0,3}[SL]|M|one size)$/i.test(size))) return 'clothing'
  if (areAll((size) => parseAgeRange(size) !== undefined)) return 'age'
  if (areBetween(CHILD_SHOE_SIZES)) return 'child-shoe'
  if (areBetween(SHOE_SIZES)) return 'shoe'
  if (areAll((size) => /^\d\d(?:[–-]\d\d)? cm$/.test(size))) return 'head'
  return undefined
}
