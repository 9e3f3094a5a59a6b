import { expect, it } from 'vitest'
import { listNextStatuses, listPreviousStatuses, listStatusesBefore, ORDER_STATUSES } from './order-status.ts'

it('the operator can fulfil an order step by step, undo each step, and cancel it until it is delivered', () => {
  const steps = ORDER_STATUSES.map((status) => [
    status,
    listNextStatuses({ status, pickup: null }),
    listPreviousStatuses(status),
  ])
  expect(steps).toEqual([
    ['awaiting_payment', ['cancelled'], []],
    ['placed', ['packed', 'cancelled'], []],
    ['packed', ['shipped', 'cancelled'], ['placed']],
    ['shipped', ['delivered', 'cancelled'], ['packed']],
    ['ready', ['delivered', 'cancelled'], ['packed']],
    ['delivered', [], ['shipped', 'ready']],
    ['cancelled', [], []],
    ['expired', [], []],
  ])
})

it('only a pickup order can become ready for pickup, and it can’t be shipped', () => {
  expect(listNextStatuses({ status: 'packed', pickup: 'Biashara Street 9' })).toEqual(['ready', 'cancelled'])
  expect(listNextStatuses({ status: 'packed', pickup: null })).toEqual(['shipped', 'cancelled'])
})

it('a payment places an order, even after it expired, but not after it was cancelled', () => {
  expect(listStatusesBefore('settle', 'placed')).toEqual(['awaiting_payment', 'expired'])
})

it('a shopper can cancel until the order is packed', () => {
  expect(listStatusesBefore('cancelByShopper', 'cancelled')).toEqual(['awaiting_payment', 'placed'])
})

it('fulfilment never moves an order to placed', () => {
  expect(listStatusesBefore('fulfil', 'placed')).toEqual([])
})
