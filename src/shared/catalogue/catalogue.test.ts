import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { itemToCartProduct } from '#shared/cart/cart.ts'
import items from '../../../public/Items.json'
import { CATEGORIES, type Product, parseCategory, parseProductId } from './catalogue.ts'
import { describeFirstIssue } from './catalogue-issues.ts'
import { catalogueSchema } from './catalogue-schema.ts'
import {
  createProductView,
  findFeaturedProducts,
  findRelatedProducts,
  listProductsInCategory,
  RELATED_PRODUCTS,
} from './catalogue-views.ts'
import { findItem, listProductItems } from './items.ts'

const catalogue = catalogueSchema.parse(items)
const product = (id: number, category: string): Product => ({
  id,
  title: `Product ${id}`,
  description: 'Soft.',
  price: 100,
  image: '/x.svg',
  category,
  rating: 4,
})
const idsOf = (products: readonly Product[]) => products.map(({ id }) => id)

describe('Items.json', () => {
  it('contains at least 56 products, six or more per category, with plausible prices and different images', () => {
    expect(catalogue.length, 'products').toBeGreaterThanOrEqual(56)
    for (const category of CATEGORIES)
      expect(
        listProductsInCategory(catalogue, category).length,
        `products in ${category}`,
      ).toBeGreaterThanOrEqual(6)
    for (const { id, price } of catalogue)
      expect(price, `price of product ${id}`).toSatisfy((ksh: number) => ksh >= 250 && ksh <= 12_500)
    const images = catalogue.map(({ image }) => image)
    expect(
      images.filter((image, index) => images.indexOf(image) < index),
      'duplicate images',
    ).toEqual([])
  })

  it('has at least five products with a name instead of a title', () => {
    const namedProducts = items.filter((item) => !('title' in item))
    expect(namedProducts.length, 'products with a name').toBeGreaterThanOrEqual(5)
    for (const { id, name } of namedProducts)
      expect(catalogue.find((item) => item.id === id)?.title, `product ${id}`).toBe(name)
  })

  it.each([
    ['something other than a list', {}, /^The file must be a list of products/],
    ['a price as text', [{ ...items[0], price: '1850' }], /^Item 1 \(ID 1\): Price must be a number/],
    ['a negative price', [items[0], { ...items[1], price: 0 }], /^Item 2 \(ID 2\): Price must be above 0/],
    ['no rating', [{ ...items[0], rating: {} }], /^Item 1 \(ID 1\): Rating is missing/],
    ['neither title nor name', [{ ...items[0], title: undefined }], /: Name is missing/],
    [
      'an unsafe image address',
      [{ ...items[0], image: 'javascript:alert(1)' }],
      /: Main photo must be a path/,
    ],
    ['a duplicate id', [items[0], items[1], items[0]], /^Item 3 \(ID 1\): ID is used twice/],
    [
      'a size with the id of another size',
      [
        items[0],
        {
          ...items[1],
          sizes: [
            { id: 2, label: 'S' },
            { id: 101, label: 'M' },
          ],
        },
      ],
      /^Item 2 \(ID 2\): Size 2 ID is used twice/,
    ],
    [
      'a first size without the id of the product',
      [{ ...items[0], sizes: [{ id: 7000, label: 'S' }] }],
      /^Item 1 \(ID 1\): Sizes must start with the id of the product/,
    ],
    ['an unknown scale', [{ ...items[0], scale: 'moods' }], /: Size type must be one of age, /],
    ['sizes without a scale', [{ ...items[0], scale: undefined }], /: Size type is required with sizes/],
    [
      'two sizes with the same label',
      [
        {
          ...items[0],
          sizes: [
            { id: 1, label: 'S' },
            { id: 7000, label: 'S' },
          ],
        },
      ],
      /: Sizes must have different names/,
    ],
    [
      'a photo without a description',
      [
        {
          ...items[0],
          images: [
            { image: items[0]?.image, alt: 'Front' },
            { image: '/back.jpg', alt: ' ' },
          ],
        },
      ],
      /^Item 1 \(ID 1\): Photo 2 description is missing$/,
    ],
    ['null instead of a product', [null], /^Item 1: Product is missing/],
  ])('is rejected with %s, and the message locates the problem', (_, file, problem) => {
    expect(describeFirstIssue(file)).toMatch(problem)
  })

  it('has sizes for clothing and footwear, except one-size products', () => {
    const unsized = catalogue.filter(({ sizing, category }) => !sizing && /clothing|footwear/i.test(category))
    expect(unsized.map(({ title }) => title)).toEqual(['Hand-Dyed Indigo Kimono', 'Coastal Kanga Kaftan'])
  })

  it('is valid', () => {
    expect(describeFirstIssue(items)).toBeUndefined()
  })
})

