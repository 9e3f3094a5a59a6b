import fc from 'fast-check'
import { expect, it } from 'vitest'
import items from '../../../public/Items.json'
import { anyCharacters } from '../../../test/support/hostile.ts'
import { listAudiences } from './audiences.ts'
import type { Catalogue, Product } from './catalogue.ts'
import { catalogueSchema } from './catalogue-schema.ts'
import { searchCatalogue } from './search.ts'
import { SEARCH_WORDS } from './search-words.ts'
import { parseQueryText, parseShopQuery } from './shop-filter.ts'
import { countProducts, createSearchView } from './shop-search.ts'
import { sortProducts } from './shop-view.ts'
import { hasSize } from './sizes.ts'

const catalogue = catalogueSchema.parse(items)

const FOOTWEAR = [4, 11, 21, 29, 38, 47, 56]
const TOYS = [5, 14, 24, 33, 42, 50, 59, 60]
const DRESSES = [2, 3, 37]
const HATS = [54, 63]

const CHILDREN_FOOTWEAR = [11, 21, 29, 38]
const CHILDREN = [1, 3, 11, 12, 19, 21, 22, 29, 30, 36, 38, 39, 48, 54, 57, 63, 66, 70]
const WOMENS_CLOTHES = [2, 13, 23, 32, 41, 49, 58, 67]
const BABY_CLOTHES = [1, 12, 22, 30, 39, 48, 57, 70]
const BOYS = CHILDREN.filter((id) => ![3, 36].includes(id))

/**
 * Each row has a query, the ids of the products expected first in any order, and how many of them must come first.
 */
const QUERIES: readonly [query: string, ids: readonly number[], first?: number][] = [
  ['shoes', FOOTWEAR],
  ['hat', HATS],
  ['dresses', DRESSES],
  ['dress', DRESSES],
  ['dres', DRESSES],
  ['drses', DRESSES],
  ['khanga', [10, 36, 49, 60]],
  ['kikoy', [2, 48]],
  ['nguo', [1, 2, 3]],
  ['gauni', DRESSES],
  ['viatu', FOOTWEAR],
  ['leso', [10, 36, 49, 60]],
  ['kofia', HATS],
  ['t-shirt', [39]],
  ['tshirt', [39]],
  ['sweater', [70]],
  ['sandals', [4, 21]],
  ['sandal', [4, 21]],
  ['sandels', [4, 21]],
  ['womens sandals', [4]],
  ["women's coat", [32]],
  ['blankets', [6]],
  ['blankit', [6]],
  ['girraffe', [33]],
  ['knitted cardigan', [70]],
  ['beads necklace', [27]],
  ['nursing', [23, 46, 55]],
  ['trousers', [67]],
  ['pants', [22]],
  ['jeans', [67]],
  ['pyjamas', [57]],
  ['onesie', [1, 57]],
  ['beanie', [63]],
  ['earings', [45]],
  ['jewellery', [27, 45, 55]],
  ['handbag', [8]],
  ['school bag', [19]],
  ['diaper bag', [65]],
  ['baby wrap', [10, 28]],
  ['raincoat', [66]],
  ['gumboots', [38]],
  ['flip flops', [47]],
  ['teether', [20]],
  ['wooden toys', [5, 24, 33]],
  ['doll', [60]],
  ['elephant', [14]],
  ['car', [24]],
  ['blocks', [50]],
  ['toys', TOYS],
  ['mtoto', CHILDREN],
  ['sketi', [41]],
  ['mkoba', [8]],
  ['kikapu', [15]],
  ['suruali', [22, 67]],
  ['dress 2 years', [3, 37]],
  ['shoes 2 years', [21, 29, 38]],
  ['viatu miaka 2', [21, 29, 38]],
  ['shoes 10 years', CHILDREN_FOOTWEAR],
  ['shoes size 27', [21, 29, 38]],
  ['sandals 3 years', [21]],
  ['kofia miezi 7', [63]],
  ['hat 2 years', HATS],
  ['EU 24', [21, 29, 38]],
  ['sandals size 24', [21]],
  ['jacket for a two year old', [30]],
  ['dress xl', [2, 37]],
  ['boy', BOYS],
  ['shirt', [23, 39]],
  ['boy shirt', [39]],
  ['shirt for boys', [39]],
  ['women shirt', [23]],
]

const idsFor = async (query: string, from: Catalogue = catalogue) =>
  (await searchCatalogue(from, query, SEARCH_WORDS)).products.map(({ id }) => id)

