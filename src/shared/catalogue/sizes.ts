import type { Catalogue, Product, SizeScale } from './catalogue.ts'
import type { Audience } from './shop-filter.ts'

/** `scale` is the group's main scale. Some sizes may be of the mother-and-child scale. */
export type SizeGroup = { name: string; audience: Audience; scale: SizeScale; sizes: readonly string[] }

/** Two groups share the mother-and-child scale. `includes` assigns its sizes to one of them. */
const SIZE_GROUPS: readonly {
  name: string
  audience: Audience
  scales: readonly [SizeScale, ...SizeScale[]]
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
]

const LETTER_SIZES = ['XS', 'S', 'M', 'L', 'XL', 'XXL', 'XXXL']
const MONTHS_PER_YEAR = 12

export function splitSizeLabel(label: string): readonly string[] {
  return label.split(' & ')
}

export function groupSizes(
  catalogue: Catalogue,
  isOffered: (product: Product, size: string) => boolean = () => true,
): SizeGroup[] {
  const sizes = new Map<SizeScale, Set<string>>()
  for (const product of catalogue) {
    const { sizing } = product
    if (!sizing) continue
    const scaleSizes = sizes.get(sizing.scale) ?? new Set()
    sizes.set(sizing.scale, scaleSizes)
    for (const size of sizing.sizes.flatMap(({ label }) => splitSizeLabel(label)))
      if (isOffered(product, size)) scaleSizes.add(size)
  }
  return SIZE_GROUPS.flatMap(({ name, audience, scales, includes = () => true }) => {
    const groupSizes = scales.flatMap((scale) => [...(sizes.get(scale) ?? [])].filter(includes))
    const sortedSizes = [...new Set(groupSizes)].toSorted(
      (first, second) => getSizeRank(first) - getSizeRank(second),
    )
    return sortedSizes.length > 0 ? [{ name, audience, scale: scales[0], sizes: sortedSizes }] : []
  })
}

/**
 * Returns the size's age range in months, with an exclusive end: 24 to 48 for `2–3 years`. Returns undefined for
 * sizes that aren't ages.
 */
export function parseAgeRange(size: string): { fromMonths: number; toMonths: number } | undefined {
  const [, from = '', to, unit] = /^(\d+)(?:\D+(\d+))? (months?|years?)$/.exec(size) ?? []
  if (!unit) return undefined
  if (unit.startsWith('month')) return { fromMonths: Number(from), toMonths: Number(to ?? Number(from) + 1) }
  return { fromMonths: Number(from) * MONTHS_PER_YEAR, toMonths: (Number(to ?? from) + 1) * MONTHS_PER_YEAR }
}

function getSizeRank(size: string): number {
  const letter = LETTER_SIZES.indexOf(size)
  if (letter >= 0) return letter
  return parseAgeRange(size)?.fromMonths ?? Number(/\d+/.exec(size)?.[0] ?? 0)
}

/** Returns the matching label by scale. Leaves out scales with several. */
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
