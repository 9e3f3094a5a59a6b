import { and, eq } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ServiceContext } from '#server/context.ts'
import { applyPaymentResult } from '#server/orders/apply-payment-result.ts'
import { cancelOrder } from '#server/orders/cancel-order.ts'
import { selectOrderRecord, toOrderRecord } from '#server/orders/order-record.ts'
import { payOrder } from '#server/orders/pay-order.ts'
import { expireOrders } from '#server/orders/release-order.ts'
import { calculateRefundableCents } from '#server/payments/refunds.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import { orders, payments, refunds } from '#server/platform/db/schema.ts'
import { setStock as countStock } from '#server/stock/set-stock.ts'
import { createAccount, createAccounts } from '#test/support/account.ts'
import { testContext } from '#test/support/context.ts'
import { orderRequest, postOrder } from '#test/support/orders.ts'
import { callOrder, createMpesaPayment } from '#test/support/payments.ts'
import { postJson } from '#test/support/posting.ts'
import { readStock, setStock } from '#test/support/stock.ts'

const ITEM = 2
const TITLE = 'Kikoi Wrap Dress, S'
const origin = 'https://pamba.test'
const lines = (qty: number) => [{ id: ITEM, qty }]

const declined = { outcome: 'declined', problem: 'cancelled' } as const

async function readRecord({ db }: ServiceContext, number: string) {
  const record = toOrderRecord(await db.batch(selectOrderRecord(db, eq(orders.number, number))))
  if (!record) throw new Error(`We can’t find order ${number}.`)
  return record
}

async function applyResult(ctx: ServiceContext, number: string, outcome: 'settled' | 'declined') {
  const record = await readRecord(ctx, number)
  const payment = record.payments.at(-1)
  if (!payment) throw new Error(`Order ${number} has no payment attempt.`)
  const result =
    outcome === 'settled' ? ({ outcome, reference: payment.id, receipt: null } as const) : declined
  await applyPaymentResult({ record, payment, result, origin }, ctx)
}

async function placeUnpaidOrder(
  ctx: ServiceContext,
  shopper: Awaited<ReturnType<typeof createAccount>>,
  qty = 1,
) {
  const { status, body } = await postOrder(
    ctx,
    shopper,
    orderRequest(lines(qty), { payment: createMpesaPayment() }),
  )
  expect(status).toBe(202)
  return body.order.number
}

describe('the last unit', () => {
  it('goes to one of 200 concurrent orders, and the others are refused as sold out', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 1)
    const shoppers = await createAccounts(200, ctx)
    const responses = await Promise.all(
      shoppers.map((shopper) => postOrder(ctx, shopper, orderRequest(lines(1)))),
    )
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
    const orderAsOther = responses.filter(({ status }) => status !== 201)
    expect(new Set(orderAsOther.map(({ status, body }) => JSON.stringify([status, body])))).toEqual(
      new Set([
        JSON.stringify([
          409,
          {
            message: `We’re sold out of ${TITLE}. You haven’t been charged. Please update your cart and try again.`,
            code: 'out_of_stock',
            short: [{ id: ITEM, left: 0 }],
          },
        ]),
      ]),
    )
    expect(await readStock(ctx, ITEM)).toMatchObject({
      onHand: 0,
      reserved: 0,
      reservations: [{ qty: 1, state: 'sold' }],
    })
  })

  it('doesn’t limit made-to-order items in the same order', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 1)
    const request = orderRequest([...lines(2), { id: 3, qty: 99 }])
    const { body } = await postOrder(ctx, await createAccount(ctx), request)
    expect(body).toMatchObject({
      message: `${TITLE}: only 1 left. You haven’t been charged. Please update your cart and try again.`,
      short: [{ id: ITEM, left: 1 }],
    })
  })
})