const PARENTS_QUERIES: typeof QUERIES = [
  ['nguo ya msichana', [3]],
  ['gauni la kitenge', [3]],
  ['gauni ya mtoto miaka 2', [3]],
  ['viatu vya mtoto', CHILDREN_FOOTWEAR],
  ['dress for 2 year old girl under 3,100', [3]],
  ['christmas dress for girls', [3]],
  ['gumboots size 24', [38]],
  ['nguo za mtoi', CHILDREN, 3],
  ['njumu za kids', CHILDREN_FOOTWEAR],
  ['birthday gift 3 year old', [...TOYS, 68], 3],
  ['baby shower', [6, 10, 28, 34, 43, 51, 57], 3],
  ['begi la shule', [19]],
  ['lunch box', [69]],
  ['kofia ya jua', [54]],
  ['swetar 3 years', [70]],
  ['tshirt for boy 18 months', [39]],
  ['suruali ya mama', [67]],
  ['kaptula', [48]],
  ['blanketi ya mtoto', [6]],
  ['baby carier', [10]],
  ['mbeleko', [10, 28]],
  ['ladies sandles size 38', [4, 47]],
  ['bib below 500', [26]],
  ['hereni', [45]],
  ['pyjamas newborn', [57]],
  ['toys for 1 year old', TOYS, 3],
  ['chupa ya maziwa', [35]],
  ['nguo chini ya 1,200', [48]],
  ['viatu vya mtoto under 2.3k', [11, 29, 38]],
  ['dress up to ksh 3000 6 years', [3]],
  ['baby clothes', BABY_CLOTHES],
  ['dress 2-3', [3, 37]],
  ['baby boy clothes', BABY_CLOTHES],
  ['baby shirt', [39]],
  ['baby jacket', [30]],
  ['baby hat', HATS],
  ['baby sandals', [21]],
  ['baby toys', [...TOYS, 20], 3],
  ['first birthday gift', TOYS, 3],
  ['baby girl dress', [3, 37]],
  ['dress for baby girl', [3, 37]],
  ['school shoes', [21, 29]],
  ['shoes for school', [21, 29]],
  ['black school shoes for boys', [21, 29]],
  ['viatu vya shule', [21, 29]],
  ['toys for girls', TOYS],
  ['green shirt', [23]],
  ['blue dress', [2, 3]],
  ['gauni ya mtoto wa kike', [3]],
  ['viatu vya mtoto wa kiume', CHILDREN_FOOTWEAR],
  ['nguo za kike', WOMENS_CLOTHES, 3],
  ['unisex', BOYS],
  ['500-1000 toys', [42]],
  ['lesso dress', [49]],
  ['khanga dress', [49]],
  ['buti za mtoto', [11, 38]],
  ['boto', [11, 38]],
  ['thank you gift for teacher', [8, 27, 45, 64]],
  ['starter pack', [6, 10, 28, 34, 43, 51], 2],
  ['sensitive skin', [1]],
  ['hat 50', HATS],
  ['50 cm', HATS],
  ['50', HATS],
  ['kofia 45', [63]],
  ['shoes uk 6', [4, 47, 56]],
  ['uk 8 sandals', [4, 47]],
  ['pre walker', [11, 21]],
  ['gender neutral nursery', [6, 15, 25, 34, 43, 51, 61, 68], 6],
  ['size 12-14', [2, 23, 32, 37, 41, 58, 67]],
  // The oldest ages that toys are for.
  ['toys for 10 year old', [50, 59]],
  ['gift for 12', [50, 59]],
  ['gift for 9', [50, 59]],
  ['shoes 12 years', [29, 38]],
]

/** For each row, all products that match by name, in any order. */
const EXACT_QUERIES: readonly [query: string, ids: readonly number[]][] = [
  // What is for babies, though its name doesn't say so.
  ['baby bottle', [35]],
  ['baby bib', [26]],
  ['baby quilt', [43, 51]],
  ['lamp for baby', [61]],
  ['kids coat', [30]],
  ['ladies dress', [2, 37]],
  ['gift for wife', [8, 27, 45, 64]],
  ['gift for mum', [8, 27, 45, 64]],
  ['casual dress', DRESSES],
  // Occasions don't narrow what they are for.
  ['church dress', DRESSES],
  ['school sweater', [70]],
  ['gauni la harusi la mtoto', [3, 37]],
  ['eco friendly toys', TOYS],
  // Swahili plurals, diminutives and fillers.
  ['vichezeo', TOYS],
  ['marinda', DRESSES],
  ['magauni ya watoto', [3, 37]],
  ['mashati ya watoto', [39]],
  ['shati la mvulana', [39]],
  ['vikoi', [2, 48]],
  ['kigauni', DRESSES],
  ['nataka viatu za mtoto wangu', CHILDREN_FOOTWEAR],
  ['viatu za mom', [4, 47, 56]],
  ['koti jekundu', [32]],
  // Words written together, and typos.
  ['babyshoes', [11, 21]],
  ['diaperbag', [65]],
  ['bagpack', [19]],
  ['girrafes', [33]],
  ['hatt', HATS],
  // Ages and women's sizes.
  ['dress 5years', [3, 37]],
  ['tee 1.5 years', [39]],
  ['skirt size 20', [41]],
  ['uk 12 dress', [2, 37]],
  ['dress 12', [2, 37]],
  ['skirt 22', [41]],
  ['plus size trousers', [67]],
  ['sandals no 38', [4, 47]],
]

