import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Product, SizeScale, UnitsLeft } from './catalogue.ts'
import type { SearchResult } from './search.ts'
import {
  MAX_QUERY_CHARACTERS,
  parseQueryText,
  parseShopQuery,
  parseSort,
  type Sort,
  shopHref,
} from './shop-filter.ts'
import { createShopView, paginate, sortProducts } from './shop-view.ts'

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
const choice = (query: string) => parseShopQuery(new URLSearchParams(query))

it('the Shop shows one page, or every page since an earlier one', () => {
  const page = createShopView(catalogue, choice('page=3'))
  expect([page.from, page.page, page.pages, page.products.length]).toEqual([3, 3, 5, 60])
  const more = createShopView(catalogue, choice('page=3'), { since: '2' })
  expect([more.from, more.page, more.pages, more.products.length]).toEqual([2, 3, 5, 120])
  expect(more.products[60]).toEqual(page.products[0])
})

it('a search suggests nothing that its words exclude', () => {
  const [boots, dress] = catalogue as [Product, Product]
  const like = (product: Product, title: string): Product => ({ ...product, title, category: 'Clothing' })
  const products = [like(boots, 'Boots'), like(dress, 'Dress')]
  const found = { products: [products[0] as Product], isExcluded: ({ title }: Product) => title === 'Dress' }
  expect(createShopView(products, choice('q=boy boots'), { found }).related).toBeUndefined()
  const { isExcluded: _, ...all } = found
  expect(
    createShopView(products, choice('q=boots'), { found: all }).related?.map(({ title }) => title),
  ).toEqual(['Dress'])
})

it('an age filter also finds products without sizes whose descriptions name the age, and offers those ages', () => {
  const describe = (id: number, description: string): Product => ({
    ...(catalogue[0] as Product),
    id,
    category: 'Toys',
    description,
  })
  const ages = ['0–3 months', '12–18 months', '2–3 years', '8–9 years']
  const dress: Product = {
    ...describe(1, 'Soft.'),
    category: 'Clothing',
    sizing: { scale: 'age', sizes: ages.map((label, index) => ({ id: 100 + index, label, price: 100 })) },
  }
  const products = [
    describe(2, 'A bus. From 2 to 7 years.'),
    describe(3, 'A rattle. From 3 months to 2 years.'),
    describe(4, 'A doll. From birth.'),
    describe(5, 'From Nyeri, for 2 to 7 years of play.'),
    dress,
  ]
  const listIds = (query: string) => createShopView(products, choice(query)).products.map(({ id }) => id)
  expect(listIds('size=0-3-months')).toEqual([1, 4])
  expect(listIds('size=12-18-months')).toEqual([1, 3, 4])
  expect(listIds('category=Toys&size=2-3-years')).toEqual([2, 3, 4])
  expect(listIds('category=Toys&size=8-9-years')).toEqual([4])
  const { sizes } = createShopView(products.slice(0, 2).concat(dress), choice('category=Toys&filters=open'))
  expect(sizes?.Kids).toEqual([{ name: 'Children, by age', sizes: ['12–18 months', '2–3 years'] }])
  const cards = createShopView(products, choice('category=Toys')).products
  expect(cards.map(({ sizeRange }) => sizeRange)).toEqual([
    '2–7 years',
    '3 months–2 years',
    'From birth',
    undefined,
  ])
})

it('the Shop names the filter’s size with its scale, and the query’s size unless it matches several', () => {
  const sized = (id: number, ...labels: string[]): Product => ({
    ...(catalogue[0] as Product),
    id,
    sizing: { scale: 'age', sizes: labels.map((label, index) => ({ id: id + index, label, price: 100 })) },
  })
  const products = [sized(1, '2–3 years', '4–5 years'), sized(11, '18–24 months', '4–5 years')]
  const found = (isNamedSize: (size: string) => boolean) => ({ found: { products, isNamedSize } })
  const view = (query: string, options = {}) => createShopView(products, choice(query), options).namedSizes
  expect(view('size=4-5-years')).toEqual({ age: '4–5 years' })
  expect(
    view(
      'q=x',
      found((size) => size.startsWith('18')),
    ),
  ).toEqual({ age: '18–24 months' })
  expect(
    view(
      'q=x',
      found((size) => size.endsWith('years')),
    ),
  ).toEqual({})
  expect(view('')).toBeUndefined()
})

