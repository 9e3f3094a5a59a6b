import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_CART_LINES, MAX_QTY } from '#shared/cart/cart.ts'
import { parseStoredCart } from '#shared/cart/cart-schema.ts'
import { parseProductId } from '#shared/catalogue/catalogue.ts'
import { describeFirstIssue } from '#shared/catalogue/catalogue-issues.ts'
import { catalogueSchema } from '#shared/catalogue/catalogue-schema.ts'
import { parseShopQuery } from '#shared/catalogue/shop-filter.ts'
import { paginate } from '#shared/catalogue/shop-view.ts'
import { calculateCartTotals, calculateCheckoutTotals } from '#shared/checkout/pricing.ts'
import { anyCharacters } from '#test/support/hostile.ts'
import { serializeDataBlock } from './boot.ts'
import { getPageDefinition, href, matchRoute, type RouteName, routes } from './routes.ts'

const anyText = fc.oneof(anyCharacters, fc.string(), fc.webPath(), fc.constant('\ud800'))
const anyValue = fc.oneof(fc.jsonValue(), fc.double(), fc.integer(), anyText)

const anyEntry = fc.record(
  {
    id: fc.oneof(fc.integer({ min: 1, max: 150 }), anyValue),
    title: fc.oneof(fc.string({ minLength: 1 }), anyValue),
    name: anyValue,
    description: fc.oneof(fc.string({ minLength: 1 }), anyValue),
    price: fc.oneof(fc.integer({ min: 0, max: 5000 }), anyValue),
    image: fc.oneof(fc.constantFrom('/a.svg', '//evil.example/a', 'javascript:alert(1)'), anyValue),
    category: fc.oneof(fc.constant('Toys'), anyValue),
    rating: fc.oneof(fc.record({ rate: fc.oneof(fc.integer({ min: 0, max: 5 }), anyValue) }), anyValue),
    qty: fc.oneof(fc.integer({ min: 1, max: 120 }), anyValue),
    ['__proto__']: anyValue,
  },
  { requiredKeys: [] },
)

describe('a stored cart', () => {
  it('can be displayed and priced for any stored value', () => {
    const anyStored = fc.oneof(
      anyText,
      fc.json(),
      fc.array(anyEntry, { maxLength: 130 }).map((e) => JSON.stringify(e)),
    )
    fc.assert(
      fc.property(anyStored, (stored) => {
        const cart = parseStoredCart(stored)
        expect(cart.length).toBeLessThanOrEqual(MAX_CART_LINES)
        expect(new Set(cart.map(({ id }) => id)).size).toBe(cart.length)
        for (const line of cart) {
          expect(line.qty >= 1 && line.qty <= MAX_QTY && Number.isInteger(line.qty)).toBe(true)
          expect(line.image).toMatch(/^(\/(?!\/)|https:\/\/)/)
          expect(line.title.trim()).not.toBe('')
        }
        for (const { totalCents } of [calculateCartTotals(cart), calculateCheckoutTotals(cart)])
          expect(Number.isSafeInteger(totalCents) && totalCents >= 0).toBe(true)
        expect(parseStoredCart(JSON.stringify(cart))).toEqual(cart)
      }),
      { numRuns: 500 },
    )
  })
})

describe('Items.json', () => {
  it('is either valid or rejected with a reason, whatever it contains', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.array(anyEntry)), (file) => {
        const result = catalogueSchema.safeParse(file)
        expect(describeFirstIssue(file) === undefined).toBe(result.success)
        if (!result.success) {
          expect(describeFirstIssue(file)).toMatch(/\S/)
          return
        }
        for (const { id, title, image, price, rating = 0 } of result.data) {
          expect(Number.isInteger(id) && id > 0 && price >= 0 && rating >= 0 && rating <= 5).toBe(true)
          expect(title.trim()).not.toBe('')
          expect(image).toMatch(/^(\/(?!\/)|https:\/\/)/)
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('URLs', () => {
  it('always match a page or the 404 page', () => {
    fc.assert(
      fc.property(anyText, (path) => {
        const { name, params } = matchRoute(path)
        expect(getPageDefinition(name).title).toMatch(/\S/)
        expect(Object.keys(params)).toEqual(name === 'product' ? ['id'] : [])
      }),
      { numRuns: 500 },
    )
  })

  it('built with href match the same page and parameters', () => {
    for (const name of Object.keys(routes) as Exclude<RouteName, 'product'>[])
      if (!routes[name].path.includes(':')) expect(matchRoute(href(name)).name).toBe(name)
    fc.assert(
      fc.property(fc.nat(), (id) => {
        const { name, params } = matchRoute(href('product', { id }))
        expect([name, parseProductId(params.id ?? '')]).toEqual(['product', id])
      }),
    )
  })

  it('encode any parameter and query', () => {
    const anyParameter = fc.string({ unit: 'grapheme', minLength: 1 })
    fc.assert(
      fc.property(anyParameter, anyParameter, (id, value) => {
        const url = href('product', { id }, { q: value })
        expect(url).toMatch(/^\/product\/[^/?#<>"\s]+\?q=[^&#<>"\s]+$/)
        expect(new URLSearchParams(url.slice(url.indexOf('?'))).get('q')).toBe(value)
      }),
    )
  })

  it('give a valid category and page of the Shop for any query', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('category', 'page', 'x'), anyText)), (pairs) => {
        const { category, page } = parseShopQuery(new URLSearchParams(pairs))
        expect(category).toMatch(/^[A-Z]/)
        expect([1, 2]).toContain(paginate(Array.from({ length: 90 }), page).page)
      }),
    )
  })
})

describe('a data block', () => {
  it('never closes its script element, for any value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), anyText), (value) => {
        const json = serializeDataBlock(value)
        expect(json).not.toMatch(/[<\u2028\u2029]/)
        expect(JSON.stringify(JSON.parse(json))).toBe(JSON.stringify(value))
      }),
    )
  })
})