it.each(EXACT_QUERIES)('a search for "%s" matches exactly the products %j by name', async (query, ids) => {
  const { products, mentions, isNearMatch } = await search(query)
  const matches = products.filter((product) => !mentions?.has(product)).map(({ id }) => id)
  expect([matches.toSorted((a, b) => a - b), isNearMatch]).toEqual([
    [...ids].toSorted((a, b) => a - b),
    undefined,
  ])
})

it.each([
  ['girls kimono', "Children's Clothing"],
  ['women pyjamas', "Women's Clothing"],
  ['kids earrings', "Children's Accessories"],
  ['kitenge dress for mother', "Women's Clothing"],
  ['girls skirt', "Children's Clothing"],
])('a search for "%s", which the shop sells only for others, suggests other %s', async (query, category) => {
  const { products, isNearMatch } = await search(query)
  expect([...new Set(products.map((product) => product.category))]).toEqual([category])
  expect(isNearMatch).toBe(true)
})

it.each([
  ['kitenge dress for mother', 2],
  ['girls skirt', 3],
])('a search for "%s", which the shop sells only for others, starts with the product %i', async (query, id) =>
  expect((await idsFor(query))[0]).toBe(id),
)

it.each([
  'men',
  'mens shoes',
  'gift for dad',
  'nguo za wanaume',
  'baby walker',
  'mafuta ya mtoto',
  'women toys',
])('a search for "%s", which the shop doesn’t sell, finds nothing', async (query) =>
  expect((await search(query)).products).toEqual([]),
)

it('a search for the first birthday finds toys for one-year-olds', async () => {
  expect((await idsFor('1st birthday girl')).toSorted((a, b) => a - b)).toEqual([5, 14, 42, 60])
})

it('the search is checked with a hundred and forty-four queries', () =>
  expect([...QUERIES, ...PARENTS_QUERIES]).toHaveLength(144))

it.each([...QUERIES, ...PARENTS_QUERIES])(
  'a search for "%s" finds the right products first',
  async (query, ids, first = ids.length) => {
    const search = (await idsFor(query)).slice(0, first)
    expect(search).toHaveLength(first)
    expect(ids).toEqual(expect.arrayContaining(search))
  },
)

it.each<[string, number[]]>([
  ['head band', [64]],
  ['sunhat', [54]],
  ['gauni la mtoto', [3]],
  ['viatu vya watoto', [11, 21, 29, 38]],
  ['mama na mtoto', [37]],
  ['kids toys', TOYS],
  ['toys for kids', TOYS],
  ['zawadi ya mtoto miaka 3', [5, 14, 19, 24, 33, 50, 59]],
  ['kids dress', [3, 37]],
  ['beba mtoto', [10, 28]],
  ['12-18 dress', [3, 37]],
  ['viatu vya mvua', [38]],
  ['vitu vya kuchezea', TOYS],
  ['nguo za baridi', [6, 30, 32, 57, 63, 70]],
  ['cold', [6, 30, 32, 57, 63, 70]],
  ['hairband', [64]],
  ['mens', []],
  ['sandles', [4, 21, 47]],
  ['sendo', [4, 21, 47]],
  ['toi', TOYS],
  ['carrier', [10, 28]],
  ['elefant', [14]],
  ['large dress', [2, 37]],
  ['jaketi', [30, 32]],
  ['buti', [11, 38]],
  ['viatu vya kiume', CHILDREN_FOOTWEAR],
  ['vitu vya kuchezea miaka mitatu', [5, 14, 24, 33, 50, 59, 60]],
  ['viatu vya wavulana', CHILDREN_FOOTWEAR],
  ['rinda', DRESSES],
  ['bebeo', [10, 28]],
  ['white romper', [1]],
  ['nguo mtoto miaka mbili', [3, 12, 30, 39, 48, 66, 70]],
  ['2 year old boy', [12, 19, 21, 29, 30, 38, 39, 48, 54, 63, 66, 70]],
  ['spon', [7, 16]],
  ['%', []],
  ['mosquito net', []],
  ['baby shower gift under 2,000', [11, 20, 26, 42, 57, 68]],
  ['anything in green', [12, 15, 23, 57, 69]],
])('a search for "%s" starts with the products %j, in any order', async (query, ids) => {
  const first = (await idsFor(query)).slice(0, Math.max(ids.length, 1))
  expect(first.toSorted((a, b) => a - b)).toEqual(ids)
})

const search = async (query: string, from: Catalogue = catalogue) =>
  searchCatalogue(from, query, SEARCH_WORDS)

