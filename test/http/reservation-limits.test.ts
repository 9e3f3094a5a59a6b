import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { runHousekeeping } from '#server/housekeeping.ts'
import { auditLog, orders, reservationSources } from '#server/platform/db/schema.ts'
import { MINUTE_MS } from '#shared/time.ts'
import { createAccount, createDeviceCookie } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import {
  calculateCheckoutTotalKsh,
  countUses,
  createPromotion,
  orderRequest,
  postOrder,
  tenPercentDiscount,
} from '#test/support/orders.ts'
import { callOrder, createMpesaPayment, testPayments } from '#test/support/payments.ts'
import { readStock, setStock } from '#test/support/stock.ts'

import items from '../../public/Items.json'

const ITEM = 2
const lines = (qty: number) => [{ id: ITEM, qty }]

let networks = 0
const newAddress = () => `105.${Math.floor(++networks / 250)}.${networks % 250}.7`

/** By default, each shopper from `createShopper` has their own network. */
async function createShopWithStock(units = 100) {
  let nowMs = NOW_MS
  const ctx = testContext({ clock: () => nowMs })
  await setStock(ctx, ITEM, units)
  const createShopper = async (headers: Record<string, string> = {}) => {
    const account = await createAccount(ctx)
    return { ...account, bearer: { ...account.bearer, 'CF-Connecting-IP': newAddress(), ...headers } }
  }
  type Shopper = Awaited<ReturnType<typeof createShopper>>
  const placeOrder = (by: Shopper, qty = 1, phone?: string) =>
    postOrder(
      ctx,
      by,
      orderRequest(lines(qty), { payment: phone ? createMpesaPayment(phone) : { provider: 'paystack' } }),
    )
  return {
    ctx,
    createShopper,
    placeOrder,
    advanceClock: (ms: number) => {
      nowMs += ms
    },
    readReserved: async () => (await readStock(ctx, ITEM)).reserved,
    createKnownShopper: async (headers: Record<string, string> = {}) => {
      const known = await createShopper(headers)
      expect((await postOrder(ctx, known, orderRequest([{ id: 1, qty: 1 }]))).status).toBe(201)
      return known
    },
  }
}

it('an order of a known customer reserves up to 100 units; a larger one reserves nothing', async () => {
  const { ctx, createKnownShopper, readReserved } = await createShopWithStock()
  await setStock(ctx, ITEM + 1, 100)
  const placeOrder = async (qty: number) => {
    const request = orderRequest([...lines(50), { id: ITEM + 1, qty }], { payment: { provider: 'paystack' } })
    expect((await postOrder(ctx, await createKnownShopper(), request)).status).toBe(202)
  }
  await placeOrder(51)
  expect(await readReserved()).toBe(0)
  await placeOrder(50)
  expect(await readReserved()).toBe(50)
})

describe('an unpaid order of a new customer', () => {
  it('reserves up to 10 units; a larger one reserves nothing, but can be paid', async () => {
    const { ctx, createShopper, placeOrder, readReserved } = await createShopWithStock()
    expect((await placeOrder(await createShopper(), 10)).status).toBe(202)
    expect(await readReserved()).toBe(10)
    const buyer = await createShopper()
    const large = await placeOrder(buyer, 30)
    expect([large.status, await readReserved()]).toEqual([202, 10])
    const path = `${large.body.order.number}/payment`
    expect((await callOrder(ctx, buyer, 'POST', path, { payment: createMpesaPayment() })).status).toBe(202)
    expect(await readReserved()).toBe(10)
    const card = orderRequest().payment
    expect((await callOrder(ctx, buyer, 'POST', path, { payment: card })).body.order.status).toBe('placed')
    expect(await readStock(ctx, ITEM)).toMatchObject({ onHand: 70, reserved: 10 })
  })

  it('reserves none of 99 units, so others can still order the item', async () => {
    const { placeOrder, createShopper, readReserved } = await createShopWithStock()
    await placeOrder(await createShopper(), 99)
    expect(await readReserved()).toBe(0)
    expect((await placeOrder(await createShopper(), 5)).status).toBe(202)
  })

  it('can no longer be paid if its unreserved units have been sold', async () => {
    const { ctx, createShopper, placeOrder, advanceClock } = await createShopWithStock()
    const late = await createShopper()
    const { body } = await placeOrder(late, 60)
    await postOrder(ctx, await createShopper(), orderRequest(lines(60)))
    advanceClock(3 * MINUTE_MS)
    const path = `${body.order.number}/payment`
    const again = await callOrder(ctx, late, 'POST', path, { payment: orderRequest().payment })
    expect([again.status, again.body.code]).toEqual([409, 'out_of_stock'])
  })
})

