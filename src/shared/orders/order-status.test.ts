import { expect, it } from 'vitest'
import { listNextStatuses, listPreviousStatuses, listStatusesBefore, ORDER_STATUSES } from './order-status.ts'

it('lets the operator fulfil, cancel and undo an order step by step', () => {
  const steps = ORDER_STATUSES.map((status) => [
    status,
    listNextStatuses({ status, pickup: null }),
    listPreviousStatuses(status),
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
  expect(listNextStatuses({ status: 'packed', pickup: 'Biashara Street 9' })).toEqual(['ready', 'cancelled'])
})

it('places an order only by payment, even after it expired, but not after it was cancelled', () => {
  expect(listStatusesBefore('settle', 'placed')).toEqual(['awaiting_payment', 'expired'])
})

it('lets a shopper cancel until the order is packed', () => {
  expect(listStatusesBefore('cancelByShopper', 'cancelled')).toEqual(['awaiting_payment', 'placed'])
})

it('doesn’t let the operator place an order', () => {
  expect(listStatusesBefore('fulfil', 'placed')).toEqual([])
})