it.each<[query: string, left: Record<number, number>, ids: number[]]>([
  ['kofia', { 63: 0, 191: 0, 192: 0 }, [54, 63]],
  ['hat', { 54: 0, 175: 0 }, [63, 54]],
  ['sandals', { 4: 0, 110: 0, 111: 0, 112: 0, 113: 0, 114: 0, 115: 0 }, [21, 47, 4]],
  ['ladies sandals size 38', { 111: 0 }, [47, 4]],
  ['ladies sandals', { 111: 0 }, [4, 47]],
  ['under 580', { 26: 0 }, [36, 64, 26]],
  // The hair clips mention a dress only in their description.
  ['dress', { 2: 0, 104: 0, 105: 0, 106: 0 }, [3, 37, 2]],
  ['drum', { 59: 0 }, [59]],
  ['toys for 10 years', { 59: 0 }, [50, 5]],
])(
  'a search for "%s" with the stock %j ranks available products before sold-out ones: %j',
  async (query, left, ids) => {
    const stocked = catalogue.map((product) => ({ ...product, left }))
    expect((await idsFor(query, stocked)).slice(0, ids.length)).toEqual(ids)
  },
)

it.each([
  ['dress', DRESSES, [60, 64]],
  ['gauni', DRESSES, [60, 64]],
  ['jumper', [70], [19, 32]],
])(
  'a search for "%s" lists the products that mention it only in their description last',
  async (query, named, mentioned) => {
    const ids = await idsFor(query)
    expect(ids.slice(0, named.length).toSorted((a, b) => a - b)).toEqual(named)
    expect(ids.slice(named.length)).toEqual(expect.arrayContaining(mentioned))
  },
)

it.each([
  ['dress 2 y', 'dress 2 years'],
  ['dress 2 ye', 'dress 2 years'],
  ['dress 2 yea', 'dress 2 years'],
  ['dress 2 yr', 'dress 2 years'],
  ['dress 2 year o', 'dress 2 years'],
  ['romper 8 m', 'romper 8 months'],
  ['romper 8 mont', 'romper 8 months'],
  ['dress 2', 'dress 2 years'],
  ['dress size 2', 'dress 2 years'],
  ['size 2 dress', 'dress 2 years'],
  ['romper saizi 1', 'romper 1 year'],
  ['dress under', 'dress'],
  ['4 kids', 'kids 4'],
  ['3 girls', 'girls 3 years'],
  ['5-6', '5-6 years'],
  ['dress 5-6', 'dress 5-6 years'],
  ['up to 3 months', '3 months'],
  ['over 5 years', '5 years'],
  ['kids under 5', 'kids'],
  ['toys under 50', 'toys'],
])('a search for "%s" finds the same as "%s"', async (query, same) => {
  const { products, isNearMatch } = await search(query)
  expect([products, isNearMatch]).toEqual([(await search(same)).products, undefined])
})

it('a search ignores words that only contain the query', async () => {
  expect(await idsFor('hat')).not.toContain(1)
  expect(await idsFor('shoes')).not.toContain(46)
  expect(await idsFor('boy')).not.toContain(3)
})

it.each([
  ['baby girl dress', undefined],
  ['girls school shoes', undefined],
  ['green shirt', undefined],
  ['toys for girls', undefined],
  // The catalogue has no blue or pink dress.
  ['blue dress', undefined],
  ['pink dress', true],
  ['pink dress', true],
  ['boy dress', true],
  ['mtoto wa kike', undefined],
  ['mtoto wa kiume', undefined],
])('a search for "%s" has near matches only: %s', async (query, isNearMatch) => {
  expect((await search(query)).isNearMatch).toBe(isNearMatch)
})

it.each([
  ['jeans', true],
  ['jea', true],
  ['leggings', true],
  ['hoodie', true],
  ['slacks', undefined],
  ['trousers', undefined],
  ['gauni', undefined],
])('a search for "%s" has only similar products: %s', async (query, isNearMatch) => {
  const found = await search(query)
  expect([found.products.length > 0, found.isNearMatch]).toEqual([true, isNearMatch])
})

it('a search finds what it names before similar products', async () => {
  const [first] = catalogue
  const withJeans = [...catalogue, { ...(first as Catalogue[number]), id: 999, title: 'Denim Jeans' }]
  const found = await search('jeans', withJeans)
  expect([found.products[0]?.id, found.isNearMatch]).toEqual([999, undefined])
})

it.each(['P-J68H5D', 'p j68h5d', 'PJ68H5D', '#J68H5D', 'track my order P-J68H5D'])(
  'a search for the order number "%s" finds only the link to its page',
  async (query) => {
    const { products, help, suggestions } = await search(query)
    expect([products, suggestions]).toEqual([[], undefined])
    expect(help).toMatchObject({ label: 'Track order P-J68H5D', url: '/order?number=P-J68H5D' })
  },
)