describe('unpaid orders of new customers', () => {
  it.each([
    ['a device', async (ctx: ReturnType<typeof testContext>) => ({ headers: await createDeviceCookie(ctx) })],
    ['a phone', async () => ({ phone: '0799000111' })],
    ['a network', async () => ({ headers: { 'CF-Connecting-IP': '41.90.64.9' } })],
    ['an IPv6 network', async () => ({ headers: { 'CF-Connecting-IP': '2c0f:fe38:2100::9' } })],
  ])(
    'with %s in common have at most two reservations; a third order is placed without one',
    async (_, share) => {
      const { ctx, createShopper, placeOrder, readReserved } = await createShopWithStock()
      const { headers, phone }: { headers?: Record<string, string>; phone?: string } = await share(ctx)
      for (const units of [1, 2, 2]) {
        expect((await placeOrder(await createShopper(headers), 1, phone)).status).toBe(202)
        expect(await readReserved()).toBe(units)
      }
      await placeOrder(await createShopper())
      expect(await readReserved()).toBe(3)
    },
  )

  it('on one network reserve 10 units at most, even when placed concurrently', async () => {
    const { ctx, createShopper, placeOrder, readReserved } = await createShopWithStock()
    const headers = { 'CF-Connecting-IP': '41.90.65.9' }
    const crowd = await Promise.all(Array.from({ length: 12 }, () => createShopper(headers)))
    const responses = await Promise.all(crowd.map((one) => placeOrder(one, 6)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]))
    expect(await readReserved()).toBe(6)
    await ctx.backgroundDone()
  })

  it('on one network don’t limit a customer who has paid before', async () => {
    const { createShopper, createKnownShopper, placeOrder, readReserved } = await createShopWithStock()
    const headers = { 'CF-Connecting-IP': '41.90.66.9' }
    const known = await createKnownShopper(headers)
    for (let times = 0; times < 3; times++) await placeOrder(await createShopper(headers))
    expect(await readReserved()).toBe(2)
    await placeOrder(known, 40)
    expect(await readReserved()).toBe(42)
    await placeOrder(known, 70)
    expect(await readReserved()).toBe(72)
  })
})

describe('a customer’s second unpaid order', () => {
  it('releases the first one’s reservation if the limit requires it, but the first can still be paid', async () => {
    const { ctx, createShopper, placeOrder, readReserved } = await createShopWithStock()
    const buyer = await createShopper()
    const first = await placeOrder(buyer, 8)
    await placeOrder(buyer, 9)
    expect(await readReserved()).toBe(9)
    const path = `${first.body.order.number}/payment`
    const paid = await callOrder(ctx, buyer, 'POST', path, { payment: orderRequest().payment })
    expect(paid.body.order.status).toBe('placed')
    expect(await readStock(ctx, ITEM)).toMatchObject({ onHand: 92, reserved: 9 })
  })
})

