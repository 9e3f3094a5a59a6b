import { expect, it } from 'vitest'
import { changePrice } from './bulk-prices.ts'

it.each([
  ['whole shillings', 2000, { percent: 5 }, 2100],
  ['half a shilling, up', 1150, { percent: 5 }, 1208],
  ['less than half a shilling, down', 1149, { percent: 5 }, 1206],
  ['cents away', 99.5, { percent: 10 }, 109],
  ['a reduction', 1150, { percent: -5 }, 1093],
  ['a fraction of a percent', 1000, { percent: 2.5 }, 1025],
  ['amounts not at all', 99.5, { amountKsh: 10.25 }, 109.75],
  ['sums of cents exactly', 0.1, { amountKsh: 0.2 }, 0.3],
  ['nothing to zero', 10, { percent: -99 }, undefined],
  ['nothing below zero', 50, { amountKsh: -50 }, undefined],
  ['nothing above the highest price', 9_999_999, { amountKsh: 2 }, undefined],
])('rounds %s', (_, priceKsh, change, expected) => {
  expect(changePrice(priceKsh, change)).toBe(expected)
})
