import { describe, expect, it } from 'vitest'
import { addUnit, itemToCartProduct } from '#shared/cart/cart.ts'
import { parseStoredCart } from '#shared/cart/cart-schema.ts'
import { toProductCard } from './catalogue.ts'
import { findCatalogueIssues } from './catalogue-issues.ts'
import { catalogueSchema } from './catalogue-schema.ts'
import { listProductItems } from './items.ts'
import { getCatalogueAt, getPriceAt, listSalePeriodTimes } from './sales.ts'

const START = Date.parse('2026-12-24T00:00:00+03:00')
const END = Date.parse('2026-12-27T00:00:00+03:00')
const ENTRY = {
  ...{ id: 1, title: 'Kikoi dress', description: 'Soft.', image: '/a.svg', category: 'Clothing' },
  ...{ price: 1500, compareAtPrice: 2000 },
  ...{ saleStartsAt: '2026-12-24T00:00:00+03:00', saleEndsAt: '2026-12-27T00:00:00+03:00' },
  scale: 'clothing',
  sizes: [
    { id: 1, label: 'S' },
    { id: 2, label: 'M', price: 2100 },
    { id: 3, label: 'L', price: 1800, compareAtPrice: 2200 },
  ],
}
const parse = (...entries: object[]) => catalogueSchema.parse(entries)
const pricesAt = (nowMs: number) =>
  getCatalogueAt(parse(ENTRY), nowMs)
    .flatMap(listProductItems)
    .map(({ price, compareAtPrice }) => [price, compareAtPrice])

describe('a sale', () => {
  it.each([
    ['before it starts', { startsAtMs: START, endsAtMs: END }, START - 1, { price: 2000 }],
    [
      'the moment it starts',
      { startsAtMs: START, endsAtMs: END },
      START,
      { price: 1500, compareAtPrice: 2000 },
    ],
    [
      'just before it ends',
      { startsAtMs: START, endsAtMs: END },
      END - 1,
      { price: 1500, compareAtPrice: 2000 },
    ],
    ['the moment it ends', { startsAtMs: START, endsAtMs: END }, END, { price: 2000 }],
    ['without a start', { endsAtMs: END }, 0, { price: 1500, compareAtPrice: 2000 }],
    ['without an end', { startsAtMs: START }, END, { price: 1500, compareAtPrice: 2000 }],
    ['without a period', {}, START, { price: 1500, compareAtPrice: 2000 }],
  ])('lowers the price only during its period: %s', (_, period, nowMs, prices) => {
    expect(getPriceAt({ price: 1500, compareAtPrice: 2000 }, period, nowMs)).toEqual(prices)
    expect(getPriceAt({ price: 1500 }, period, nowMs)).toEqual({ price: 1500 })
  })

  it('applies to each size, unless the size has a price of its own and no sale price', () => {
    const during = [
      [1500, 2000],
      [2100, undefined],
      [1800, 2200],
    ]
    const outside = [2000, 2100, 2200].map((price) => [price, undefined])
    expect([START - 1, START, END - 1, END].map(pricesAt)).toEqual([outside, during, during, outside])
    expect(
      listSalePeriodTimes(parse(ENTRY, { ...ENTRY, id: 9, sizes: undefined, scale: undefined })),
    ).toEqual([START, END])
  })

  it('leaves other products unchanged, and leaves no trace after its end', () => {
    const regular = parse({
      ...ENTRY,
      compareAtPrice: undefined,
      saleStartsAt: undefined,
      saleEndsAt: undefined,
    })
    expect(getCatalogueAt(regular, START)).toBe(regular)
    expect(regular.map(toProductCard)[0]).not.toHaveProperty('compareAtPrice')
    expect(JSON.stringify(getCatalogueAt(parse(ENTRY), END))).not.toMatch(/compareAtPrice|"sale"/)
  })

  it.each([
    [
      'isn’t lower than the regular price',
      { compareAtPrice: 1500 },
      'Regular price must be above the sale price',
    ],
    ['ends before it starts', { saleEndsAt: '2026-12-23T00:00:00Z' }, 'Sale end must be after the start'],
    [
      'starts on something that isn’t a date',
      { saleStartsAt: 'tomorrow' },
      'Sale start must be a date and time',
    ],
  ])('is rejected if it %s', (_, change, problem) => {
    expect(findCatalogueIssues([{ ...ENTRY, ...change }])[0]?.problem).toContain(problem)
  })
})

it('a cart line has the regular price too, until the product is added again after the sale', () => {
  const [onSale] = getCatalogueAt(parse(ENTRY), START).flatMap(listProductItems)
  const [regular] = getCatalogueAt(parse(ENTRY), END).flatMap(listProductItems)
  if (!onSale || !regular) throw new Error('The product has no items.')
  const cart = addUnit([], itemToCartProduct(onSale))
  expect(cart).toMatchObject([{ price: 1500, compareAtPrice: 2000 }])
  expect(parseStoredCart(JSON.stringify(cart))).toEqual(cart)
  const [line] = addUnit(cart, itemToCartProduct(regular))
  expect([line?.price, line?.compareAtPrice, line?.qty]).toEqual([2000, undefined, 2])
})