describe('uses of a promo code', () => {
  it('are reserved for at most two unpaid orders of new customers on a network', async () => {
    const { ctx, createShopper } = await createShopWithStock()
    const promoCode = await createPromotion(ctx, { maxUses: 5 })
    const headers = { 'CF-Connecting-IP': '41.90.67.9' }
    const toys = [{ id: 1, qty: 1 }]
    for (const uses of [1, 2, 2]) {
      const request = orderRequest(toys, {
        payment: createMpesaPayment(),
        promoCode,
        expectedTotal: calculateCheckoutTotalKsh(toys, tenPercentDiscount),
      })
      expect((await postOrder(ctx, await createShopper(headers), request)).status).toBe(202)
      expect(await countUses(ctx, promoCode)).toBe(uses)
    }
  })
})

describe('a promo code that each account may use once', () => {
  it('is refused once the account has paid with it, including for an order placed earlier', async () => {
    const { ctx, createShopper } = await createShopWithStock()
    const promoCode = await createPromotion(ctx, { oncePerAccount: true })
    const toys = [{ id: 1, qty: 1 }]
    const request = (payment = orderRequest().payment) =>
      orderRequest(toys, {
        payment,
        promoCode,
        expectedTotal: calculateCheckoutTotalKsh(toys, tenPercentDiscount),
      })
    const buyer = await createShopper()
    const unpaid = await postOrder(ctx, buyer, request({ provider: 'paystack' }))
    expect((await postOrder(ctx, buyer, request())).status).toBe(201)
    expect(await postOrder(ctx, buyer, request())).toMatchObject({
      status: 409,
      body: {
        code: 'promotion_refused',
        message: 'You’ve already used this promo code. You haven’t been charged. Please check the new total.',
      },
    })
    const path = `${unpaid.body.order.number}/payment`
    const again = await callOrder(ctx, buyer, 'POST', path, { payment: createMpesaPayment() })
    expect([again.status, again.body.code]).toEqual([409, 'order_closed'])
    expect((await postOrder(ctx, await createShopper(), request())).status).toBe(201)
  })

  it('can’t be used twice when one account places two orders concurrently', async () => {
    const { ctx, createShopper } = await createShopWithStock()
    const promoCode = await createPromotion(ctx, { oncePerAccount: true })
    const toys = [{ id: 1, qty: 1 }]
    const request = orderRequest(toys, {
      promoCode,
      expectedTotal: calculateCheckoutTotalKsh(toys, tenPercentDiscount),
    })
    const buyer = await createShopper()
    const both = await Promise.all([postOrder(ctx, buyer, request), postOrder(ctx, buyer, request)])
    const placed = await ctx.db.select().from(orders).where(eq(orders.userId, buyer.user.id))
    expect(placed.filter(({ status }) => status === 'placed')).toHaveLength(1)
    expect(both.some(({ status }) => status === 201)).toBe(true)
  })
})

describe('reservations in the office', () => {
  it('are listed, and released one at a time or several at once, with an audit entry each', async () => {
    const { createShopper, placeOrder, readReserved } = await createShopWithStock()
    const office = officeContext({ shop: { fetch: async () => Response.json(items) } })
    const client = await createOfficeClient(office)
    const placed = [
      await placeOrder(await createShopper(), 3),
      await placeOrder(await createShopper(), 4),
      await placeOrder(await createShopper(), 2),
    ]
    const [first = '', second = '', third = ''] = placed.map(({ body }) => body.order.number)
    const page = await client.get('/stock/reservations')
    expect(page.text).toMatch(/3 × .*Until <time[^>]*>today at 09:35/s)
    const confirmation = (numbers: string) => client.get(`/stock/reservations/release?numbers=${numbers}`)
    expect(page.text).not.toContain('method="post" action="/stock/reservations"')
    const { text } = await confirmation(first)
    expect(text).toContain(`Release the reservation of ${first}?`)
    expect(text).toContain(`name="numbers" value="${first}"`)
    expect((await confirmation(`${first},${second}`)).text).toContain('Release 2 reservations?')
    expect((await client.post('/stock/reservations', { numbers: first })).location).toContain('done=released')
    expect(await readReserved()).toBe(6)
    // The first order is already released, so the request fails and the second order stays reserved.
    const stale = await client.post('/stock/reservations', { numbers: `${first},${second}` })
    expect([stale.status, await readReserved()]).toEqual([409, 6])
    for (const numbers of [`${first},${second}`, '', '<b>'])
      expect((await confirmation(numbers)).status).toBe(409)
    await client.post('/stock/reservations', { numbers: `${second},${third}` })
    expect(await readReserved()).toBe(0)
    const actions = await office.db.select().from(auditLog).where(eq(auditLog.action, 'order.release'))
    expect(actions.map(({ subject }) => subject)).toEqual([first, second, third])
    expect((await client.get('/audit')).text).toContain('Reservation released')
    expect((await client.get(`/stock/reservations`)).text).not.toContain(third)
  })
})