it.each([
  ['clothes for 10 year old', 'clothes for 9 year old'],
  ['nguo miaka 12', 'nguo miaka 9'],
  ['10 years', '9 years'],
  ['12 kids', 'kids 9'],
  ['clothes for 12', 'clothes 9 years'],
  ['girls dress 12', 'girls dress 9 years'],
  ['10-12', '9 years'],
])('a search for "%s", an age without products, has those of "%s"', async (query, lower) => {
  const found = await search(query)
  expect(found).toMatchObject({ nearest: 'age', isNearMatch: true })
  expect(found.isNamedSize).toBeUndefined()
  expect(found.products.length).toBeGreaterThan(0)
  const expected = await search(lower)
  expect(found.products).toEqual(expected.products)
  expect(expected.nearest).toBeUndefined()
})

it('a search for "babygrow" has rompers and sleepsuits', async () => {
  expect((await search('babygrow')).products).toEqual((await search('onesie')).products)
})

it.each([
  ['bag', /Backpack/],
  ['kids bag', /Backpack/],
  ['begi', /Backpack/],
  ['bag for school', /Backpack/],
])('a search for "%s" includes %s among its exact results', async (query, title) => {
  const { products, mentions, isNearMatch } = await search(query)
  const exact = products.filter((product) => !mentions?.has(product))
  expect([exact.some((product) => title.test(product.title)), isNearMatch]).toEqual([true, undefined])
})

it.each([
  ['nguo ya kulala', /Sleepsuit/],
  ['shuka ya mtoto', /Blanket/],
  ['toto', /./],
  ['rompa', /Romper/],
])('a search for "%s" starts with %s', async (query, title) => {
  const { products, corrected } = await search(query)
  expect([products[0]?.title, corrected]).toEqual([expect.stringMatching(title), undefined])
})

it.each([
  ['pampers', /Changing Bag/],
  ['diapers', /Changing Bag/],
  ['socks', /Booties/],
  ['gift for my mother-in-law', /Necklace|Kiondo|Earrings|Headband/],
  ['birthday cake', /./],
  ['bath toys', /Stacking|Elephant|Bus|Giraffe|Rattle|Blocks|Drum|Doll/],
  ['kids shoes size 13', /Booties|T-Bar|Slip-Ons|Rain Boots/],
  ['breast pump', /Bottle/],
  ['gloves', /Beanie/],
  ['tutu', /Twirl Dress/],
  ['PE kit', /Shorts|Tee/],
  ['teenager', /./],
])('a search for "%s", which the shop doesn’t sell, has %s as its closest match', async (query, title) => {
  const { products, isNearMatch, corrected } = await search(query)
  expect([products[0]?.title, isNearMatch, corrected]).toEqual([
    expect.stringMatching(title),
    true,
    undefined,
  ])
})

it('a search that ends in a letter size, spelled out, finds that size', async () => {
  const { isNamedSize, products } = await search('dress large')
  expect([isNamedSize?.('L'), isNamedSize?.('M'), products.length > 0]).toEqual([true, false, true])
})

it.each(['pyjamas', 'ponchos', 'sandal', 'size24', '2 years', 'p', 'dress'])(
  'a search for "%s" asks for products, not for help',
  async (query) => {
    const { products, help } = await search(query)
    expect([products.length > 0, help]).toEqual([true, undefined])
  },
)

it.each([
  ['delivery', '/contact#delivery'],
  ['shipping', '/contact#delivery'],
  ['delivery to Mombasa', '/contact#delivery'],
  ['returns', '/contact#returns'],
  ['return', '/contact#returns'],
  ['exchange', '/contact#returns'],
  ['sizes', '/about#sizes'],
  ['size guide', '/about#sizes'],
  ['mpesa', '/contact'],
  ['M-Pesa', '/contact'],
  ['contact', '/contact'],
  ['track order', '/order'],
  ['do you deliver to Kisumu', '/contact#delivery'],
  ['mnaleta nyumbani', '/contact#delivery'],
  ['itachukua siku ngapi', '/contact#delivery'],
  ['my parcel', '/order'],
  ['wrong size', '/contact#returns'],
  ['too small', '/contact#returns'],
  ['kurudishiwa pesa', '/contact#returns'],
  ['shoe size chart', '/about#sizes'],
  ['cash on delivery', '/contact'],
  ['mko wapi', '/contact'],
  ['are you open on Sunday', '/contact'],
  ['gift card', '/contact'],
  ['promo code', '/cart'],
  ['wishlist', '/cart'],
  ['log in', '/login'],
  ['sale', '/products?sort=price-asc'],
  ['punguzo', '/products?sort=price-asc'],
  ['best sellers', '/products'],
  ['sold out', '/products?stock=1'],
  ['how to wash', '/products'],
  ['eco friendly', '/about'],
  ['size 24 shoes', undefined],
  ['popular toys', undefined],
  ['return a dress', undefined],
])('a search for "%s" links to the page %s', async (query, url) => {
  const { products, help } = await search(query)
  expect([help?.url, products.length > 0]).toEqual([url, url === undefined])
})