describe('catalogue items', () => {
  const anyCatalogue = fc
    .array(fc.record({ sizes: fc.integer({ min: 0, max: 6 }), price: fc.integer({ min: 1, max: 9999 }) }))
    .map((entries) => {
      let lastId = entries.length
      return entries.map(({ sizes, price }, index): Product => {
        const first = { ...product(index + 1, 'Toys'), price }
        const size = (n: number) => ({ id: n === 0 ? first.id : ++lastId, label: `${n}`, price: price + n })
        return sizes === 0
          ? first
          : { ...first, sizing: { scale: 'age', sizes: Array.from({ length: sizes }, (_, n) => size(n)) } }
      })
    })

  it('are found by id, each with its product, size and price', () => {
    fc.assert(
      fc.property(anyCatalogue, fc.integer({ min: -5, max: 9000 }), (all, id) => {
        const everything = all.flatMap(listProductItems)
        for (const item of everything) expect(findItem(all, item.id)).toEqual(item)
        for (const item of all) expect(findItem(all, item.id)?.product).toBe(item)
        expect(findItem(all, id)).toEqual(everything.find((item) => item.id === id))
        for (const item of everything) {
          expect(createProductView(all, item.id).product).toBe(item.product)
          expect(itemToCartProduct(item)).toMatchObject({
            id: item.id,
            price: item.price,
            title: item.product.title,
          })
          expect(itemToCartProduct(item).size).toBe(item.size)
        }
      }),
    )
  })
})

describe('the category filter', () => {
  const all = [
    product(1, "Children's Clothing"),
    product(2, "Women's CLOTHING"),
    product(3, 'Toys'),
    product(4, 'Mom & Baby'),
  ]

  it.each([
    ['All', [1, 2, 3, 4]],
    ['Clothing', [1, 2]],
    ['Toys', [3]],
    ['Mom & Baby', [4]],
    ['Footwear', []],
  ] as const)('for %s shows the products %j, ignoring case', (category, ids) => {
    expect(idsOf(listProductsInCategory(all, category))).toEqual(ids)
  })

  it.each([
    ['Toys', 'Toys'],
    [' toys ', 'Toys'],
    ['mom & baby', 'Mom & Baby'],
    ['Spaceships', 'All'],
    ['', 'All'],
    [null, 'All'],
  ])('reads "%s" in the address as %s', (label, category) => {
    expect(parseCategory(label)).toBe(category)
  })
})

describe('the catalogue', () => {
  it('accepts only decimal digits, and not too many, as a product id', () => {
    expect(['7', '07', 'abc', '-1', '1.5', '1e3', '', ' 1', '9'.repeat(40)].map(parseProductId)).toEqual([
      7,
      7,
      ...Array(7).fill(undefined),
    ])
  })

  it('relates a product to a limited number of products in its category', () => {
    const toys = Array.from({ length: 40 }, (_, n) => product(n + 1, 'Toys'))
    const [first] = toys
    if (!first) throw new Error('There is no toy.')
    const related = findRelatedProducts([...toys, product(99, 'Wooden Toys')], first)
    expect(idsOf(related)).toEqual(idsOf(toys.slice(1, RELATED_PRODUCTS + 1)))
  })

  it('shows the sizes of a product’s related products', () => {
    const sizing = {
      scale: 'age' as const,
      sizes: ['0–3 months', '3–6 months'].map((label, index) => ({ id: 2 + index, label, price: 100 })),
    }
    const { related } = createProductView([product(1, 'Toys'), { ...product(2, 'Toys'), sizing }], 1)
    expect(related.map(({ sizeRange }) => sizeRange)).toEqual(['0–6 months'])
  })

  it('features the first four products for children or women, ignoring case', () => {
    const all = [
      product(1, 'Toys'),
      product(2, "CHILDREN'S Footwear"),
      product(3, "Women's Clothing"),
      product(4, 'women'),
      product(5, 'Feeding'),
      product(6, 'For children'),
      product(7, 'children'),
    ]
    expect(idsOf(findFeaturedProducts(all))).toEqual([2, 3, 4, 6])
    expect(findFeaturedProducts(catalogue)).toHaveLength(4)
  })
})
