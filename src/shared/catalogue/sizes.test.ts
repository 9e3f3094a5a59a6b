import { expect, it } from 'vitest'
import items from '../../../public/Items.json'
import { parseAgeRange } from './ages.ts'
import { formatSizeRange } from './sizes.ts'

it.each<[labels: string[], range: string]>([
  [['0–3 months', '3–6 months', '6–12 months', '12–18 months'], '0–18 months'],
  [['2–3 years', '4–5 years', '8–9 years'], '2–9 years'],
  [['6–12 months', '12–18 months', '4–5 years'], '6 months–5 years'],
  [['12–18 months', '2–3 years', '6–7 years'], '1–7 years'],
  [['18–24 months', '2 years'], '18 months–2 years'],
  [['4–5 years', '2–3 years'], '2–5 years'],
  [['1 year', '2 years'], '1–2 years'],
  [['12 months', '18 months'], '12–18 months'],
  [['6 months', '9 months', '1 year'], '6 months–1 year'],
  [['6 months–1 year', '2 years'], '6 months–2 years'],
  [['1 year', '24 months'], '12–24 months'],
  [['12–18 months', '1 year'], '2 sizes'],
  [['1 year', '18 months'], '2 sizes'],
  [['EU 17', 'EU 18', 'EU 20'], 'EU 17–20'],
  [['EU 36.5', 'EU 36', 'EU 42'], 'EU 36–42'],
  [['44–46 cm', '47–49 cm', '50–52 cm'], '44–52 cm'],
  [['S', 'M', 'L', 'XXL'], 'S–XXL'],
  [['L', 'XS'], 'XS–L'],
  [['S & 2–3 years', 'M & 2–3 years', 'XL & 6–7 years'], 'S–XL & 2–7 years'],
  [['S & 2–3 years', 'S & 4–5 years'], 'S & 2–5 years'],
  [['One size'], 'One size'],
  [['1 year'], '1 year'],
  // An owner may use other kinds of labels.
  [['Newborn', '0–3 months'], '2 sizes'],
  [['S', 'EU 36', 'One size'], '3 sizes'],
  [['30 × 40 cm', '50 × 70 cm'], '2 sizes'],
  [['S & 2–3 years', 'M'], '2 sizes'],
  [['S', 'M & 2–3 years'], '2 sizes'],
])('the sizes %j are shown as %s', (labels, range) => {
  expect(formatSizeRange(labels)).toBe(range)
})

it.each<[size: string, months: [from: number, to: number] | undefined]>([
  ['0–3 months', [0, 3]],
  ['12 months', [12, 13]],
  ['1 year', [12, 24]],
  ['2–3 years', [24, 48]],
  ['2 to 3 years', [24, 48]],
  ['6 months–1 year', [6, 24]],
  ['6 months - 2 years', [6, 36]],
  ['6 weeks–1 year', undefined],
  ['EU 17', undefined],
])('the size %s is for the months %j', (size, months) => {
  const range = parseAgeRange(size)
  expect(range && [range.fromMonths, range.toMonths]).toEqual(months)
})

it('each product of the catalogue has a range that fits beside its title', () => {
  const ranges = items.flatMap(({ sizes = [] }) =>
    sizes.length > 0 ? [formatSizeRange(sizes.map(({ label }) => label))] : [],
  )
  expect(ranges.filter((range) => range.endsWith('sizes') || range.length > 17)).toEqual([])
})
