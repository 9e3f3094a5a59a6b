import { findFromAge, getUnitMonths, parseAgeRange } from './ages.ts'
import { listAudiences } from './audiences.ts'
import type { Catalogue, Product, SizeScale } from './catalogue.ts'
import type { Audience } from './shop-filter.ts'

export type SizeGroup = { name: string; sizes: readonly string[] }

/**
 * A size is in the first group that matches its scale and its product's audiences. `includes` divides the
 * mother-and-child scale between two groups.
 */
const SIZE_GROUPS: readonly {
  name: string
  audience?: Audience
  scales: readonly SizeScale[]
  includes?: (size: string) => boolean
}[] = [
  {
    name: 'Children, by age',
    audience: 'Kids',
    scales: ['age', 'mother-and-child'],
    includes: (size) => /\d/.test(size),
  },
  { name: 'Children’s shoes', audience: 'Kids', scales: ['child-shoe'] },
  { name: 'Children’s hats', audience: 'Kids', scales: ['head'] },
  {
    name: 'Women',
    audience: 'Women',
    scales: ['clothing', 'mother-and-child'],
    includes: (size) => !/\d/.test(size),
  },
  { name: 'Women’s shoes', audience: 'Women', scales: ['shoe'] },
  { name: 'Women’s hats', audience: 'Women', scales: ['head'] },
  { name: 'Children’s clothes', audience: 'Kids', scales: ['clothing'] },
  { name: 'Older children’s shoes', audience: 'Kids', scales: ['shoe'] },
  { name: 'Other clothes', scales: ['clothing'] },
  { name: 'Other shoes', scales: ['shoe'] },
  { name: 'Other hats', scales: ['head'] },
]

const LETTER_SIZES = ['XS', 'S', 'M', 'L', 'XL', 'XXL', 'XXXL']

export function splitSizeLabel(label: string): readonly string[] {
  return label.split(' & ')
}

/** For a mother-and-child size, `audiences` is only that of the size's group; otherwise, it is the product's. */
export function groupSizes(
  catalogue: Catalogue,
  isOffered: (product: Product, size: string, audiences: readonly Audience[]) => boolean = () => true,
): SizeGroup[] {
  const groups = SIZE_GROUPS.map((group) => ({ ...group, sizes: new Set<string>() }))
  for (const product of catalogue) {
    const { sizing } = product
    if (!sizing) continue
    const { scale } = sizing
    const audiences = listAudiences(product)
    for (const size of sizing.sizes.flatMap(({ label }) => splitSizeLabel(label))) {
      const group = groups.find(
        ({ audience, scales, includes = () => true }) =>
          scales.includes(scale) && (!audience || audiences.includes(audience)) && includes(size),
      )
      const sizeAudiences = scale === 'mother-and-child' && group?.audience ? [group.audience] : audiences
      if (isOffered(product, size, sizeAudiences)) group?.sizes.add(size)
    }
  }
  return groups.flatMap(({ name, sizes }) => {
    const sortedSizes = [...sizes].toSorted((first, second) => getSizeRank(first) - getSizeRank(second))
    return sortedSizes.length > 0 ? [{ name, sizes: sortedSizes }] : []
  })
}

/** Returns a text such as `2–9 years`, `6 months–5 years`, `S–XXL` or, for other kinds of labels, `3 sizes`. */
export function formatSizeRange(labels: readonly string[]): string {
  const split = labels.map(splitSizeLabel)
  const ranges = (split[0] ?? []).map((_, at) => {
    const sizes = [...new Set(split.map((parts) => parts[at] ?? ''))]
    if (sizes.length === 1) return sizes[0]
    return formatAges(sizes) ?? formatNumbers(sizes) ?? formatLetters(sizes)
  })
  const isComplete = ranges.every(Boolean) && split.every(({ length }) => length === ranges.length)
  return isComplete ? ranges.join(' & ') : `${labels.length} sizes`
}

/** Returns undefined if the youngest and the oldest age would read alike, as for `12–18 months` and `1 year`. */
function formatAges(sizes: readonly string[]): string | undefined {
  const ages = sizes.flatMap((size) => parseAgeRange(size) ?? [])
  const [oldest] = ages.toSorted((first, second) => second.toMonths - first.toMonths)
  if (!oldest || ages.length < sizes.length) return undefined
  const { last, unit } = oldest
  const fromMonths = Math.min(...ages.map((age) => age.fromMonths))
  const from = fromMonths / getUnitMonths(unit)
  if (from >= last) return undefined
  return Number.isInteger(from)
    ? `${from}–${last} ${unit}s`
    : `${fromMonths} months–${last} ${last === 1 ? unit : `${unit}s`}`
}

const NUMBERED_SIZE_PATTERN = /^(\D*)(\d+(?:\.\d+)?)(?:[–-](\d+(?:\.\d+)?))?(\D*)$/

/** Formats sizes that differ only in their numbers, such as `EU 17` and `44–46 cm`. */
function formatNumbers(sizes: readonly string[]): string | undefined {
  const parsed = sizes.flatMap((size) => {
    const [, prefix, from, to = from, suffix] = NUMBERED_SIZE_PATTERN.exec(size) ?? []
    return from === undefined ? [] : [{ prefix, from: Number(from), to: Number(to), suffix }]
  })
  const [first] = parsed
  const isAlike = parsed.every(({ prefix, suffix }) => prefix === first?.prefix && suffix === first?.suffix)
  if (!first || !isAlike || parsed.length < sizes.length) return undefined
  const from = Math.min(...parsed.map((size) => size.from))
  const to = Math.max(...parsed.map((size) => size.to))
  return `${first.prefix}${from}–${to}${first.suffix}`
}

function formatLetters(sizes: readonly string[]): string | undefined {
  const ranks = sizes.map((size) => LETTER_SIZES.indexOf(size))
  if (ranks.includes(-1)) return undefined
  return `${LETTER_SIZES[Math.min(...ranks)]}–${LETTER_SIZES[Math.max(...ranks)]}`
}

function getSizeRank(size: string): number {
  const letter = LETTER_SIZES.indexOf(size)
  if (letter >= 0) return letter
  return parseAgeRange(size)?.fromMonths ?? Number(/\d+/.exec(size)?.[0] ?? 0)
}

/** For each scale with exactly one matching label, returns that label. */
export function findNamedSizes(
  products: Catalogue,
  matchesSize: (size: string) => boolean,
): Partial<Record<SizeScale, string>> {
  const matching = products.flatMap(({ sizing }) =>
    (sizing?.sizes ?? [])
      .filter(({ label }) => splitSizeLabel(label).some(matchesSize))
      .map(({ label }) => [sizing?.scale, label] as const),
  )
  const isOnlyOne = ([scale, label]: (typeof matching)[number]) =>
    matching.every(([otherScale, other]) => otherScale !== scale || other === label)
  return Object.fromEntries(matching.filter(isOnlyOne))
}

export function hasSize({ sizing }: Product, matchesSize: (size: string) => boolean): boolean {
  return sizing?.sizes.some(({ label }) => splitSizeLabel(label).some(matchesSize)) ?? false
}

/** Like `hasSize`, but a product without sizes matches if the age in its description does. */
export function suitsSize(product: Product, matchesSize: (size: string) => boolean): boolean {
  const age = getAge(product)
  return age ? matchesSize(age) : hasSize(product, matchesSize)
}

/** Returns the age in the description of a product without sizes, such as `From 2 to 7 years`. */
export function getAge({ sizing, description }: Product): string | undefined {
  return sizing ? undefined : findFromAge(description)
}
