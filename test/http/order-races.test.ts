import { count, eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { orders } from '#server/db/schema.ts'
import type { Deps } from '#server/deps.ts'
import { simulatedPayment } from '#server/payment/simulated.ts'
import { account } from '#test/support/account.ts'
import { testDeps } from '#test/support/deps.ts'
import {
  orderRequest,
  post,
  promotionCode,
  recordsOf,
  tenPercent,
  totalOf,
  usesOf,
} from '#test/support/orders.ts'

const LINES = [
  { id: 1, qty: 1 },
  { id: 2, qty: 3 },
]

async function orderWithCode(deps: Deps, maxUses: number) {
  const promoCode = await promotionCode(deps, { maxUses })
  return orderRequest(LINES, { promoCode, expectedTotal: totalOf(LINES, tenPercent) })
}

/** A payment that ends for nobody before `posts` have come this far: all of them write at once. */
function paidTogether(posts: number) {
  const all = Promise.withResolvers<void>()
  const payment = simulatedPayment({ delayMs: 0 })
  let waiting = 0
  return {
    ...payment,
    async authorise(request: Parameters<typeof payment.authorise>[0]) {
      waiting++
      if (waiting === posts) all.resolve()
      await all.promise
      return payment.authorise(request)
    },
  }
}

describe('orders at once', () => {
  it.each([50, 200])(
    'makes one order of %i parallel posts with one key',
    async (posts) => {
      const deps = testDeps({ payment: paidTogether(posts) })
      const shopper = await account(deps)
      const key = crypto.randomUUID()
      const answers = await Promise.all(
        Array.from({ length: posts }, () => post(deps, shopper, orderRequest(LINES), key)),
      )
      const statuses = answers.map(({ status }) => status).toSorted()
      expect(statuses).toEqual([...Array(posts - 1).fill(200), 201])
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
      const records = await recordsOf(deps, shopper.user.id)
      expect([records.orders.length, records.lines.length, records.mails.length]).toEqual([1, 2, 2])
      await deps.settled()
      expect(deps.mails).toHaveLength(2)
    },
    30_000,
  )

  it('makes one order of parallel posts with one key and the last use of a code', async () => {
    const deps = testDeps({ payment: paidTogether(20) })
    const shopper = await account(deps)
    const request = await orderWithCode(deps, 1)
    const key = crypto.randomUUID()
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(deps, shopper, request, key)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201])
  })

  it('gives the last uses of a code to as many orders, and tells the others in words', async () => {
    const deps = testDeps({ payment: paidTogether(12) })
    const request = await orderWithCode(deps, 3)
    const shoppers = await Promise.all(Array.from({ length: 12 }, () => account(deps)))
    const answers = await Promise.all(shoppers.map((shopper) => post(deps, shopper, request)))
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused).toHaveLength(9)
    for (const { status, body } of refused) {
      expect(status, JSON.stringify(body)).toBe(409)
      expect(body.code).toBe('promotion_refused')
      expect(body.message).toContain('used up')
      expect(body.totals).toMatchObject({ discountCents: 0, totalCents: totalOf(LINES) * 100 })
    }
    const { promoCode = '' } = request
    const [placed] = await deps.db.select({ n: count() }).from(orders).where(eq(orders.promoCode, promoCode))
    expect([placed?.n, await usesOf(deps, promoCode)]).toEqual([3, 3])
  })

  it('lets only one of two orders have a key, and lets go of the other payment', async () => {
    const released: string[] = []
    const payment = {
      ...paidTogether(2),
      release: async (reference: string) => void released.push(reference),
    }
    const deps = testDeps({ payment })
    const shopper = await account(deps)
    const key = crypto.randomUUID()
    const answers = await Promise.all([
      post(deps, shopper, orderRequest(LINES), key),
      post(deps, shopper, orderRequest([{ id: 3, qty: 1 }]), key),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
    await deps.settled()
    const { orders: rows, mails } = await recordsOf(deps, shopper.user.id)
    expect([rows.length, mails.length, released.length]).toEqual([1, 2, 1])
    expect(released[0]).not.toBe(rows[0]?.paymentReference)
  })

  it('asks the provider again with the same key for the same order only', async () => {
    const asked: string[] = []
    const payment = simulatedPayment({ delayMs: 0 })
    const authorise: typeof payment.authorise = (request) => {
      asked.push(request.idempotencyKey)
      return payment.authorise(request)
    }
    const deps = testDeps({ payment: { ...payment, authorise } })
    const [one, other] = [await account(deps), await account(deps)]
    const key = crypto.randomUUID()
    await Promise.all([post(deps, one, orderRequest(), key), post(deps, one, orderRequest(), key)])
    await post(deps, other, orderRequest(), key)
    expect(asked[0]).toBe(asked[1])
    expect(new Set(asked).size).toBe(2)
  })
})