describe('a unit reserved by an unpaid order', () => {
  it('is unavailable to others until the order is declined, cancelled or expired, and is sold when it is paid', async () => {
    const ctx = testContext()
    const other = await createAccount(ctx)
    const readRefusal = async () => (await postOrder(ctx, other, orderRequest(lines(1)))).body.code
    for (const release of ['decline', 'cancel', 'expire'] as const) {
      await setStock(ctx, ITEM, 1)
      const shopper = await createAccount(ctx)
      const number = await placeUnpaidOrder(ctx, shopper)
      expect([await readRefusal(), (await readStock(ctx, ITEM)).reserved]).toEqual(['out_of_stock', 1])
      if (release === 'decline') await applyResult(ctx, number, 'declined')
      else if (release === 'cancel') await callOrder(ctx, shopper, 'POST', `${number}/cancel`, {})
      else await expireOrders(eq(orders.number, number), ctx)
      expect(await readStock(ctx, ITEM)).toMatchObject({
        onHand: 1,
        reserved: 0,
        reservations: [{ state: 'released' }],
      })
    }
    const number = await placeUnpaidOrder(ctx, other)
    await applyResult(ctx, number, 'settled')
    expect(await readStock(ctx, ITEM)).toMatchObject({ onHand: 0, reserved: 0 })
    await callOrder(ctx, other, 'POST', `${number}/cancel`, {})
    await callOrder(ctx, other, 'POST', `${number}/cancel`, {})
    expect(await readStock(ctx, ITEM)).toMatchObject({ onHand: 1, reserved: 0 })
  })

  it('limits every count of its item, also the first one after it was made to order', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 2)
    const shopper = await createAccount(ctx)
    const number = await placeUnpaidOrder(ctx, shopper, 2)
    const count = (onHand: number | null) =>
      countStock({ itemId: ITEM, onHand, actor: COMMAND_LINE_ACTOR }, ctx)
    const refusal = { ok: false, error: { code: 'units_reserved', reserved: 2 } }
    expect(await count(1)).toEqual(refusal)
    expect((await count(null)).ok).toBe(true)
    expect(await count(1)).toEqual(refusal)
    expect((await count(3)).ok).toBe(true)
    const cancelled = await callOrder(ctx, shopper, 'POST', `${number}/cancel`, {})
    expect([cancelled.status, await readStock(ctx, ITEM)]).toMatchObject([200, { onHand: 3, reserved: 0 }])
  })

  it('is released for the same shopper’s next order, and a late payment is refunded', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 1)
    const shopper = await createAccount(ctx)
    const first = await placeUnpaidOrder(ctx, shopper)
    expect((await postOrder(ctx, shopper, orderRequest(lines(1)))).status).toBe(201)
    // The first order is paid late, after the second order has taken the last unit.
    await applyResult(ctx, first, 'settled')
    expect(await readStock(ctx, ITEM)).toMatchObject({ onHand: 0, reserved: 0 })
    const { row, refunds: refunded } = await readRecord(ctx, first)
    expect([row.status, refunded.map(({ state }) => state)]).toEqual(['expired', ['due']])
    const { body } = await callOrder(ctx, shopper, 'GET', `${first}/payment`)
    expect(body.payment.message).toContain('We’ve started a refund of KSH')
  })

  it('stays reserved if there is enough stock for the next order', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 2)
    const shopper = await createAccount(ctx)
    const first = await placeUnpaidOrder(ctx, shopper)
    expect((await postOrder(ctx, shopper, orderRequest(lines(1)))).status).toBe(201)
    expect(await readStock(ctx, ITEM)).toMatchObject({ onHand: 1, reserved: 1 })
    await applyResult(ctx, first, 'settled')
    expect((await readRecord(ctx, first)).row.status).toBe('placed')
  })

  it('is reserved again for an expired order if its payment arrives while the unit is available', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 1)
    const number = await placeUnpaidOrder(ctx, await createAccount(ctx))
    await expireOrders(eq(orders.number, number), ctx)
    await applyResult(ctx, number, 'settled')
    expect((await readRecord(ctx, number)).row.status).toBe('placed')
    expect(await readStock(ctx, ITEM)).toMatchObject({
      onHand: 0,
      reserved: 0,
      reservations: [{ state: 'sold' }],
    })
  })

  it('can’t be paid for once another order has reserved it: the first order expires', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 1)
    const shopper = await createAccount(ctx)
    const number = await placeUnpaidOrder(ctx, shopper)
    await applyResult(ctx, number, 'declined')
    await placeUnpaidOrder(ctx, await createAccount(ctx))
    const response = await callOrder(ctx, shopper, 'POST', `${number}/payment`, {
      payment: createMpesaPayment(),
    })
    expect([response.status, response.body]).toMatchObject([
      409,
      { code: 'out_of_stock', order: { status: 'expired' }, short: [{ id: ITEM, left: 0 }] },
    ])
  })
})

