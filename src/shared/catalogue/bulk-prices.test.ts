import { expect, it } from 'vitest'
import { changePrice } from './bulk-prices.ts'

it.each([
  ['adds a percentage', 2000, { percent: 5 }, 2100],
  ['rounds half a shilling up', 1150, { percent: 5 }, 1208],
  ['rounds less than half a shilling down', 1149, { percent: 5 }, 1206],
  ['rounds cents away', 99.5, { percent: 10 }, 109],
  ['subtracts a percentage', 1150, { percent: -5 }, 1093],
  ['adds a fraction of a percent', 1000, { percent: 2.5 }, 1025],
  ['adds an amount without rounding', 99.5, { amountKsh: 10.25 }, 109.75],
  ['adds cents exactly', 0.1, { amountKsh: 0.2 }, 0.3],
  ['refuses a percentage that leaves nothing', 10, { percent: -99 }, undefined],
  ['refuses an amount that leaves nothing', 50, { amountKsh: -50 }, undefined],
  ['refuses a price above the maximum', 9_999_999, { amountKsh: 2 }, undefined],
])('a bulk price change %s', (_, priceKsh, change, expected) => {
  expect(changePrice(priceKsh, change)).toBe(expected)
})
