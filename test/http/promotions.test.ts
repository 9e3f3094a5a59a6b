import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { promotions } from '#server/platform/db/schema.ts'
import { DAY_MS } from '#shared/time.ts'
import { createAccount } from '#test/support/account.ts'
import { createUnpublishedCatalogue, NOW_MS, testContext } from '#test/support/context.ts'
import { createUnreachableDatabase } from '#test/support/database.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import {
  calculateCheckoutTotalKsh,
  getPriceKsh,
  orderRequest,
  postOrder,
  tenPercentDiscount,
} from '#test/support/orders.ts'

const ctx = testContext()
const lines = [{ id: 1, qty: 1 }]
const subtotalCents = getPriceKsh(1) * 100

const terms: Record<string, Partial<typeof promotions.$inferInsert>> = {
  TENTH: {},
  BIGGER: { kind: 'fixed', value: subtotalCents + 1 },
  LATER: { startsAtMs: NOW_MS + 1 },
  NOW: { startsAtMs: NOW_MS, endsAtMs: NOW_MS + 1 },
  OVER: { startsAtMs: NOW_MS - DAY_MS, endsAtMs: NOW_MS },
  GONE: { maxUses: 2, uses: 2 },
  ALMOST: { maxUses: 2, uses: 1 },
  REACHED: { minimumSubtotalCents: subtotalCents },
  LARGE: { kind: 'fixed', value: 20_000, minimumSubtotalCents: 1_500_050 },
}
for (const [code, overrides] of Object.entries(terms)) {
  await ctx.db.insert(promotions).values({ code, kind: 'percent', value: 10, createdAtMs: 0, ...overrides })
}

async function check(body: unknown, overrides = {}) {
  const response = await createApp({ ...ctx, ...overrides }).request(
    'https://pamba.test/api/promotions/check',
    {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    },
  )
  return { status: response.status, body: (await response.json()) as Record<string, unknown>, response }
}

describe('checking a promo code', () => {
  it('returns the discount and the terms, ignoring case and surrounding spaces', async () => {
    const { status, body } = await check({ code: ' tenth ', lines })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toEqual({
      promotion: { code: 'TENTH', kind: 'percent', value: 10, minimumSubtotalCents: 0 },
      discountCents: subtotalCents / 10,
    })
  })

  it('never discounts more than the subtotal', async () => {
    expect((await check({ code: 'BIGGER', lines })).body.discountCents).toBe(subtotalCents)
  })

  it.each(['NOW', 'ALMOST', 'REACHED'])('accepts a code at the edge of its terms: %s', async (code) => {
    await expectStatus(await check({ code, lines }), 200)
  })

  it.each([
    ['NOSUCH', 404, 'promotion_unknown', 'We don’t recognise this code. Please check the spelling.'],
    ["' OR 1=1 --", 404, 'promotion_unknown', 'We don’t recognise this code. Please check the spelling.'],
    ['OVER', 410, 'promotion_expired', 'This promo code has expired.'],
    ['GONE', 410, 'promotion_exhausted', 'This promo code has reached its limit.'],
    ['LATER', 400, 'promotion_not_started', 'This promo code isn’t active yet.'],
    ['LARGE', 400, 'promotion_minimum', 'This promo code needs a subtotal of at least KSH 15,000.50.'],
  ])('explains why %s can’t be used', async (enteredCode, status, code, message) => {
    const response = await check({ code: enteredCode, lines })
    await expectStatus(response, status)
    expect(response.body).toEqual({ code, message })
  })

  it.each<[string, unknown]>([
    ['no code', { lines }],
    ['an empty code', { code: ' ', lines }],
    ['a number', { code: 7, lines }],
    ['an overlong code', { code: 'X'.repeat(41), lines }],
    ['no lines', { code: 'TENTH' }],
    ['an empty cart', { code: 'TENTH', lines: [] }],
    ['an invalid quantity', { code: 'TENTH', lines: [{ id: 1, qty: 0 }] }],
    ['no body', null],
  ])('refuses %s with 400 and a message', async (_what, body) => {
    const response = await check(body)
    await expectStatus(response, 400)
    expect(response.body.message).not.toContain('Invalid input')
  })

  it('names a product that is no longer sold', async () => {
    const { status, body } = await check({ code: 'TENTH', lines: [{ id: 999_999, qty: 1 }] })
    expect([status, body.productIds]).toEqual([422, [999_999]])
  })

  it('is rate limited, and the response says when to try again', async () => {
    const keys: string[] = []
    const countAttempts = async (key: string) => keys.push(key) < 2
    const limits = { ...ctx.limits, attempts: countAttempts }
    await expectStatus(await check({ code: 'TENTH', lines }, { limits }), 200)
    const { status, body, response } = await check({ code: 'TENTH', lines }, { limits })
    expect(status, JSON.stringify(body)).toBe(429)
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0)
  })

  it('is rate limited for orders too, but not for retries and for orders without a code', async () => {
    const limited = { ...ctx, limits: { ...ctx.limits, attempts: async () => false } }
    const shopper = await createAccount(ctx)
    const key = crypto.randomUUID()
    const order = (promoCode: string) =>
      orderRequest(lines, { promoCode, expectedTotal: calculateCheckoutTotalKsh(lines, tenPercentDiscount) })
    expect((await postOrder(ctx, shopper, order('TENTH'), key)).status).toBe(201)
    for (const code of ['TENTH', 'UNKNOWN'])
      expect((await postOrder(limited, shopper, order(code))).body).toMatchObject({
        code: 'too_many_requests',
      })
    expect((await postOrder(limited, shopper, order('TENTH'), key)).status).toBe(200)
    expect((await postOrder(limited, shopper, orderRequest(lines))).status).toBe(201)
  })

  it('responds with 503 when the database or the catalogue is unavailable', async () => {
    const catalogue = createUnpublishedCatalogue(() => new Response('', { status: 500 }))
    for (const overrides of [{ db: createUnreachableDatabase() }, { catalogue }]) {
      const { status, body } = await check({ code: 'TENTH', lines }, overrides)
      expect([status, body.code]).toEqual([503, 'unavailable'])
    }
  })
})
