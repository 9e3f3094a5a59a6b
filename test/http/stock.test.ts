import { and, eq } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import type { ServiceContext } from '#server/context.ts'
import { applyPaymentResult } from '#server/orders/apply-payment-result.ts'
import { cancelOrder } from '#server/orders/cancel.ts'
import { selectOrderRecord, toOrderRecord } from '#server/orders/order-record.ts'
import { payOrder } from '#server/orders/pay.ts'
import { expireOrders } from '#server/orders/release.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import { account, accounts } from '#test/support/account.ts'
import { testContext } from '#test/support/context.ts'
import { orderRequest, post } from '#test/support/orders.ts'
import { byMpesa, callOrder } from '#test/support/payments.ts'
import { setStock, stockOf } from '#test/support/stock.ts'

const ITEM = 2
const TITLE = 'Kikoi Wrap Dress, S'
const origin = 'https://pamba.test'
const lines = (qty: number) => [{ id: ITEM, qty }]

const declined = { outcome: 'declined', problem: 'cancelled' } as const

async function recordOf({ db }: ServiceContext, number: string) {
  const record = toOrderRecord(await db.batch(selectOrderRecord(db, eq(orders.number, number))))
  if (!record) throw new Error(`We can’t find order ${number}.`)
  return record
}

/** The provider says what became of an order's last attempt. */
async function told(ctx: ServiceContext, number: string, outcome: 'settled' | 'declined') {
  const record = await recordOf(ctx, number)
  const payment = record.payments.at(-1)
  if (!payment) throw new Error(`Nobody has tried to pay ${number}.`)
  const result =
    outcome === 'settled' ? ({ outcome, reference: payment.id, receipt: null } as const) : declined
  await applyPaymentResult({ record, payment, result, origin }, ctx)
}

/** An order of some units that awaits M-Pesa. */
async function pending(ctx: ServiceContext, shopper: Awaited<ReturnType<typeof account>>, qty = 1) {
  const { status, body } = await post(ctx, shopper, orderRequest(lines(qty), { payment: byMpesa() }))
  expect(status).toBe(202)
  return body.order.number
}

describe('the last unit', () => {
  it('goes to one of 200 parallel orders, and the others are told that it is sold out', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 1)
    const shoppers = await accounts(200, ctx)
    const answers = await Promise.all(shoppers.map((shopper) => post(ctx, shopper, orderRequest(lines(1)))))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const late = answers.filter(({ status }) => status !== 201)
    expect(new Set(late.map(({ status, body }) => JSON.stringify([status, body])))).toEqual(
      new Set([
        JSON.stringify([
          409,
          {
            message: `${TITLE} is sold out. Nothing was charged.`,
            code: 'out_of_stock',
            short: [{ id: ITEM, left: 0 }],
          },
        ]),
      ]),
    )
    expect(await stockOf(ctx, ITEM)).toMatchObject({
      onHand: 0,
      held: 0,
      holds: [{ qty: 1, state: 'sold' }],
    })
  })

  it('is not withheld from other items: what is made to order is always there', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 1)
    const request = orderRequest([...lines(2), { id: 3, qty: 99 }])
    const { body } = await post(ctx, await account(ctx), request)
    expect(body).toMatchObject({
      message: `Only 1 of ${TITLE} is left. Nothing was charged.`,
      short: [{ id: ITEM, left: 1 }],
    })
  })
})

