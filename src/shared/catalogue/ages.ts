/** The ages that children's shoe sizes fit, as the size guide shows them. */
export const CHILD_SHOE_AGES: Readonly<Record<string, string>> = {
  'EU 17': '0–6 months',
  'EU 18': '6–9 months',
  'EU 19': '9–12 months',
  'EU 20': '12–18 months',
  'EU 21': '18–21 months',
  'EU 22': '21–24 months',
  'EU 23': '2 years',
  'EU 24': '2–3 years',
  'EU 25': '3 years',
  'EU 26': '3–4 years',
  'EU 28': '4–5 years',
  'EU 30': '5–6 years',
  'EU 32': '7 years',
}

/** The ages that hat sizes fit, as the size guide shows them. */
export const HAT_AGES: Readonly<Record<string, string>> = {
  '44–46 cm': '6–12 months',
  '47–49 cm': '1–2 years',
  '50–52 cm': '3–6 years',
}

const AGES_BY_SIZE = new Map(Object.entries({ ...CHILD_SHOE_AGES, ...HAT_AGES }))

const AGE_PATTERN = /^(\d+)(?: (month|year)s?)?(?:(?: to |\W+)(\d+))? (month|year)s?$/
const FROM = 'From '
const FROM_AGE_PATTERN =
  /\bFrom (?:birth|\d+(?: months?| years?)?)(?: to \d+)? (?:months?|years?)\b|\bFrom birth\b/
const MONTHS_PER_YEAR = 12

/** `toMonths` is exclusive. */
export type Months = { fromMonths: number; toMonths: number }
/** `last` is the last number in the label, in the unit `unit`. */
type AgeRange = Months & { last: number; unit: string }

/** Returns the months 24 to 48 for `2–3 years`, and undefined for sizes that aren't ages. */
export function parseAgeRange(size: string): AgeRange | undefined {
  const [, from, fromUnit, to, unit] = AGE_PATTERN.exec(size) ?? []
  if (!unit) return undefined
  const last = Number(to ?? from)
  const end = unit === 'month' && to ? last : last + 1
  return {
    fromMonths: Number(from) * getUnitMonths(fromUnit ?? unit),
    toMonths: end * getUnitMonths(unit),
    last,
    unit,
  }
}

export function getUnitMonths(unit: string): number {
  return unit === 'month' ? 1 : MONTHS_PER_YEAR
}

/** Like `parseAgeRange`, but also returns the months of shoe and hat sizes, and of ages such as `From 2 years`. */
export function getMonths(size: string): Months | undefined {
  if (!isFromAge(size)) return parseAgeRange(AGES_BY_SIZE.get(size) ?? size)
  const ages = parseAgeRange(size.slice(FROM.length).replace('birth', '0 months'))
  return ages && (size.includes(' to ') ? ages : { ...ages, toMonths: Infinity })
}

/** Returns the age in a description, such as `From 2 to 7 years`, `From 6 months to 3 years` or `From birth`. */
export function findFromAge(description: string): string | undefined {
  return FROM_AGE_PATTERN.exec(description)?.[0]
}

/** Returns a text such as `2–7 years` or `0–6 years`, or the age itself if it is unlimited, such as `From 6 months`. */
export function formatAge(age: string | undefined): string | undefined {
  return age?.replace(/^From (.+) to /, '$1–').replace(/^birth/, '0')
}

function isFromAge(text: string): boolean {
  return text.startsWith(FROM)
}

export function overlaps(first: Months | undefined, second: Months | undefined): boolean {
  if (!first || !second) return false
  return first.fromMonths < second.toMonths && second.fromMonths < first.toMonths
}

/** Whether the size is the chosen one, or a shoe size, hat size or age such as `From 2 years` for the chosen age. */
export function fitsChosenSize(size: string, chosen: string): boolean {
  const isForAges = AGES_BY_SIZE.has(size) || isFromAge(size)
  return size === chosen || (isForAges && overlaps(getMonths(size), parseAgeRange(chosen)))
}

export function isSameAge(size: string, chosen: string): boolean {
  return size === chosen || AGES_BY_SIZE.get(size) === chosen
}
