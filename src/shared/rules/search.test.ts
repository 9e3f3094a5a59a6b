import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Product } from './catalogue.ts'
import { matching, sorted } from './search.ts'
import { MAX_QUERY_CHARACTERS, queryFrom, type Sort, sortFrom } from './search-query.ts'

const product = (id: number, title: string, price = 100, more: Partial<Product> = {}): Product => ({
  id,
  title,
  price,
  description: 'Soft and plain.',
  image: '/x.svg',
  category: 'Toys',
  rating: 4,
  ...more,
})

const all = [
  product(1, 'Organic Cotton Romper', 1850),
  product(2, 'Wooden Giraffe', 900, { description: 'Carved from mango wood, for bébés.' }),
  product(3, 'Nursing Shawl', 1850, { category: 'Mom & Baby' }),
  product(4, "Women's Kikoi Wrap", 2400, { category: "Women's Clothing" }),
]
const idsOf = (products: readonly Product[]) => products.map(({ id }) => id)

describe('searching by words', () => {
  it.each([
    ['', [1, 2, 3, 4]],
    ['romper', [1]],
    ['ROMPERS', [1]],
    ['cotton organic', [1]],
    ['giraf', [2]],
    ['mango', [2]],
    ['bebe', [2]],
    ['mom & baby', [3]],
    ['women’s', [4]],
    ['clothing wrap', [4]],
    ['romper giraffe', []],
    ['soft', [1, 3, 4]],
    ['.*', []],
  ])('"%s" finds what holds every word in title, description or category', (query, ids) => {
    expect(idsOf(matching(all, query))).toEqual(ids)
  })

  it('never fails, and finds nothing outside the catalogue', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (query) => {
        return matching(all, queryFrom(query)).every((found) => all.includes(found))
      }),
    )
  })

  it.each([
    [null, ''],
    ['  soft \n cotton ', 'soft cotton'],
    ['👕'.repeat(500), '👕'.repeat(MAX_QUERY_CHARACTERS)],
  ])('reads the query %j', (text, query) => {
    expect(queryFrom(text)).toBe(query)
  })
})

describe('sorting', () => {
  it.each<[Sort, number[]]>([
    ['', [1, 2, 3, 4]],
    ['price-asc', [2, 1, 3, 4]],
    ['price-desc', [4, 1, 3, 2]],
  ])('by "%s" keeps the order of equal prices', (sort, ids) => {
    expect(idsOf(sorted(all, sort))).toEqual(ids)
    expect(idsOf(all)).toEqual([1, 2, 3, 4])
  })

  it.each([
    ['price-asc', 'price-asc'],
    ['price-up', ''],
    ['toString', ''],
    [null, ''],
  ])('reads "%s" in the address as "%s"', (value, sort) => {
    expect(sortFrom(value)).toBe(sort)
  })
})
