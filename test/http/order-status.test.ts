import { expect, it } from 'vitest'
import { changeOrderStatus } from '#server/services/orders/change-status.ts'
import { ORDER_STATUSES } from '#shared/rules/order-status.ts'
import { account } from '#test/support/account.ts'
import { testDeps } from '#test/support/deps.ts'
import { orderRequest, post } from '#test/support/orders.ts'

const deps = testDeps()
const placed = async () => (await post(deps, await account(deps), orderRequest())).body.order.number

it('takes an order from placed to delivered, its number typed in any case', async () => {
  const number = (await placed()).toLowerCase()
  for (const to of ['paid', 'shipped', 'delivered'] as const) {
    expect(await changeOrderStatus({ number: ` ${number} `, to }, deps)).toMatchObject({
      kind: 'changed',
      to,
    })
  }
  for (const to of ORDER_STATUSES) {
    expect(await changeOrderStatus({ number, to }, deps)).toEqual({
      kind: 'not_allowed',
      from: 'delivered',
      allowed: [],
    })
  }
})

it('cancels an order before it is sent, and not after', async () => {
  const number = await placed()
  expect(await changeOrderStatus({ number, to: 'shipped' }, deps)).toEqual({
    kind: 'not_allowed',
    from: 'placed',
    allowed: ['paid', 'cancelled'],
  })
  expect(await changeOrderStatus({ number, to: 'cancelled' }, deps)).toMatchObject({ kind: 'changed' })
  expect(await changeOrderStatus({ number, to: 'paid' }, deps)).toMatchObject({ kind: 'not_allowed' })
})

it('lets one of two changes at once win', async () => {
  const number = await placed()
  await changeOrderStatus({ number, to: 'paid' }, deps)
  const outcomes = await Promise.all([
    changeOrderStatus({ number, to: 'shipped' }, deps),
    changeOrderStatus({ number, to: 'cancelled' }, deps),
  ])
  expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['changed', 'not_allowed'])
})

it('knows no order that is not there', async () => {
  expect(await changeOrderStatus({ number: 'P-222222', to: 'paid' }, deps)).toEqual({ kind: 'unknown_order' })
})
