import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { ORDER_NUMBER_ALPHABET } from '#server/orders/insert-order.ts'
import { createAccount } from '#test/support/account.ts'
import { createCatalogueSource, testContext } from '#test/support/context.ts'
import { createCountingDatabase, createSpyDatabase } from '#test/support/database.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import {
  billing,
  calculateCheckoutTotalKsh,
  countRows,
  countUses,
  createPromotion,
  listOrders,
  orderRequest,
  postOrder,
  readRecords,
  tenPercentDiscount,
} from '#test/support/orders.ts'

describe('an idempotency key', () => {
  it('returns the same order for a retry, without sending its emails again', async () => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    const key = crypto.randomUUID()
    const first = await postOrder(ctx, shopper, orderRequest(), key)
    const again = await postOrder(ctx, shopper, orderRequest(), key)
    expect([first.status, again.status]).toEqual([201, 200])
    expect(again.body).toEqual(first.body)
    const { orders, emails } = await readRecords(ctx, shopper.user.id)
    expect([orders.length, emails.length]).toEqual([1, 2])
  })

  it('returns the order even if the card and the total have changed and the product was removed', async () => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    const key = crypto.randomUUID()
    const { body } = await postOrder(ctx, shopper, orderRequest(), key)
    const withoutProducts = { ...ctx, catalogue: createCatalogueSource([]) }
    const payment = { token: 'tok_another', card: { brand: 'Card' as const, lastFour: '1111' } }
    const again = await postOrder(
      withoutProducts,
      shopper,
      orderRequest([{ id: 1, qty: 2 }], { expectedTotal: 5, payment }),
      key,
    )
    await expectStatus(again, 200)
    expect(again.body).toEqual(body)
  })

  it.each([
    ['other lines', orderRequest([{ id: 1, qty: 3 }])],
    [
      'another address',
      orderRequest([{ id: 1, qty: 2 }], { billing: { ...billing, address: 'Elsewhere 1' } }),
    ],
  ])('can’t be used again with %s: the response has the order it belongs to', async (_what, other) => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    const key = crypto.randomUUID()
    const first = await postOrder(ctx, shopper, orderRequest(), key)
    const { status, body } = await postOrder(ctx, shopper, other, key)
    expect(status, JSON.stringify(body)).toBe(409)
    expect(body).toMatchObject({ code: 'key_reused', order: first.body.order })
    expect((await readRecords(ctx, shopper.user.id)).orders).toHaveLength(1)
  })

  it('belongs to one account, so two shoppers can use the same one', async () => {
    const ctx = testContext()
    const key = crypto.randomUUID()
    const responses = [await createAccount(ctx), await createAccount(ctx)].map((shopper) =>
      postOrder(ctx, shopper, orderRequest(), key),
    )
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([201, 201])
  })

  it.each([
    ['the order', 'orders', 'INSERT'],
    ['a line', 'order_lines', 'INSERT'],
    ['the promo code use', 'promotions', 'UPDATE'],
    ['the payment attempt', 'payments', 'INSERT'],
  ])(
    'lets a retry place the order if %s couldn’t be written; the first attempt stores nothing',
    async (_what, table, command) => {
      const ctx = testContext()
      const shopper = await createAccount(ctx)
      const code = await createPromotion(ctx, { maxUses: 1 })
      const request = orderRequest([{ id: 1, qty: 2 }], {
        promoCode: code,
        expectedTotal: calculateCheckoutTotalKsh([{ id: 1, qty: 2 }], tenPercentDiscount),
      })
      const key = crypto.randomUUID()
      const before = await countRows(ctx)
      await ctx.db.run(
        sql.raw(
          `CREATE TRIGGER broken BEFORE ${command} ON ${table} BEGIN SELECT RAISE(ABORT, 'disk I/O error'); END`,
        ),
      )
      const failed = await postOrder(ctx, shopper, request, key)
      await ctx.db.run(sql.raw('DROP TRIGGER broken'))
      await expectStatus(failed, 503)
      expect(failed.body.message).toContain('try again')
      expect(await countRows(ctx)).toEqual(before)
      expect(await countUses(ctx, code)).toBe(0)

      await expectStatus(await postOrder(ctx, shopper, request, key), 201)
      expect(await countUses(ctx, code)).toBe(1)
    },
  )

  it.each([
    ['an email', 'outbox', 'INSERT'],
    ['the address', 'users', 'UPDATE OF address'],
    ['the payment', 'payments', 'UPDATE'],
  ])(
    'lets a retry place the order if %s couldn’t be written after the payment',
    async (_what, table, command) => {
      const ctx = testContext()
      const shopper = await createAccount(ctx)
      const key = crypto.randomUUID()
      await ctx.db.run(
        sql.raw(
          `CREATE TRIGGER broken BEFORE ${command} ON ${table} BEGIN SELECT RAISE(ABORT, 'disk I/O error'); END`,
        ),
      )
      const failed = await postOrder(ctx, shopper, orderRequest(), key)
      await ctx.db.run(sql.raw('DROP TRIGGER broken'))
      expect(failed.status).toBe(503)
      const before = await readRecords(ctx, shopper.user.id)
      expect([before.orders[0]?.status, before.emails.length]).toEqual(['awaiting_payment', 0])

      expect((await postOrder(ctx, shopper, orderRequest(), key)).status).toBe(200)
      const after = await readRecords(ctx, shopper.user.id)
      expect([after.orders.length, after.orders[0]?.status, after.emails.length]).toEqual([1, 'placed', 2])
    },
  )

  it('finds the order again if the database’s response was lost', async () => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    const key = crypto.randomUUID()
    const losesResponse = createSpyDatabase(async (go) => {
      const result = await go()
      const isOrder = (await readRecords(ctx, shopper.user.id)).orders.length > 0
      if (isOrder) throw new Error('D1_ERROR: Network connection lost.')
      return result
    })
    await expectStatus(await postOrder({ ...ctx, db: losesResponse }, shopper, orderRequest(), key), 503)
    const again = await postOrder(ctx, shopper, orderRequest(), key)
    await expectStatus(again, 200)
    const { orders, lines, emails } = await readRecords(ctx, shopper.user.id)
    expect([orders.length, lines.length, emails.length]).toEqual([1, 1, 2])
    expect(again.body.order.number).toBe(orders[0]?.number)
  })
})