it.each(['abc123', 'p q7', 'made in Nairobi spaceship'])(
  'a search for "%s" suggests other searches instead of listing most products',
  async (query) => {
    const { products, suggestions = [] } = await search(query)
    expect([products, suggestions.length > 0]).toEqual([[], true])
  },
)

it.each([
  ['drses', 'dress'],
  ['Sandels 2 years', 'sandals 2 years'],
  ['kitenge drses', 'kitenge dress'],
  ['gaumi', 'gauni'],
  ['earing', 'earring'],
  ['ress', 'dress'],
  ['andals', 'sandals'],
])('a search corrects "%s" to "%s"', async (query, corrected) => {
  expect((await search(query)).corrected).toBe(corrected)
})

it.each([
  ...['dress', 'dres', 'cott', 'gau', 'sunhat', 'viatu', 'spaceship', 'pink', 'black'],
  ...[
    'bed sheets',
    'miaka mitatu',
    'vitu vya mtoto',
    'tights',
    'chupi',
    'car seat',
    'sare za shule',
    'kijana',
    'soap',
    'wife',
    'grey',
  ],
])('a search does not correct "%s"', async (query) => expect((await search(query)).corrected).toBeUndefined())

it('a search returns near matches if no product has every word, and suggestions if none has any', async () => {
  const near = await search('kitenge spaceship')
  expect(near.isNearMatch).toBe(true)
  expect(near.products.length).toBeGreaterThan(3)
  const nothing = await search('spaceship')
  expect(nothing.products).toEqual([])
  for (const words of nothing.suggestions ?? [])
    expect((await search(words)).products.length).toBeGreaterThan(0)
  expect(nothing.suggestions?.length).toBeGreaterThan(3)
})

it.each<[query: string, sizes: string[]]>([
  ['2 years', ['2–3 years', 'EU 23', 'EU 24', '47–49 cm']],
  ['3 years', ['2–3 years', 'EU 24', 'EU 25', 'EU 26', '50–52 cm']],
  ['size 2', ['2–3 years', 'EU 23', 'EU 24', '47–49 cm']],
  ['size 2 years', ['2–3 years', 'EU 23', 'EU 24', '47–49 cm']],
  ['size 4', ['4–5 years', 'EU 26', 'EU 28', '50–52 cm']],
  ['size 24', ['EU 24']],
  ['2yrs', ['2–3 years', 'EU 23', 'EU 24', '47–49 cm']],
  ['2-3 years', ['2–3 years', 'EU 23', 'EU 24', 'EU 25', 'EU 26', '47–49 cm', '50–52 cm']],
  ['2-3', ['2–3 years']],
  ['3 to 6', ['3–6 months']],
  ['miaka 2', ['2–3 years', 'EU 23', 'EU 24', '47–49 cm']],
  ['7 months', ['6–12 months', 'EU 18', '44–46 cm']],
  ['12-18', ['12–18 months', '1–2 years', 'EU 20', '47–49 cm']],
  ['newborn', ['0–3 months', 'EU 17']],
  ['EU 38', ['EU 38']],
  ['size 38', ['EU 38']],
  ['38', ['EU 38']],
  ['size large', ['L']],
  ['size m', ['M']],
  ['xl', ['XL']],
])(
  'of the products with sizes, a search for "%s" finds exactly those with one of the sizes %j, those by age first',
  async (query, sizes) => {
    const products = (await search(query)).products.filter(({ sizing }) => sizing)
    const expected = catalogue.filter((product) => hasSize(product, (size) => sizes.includes(size)))
    expect(expected.length).toBeGreaterThan(0)
    const byAge = expected.filter((product) =>
      hasSize(product, (size) => sizes.includes(size) && /month|year/.test(size)),
    )
    expect(products.map(({ id }) => id)).toEqual(Array.from(new Set([...byAge, ...expected]), ({ id }) => id))
  },
)

it.each(['10', '12', 'kids 10', 'boys 12'])(
  'a search for "%s", an age that no product has, lists the next lower age first',
  async (query) => {
    const { products, nearest, isNearMatch } = await search(query)
    expect([nearest, isNearMatch]).toEqual(['age', true])
    expect(products.every((product) => hasSize(product, (size) => size === '8–9 years'))).toBe(true)
    expect(products.length).toBeGreaterThan(0)
  },
)

it.each(['gift for newborn', 'Gift ideas for a new born', 'newborn gifts', 'zawadi ya mtoto mchanga'])(
  'a search for "%s" also finds gifts without sizes or ages, such as blankets',
  async (query) => {
    expect(await idsFor(query)).toEqual(await idsFor('baby gift'))
    expect(await idsFor(query)).toContain(6)
  },
)

