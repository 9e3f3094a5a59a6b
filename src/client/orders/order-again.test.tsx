import { expect, it } from 'vitest'
import type { OrderView } from '#shared/orders/contract.ts'
import { isInCart } from './order-again.tsx'

const order = { lines: [{ productId: 1 }, { productId: 2 }] } as OrderView['order']
const cart = (ids: readonly number[]) =>
  ids.map((id) => ({ id, title: 'Romper', description: '', price: 900, image: '', qty: 1 }))

it('an order is in the cart if all its items are', () => {
  expect(isInCart(order, cart([2, 1, 3]))).toBe(true)
  expect(isInCart(order, cart([1]))).toBe(false)
  expect(isInCart(order, undefined)).toBe(false)
})
