import { describe, expect, it } from 'vitest'
import items from '../../../public/Items.json'
import { isSplitByAudience, listAudiences } from './audiences.ts'
import type { Product, SizeScale } from './catalogue.ts'
import { parseCatalogueEntries } from './catalogue-schema.ts'

const product = (category: string, scale?: SizeScale): Product => ({
  id: 1,
  title: 'Kikoi Wrap',
  description: 'Soft.',
  price: 100,
  image: '/x.svg',
  category,
  ...(scale && { sizing: { scale, sizes: [{ id: 1, label: 'M', price: 100 }] } }),
})

describe('the audience of a product', () => {
  it.each<[category: string, scale: SizeScale | undefined, audiences: string[]]>([
    ["Children's Clothing", 'age', ['Kids']],
    ['Children’s Accessories', undefined, ['Kids']],
    ['Toys', undefined, ['Kids']],
    ['Nursery', undefined, ['Kids']],
    ['Feeding', 'age', ['Kids']],
    ["Women's Accessories", undefined, ['Women']],
    ["WOMEN'S FOOTWEAR", 'shoe', ['Women']],
    ['Mom & Baby', undefined, ['Kids', 'Women']],
    ['Mom & Baby', 'mother-and-child', ['Kids', 'Women']],
    // An owner could add these categories.
    ['Boys', undefined, ['Kids']],
    ['Nguo za watoto', undefined, ['Kids']],
    ['Nguo za wasichana', undefined, ['Kids']],
    ['Nguo za wavulana', undefined, ['Kids']],
    ['Babywear', undefined, ['Kids']],
    ['Kidswear', 'clothing', ['Kids']],
    ['Schoolwear', undefined, ['Kids']],
    ['Preschool', undefined, ['Kids']],
    ['Womenswear', undefined, ['Women']],
    ['Menswear', 'clothing', []],
    ['Breastfeeding', undefined, ['Women']],
    ['Breast feeding', undefined, ['Kids', 'Women']],
    ['Baby Toys', 'age', ['Kids']],
    ['Nightwear', 'age', ['Kids']],
    ['Nightwear', 'clothing', ['Women']],
    ['Boots', 'child-shoe', ['Kids']],
    ['Hats', 'head', ['Kids']],
    ["Women's Hats", 'head', ['Women']],
    ["Children's T-Shirts", 'clothing', ['Kids']],
    ["Men's Shirts", 'clothing', []],
    ['Twinning', 'mother-and-child', ['Kids', 'Women']],
    ['Toys', 'mother-and-child', ['Kids', 'Women']],
    // A scale with `isCertain` counts even if the category names another audience or none.
    ["Women's Clothing", 'age', ['Kids', 'Women']],
    ['Clothing', undefined, []],
    ['Gifts', undefined, []],
    ['Entertainment', undefined, []],
    ['', undefined, []],
  ])('in the category "%s" with the size scale %s is %j', (category, scale, audiences) => {
    expect(listAudiences(product(category, scale)).toSorted()).toEqual(audiences)
  })

  it('is known for each product of the catalogue', () => {
    const catalogue = parseCatalogueEntries(items)
    expect(catalogue.filter((one) => listAudiences(one).length === 0)).toEqual([])
    expect(isSplitByAudience(catalogue)).toBe(true)
  })
})

it.each<[string[], boolean]>([
  [['Toys', "Women's Clothing"], true],
  [['Toys', 'Nursery', 'Mom & Baby', 'Gifts'], false],
  [["Women's Clothing", 'Mom & Baby'], false],
  [['Mom & Baby'], false],
  [[], false],
])('a list with the categories %j is split by audience: %s', (categories, isSplit) => {
  expect(isSplitByAudience(categories.map((category) => product(category)))).toBe(isSplit)
})
