import { expect, it } from 'vitest'
import { nextStatuses, ORDER_STATUSES, previousStatuses, statusesBefore } from './order-status.ts'

it('lets the operator fulfil, cancel and undo an order step by step', () => {
  const steps = ORDER_STATUSES.map((status) => [status, nextStatuses(status), previousStatuses(status)])
  expect(steps).toEqual([
    ['awaiting_payment', ['cancelled'], []],
    ['placed', ['packed', 'cancelled'], []],
    ['packed', ['shipped', 'ready', 'cancelled'], ['placed']],
    ['shipped', ['delivered'], ['packed']],
    ['ready', ['delivered'], ['packed']],
    ['delivered', [], ['shipped', 'ready']],
    ['cancelled', [], []],
    ['expired', [], []],
  ])
})

it('places an order only by payment, even after it expired, but not after it was cancelled', () => {
  expect(statusesBefore('settle', 'placed')).toEqual(['awaiting_payment', 'expired'])
})

it('lets a shopper cancel until the order is packed', () => {
  expect(statusesBefore('cancelByShopper', 'cancelled')).toEqual(['awaiting_payment', 'placed'])
})

it('allows no transition outside the table', () => {
  expect(statusesBefore('fulfil', 'placed')).toEqual([])
})
