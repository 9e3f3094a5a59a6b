import type { Catalogue, Product, Scale } from './catalogue.ts'

/** Sizes that a shopper can choose from, under a heading: those of children, women and shoes are apart. */
export type SizeGroup = { name: string; sizes: readonly string[] }

/** The groups in their order, with the scales they are made of; a scale of pairs is in two. */
const GROUPS: readonly { name: string; scales: readonly Scale[]; isIn?: (size: string) => boolean }[] = [
  { name: 'Children, by age', scales: ['age', 'mother-and-child'], isIn: (size) => /\d/.test(size) },
  { name: 'Children’s shoes', scales: ['child-shoe'] },
  { name: 'Children’s hats', scales: ['head'] },
  { name: 'Women', scales: ['clothing', 'mother-and-child'], isIn: (size) => !/\d/.test(size) },
  { name: 'Women’s shoes', scales: ['shoe'] },
]

const LETTERS = ['XS', 'S', 'M', 'L', 'XL', 'XXL', 'XXXL']
const MONTHS_PER_YEAR = 12

/** The sizes that a label names: two for a pair, `S & 2–3 years`. */
export function sizesInLabel(label: string): readonly string[] {
  return label.split(' & ')
}

/** The sizes that the products of a catalogue come in, in groups and from the smallest up. */
export function sizeGroups(catalogue: Catalogue): SizeGroup[] {
  const sizes = new Map<Scale, Set<string>>()
  for (const { sizing } of catalogue) {
    if (!sizing) continue
    const known = sizes.get(sizing.scale) ?? new Set()
    sizes.set(sizing.scale, known)
    for (const { label } of sizing.sizes) for (const size of sizesInLabel(label)) known.add(size)
  }
  return GROUPS.flatMap(({ name, scales, isIn = () => true }) => {
    const found = scales.flatMap((scale) => [...(sizes.get(scale) ?? [])].filter(isIn))
    const ordered = [...new Set(found)].toSorted((one, other) => rankOf(one) - rankOf(other))
    return ordered.length > 0 ? [{ name, sizes: ordered }] : []
  })
}

/** Ages in months, from the first to before the last: `2–3 years` are 24 to 48. Undefined for sizes that are no age. */
export function agesOf(size: string): { fromMonths: number; toMonths: number } | undefined {
  const [, from = '', to, unit] = /^(\d+)(?:\D+(\d+))? (months?|years?)$/.exec(size) ?? []
  if (!unit) return undefined
  if (unit.startsWith('month')) return { fromMonths: Number(from), toMonths: Number(to ?? Number(from) + 1) }
  return { fromMonths: Number(from) * MONTHS_PER_YEAR, toMonths: (Number(to ?? from) + 1) * MONTHS_PER_YEAR }
}

function rankOf(size: string): number {
  const letter = LETTERS.indexOf(size)
  if (letter >= 0) return letter
  return agesOf(size)?.fromMonths ?? Number(/\d+/.exec(size)?.[0] ?? 0)
}

/** Whether a product comes in a size that `isWanted`. */
export function comesIn({ sizing }: Product, isWanted: (size: string) => boolean): boolean {
  return sizing?.sizes.some(({ label }) => sizesInLabel(label).some(isWanted)) ?? false
}