describe('an age selected in the filter', () => {
  const sized = (id: number, scale: SizeScale, ...labels: string[]): Product => ({
    ...(catalogue[0] as Product),
    id,
    sizing: { scale, sizes: labels.map((label, index) => ({ id: id + index, label, price: 100 })) },
  })
  const products = [
    sized(10, 'age', '2–3 years', '6–7 years'),
    sized(20, 'child-shoe', 'EU 22', 'EU 24', 'EU 26'),
    sized(30, 'child-shoe', 'EU 30', 'EU 32'),
    sized(40, 'head', '44–46 cm', '50–52 cm'),
    sized(50, 'shoe', 'EU 36'),
  ]

  it.each([
    ['2-3-years', [10, 20, 40], { age: '2–3 years', 'child-shoe': 'EU 24', head: '50–52 cm' }],
    ['6-7-years', [10, 30, 40], { age: '6–7 years', head: '50–52 cm' }],
    ['eu-24', [20], { 'child-shoe': 'EU 24' }],
  ])('%s finds the shoes and hats for it, and selects a size if only one fits', (size, ids, namedSizes) => {
    const view = createShopView(products, choice(`size=${size}`))
    expect(view.products.map(({ id }) => id)).toEqual(ids)
    expect(view.namedSizes).toEqual(namedSizes)
  })

  it('lists clothes in it before the shoes and hats for it, unless another order is selected', () => {
    const idsIn = (query: string) =>
      createShopView(products.toReversed(), choice(query)).products.map(({ id }) => id)
    expect(idsIn('size=2-3-years')).toEqual([10, 40, 20])
    expect(idsIn('size=2-3-years&sort=price-asc')).toEqual([40, 20, 10])
  })

  it('must be in stock in the shoe size for it, if the filter says so', () => {
    const stocked = products.map((product) => ({ ...product, left: { 21: 0, 22: 0 } }))
    expect(createShopView(stocked, choice('size=2-3-years&stock=1')).products.map(({ id }) => id)).toEqual([
      10, 40,
    ])
  })
})

it('the Shop adds related products to one to three search results or products for an audience', () => {
  const related = (found: Product[], query = 'q=x') =>
    createShopView(catalogue, choice(query), { found: { products: found } }).related?.map(({ id }) => id)
  expect(related(catalogue.slice(0, 2))?.slice(0, 3)).toEqual([3, 5, 7])
  expect(related(catalogue.slice(0, 4))).toBeUndefined()
  expect(related([])).toBeUndefined()
  expect(createShopView(catalogue.slice(0, 2), choice('')).related).toBeUndefined()
  const [first, second, third] = catalogue as [Product, Product, Product]
  const sizing = {
    scale: 'mother-and-child' as const,
    sizes: [{ id: 1, label: 'S & 2–3 years', price: 100 }],
  }
  const products = [{ ...first, sizing }, second, third]
  expect(createShopView(products, choice('for=Women'))).toMatchObject({ count: 1, related: [{ id: 3 }] })
})