describe('the units left for a shopper', () => {
  it('include those reserved by their own unpaid orders, and omit made-to-order items', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 2)
    const [buyer, other] = [await createAccount(ctx), await createAccount(ctx)]
    await placeUnpaidOrder(ctx, buyer)
    const readUnitsLeft = async ({ bearer }: typeof buyer) => {
      const response = await postJson(ctx, '/api/stock/check', { ids: [ITEM, 3] }, bearer)
      return response.json()
    }
    expect(await readUnitsLeft(buyer)).toEqual({ left: [{ id: ITEM, left: 2 }] })
    expect(await readUnitsLeft(other)).toEqual({ left: [{ id: ITEM, left: 1 }] })
  })
})

describe('after any sequence of order events', () => {
  const step = fc.record({
    what: fc.constantFrom('order', 'order', 'pay', 'decline', 'expire', 'cancel', 'again'),
    who: fc.nat(1),
    qty: fc.integer({ min: 1, max: 2 }),
    which: fc.nat(4),
  })

  it('no unit is lost or sold twice, and every payment is either for sold units or refunded', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const ctx = testContext()
      const totalUnits = 3
      await setStock(ctx, ITEM, totalUnits)
      const shoppers = [await createAccount(ctx), await createAccount(ctx)]
      const numbers: string[] = []
      for (const { what, who, qty, which } of steps) {
        const number = numbers[which % Math.max(numbers.length, 1)]
        const shopper = shoppers[who]
        if (what === 'order' && shopper) {
          const { body } = await postOrder(
            ctx,
            shopper,
            orderRequest(lines(qty), { payment: createMpesaPayment() }),
          )
          if (body.order) numbers.push(body.order.number)
        } else if (!number) continue
        else if (what === 'pay') await applyResult(ctx, number, 'settled')
        else if (what === 'decline') await applyResult(ctx, number, 'declined')
        else if (what === 'expire')
          await expireOrders(and(eq(orders.number, number), eq(orders.status, 'awaiting_payment')), ctx)
        else {
          const record = await readRecord(ctx, number)
          if (what === 'cancel')
            await cancelOrder(
              { record, by: 'operator', actor: { email: 'asha@example.com', role: 'owner' } },
              ctx,
            )
          else await payOrder({ record, paymentDetails: createMpesaPayment(), origin, isRetry: false }, ctx)
        }

        const { onHand = 0, reserved, reservations } = await readStock(ctx, ITEM)
        const units = (state: string) =>
          reservations.filter((hold) => hold.state === state).reduce((sum, hold) => sum + hold.qty, 0)
        expect(reserved).toBe(units('held'))
        expect(units('held')).toBeLessThanOrEqual(onHand)
        expect(onHand + units('sold')).toBe(totalUnits)
        for (const { orderId, state } of reservations) {
          const [row] = await ctx.db.select().from(orders).where(eq(orders.id, orderId))
          const orderPayments = await ctx.db.select().from(payments).where(eq(payments.orderId, orderId))
          expect(state === 'sold').toBe(row?.status === 'placed')
          if (state === 'held') expect(row?.status).toBe('awaiting_payment')
          const refunded = await ctx.db.select().from(refunds).where(eq(refunds.orderId, orderId))
          const notRefunded = orderPayments.filter(
            (payment) => calculateRefundableCents(payment, refunded) > 0,
          )
          expect(notRefunded).toHaveLength(state === 'sold' ? 1 : 0)
        }
      }
    })
    await fc.assert(property, { numRuns: 12 })
  })
})
