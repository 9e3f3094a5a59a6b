import { count, eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import type { ServiceContext } from '#server/context.ts'
import { orders } from '#server/platform/db/schema.ts'
import { createAccount, createAccounts } from '#test/support/account.ts'
import { testContext } from '#test/support/context.ts'
import {
  calculateCheckoutTotalKsh,
  countUses,
  createPromotion,
  orderRequest,
  postOrder,
  readRecords,
  tenPercentDiscount,
} from '#test/support/orders.ts'
import { createMpesaPayment, testPayments } from '#test/support/payments.ts'

const LINES = [
  { id: 1, qty: 1 },
  { id: 2, qty: 3 },
]

async function orderWithPromotion(ctx: ServiceContext, maxUses: number) {
  const promoCode = await createPromotion(ctx, { maxUses })
  return orderRequest(LINES, {
    promoCode,
    expectedTotal: calculateCheckoutTotalKsh(LINES, tenPercentDiscount),
  })
}

/** No payment settles until `posts` payments have started. */
function settleTogether(posts: number) {
  const all = Promise.withResolvers<void>()
  let waiting = 0
  return testPayments({
    simulated: {
      async startPayment({ id }) {
        waiting++
        if (waiting === posts) all.resolve()
        await all.promise
        return { outcome: 'settled', reference: `sim_${id}`, receipt: null }
      },
    },
  })
}

describe('checkout under concurrent requests', () => {
  it('places one order for 200 requests with one key', async () => {
    const posts = 200
    const ctx = testContext({ payments: settleTogether(posts) })
    const shopper = await createAccount(ctx)
    const key = crypto.randomUUID()
    const responses = await Promise.all(
      Array.from({ length: posts }, () => postOrder(ctx, shopper, orderRequest(LINES), key)),
    )
    const statuses = responses.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([...Array(posts - 1).fill(200), 201])
    expect(new Set(responses.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    const records = await readRecords(ctx, shopper.user.id)
    expect([records.orders.length, records.lines.length, records.emails.length]).toEqual([1, 2, 2])
    await ctx.backgroundDone()
    expect(ctx.emails).toHaveLength(2)
  })

  it('places one order for 20 requests with one key and the last use of a promo code', async () => {
    const ctx = testContext({ payments: settleTogether(20) })
    const shopper = await createAccount(ctx)
    const request = await orderWithPromotion(ctx, 1)
    const key = crypto.randomUUID()
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => postOrder(ctx, shopper, request, key)),
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201])
    expect(new Set(responses.map(({ body }) => body.order.number)).size).toBe(1)
  })

  it('accepts a promo code up to its limit, and refuses the other orders with a message', async () => {
    const ctx = testContext()
    const request = await orderWithPromotion(ctx, 3)
    const shoppers = await createAccounts(12, ctx)
    const responses = await Promise.all(shoppers.map((shopper) => postOrder(ctx, shopper, request)))
    const refused = responses.filter(({ status }) => status !== 201)
    expect(refused).toHaveLength(9)
    for (const { status, body } of refused) {
      expect(status, JSON.stringify(body)).toBe(409)
      expect(body.code).toBe('promotion_refused')
      expect(body.message).toContain('has reached its limit')
      expect(body.totals).toMatchObject({
        discountCents: 0,
        totalCents: calculateCheckoutTotalKsh(LINES) * 100,
      })
    }
    const { promoCode = '' } = request
    const [placed] = await ctx.db.select({ n: count() }).from(orders).where(eq(orders.promoCode, promoCode))
    expect([placed?.n, await countUses(ctx, promoCode)]).toEqual([3, 3])
  })

  it('places only one of two different orders with one key', async () => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    const key = crypto.randomUUID()
    const responses = await Promise.all([
      postOrder(ctx, shopper, orderRequest(LINES), key),
      postOrder(ctx, shopper, orderRequest([{ id: 3, qty: 1 }]), key),
    ])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409])
    await ctx.backgroundDone()
    const { orders: rows, emails } = await readRecords(ctx, shopper.user.id)
    expect([rows.length, emails.length]).toEqual([1, 2])
  })

  it('prompts a phone once for 20 requests with one key', async () => {
    let prompts = 0
    const payments = testPayments({
      mpesa: {
        async startPayment({ id }) {
          prompts++
          return { outcome: 'pending', reference: `ref-${id}` }
        },
      },
    })
    const ctx = testContext({ payments })
    const shopper = await createAccount(ctx)
    const key = crypto.randomUUID()
    const request = orderRequest(LINES, { payment: createMpesaPayment() })
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => postOrder(ctx, shopper, request, key)),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(202))
    expect(prompts).toBe(1)
  })
})

describe('the order limit', () => {
  it('allows 20 orders per account and minute, counting repeated requests with one key once', async () => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    const key = crypto.randomUUID()
    await Promise.all(Array.from({ length: 30 }, () => postOrder(ctx, shopper, orderRequest(), key)))
    const others = await Promise.all(
      Array.from({ length: 20 }, () => postOrder(ctx, shopper, orderRequest())),
    )
    expect(others.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(201), 429])
    expect((await postOrder(ctx, shopper, orderRequest(), key)).status).toBe(200)
    const later = { ...ctx, clock: () => ctx.clock() + 60_000 }
    expect((await postOrder(later, shopper, orderRequest())).status).toBe(201)
  })
})
