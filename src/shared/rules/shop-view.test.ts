import { expect, it } from 'vitest'
import type { Product } from './catalogue.ts'
import { shopChoiceFrom } from './shop-choice.ts'
import { shopView } from './shop-view.ts'

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