it('a search finds products above its maximum price only if it matches no others, and says so', async () => {
  expect((await search('bib under 580')).isNearMatch).toBeUndefined()
  const dear = await search('coat under 500')
  expect([dear.products.map(({ id }) => id), dear.isNearMatch]).toEqual([[30, 32], true])
  expect(await idsFor('toys under 650')).toEqual([42])
  expect(await idsFor('under 580')).toEqual([26, 36, 64])
  expect((await search('Toys under 650')).price).toEqual({ query: 'Toys', maxKsh: 650 })
  expect(dear.price).toEqual({ query: 'coat', maxKsh: 500 })
})

it.each([
  ['toys under 1700', [60, 33]],
  ['dress 2 years under 3100', []],
  ['under 580', [42]],
])('the Shop lists after "%s" what is just above the price: %j', async (query, ids) => {
  const view = await createSearchView(
    catalogue,
    parseShopQuery(new URLSearchParams({ q: query })),
    SEARCH_WORDS,
  )
  expect((view.justAbove ?? []).map(({ id }) => id)).toEqual(ids)
})

it.each<[query: string, nearest: number[], mentions: number[]]>([
  ['dress under 3000', [3, 2, 37], [60, 64]],
  ['girl dress under 3k', [3, 37], [60]],
  ['dress 2 years chini ya 3000', [3, 37], [60]],
  ['dress under 100', [3, 2, 37], []],
  ['dress over 20k', [37, 2, 3], []],
])(
  'the search "%s" lists the nearest prices outside its limits, then mentions',
  async (query, nearest, mentions) => {
    const found = await search(query)
    expect(found.products.map(({ id }) => id)).toEqual([...nearest, ...mentions])
    expect([found.isOutsideLimits, found.isNearMatch]).toEqual([true, true])
  },
)

it('the filter form tells products outside the price limits from exact results, as the list does', async () => {
  const count = (query: string) =>
    countProducts(catalogue, parseShopQuery(new URLSearchParams(query)), SEARCH_WORDS)
  expect(await count('q=dress&category=Clothing&max=3000')).toEqual({ count: 1, isNearMatch: true })
  expect(await count('q=dress&max=3100')).toEqual({ count: 3, isNearMatch: false })
  expect(await count('q=jeans')).toMatchObject({ isNearMatch: true })
  expect(await count('q=qqqq')).toEqual({ count: 0, isNearMatch: false })
})

it('a search finds products above its minimum price, or between two prices', async () => {
  expect(await idsFor('coat over 10k')).toEqual([32])
  expect(await idsFor('toys from 1,600 to 1,800')).toEqual([5, 60])
})

it('a search tells which products only their descriptions match, unless the query matches no others', async () => {
  const listMentions = async (query: string) =>
    [...((await search(query)).mentions ?? [])].map(({ id }) => id)
  expect(await listMentions('dress')).toEqual([60, 64])
  expect(await listMentions('toys for boys')).toEqual([19, 43, 15])
  expect(await listMentions('girl dress')).toEqual([60])
  expect(await listMentions('kitenge dress')).not.toContain(64)
  expect(await listMentions('voile')).toEqual([])
})

it('a search has only near matches if all products have sizes or ages, but none for the age', async () => {
  expect((await search('shoes 2 years')).isNearMatch).toBeUndefined()
  expect(await search('shoes 10 years')).toMatchObject({ isNearMatch: true, nearest: 'any' })
  expect((await search('toys 10 years')).isNearMatch).toBe(true)
  expect((await search('blanket 10 years')).isNearMatch).toBeUndefined()
})

it.each([
  ['bluu', 'blue'],
  ['nyekundu', 'red'],
  ['kijani', 'green'],
])('a search for "%s" finds the same products as "%s"', async (swahili, english) => {
  const sorted = async (query: string) => (await idsFor(query)).toSorted((a, b) => a - b)
  expect(await sorted(swahili)).toEqual(await sorted(english))
})

it.each(['EU 27', 'size 27', 'shoes size 27'])(
  'a search for "%s", a shoe size without products, has those of the next sizes',
  async (query) => {
    const found = await search(query)
    expect(found).toMatchObject({ nearest: 'size', isNearMatch: true })
    expect(found.products.map(({ id }) => id).toSorted()).toEqual([21, 29, 38])
    expect((await search('EU 50')).products).toEqual([])
  },
)

it('a search for an amount includes what costs exactly that before VAT', async () => {
  expect(await idsFor('romper 1850')).toEqual([1])
  expect((await search('1850')).price).toEqual({ query: '', maxKsh: 2146 })
  expect((await search('under 1850')).price).toEqual({ query: '', maxKsh: 1850 })
  expect((await search('1851')).price).toEqual({ query: '', maxKsh: 1851 })
})