describe('a unit that an unpaid order holds', () => {
  it('is nobody else’s until the order is declined, cancelled or expired, and is sold when it is paid', async () => {
    const ctx = testContext()
    const other = await account(ctx)
    const refused = async () => (await post(ctx, other, orderRequest(lines(1)))).body.code
    for (const letGo of ['decline', 'cancel', 'expire'] as const) {
      await setStock(ctx, ITEM, 1)
      const shopper = await account(ctx)
      const number = await pending(ctx, shopper)
      expect([await refused(), (await stockOf(ctx, ITEM)).held]).toEqual(['out_of_stock', 1])
      if (letGo === 'decline') await told(ctx, number, 'declined')
      else if (letGo === 'cancel') await callOrder(ctx, shopper, 'POST', `${number}/cancel`, {})
      else await expireOrders(eq(orders.number, number), ctx)
      expect(await stockOf(ctx, ITEM)).toMatchObject({ onHand: 1, held: 0, holds: [{ state: 'released' }] })
    }
    const number = await pending(ctx, other)
    await told(ctx, number, 'settled')
    expect(await stockOf(ctx, ITEM)).toMatchObject({ onHand: 0, held: 0 })
    await callOrder(ctx, other, 'POST', `${number}/cancel`, {})
    await callOrder(ctx, other, 'POST', `${number}/cancel`, {})
    expect(await stockOf(ctx, ITEM)).toMatchObject({ onHand: 1, held: 0 })
  })

  it('makes way for the next order of the same shopper, whose money counts once', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 1)
    const shopper = await account(ctx)
    const first = await pending(ctx, shopper)
    expect((await post(ctx, shopper, orderRequest(lines(1)))).status).toBe(201)
    // The prompt of the first order is answered all the same.
    await told(ctx, first, 'settled')
    expect(await stockOf(ctx, ITEM)).toMatchObject({ onHand: 0, held: 0 })
    const { row, payments: attempts } = await recordOf(ctx, first)
    expect([row.status, attempts.map(({ refundState }) => refundState)]).toEqual(['expired', ['due']])
    const { body } = await callOrder(ctx, shopper, 'GET', `${first}/payment`)
    expect(body.payment.message).toContain('giving KSH')
  })

  it('stays held where there is enough for the next order, too', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 2)
    const shopper = await account(ctx)
    const first = await pending(ctx, shopper)
    expect((await post(ctx, shopper, orderRequest(lines(1)))).status).toBe(201)
    expect(await stockOf(ctx, ITEM)).toMatchObject({ onHand: 1, held: 1 })
    await told(ctx, first, 'settled')
    expect((await recordOf(ctx, first)).row.status).toBe('placed')
  })

  it('comes back to an order that expired if its money comes before anybody else has it', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 1)
    const number = await pending(ctx, await account(ctx))
    await expireOrders(eq(orders.number, number), ctx)
    await told(ctx, number, 'settled')
    expect((await recordOf(ctx, number)).row.status).toBe('placed')
    expect(await stockOf(ctx, ITEM)).toMatchObject({ onHand: 0, held: 0, holds: [{ state: 'sold' }] })
  })

  it('is not paid for again once somebody else has it: the order closes and shows why', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 1)
    const shopper = await account(ctx)
    const number = await pending(ctx, shopper)
    await told(ctx, number, 'declined')
    await pending(ctx, await account(ctx))
    const answer = await callOrder(ctx, shopper, 'POST', `${number}/payment`, { payment: byMpesa() })
    expect([answer.status, answer.body]).toMatchObject([
      409,
      { code: 'out_of_stock', order: { status: 'expired' }, short: [{ id: ITEM, left: 0 }] },
    ])
  })
})

describe('what is left for a shopper', () => {
  it('counts the units that their own unpaid orders hold, and names nothing that is made to order', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 2)
    const [holder, other] = [await account(ctx), await account(ctx)]
    await pending(ctx, holder)
    const left = async ({ bearer }: typeof holder) => {
      const response = await createApp(ctx).request(`${origin}/api/stock/check`, {
        method: 'POST',
        headers: { ...bearer, 'Content-Type': 'application/json' },
        body: JSON.stringify({ ids: [ITEM, 3] }),
      })
      return response.json()
    }
    expect(await left(holder)).toEqual({ left: [{ id: ITEM, left: 2 }] })
    expect(await left(other)).toEqual({ left: [{ id: ITEM, left: 1 }] })
  })
})

describe('whatever happens to orders', () => {
  const step = fc.record({
    what: fc.constantFrom('order', 'order', 'pay', 'decline', 'expire', 'cancel', 'again'),
    who: fc.nat(1),
    qty: fc.integer({ min: 1, max: 2 }),
    which: fc.nat(4),
  })

  it('no unit is lost or sold twice, and all money is kept for units or given back', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const ctx = testContext()
      const all = 3
      await setStock(ctx, ITEM, all)
      const shoppers = [await account(ctx), await account(ctx)]
      const numbers: string[] = []
      for (const { what, who, qty, which } of steps) {
        const number = numbers[which % Math.max(numbers.length, 1)]
        const shopper = shoppers[who]
        if (what === 'order' && shopper) {
          const { body } = await post(ctx, shopper, orderRequest(lines(qty), { payment: byMpesa() }))
          if (body.order) numbers.push(body.order.number)
        } else if (!number) continue
        else if (what === 'pay') await told(ctx, number, 'settled')
        else if (what === 'decline') await told(ctx, number, 'declined')
        else if (what === 'expire')
          await expireOrders(and(eq(orders.number, number), eq(orders.status, 'awaiting_payment')), ctx)
        else {
          const record = await recordOf(ctx, number)
          if (what === 'cancel') await cancelOrder({ record, by: 'operator', actor: 'asha@example.com' }, ctx)
          else await payOrder({ record, chosen: byMpesa(), origin, isRetry: false }, ctx)
        }

        const { onHand = 0, held, holds } = await stockOf(ctx, ITEM)
        const units = (state: string) =>
          holds.filter((hold) => hold.state === state).reduce((sum, hold) => sum + hold.qty, 0)
        expect(held).toBe(units('held'))
        expect(units('held')).toBeLessThanOrEqual(onHand)
        expect(onHand + units('sold')).toBe(all)
        for (const { orderId, state } of holds) {
          const [row] = await ctx.db.select().from(orders).where(eq(orders.id, orderId))
          const paid = await ctx.db.select().from(payments).where(eq(payments.orderId, orderId))
          expect(state === 'sold').toBe(row?.status === 'placed')
          if (state === 'held') expect(row?.status).toBe('awaiting_payment')
          const kept = paid.filter((payment) => payment.state === 'settled' && payment.refundState === null)
          expect(kept).toHaveLength(state === 'sold' ? 1 : 0)
        }
      }
    })
    await fc.assert(property, { numRuns: 12 })
  })
})
