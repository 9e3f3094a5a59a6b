import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacters } from '../../../test/support/hostile.ts'
import type { Product } from './catalogue.ts'
import { MAX_QUERY_CHARACTERS, queryFrom, type Sort, shopChoiceFrom, sortFrom } from './shop-filter.ts'
import { matching, pageOfList, shopView, sorted } from './shop-view.ts'

const catalogue = Array.from(
  { length: 300 },
  (_, index): Product => ({
    id: index + 1,
    title: `Product ${index + 1}`,
    description: 'Soft.',
    price: 100,
    image: '/x.svg',
    category: index % 2 ? 'Toys' : 'Nursery',
    rating: 4,
  }),
)
const choice = (query: string) => shopChoiceFrom(new URLSearchParams(query))

it('shows one page, and all pages since another one when more was asked for', () => {
  const page = shopView(catalogue, choice('page=3'))
  expect([page.from, page.page, page.pages, page.products.length]).toEqual([3, 3, 5, 60])
  const more = shopView(catalogue, choice('page=3'), '2')
  expect([more.from, more.page, more.pages, more.products.length]).toEqual([2, 3, 5, 120])
  expect(more.products[60]).toEqual(page.products[0])
})

it('gives the same view of a page again, and never a longer one instead', () => {
  const asked = choice('category=Toys&page=2')
  const more = shopView(catalogue, asked, null)
  const page = shopView(catalogue, asked)
  expect([more.products.length, page.products.length]).toEqual([120, 60])
  expect(shopView(catalogue, asked)).toBe(page)
})

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
      fc.property(anyCharacters, (query) => {
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

const list = (length: number) => Array.from({ length }, (_, index) => index)

describe('a page of a list', () => {
  it.each([
    [0, 1, 0],
    [56, 1, 56],
    [96, 1, 96],
    [97, 2, 60],
    [5000, 84, 60],
  ])('of %i products is one of %i and starts with %i of them', (length, pages, first) => {
    const page = pageOfList(list(length), null)
    expect(page.pages).toBe(pages)
    expect(page.items).toHaveLength(first)
  })

  it.each([
    ['2', 2],
    ['0', 1],
    ['-1', 1],
    ['two', 1],
    ['99999999', 3],
    ['1e1', 1],
    ['', 1],
  ])('asked for as "%s" is number %i of three', (asked, page) => {
    expect(pageOfList(list(180), asked).page).toBe(page)
  })

  it.each([
    ['3', '1', { from: 1, page: 3, first: 0, length: 180 }],
    ['3', null, { from: 1, page: 3, first: 0, length: 180 }],
    ['3', '2', { from: 2, page: 3, first: 60, length: 120 }],
    ['5', '2', { from: 2, page: 5, first: 60, length: 240 }],
    ['2', '4', { from: 2, page: 2, first: 60, length: 60 }],
    ['2', 'x', { from: 1, page: 2, first: 0, length: 120 }],
  ])('asked for as "%s" since "%s" are all from that one on', (asked, since, expected) => {
    const { items, from, page } = pageOfList(list(300), asked, since)
    expect({ from, page, first: items[0], length: items.length }).toEqual(expected)
  })

  it('shows every product exactly once over all pages', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1000 }), (length) => {
        const { pages } = pageOfList(list(length), '1')
        const all = Array.from({ length: pages }, (_, n) => pageOfList(list(length), String(n + 1)).items)
        expect(all.flat()).toEqual(list(length))
        for (const items of all) expect(items.length).toBeLessThanOrEqual(96)
      }),
    )
  })
})
