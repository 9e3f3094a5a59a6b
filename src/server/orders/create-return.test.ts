import { expect, it } from 'vitest'
import { describeNotReturnable } from './create-return.ts'

it.each([
  [
    'placed',
    null,
    'This order hasn’t been sent yet, so nothing can be returned. Edit or cancel the order instead.',
  ],
  [
    'packed',
    'shop',
    'This order isn’t ready for pickup yet, so nothing can be returned. Edit or cancel the order instead.',
  ],
  ['cancelled', null, 'This order was cancelled, so nothing can be returned.'],
  ['expired', null, 'This order has expired, so nothing can be returned.'],
] as const)(
  'an order that is %s (pickup: %s) can’t be returned, and the message says why',
  (status, pickup, message) => {
    expect(describeNotReturnable({ status, pickup })).toBe(message)
  },
)