it('the Shop memoizes the view of the first page, but not of further ones', () => {
  const view = (query: string, options = {}) => createShopView(catalogue, choice(query), options)
  const first = view('category=Toys')
  expect(view('category=Toys&page=1')).toBe(first)
  const second = view('category=Toys&page=2')
  const more = view('category=Toys&page=2', { since: null })
  expect([first, second, more].map(({ products }) => products.length)).toEqual([60, 60, 120])
  expect(view('category=Toys&page=2')).not.toBe(second)
  expect(view('category=Toys')).toBe(first)
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
  product(1, 'Organic Cotton Romper', 1850, {
    category: "Children's Clothing",
    sizing: {
      scale: 'age',
      sizes: [
        { id: 1, label: '6–12 months', price: 1850 },
        { id: 11, label: '2–3 years', price: 2050 },
      ],
    },
    left: { 11: 0 },
  }),
  product(2, 'Wooden Giraffe', 900),
  product(3, 'Mama and Mini Set', 1850, {
    category: 'Mom & Baby',
    sizing: { scale: 'mother-and-child', sizes: [{ id: 3, label: 'S & 2–3 years', price: 1850 }] },
  }),
  product(4, "Women's Kikoi Wrap", 2400, {
    category: "Women's Clothing",
    sizing: { scale: 'clothing', sizes: [{ id: 4, label: 'S', price: 2400 }] },
    left: { 4: 0 },
  }),
]
const idsOf = (products: readonly Product[]) => products.map(({ id }) => id)

it.each([
  [null, ''],
  ['  soft \n cotton ', 'soft cotton'],
  ['👕'.repeat(500), '👕'.repeat(MAX_QUERY_CHARACTERS)],
])('the Shop normalizes the query %j', (text, query) => {
  expect(parseQueryText(text)).toBe(query)
})

describe('filters', () => {
  it.each([
    ['', [1, 2, 3, 4]],
    ['size=2-3-years', [3, 1]],
    ['size=2%E2%80%933+years', [3, 1]],
    ['size=s', [3, 4]],
    ['size=nonsense', [1, 2, 3, 4]],
    ['size=__proto__', [1, 2, 3, 4]],
    ['min=1100', [1, 3, 4]],
    ['min=1100&max=2300', [1, 3]],
    ['min=2300&max=1100', [1, 3]],
    ['max=0', [1, 2, 3, 4]],
    ['max=-1&min=cheap', [1, 2, 3, 4]],
    ['max=1043', []],
    ['max=1044', [2]],
    ['stock=1', [1, 2, 3]],
    ['stock=yes', [1, 2, 3, 4]],
    ['for=Kids', [1, 2, 3]],
    ['for=women', [3, 4]],
    ['for=+Women+', [3, 4]],
    ['for=everyone', [1, 2, 3, 4]],
    ['for=Women&category=Clothing', [4]],
    ['for=Women&max=2300&stock=1', [3]],
    ['for=Kids&size=s', [3]],
    // One size must match the whole filter. The romper's size for 2–3 years costs more and is sold out.
    ['size=2-3-years&max=2300', [3]],
    ['size=2-3-years&stock=1', [3]],
    ['size=2-3-years&category=Clothing', [1]],
    ['size=2-3-years&sort=price-desc&min=1&max=9000', [3, 1]],
  ])('from the query "%s" show the products %j', (query, ids) => {
    const view = createShopView(all, choice(query))
    expect(view.products.map(({ id }) => id)).toEqual(ids)
    expect(view.count).toBe(ids.length)
  })

  it('name the size that a card adds, or say that it is sold out', () => {
    const cardsFor = (query: string, found?: SearchResult) =>
      createShopView(all, choice(query), { ...(found && { found }) }).products.map(
        ({ id, left, stockLabel, item }) => ({ id, left, stockLabel, item }),
      )
    const setCard = { id: 3, item: { id: 3, price: 1850, size: 'S & 2–3 years' } }
    const romperCard = { id: 1, left: 0, stockLabel: 'Sold out in 2–3 years' }
    expect(cardsFor('size=2-3-years')).toEqual([setCard, romperCard])
    const found = { products: all, isNamedSize: (size: string) => size === '2–3 years' }
    expect(cardsFor('q=x', found)).toEqual([
      { id: 2 },
      setCard,
      romperCard,
      { id: 4, left: 0, stockLabel: 'Sold out' },
    ])
    expect(cardsFor('size=6-12-months')).toEqual([
      { id: 1, item: { id: 1, price: 1850, size: '6–12 months' } },
    ])
    expect(cardsFor('size=s')[1], 'sold out in all its sizes').toEqual({
      id: 4,
      left: 0,
      stockLabel: 'Sold out',
    })
  })

  it('let a card add the shoe size for exactly an age, or else the first one in stock for it, unconfirmed', () => {
    const sizes = ['EU 23', 'EU 24', 'EU 25'].map((label, index) => ({ id: 20 + index, label, price: 900 }))
    const shoes = product(20, 'Shoes', 900, { sizing: { scale: 'child-shoe', sizes } })
    const addedItem = (left: UnitsLeft) =>
      createShopView([{ ...shoes, left }, ...all], choice('size=2-3-years')).products.find(
        ({ id }) => id === 20,
      )?.item
    expect(addedItem({})).toEqual({ id: 21, price: 900, size: 'EU 24' })
    expect(addedItem({ 20: 0, 21: 0 })).toEqual({ id: 22, price: 900, size: 'EU 25' })
    expect(addedItem({ 21: 0 })).toEqual({ id: 20, price: 900, size: 'EU 23', isSizeAssumed: true })
  })

  it('suggest related products only if they come without sizes or have the size in stock', () => {
    const sized = (id: number, labels: readonly string[], left: UnitsLeft = {}) =>
      product(id, 'Dress', 900, {
        sizing: {
          scale: 'age',
          sizes: labels.map((label, index) => ({ id: id + index, label, price: 900 })),
        },
        left,
      })
    const both = ['0–3 months', '2–3 years']
    const [first, ...others] = [sized(10, both), sized(20, ['0–3 months']), sized(30, both, { 31: 0 })]
    const products = [first as Product, ...others, sized(40, both), product(50, 'Bow')]
    const isNamedSize = (size: string) => size === '2–3 years'
    const { related } = createShopView(products, choice('q=x'), {
      found: { products: products.slice(0, 1), isNamedSize },
    })
    expect(related?.map(({ id, sizeRange, item }) => [id, sizeRange, item?.size])).toEqual([
      [40, '0–3 years', '2–3 years'],
      [50, undefined, undefined],
    ])
  })

  it('of the audience alone have memoized views', () => {
    const kids = createShopView(all, choice('for=Kids'))
    expect(createShopView(all, choice('for=kids'))).toBe(kids)
    expect(createShopView(all, choice('for=Women'))).not.toBe(kids)
    expect(createShopView(all, choice('for=Kids&max=9000'))).not.toBe(kids)
  })

  it.each([
    ['for=Kids&size=2-3-years&max=300', [{ group: 'price', count: 2 }]],
    ['for=Women&size=2-3-years&max=1900&stock=1&category=Clothing', []],
    ['for=Women&category=Toys&max=1100', [{ group: 'audience', count: 1 }]],
    [
      'for=Women&size=6-12-months',
      [
        { group: 'size', count: 2 },
        { group: 'audience', count: 1 },
      ],
    ],
    [
      'size=2-3-years&min=2300&max=2400&stock=1',
      [
        { group: 'price', count: 1 },
        { group: 'stock', count: 1 },
      ],
    ],
    ['q=x', undefined],
    ['for=Kids', undefined],
  ])('that match nothing say what is found without each: "%s"', (query, removableFilters) => {
    const found = { products: query === 'q=x' ? [] : all }
    expect(createShopView(all, choice(query), { found }).removableFilters).toEqual(removableFilters)
  })

  it('have one canonical URL, including for empty and padded fields of the form', () => {
    const sent = choice('category=Clothing&q=&for=kids&size=2%E2%80%933+years&min=&max=03000&stock=1&sort=')
    expect(shopHref(sent)).toBe('/products?category=Clothing&for=Kids&size=2-3-years&max=3000&stock=1')
    expect(shopHref(choice('for=&size=&min=0&stock='))).toBe('/products')
    expect(createShopView(all, sent).sizeLabel).toBe('2–3 years')
  })

  it('group sizes by children and women, smallest first, while the form is open', () => {
    expect(createShopView(all, choice('')).sizes).toBeUndefined()
    const children = { name: 'Children, by age', sizes: ['6–12 months', '2–3 years'] }
    const women = { name: 'Women', sizes: ['S'] }
    expect(createShopView(all, choice('filters=open')).sizes).toEqual({
      Everyone: [children, women],
      Kids: [children],
      Women: [women],
    })
  })

  it('offer an audience the sizes of its own products, whatever their size scale', () => {
    const sized = (id: number, category: string, scale: SizeScale, label: string) =>
      product(id, 'Item', 900, { category, sizing: { scale, sizes: [{ id, label, price: 900 }] } })
    const products = [
      sized(5, "Children's Clothing", 'clothing', 'XXXL'),
      sized(6, "Women's Hats", 'head', '56–58 cm'),
      sized(7, "Children's Footwear", 'shoe', 'EU 36'),
      sized(8, "Men's Shirts", 'clothing', 'XL'),
      sized(9, "Women's Clothing", 'age', '8–9 years'),
      sized(10, 'Mom & Baby', 'clothing', 'M'),
    ]
    const women = { name: 'Women', sizes: ['M'] }
    const age = { name: 'Children, by age', sizes: ['8–9 years'] }
    const hats = { name: 'Women’s hats', sizes: ['56–58 cm'] }
    const kids = [
      { name: 'Children’s clothes', sizes: ['XXXL'] },
      { name: 'Older children’s shoes', sizes: ['EU 36'] },
    ]
    expect(createShopView(products, choice('filters=open')).sizes).toEqual({
      Everyone: [age, women, hats, ...kids, { name: 'Other clothes', sizes: ['XL'] }],
      Kids: [age, women, ...kids],
      Women: [age, women, hats],
    })
    const { sizes } = createShopView(products, choice('filters=open&for=Women&size=xxxl'))
    expect(sizes?.Women.at(-1), 'the selected size').toEqual(kids[0])
    expect(sizes?.Kids).toEqual([age, women, ...kids])
  })

  it('offer Kids and Women if the category or search, whatever else is filtered, has products for each', () => {
    const isSplit = (query: string, ids?: number[]) => {
      const found = ids && { found: { products: all.filter(({ id }) => ids.includes(id)) } }
      return createShopView(all, choice(query), found).isSplitByAudience
    }
    expect([isSplit(''), isSplit('category=Clothing'), isSplit('for=Kids&max=1000')]).toEqual([
      true,
      true,
      true,
    ])
    expect([isSplit('category=Toys'), isSplit('category=Mom+%26+Baby&for=Kids')]).toEqual([
      undefined,
      undefined,
    ])
    expect([isSplit('q=x', [2, 4]), isSplit('q=x', [2, 3])]).toEqual([true, undefined])
  })

  it('offer the sizes of the category and search, and the selected one', () => {
    const sizesOf = (query: string, ids?: number[]) => {
      const found = ids && { found: { products: all.filter(({ id }) => ids.includes(id)) } }
      return createShopView(all, choice(`filters=open&${query}`), found).sizes?.Everyone.flatMap(
        ({ sizes }) => sizes,
      )
    }
    expect(sizesOf('category=Toys')).toEqual([])
    expect(sizesOf('category=Mom+%26+Baby')).toEqual(['2–3 years', 'S'])
    expect(sizesOf('category=Mom+%26+Baby&size=6-12-months')).toEqual(['6–12 months', '2–3 years', 'S'])
    expect(sizesOf('q=x', [2, 4])).toEqual(['S'])
    expect(sizesOf('q=x&category=Clothing&size=s', [1, 2])).toEqual(['6–12 months', '2–3 years', 'S'])
  })
})

describe('products just above the maximum price', () => {
  const justAbove = (query: string, found?: SearchResult) =>
    createShopView(all, choice(query), found && { found }).justAbove?.map(({ id }) => id)

  it('cost at most 20% more, are in stock and fit the other filters', () => {
    expect(justAbove('max=2000')).toEqual([1, 3])
    expect(justAbove('max=2000&for=Kids')).toEqual([1, 3])
    expect(justAbove('max=2000&size=2-3-years')).toEqual([3])
    expect(justAbove('max=2300&size=2-3-years')).toBeUndefined()
    expect(justAbove('max=2400')).toBeUndefined()
    expect(justAbove('max=1700')).toBeUndefined()
    expect(justAbove('min=900')).toBeUndefined()
  })

  it('come before mentions when the search’s results are sorted', () => {
    const [first, ...others] = all
    const found = { products: all, mentions: new Set(first && [first]) }
    for (const sort of ['price-asc', 'price-desc']) {
      const view = createShopView(all, choice(`q=x&sort=${sort}`), { found })
      expect(view.mentions).toMatchObject([{ id: first?.id }])
      expect(view.products).toHaveLength(others.length)
    }
  })

  it('must match the search by more than a mention, and are within no list of near matches', () => {
    const found = { products: all, mentions: new Set(all.slice(0, 1)) }
    expect(justAbove('q=x&max=2000', found)).toEqual([3])
    expect(justAbove('q=x&max=2000', { ...found, isNearMatch: true })).toBeUndefined()
    const price = { query: 'x', maxKsh: 2000 }
    const limited = { products: all.slice(1, 2), price, atAnyPrice: all }
    expect(justAbove('q=x+under+2000', limited)).toEqual([1, 3])
  })

  it('are at most four, the nearest first, and only on the last page', () => {
    const dearer = [150, 130, 140, 145, 135].map((price, index) => product(1001 + index, 'Basket', price))
    const view = (query: string) => createShopView([...catalogue, ...dearer], choice(query))
    expect(view('max=150&page=1').justAbove).toBeUndefined()
    expect(view('max=150&page=5').justAbove?.map(({ id }) => id)).toEqual([1002, 1005, 1003, 1004])
  })
})

describe('a search', () => {
  const found = (products: readonly Product[]) => ({ found: { products } })

  it('sorts by relevance unless another order is selected', () => {
    const matches = found([4, 2, 3].flatMap((id) => all.find((one) => one.id === id) ?? []))
    const idsIn = (query: string) => createShopView(all, choice(query), matches).products.map(({ id }) => id)
    expect(idsIn('q=x')).toEqual([4, 2, 3])
    expect(idsIn('q=x&sort=price-asc')).toEqual([2, 3, 4])
    expect(idsIn('q=x&max=2300')).toEqual([2, 3])
  })

  it('lists the nearest prices outside the filter’s limits if nothing or only mentions are within them', () => {
    const mentions = new Set(all.slice(1, 2))
    const view = (query: string) => createShopView(all, choice(query), { found: { products: all, mentions } })
    const nearest = view('q=x&max=2000')
    expect(nearest.products.map(({ id }) => id)).toEqual([1, 3])
    expect(nearest).toMatchObject({
      mentions: [{ id: 2 }],
      count: 3,
      isOutsideLimits: true,
      isJustAbove: true,
      isNearMatch: true,
    })
    const [far, wide] = [view('q=x&max=900'), view('q=x&min=100&max=900')]
    expect([far.products.map(({ id }) => id), far.isJustAbove]).toEqual([[1, 3], undefined])
    expect(wide.products.map(({ id }) => id)).toEqual([1, 3, 4])
    expect(view('q=x&min=5000').products.map(({ id }) => id)).toEqual([4, 1, 3])
    expect(view('q=x&max=2300').isOutsideLimits).toBeUndefined()
    expect(view('q=x&max=2000&category=Toys').isOutsideLimits).toBeUndefined()
    expect(view('max=500')).toMatchObject({ count: 0, removableFilters: [{ group: 'price', count: 4 }] })
  })

  it('inside a category counts matches in other categories, with the same filters', () => {
    const { count, otherCategories } = createShopView(all, choice('q=x&category=Toys&max=2300'), found(all))
    expect(count).toBe(1)
    expect(otherCategories).toEqual([
      { category: 'Clothing', count: 1 },
      { category: 'Mom & Baby', count: 1 },
    ])
    expect(createShopView(all, choice('q=x'), found(all)).otherCategories).toBeUndefined()
  })
})

describe('sorting', () => {
  it.each<[Sort, number[]]>([
    ['', [1, 2, 3, 4]],
    ['price-asc', [2, 1, 3, 4]],
    ['price-desc', [4, 1, 3, 2]],
    ['newest', [4, 3, 2, 1]],
  ])('by "%s" keeps the catalogue order of equal prices', (sort, ids) => {
    expect(idsOf(sortProducts(all, sort))).toEqual(ids)
    expect(idsOf(all)).toEqual([1, 2, 3, 4])
  })

  it.each([
    ['price-asc', 'price-asc'],
    ['newest', 'newest'],
    ['price-up', ''],
    ['toString', ''],
    [null, ''],
  ])('reads the parameter "%s" as "%s"', (value, sort) => {
    expect(parseSort(value)).toBe(sort)
  })
})

const createList = (length: number) => Array.from({ length }, (_, index) => index)

describe('a page of a list', () => {
  it.each([
    [0, 1, 0],
    [56, 1, 56],
    [96, 1, 96],
    [97, 2, 60],
    [5000, 84, 60],
  ])('of %i products is one of %i pages, the first with %i products', (length, pages, first) => {
    const page = paginate(createList(length), null)
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
  ])('requested as "%s" is page %i of three', (asked, page) => {
    expect(paginate(createList(180), asked).page).toBe(page)
  })

  it.each([
    ['3', '1', { from: 1, page: 3, first: 0, length: 180 }],
    ['3', null, { from: 1, page: 3, first: 0, length: 180 }],
    ['3', '2', { from: 2, page: 3, first: 60, length: 120 }],
    ['5', '2', { from: 2, page: 5, first: 60, length: 240 }],
    ['2', '4', { from: 2, page: 2, first: 60, length: 60 }],
    ['2', 'x', { from: 1, page: 2, first: 0, length: 120 }],
  ])('requested as "%s" since "%s" includes all pages in between', (asked, since, expected) => {
    const { items, from, page } = paginate(createList(300), asked, since)
    expect({ from, page, first: items[0], length: items.length }).toEqual(expected)
  })

  it('shares no product with another page, and all pages together list every product', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1000 }), (length) => {
        const { pages } = paginate(createList(length), '1')
        const all = Array.from({ length: pages }, (_, n) => paginate(createList(length), String(n + 1)).items)
        expect(all.flat()).toEqual(createList(length))
        for (const items of all) expect(items.length).toBeLessThanOrEqual(96)
      }),
    )
  })
})