describe('a reservation', () => {
  const declined = { outcome: 'declined', problem: 'cancelled' } as const

  it('ends 30 minutes after the order was placed, regardless of retries', async () => {
    const { ctx, createShopper, placeOrder, advanceClock, readReserved } = await createShopWithStock(3)
    const declining = { ...ctx, payments: testPayments({ mpesa: { startPayment: async () => declined } }) }
    const buyer = await createShopper()
    const { body } = await placeOrder(buyer, 3)
    const path = `${body.order.number}/payment`
    const pay = (shopCtx = ctx) => callOrder(shopCtx, buyer, 'POST', path, { payment: createMpesaPayment() })
    for (const shopCtx of [declining, ctx, declining, ctx]) {
      advanceClock(7 * MINUTE_MS)
      await pay(shopCtx)
    }
    expect(await readReserved()).toBe(3)
    advanceClock(2 * MINUTE_MS)
    // The scheduled run hasn't expired the order yet, but others can already order its units.
    expect((await placeOrder(await createShopper(), 1)).status).toBe(202)
    expect(await readReserved()).toBe(1)
    const last = await pay()
    expect([last.status, last.body.code, last.body.order.status]).toEqual([409, 'order_closed', 'expired'])
  })

  it('is not made for an amount that the provider can’t take', async () => {
    const { ctx, createKnownShopper, readReserved } = await createShopWithStock()
    const buyer = await createKnownShopper()
    const huge = [{ id: ITEM, qty: 99 }]
    expect(calculateCheckoutTotalKsh(huge)).toBeGreaterThan(250_000)
    const { status, body } = await postOrder(
      ctx,
      buyer,
      orderRequest(huge, { payment: createMpesaPayment() }),
    )
    expect([status, body.errors?.payment]).toEqual([400, body.message])
    expect(body.message).toContain('M-Pesa accepts payments from KSH 1 to KSH 250,000')
    expect(await readReserved()).toBe(0)
    expect(await ctx.db.select().from(orders).where(eq(orders.userId, buyer.user.id))).toHaveLength(1)
    const placed = await postOrder(ctx, buyer, orderRequest(huge, { payment: { provider: 'paystack' } }))
    const path = `${placed.body.order.number}/payment`
    const again = await callOrder(ctx, buyer, 'POST', path, { payment: createMpesaPayment() })
    expect([again.status, again.body.message]).toEqual([400, body.message])
  })

  it('loses its hashes of device, phone and network once its order has expired', async () => {
    const { ctx, createShopper, placeOrder, advanceClock } = await createShopWithStock()
    const { body } = await placeOrder(await createShopper(), 1, '0799000222')
    const byNumber = eq(orders.number, body.order.number)
    const readSources = () =>
      ctx.db
        .select({ source: reservationSources.source })
        .from(reservationSources)
        .innerJoin(orders, eq(orders.id, reservationSources.orderId))
        .where(byNumber)
    expect(JSON.stringify(await readSources())).not.toMatch(/799000222|105\./)
    expect(await readSources()).toHaveLength(3)
    advanceClock(30 * MINUTE_MS)
    await runHousekeeping(ctx)
    expect(await readSources()).toEqual([])
  })
})