it('an order gets another number if the first is taken', async () => {
  const ctx = testContext()
  const shopper = await createAccount(ctx)
  const first = await postOrder(ctx, shopper, orderRequest())
  const takenCharacters = first.body.order.number
    .slice(2)
    .split('')
    .map((c) => ORDER_NUMBER_ALPHABET.indexOf(c))
  let wasDrawn = false
  const withTakenNumber = testContext({
    randomBytes: (length) => {
      if (length !== 6 || wasDrawn) return ctx.randomBytes(length)
      wasDrawn = true
      return new Uint8Array(takenCharacters)
    },
  })
  const second = await postOrder(withTakenNumber, shopper, orderRequest())
  await expectStatus(second, 201)
  expect(wasDrawn).toBe(true)
  expect(second.body.order.number).not.toBe(first.body.order.number)
})

describe('round trips to the database', () => {
  it('are two for an order with a promo code, one for its retry and two for the list', async () => {
    const { db, count } = createCountingDatabase()
    const ctx = testContext({ db })
    const shopper = await createAccount(ctx)
    const request = orderRequest([{ id: 1, qty: 2 }], {
      promoCode: await createPromotion(ctx),
      expectedTotal: calculateCheckoutTotalKsh([{ id: 1, qty: 2 }], tenPercentDiscount),
    })
    const key = crypto.randomUUID()
    const countTrips = async (call: () => Promise<{ status: number }>) => {
      count.roundTrips = 0
      const { status } = await call()
      return [status, count.roundTrips]
    }
    expect(await countTrips(() => postOrder(ctx, shopper, request, key))).toEqual([201, 2])
    await ctx.backgroundDone()
    expect(await countTrips(() => postOrder(ctx, shopper, request, key))).toEqual([200, 1])
    expect(await countTrips(() => listOrders(ctx, shopper))).toEqual([200, 2])
  })
})
