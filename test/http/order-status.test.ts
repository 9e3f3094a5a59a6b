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
  for (const to of ['packed', 'shipped', 'delivered'] as const) {
    expect(await changeOrderStatus({ number: ` ${number} `, to }, deps)).toMatchObject({
      ok: true,
      data: { to },
    })
  }
  for (const to of ORDER_STATUSES) {
    expect(await changeOrderStatus({ number, to }, deps)).toEqual({
      ok: false,
      error: { code: 'not_allowed', from: 'delivered', allowed: [] },
    })
  }
})

it('cancels an order before it is sent, and not after', async () => {
  const number = await placed()
  expect(await changeOrderStatus({ number, to: 'shipped' }, deps)).toEqual({
    ok: false,
    error: { code: 'not_allowed', from: 'placed', allowed: ['packed', 'cancelled'] },
  })
  expect(await changeOrderStatus({ number, to: 'cancelled' }, deps)).toMatchObject({ ok: true })
  expect(await changeOrderStatus({ number, to: 'packed' }, deps)).toMatchObject({
    ok: false,
    error: { code: 'not_allowed' },
  })
})

it('lets one of two changes at once win', async () => {
  const number = await placed()
  await changeOrderStatus({ number, to: 'packed' }, deps)
  const results = await Promise.all([
    changeOrderStatus({ number, to: 'shipped' }, deps),
    changeOrderStatus({ number, to: 'cancelled' }, deps),
  ])
  expect(results.map((result) => (result.ok ? 'changed' : result.error.code)).toSorted()).toEqual([
    'changed',
    'not_allowed',
  ])
})

it('knows no order that is not there', async () => {
  expect(await changeOrderStatus({ number: 'P-222222', to: 'packed' }, deps)).toEqual({
    ok: false,
    error: { code: 'unknown_order' },
  })
})
