import { expect, it } from 'vitest'
import { MAX_CART_LINES, MAX_QTY } from '#shared/cart/cart.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { type PreviousOrderLine, reorder } from './reorder.ts'

const product = { description: 'Soft', image: '/1.svg', category: 'Clothing', rating: 5 }
const catalogue: Catalogue = [
  { ...product, id: 1, title: 'Romper', price: 1000 },
  {
    ...product,
    ...{ id: 10, title: 'Dress', price: 2000 },
    sizing: {
      scale: 'clothing',
      sizes: [
        { id: 10, label: 'S', price: 2000 },
        { id: 11, label: 'M', price: 2500 },
      ],
    },
  },
]
/** No item has limited stock. */
const MADE_TO_ORDER = new Map<number, number>()
const line = (productId: number, more: Partial<PreviousOrderLine> = {}): PreviousOrderLine => ({
  ...{ productId, title: 'Romper', size: null, unitPriceCents: 1000_00, qty: 2 },
  ...more,
})

it('reordering adds the products still sold, at today’s prices, and names changed prices', () => {
  const lines = [line(1), line(11, { title: 'Dress', size: 'M', unitPriceCents: 2400_00 })]
  const { cart, outcome } = reorder([], lines, catalogue, MADE_TO_ORDER)
  expect(cart.map(({ id, size, price, qty }) => [id, size, price, qty])).toEqual([
    [1, undefined, 1000, 2],
    [11, 'M', 2500, 2],
  ])
  expect(outcome).toEqual({
    hasLinesInCart: true,
    sentences: ['4 items added to your cart.', 'Dress, M now costs KSH 2,500. You paid KSH 2,400.'],
  })
})

it('reordering names products no longer sold, and units over the limit of a product', () => {
  const before = reorder([], [line(1, { qty: 49 })], catalogue, MADE_TO_ORDER).cart
  const { cart, outcome } = reorder(
    before,
    [line(1, { qty: 60 }), line(99, { title: 'Sling', size: 'L' })],
    catalogue,
    MADE_TO_ORDER,
  )
  expect(cart.map(({ id, qty }) => [id, qty])).toEqual([[1, MAX_QTY]])
  expect(outcome.sentences).toEqual([
    '50 items added to your cart.',
    'Sling, L is no longer available.',
    'You can order up to 99 of Romper, so we couldn’t add 10 more.',
  ])
})

it('reordering adds nothing if the cart still has the lines, as after an unpaid order', () => {
  const { cart } = reorder([], [line(1, { qty: 1 })], catalogue, MADE_TO_ORDER)
  const again = reorder(cart, [line(1, { qty: 1 })], catalogue, MADE_TO_ORDER)
  expect(again.cart).toBe(cart)
  expect(again.outcome).toEqual({
    hasLinesInCart: true,
    sentences: ['This item is already in your cart.'],
  })
  expect(reorder(cart, [line(1)], catalogue, MADE_TO_ORDER).cart).toMatchObject([{ id: 1, qty: 3 }])
})

it('reordering says how many units do not fit into a full cart', () => {
  const full = Array.from({ length: MAX_CART_LINES }, (_, index) => ({
    ...{ id: 100 + index, title: 'Basket', description: '', image: '/2.svg', price: 500, qty: 1 },
  }))
  const { cart, outcome } = reorder(
    full,
    [line(1), line(10, { title: 'Dress', size: 'S', qty: 3 })],
    catalogue,
    MADE_TO_ORDER,
  )
  expect(cart).toEqual(full)
  expect(outcome).toEqual({
    hasLinesInCart: false,
    sentences: [
      'Nothing was added to your cart.',
      'Dress, S now costs KSH 2,000. You paid KSH 1,000.',
      'Your cart is full, so we couldn’t add 5 items.',
    ],
  })
})

it('reordering adds only what is left, and nothing that is sold out', () => {
  const lines = [line(1, { qty: 3 }), line(10, { title: 'Dress', size: 'S', unitPriceCents: 2000_00 })]
  const { cart, outcome } = reorder(
    [],
    lines,
    catalogue,
    new Map([
      [1, 2],
      [10, 0],
    ]),
  )
  expect(cart).toMatchObject([{ id: 1, qty: 2 }])
  expect(outcome.sentences).toEqual([
    '2 items added to your cart.',
    'Romper: only 2 left.',
    'We’re sold out of Dress, S.',
  ])
})
