import { expect, it } from 'vitest'
import { nextStatuses, ORDER_STATUSES, previousStatuses, statusesBefore } from './order-status.ts'

it('lets the operator fulfil, cancel and undo an order step by step', () => {
  const steps = ORDER_STATUSES.map((status) => [
    status,
    nextStatuses({ status, pickup: null }),
    previousStatuses(status),
  ])
  expect(steps).toEqual([
    ['awaiting_payment', ['cancelled'], []],
    ['placed', ['packed', 'cancelled'], []],
    ['packed', ['shipped', 'cancelled'], ['placed']],
    ['shipped', ['delivered'], ['packed']],
    ['ready', ['delivered'], ['packed']],
    ['delivered', [], ['shipped', 'ready']],
    ['cancelled', [], []],
    ['expired', [], []],
  ])
})

it('offers “ready for pickup” on pickup orders only', () => {
  expect(nextStatuses({ status: 'packed', pickup: 'Biashara Street 9' })).toEqual(['ready', 'cancelled'])
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
