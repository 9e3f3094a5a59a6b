import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Product } from '#shared/catalogue/catalogue.ts'
import { type Cart, MAX_CART_LINES, MAX_QTY } from './cart.ts'
import { fillCart, getCartLinkPath, parseCartLink, resolveCartLink } from './cart-link.ts'

const product = (id: number, rest: Partial<Product> = {}): Product => ({
  ...{ id, title: `Product ${id}`, description: '', price: 100 * id, image: '/x.svg' },
  ...{ category: 'Toys', rating: 5, ...rest },
})
const catalogue = [
  product(1, {
    title: 'Kikoi Dress',
    left: { 2: 0 },
    sizing: {
      scale: 'clothing',
      sizes: [
        { id: 1, label: 'S', price: 900 },
        { id: 2, label: 'M', price: 950 },
      ],
    },
  }),
  product(5, { title: 'Sisal Basket', left: { 5: 3 } }),
  product(7, { title: 'Rattle' }),
]
const line = (id: number, qty: number, price = 100 * id) => ({
  ...{ id, qty, price, title: `Product ${id}`, description: '', image: '/x.svg' },
})
const formatLines = (cart: Cart) => cart.map(({ id, qty }) => `${qty} of ${id}`)

describe('a cart link', () => {
  it('parses back to the same lines', () => {
    const anyLines = fc.uniqueArray(
      fc.record({ id: fc.integer({ min: 1, max: 99_999 }), qty: fc.integer({ min: 1, max: MAX_QTY }) }),
      { selector: ({ id }) => id, minLength: 1, maxLength: 100 },
    )
    fc.assert(
      fc.property(anyLines, (lines) => {
        const path = getCartLinkPath(lines)
        expect(path).toMatch(/^\/buy\/[\d:,]+$/)
        expect(parseCartLink(path.slice('/buy/'.length))).toEqual(lines)
        expect(parseCartLink(encodeURIComponent(path.slice('/buy/'.length)))).toEqual(lines)
      }),
    )
  })

  it.each([
    '',
    'abc',
    '1',
    '1:',
    ':1',
    '1:0',
    '0:1',
    '1:1,',
    '1:1;2:1',
    '-1:1',
    '1:-1',
    '1.5:1',
    '1:1e3',
    '%',
    '%31:1',
    '1:99999',
    '9'.repeat(12),
    '1:1,'.repeat(600),
  ])('is malformed if it ends with %j', (text) => {
    expect(resolveCartLink(text, catalogue)).toEqual({ outcome: 'malformed' })
  })

  it.each([
    ['1:1,7:2', ['1 of 1', '2 of 7'], []],
    ['7:1,7:2', ['3 of 7'], []],
    ['2:1,7:1', ['1 of 7'], ['We’re sold out of Kikoi Dress, M.']],
    ['5:4', ['3 of 5'], ['Sisal Basket: only 3 left.']],
    ['7:100', ['99 of 7'], ['You can order up to 99 of Rattle.']],
    ['404:1', [], ['A product in this link is no longer available.']],
    ['404:1,405:1', [], ['2 products in this link are no longer available.']],
  ])('with %s yields what can be bought and explains the rest', (text, lines, problems) => {
    const view = resolveCartLink(text, catalogue)
    if (view.outcome !== 'resolved') throw new Error(view.outcome)
    expect(formatLines(view.lines)).toEqual(lines)
    expect(view.problems).toEqual(problems)
  })

  it('leaves out products beyond the cart’s limit, and says how many', () => {
    const many = Array.from({ length: MAX_CART_LINES + 2 }, (_, index) => product(index + 1))
    const view = resolveCartLink(many.map(({ id }) => `${id}:1`).join(','), many)
    expect(view).toMatchObject({
      problems: ['A cart can hold up to 100 different products, so we left out 2.'],
    })
  })
})

describe('filling a cart from a link', () => {
  it('raises quantities to the link’s, at today’s prices, and says what was added', () => {
    const cart = [line(1, 1, 50), line(2, 9), { ...line(3, 1), isSizeAssumed: true as const }]
    const filled = fillCart(cart, [line(1, 2), line(2, 1), line(3, 1), line(4, 1)])
    expect(formatLines(filled.cart)).toEqual(['2 of 1', '9 of 2', '1 of 3', '1 of 4'])
    expect(filled.cart[0]?.price).toBe(100)
    expect(filled.cart[2]?.isSizeAssumed).toBeUndefined()
    expect(filled.sentences).toEqual(['Added to your cart: 1 × Product 1; 1 × Product 4.'])
  })

  it('names what doesn’t fit into a full cart', () => {
    const full = Array.from({ length: MAX_CART_LINES }, (_, index) => line(index + 1, 1))
    expect(fillCart(full, [line(500, 2)])).toEqual({
      cart: full,
      sentences: ['Your cart is full, so we couldn’t add 2 × Product 500.'],
    })
  })

  it('changes nothing the second time, for any cart', () => {
    const anyLines = fc
      .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 130 }), fc.integer({ min: 1, max: MAX_QTY })), {
        selector: ([id]) => id,
        maxLength: MAX_CART_LINES,
      })
      .map((pairs): Cart => pairs.map(([id, qty]) => line(id, qty)))
    fc.assert(
      fc.property(anyLines, anyLines, (cart, lines) => {
        const once = fillCart(cart, lines).cart
        const again = fillCart(once, lines)
        expect(again.cart).toEqual(once)
        expect(again.sentences.join()).not.toContain('Added')
        expect(once.length).toBeLessThanOrEqual(MAX_CART_LINES)
      }),
    )
  })
})
