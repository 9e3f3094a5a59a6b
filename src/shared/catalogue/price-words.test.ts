import { expect, it } from 'vitest'
import type { PriceLimits } from './price-limits.ts'
import { parsePriceLimits } from './price-words.ts'

it.each<[query: string, rest: string, limits: PriceLimits]>([
  ['dress under 3000', 'dress', { maxKsh: 3000 }],
  ['Women’s dress below KSH 3,000 size M', 'Women’s dress size M', { maxKsh: 3000 }],
  ['toys less than 2.5k', 'toys', { maxKsh: 2500 }],
  ['nguo chini ya 1 000', 'nguo', { maxKsh: 1000 }],
  ['bib up to 500/=', 'bib', { maxKsh: 500 }],
  ['hat max sh. 900 for a girl', 'hat for a girl', { maxKsh: 900 }],
  ['bag over 2k bob', 'bag', { minKsh: 2000 }],
  ['mkoba zaidi ya 3000', 'mkoba', { minKsh: 3000 }],
  ['shoes from 1500', 'shoes', { minKsh: 1500 }],
  ['shoes from 1500 to 3,000 size 38', 'shoes size 38', { minKsh: 1500, maxKsh: 3000 }],
  ['dress between 5k and 2k', 'dress', { minKsh: 2000, maxKsh: 5000 }],
  ['dress kes 1000-2000', 'dress', { minKsh: 1000, maxKsh: 2000 }],
  ['2000-3000', '', { minKsh: 2000, maxKsh: 3000 }],
  ['toys 500-1000', 'toys', { minKsh: 500, maxKsh: 1000 }],
  ['dress 2k to 3,000', 'dress', { minKsh: 2000, maxKsh: 3000 }],
  ['kes 2500', '', { maxKsh: 2500 }],
  ['dress 2500 bob', 'dress', { maxKsh: 2500 }],
  ['1850', '', { maxKsh: 1850 }],
  ['gauni chini ya elfu mbili', 'gauni', { maxKsh: 2000 }],
  ['mia tano', '', { maxKsh: 500 }],
  ['sandals 500', 'sandals', { maxKsh: 500 }],
  ['shoes 2,000+', 'shoes', { minKsh: 2000 }],
  ['5000 +', '', { minKsh: 5000 }],
  ['dress 2500', 'dress', { maxKsh: 2500 }],
  ['2500 dress', 'dress', { maxKsh: 2500 }],
  ['toys 500/=', 'toys', { maxKsh: 500 }],
  ['over 1000 under 2000', '', { minKsh: 1000, maxKsh: 2000 }],
])('the query "%s" is "%s" with the price limits %j', (query, rest, limits) => {
  expect(parsePriceLimits(query)).toMatchObject({ rest, limits })
})

it.each([
  'dress',
  'toys for under 3 years',
  'from 3 to 6 months',
  'shoes 38',
  'trousers 104-110',
  'under 3000s',
  '100-110',
  'dress 250',
])('the query "%s" has no price limits', (query) =>
  expect(parsePriceLimits(query)).toMatchObject({ rest: query, limits: {} }),
)