it('a search that names an age or a child’s shoe size ranks products for children first', async () => {
  for (const query of ['shoes 10 years', 'shoes size 34']) {
    const ids = await idsFor(query)
    expect([ids.slice(0, 4).toSorted((a, b) => a - b), ids.includes(4)]).toEqual([CHILDREN_FOOTWEAR, true])
  }
})

it('a search that names an age finds products whose descriptions name it, and those that name none', async () => {
  expect(await idsFor('drum for 2 years')).toEqual([59])
  expect(await idsFor('toys for 3 months')).toEqual(expect.arrayContaining([14, 42, 60]))
  expect(await idsFor('toys for 3 months')).not.toContain(50)
  expect(await idsFor('blanket for 2 years')).toContain(6)
  expect(await idsFor('2 years')).toEqual(expect.arrayContaining([3, 5, 19, 21]))
})

it('a search for children alone finds everything for them, what names them first', async () => {
  const forKids = catalogue.filter((product) => listAudiences(product).includes('Kids')).map(({ id }) => id)
  for (const query of ['kids', 'watoto']) {
    const ids = await idsFor(query)
    expect(ids.toSorted((a, b) => a - b)).toEqual(forKids)
    expect(CHILDREN).toEqual(expect.arrayContaining(ids.slice(0, CHILDREN.length)))
    expect((await search(query)).mentions?.size).toBe(0)
  }
  expect(await idsFor('kids under 1000')).toEqual(expect.arrayContaining([20, 26, 36, 42, 55]))
})

it.each([
  ['cheap', 'price-asc'],
  ['bei nafuu', 'price-asc'],
  ['expensive', 'price-desc'],
  ['new arrivals', 'newest'],
  ['what’s new', 'newest'],
  ['all products', ''],
  ['what do you sell', ''],
] as const)('a search for "%s" lists everything by %s', async (query, sort) => {
  const { products, isNearMatch } = await search(query)
  expect([products, isNearMatch]).toEqual([sortProducts(catalogue, sort), undefined])
})

it.each([
  ['cheap toys', 'toys'],
  ['affordable toys', 'toys'],
  ['toys bei nafuu', 'toys'],
  ['cheapest dress', 'dress'],
])('a search for "%s" starts with the cheapest results for "%s"', async (query, same) => {
  const found = await search(query)
  const isMatch = (product: Product) => !found.mentions?.has(product)
  const matches = (await search(same)).products.filter(isMatch)
  expect(found.products.filter(isMatch)).toEqual(sortProducts(matches, 'price-asc'))
})

const largeCatalogue: Catalogue = Array.from({ length: 5000 }, (_, index) => ({
  ...(catalogue[index % catalogue.length] as Catalogue[number]),
  id: index + 1,
  title: `${catalogue[index % catalogue.length]?.title} ${index}`,
}))

it('the search yields to other work while it indexes 5,000 products', async () => {
  let turns = 0
  const timer = setInterval(() => turns++)
  const { products } = await search('kikoi dress', largeCatalogue)
  clearInterval(timer)
  expect(products.length).toBeGreaterThan(50)
  expect(turns).toBeGreaterThan(5)
})

it('a search for sale words finds what is on sale, and nothing else', async () => {
  const onSale = catalogue.map((product) =>
    product.id === 6 ? { ...product, compareAtPrice: 4000 } : product,
  )
  for (const query of ['sale', 'offers', 'blanket on sale', 'punguzo'])
    expect([query, (await idsFor(query, onSale)).slice(0, 2)]).toEqual([query, [6]])
  const { products, corrected } = await search('sale')
  expect([products, corrected]).toEqual([[], undefined])
})

it('the search reuses its index when only the stock changes, and rebuilds it when texts or sizes change', async () => {
  await search('dress', largeCatalogue)
  const restocked = largeCatalogue.map((product) => ({ ...product, left: { [product.id]: 1 } }))
  const restockedMatches = searchCatalogue(restocked, 'dress', SEARCH_WORDS)
  expect(restockedMatches).not.toBeInstanceOf(Promise)
  expect((await restockedMatches).products[0]?.left).toBeDefined()
  const renamed = restocked.map((product, index) =>
    index === 4999 ? { ...product, title: 'Zebra' } : product,
  )
  expect(await idsFor('zebra', renamed)).toEqual([5000])
  const resized = catalogue.map(({ sizing: _, ...product }) => product)
  expect(await idsFor('baby')).toContain(30)
  expect(await idsFor('baby', resized)).not.toContain(30)
})

it('the search accepts any text and returns only products of the catalogue', async () => {
  await fc.assert(
    fc.asyncProperty(anyCharacters, async (query) => {
      const { products } = await search(parseQueryText(query))
      return products.every((product) => catalogue.includes(product))
    }),
  )
})
