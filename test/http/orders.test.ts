import { eq, sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { promotions, users } from '#server/db/schema.ts'
import type { Deps } from '#server/deps.ts'
import { ORDER_NUMBER_ALPHABET } from '#server/services/orders/order-number.ts'
import type { Order } from '#shared/contract/orders.ts'
import { shop } from '#shared/shop.ts'
import { type Account, account } from '#test/support/account.ts'
import { downDatabase, spiedDatabase } from '#test/support/database.ts'
import { catalogue, catalogueFrom, NOW_MS, testDeps } from '#test/support/deps.ts'
import { billing, orderRequest, post, priceOf, recordsOf, rowCounts, totalOf } from '#test/support/orders.ts'

const list = async (deps: Deps, { bearer }: Pick<Account, 'bearer'>, query = '') => {
  const response = await createApp(deps).request(`https://pamba.test/api/orders${query}`, { headers: bearer })
  return {
    status: response.status,
    body: (await response.json()) as { orders: Order[]; next: string | null },
  }
}

describe('placing an order', () => {
  it('records the order, its lines and both mails, and answers what was sold', async () => {
    const deps = testDeps()
    const shopper = await account(deps)
    const { status, body } = await post(
      deps,
      shopper,
      orderRequest([
        { id: 1, qty: 2 },
        { id: 3, qty: 1 },
      ]),
    )
    expect(status).toBe(201)
    expect(body.order).toMatchObject({
      status: 'placed',
      placedAtMs: NOW_MS,
      email: billing.email,
      promoCode: null,
      card: { brand: 'Visa', lastFour: '4242' },
      lines: [
        { productId: 1, unitPriceCents: priceOf(1) * 100, qty: 2 },
        { productId: 3, unitPriceCents: priceOf(3) * 100, qty: 1 },
      ],
    })
    expect(body.order.number).toMatch(new RegExp(`^P-[${ORDER_NUMBER_ALPHABET}]{6}$`))

    const { orders, lines, mails } = await recordsOf(deps, shopper.user.id)
    expect(orders).toHaveLength(1)
    expect(lines).toHaveLength(2)
    expect(mails.map(({ kind, recipient }) => [kind, recipient])).toEqual([
      ['order-confirmation', billing.email],
      ['order-notice', shop.email],
    ])
    for (const { text } of mails) {
      expect(text).toContain(body.order.number)
      expect(text).toContain(
        `Total: KSH ${totalOf([
          { id: 1, qty: 2 },
          { id: 3, qty: 1 },
        ])}`,
      )
    }
    await deps.settled()
    expect(deps.mails).toHaveLength(2)
  })

  it('remembers the address for the next checkout', async () => {
    const deps = testDeps()
    const shopper = await account(deps)
    await post(deps, shopper, orderRequest())
    const user = await deps.db.select().from(users).where(eq(users.id, shopper.user.id)).get()
    const { email: _, address2: __, ...address } = billing
    expect(user).toMatchObject({ ...address, address2: null, email: shopper.user.email })
  })

  it('charges the catalogue price, whatever the browser says a thing costs', async () => {
    const deps = testDeps()
    const shopper = await account(deps)
    const tampered = { ...orderRequest(), lines: [{ id: 1, qty: 2, price: 1, unitPriceCents: 1 }] }
    const honest = await post(deps, shopper, tampered)
    expect(honest.status).toBe(201)
    expect(honest.body.order.figures.subtotalCents).toBe(priceOf(1) * 2 * 100)
  })

  it('places nothing at another total than the shopper saw, and says what it is now', async () => {
    const deps = testDeps()
    const shopper = await account(deps)
    const { status, body } = await post(
      deps,
      shopper,
      orderRequest([{ id: 1, qty: 2 }], { expectedTotal: 1 }),
    )
    expect(status).toBe(409)
    expect(body.code).toBe('prices_changed')
    expect(body.message).toContain('Nothing was charged')
    expect(body.figures).toMatchObject({ totalCents: totalOf([{ id: 1, qty: 2 }]) * 100 })
    expect(body.lines).toMatchObject([{ id: 1, qty: 2, price: priceOf(1), title: catalogue[0]?.title }])
    expect((await recordsOf(deps, shopper.user.id)).orders).toEqual([])
  })

  it('holds a hundred different products', async () => {
    const products = Array.from({ length: 100 }, (_, index) => ({
      ...(catalogue[0] as (typeof catalogue)[number]),
      id: index + 1,
      price: 100,
    }))
    const deps = testDeps({ catalogue: { current: () => products, load: async () => products } })
    const shopper = await account(deps)
    const lines = products.map(({ id }) => ({ id, qty: 99 }))
    const { status, body } = await post(deps, shopper, orderRequest(lines, { expectedTotal: 99 * 100 * 116 }))
    expect(status).toBe(201)
    expect(body.order.lines.map(({ productId }) => productId)).toEqual(lines.map(({ id }) => id))
    expect((await recordsOf(deps, shopper.user.id)).lines).toHaveLength(100)
  })

  it('names the products that are no longer sold', async () => {
    const deps = testDeps()
    const shopper = await account(deps)
    const { status, body } = await post(
      deps,
      shopper,
      orderRequest([
        { id: 1, qty: 1 },
        { id: 999_999, qty: 1 },
      ]),
    )
    expect(status).toBe(422)
    expect(body).toMatchObject({ code: 'unknown_product', productIds: [999_999] })
    expect(body.message).toContain('999999')
  })

  it('lets nobody order without a session', async () => {
    const deps = testDeps()
    const before = await rowCounts(deps)
    const { status } = await post(deps, { bearer: { Authorization: 'Bearer nobody' } }, orderRequest())
    expect(status).toBe(401)
    expect(await rowCounts(deps)).toEqual(before)
  })

  it('keeps no card number and no CVV that a page should send by mistake', async () => {
    const deps = testDeps()
    const shopper = await account(deps)
    const leaky = {
      ...orderRequest(),
      ccNumber: '4242424242424242',
      billing: { ...billing, ccNumber: '4242424242424242', ccCVV: '987' },
    }
    const { status } = await post(deps, shopper, leaky)
    expect(status).toBe(201)
    await deps.settled()
    const kept = JSON.stringify([await recordsOf(deps, shopper.user.id), deps.lines, deps.mails])
    expect(kept).not.toContain('4242424242424242')
    expect(kept).not.toContain('987')
  })
})

describe('one key, one order', () => {
  it('answers a retry with the same order, and sends no second mail', async () => {
    const deps = testDeps()
    const shopper = await account(deps)
    const key = crypto.randomUUID()
    const first = await post(deps, shopper, orderRequest(), key)
    const again = await post(deps, shopper, orderRequest(), key)
    expect([first.status, again.status]).toEqual([201, 200])
    expect(again.body).toEqual(first.body)
    const { orders, mails } = await recordsOf(deps, shopper.user.id)
    expect([orders.length, mails.length]).toEqual([1, 2])
  })

  it('answers a retry although prices, card and total shown have changed since, or the product is gone', async () => {
    const deps = testDeps()
    const shopper = await account(deps)
    const key = crypto.randomUUID()
    const { body } = await post(deps, shopper, orderRequest(), key)
    const emptied = { ...deps, catalogue: { current: () => [], load: async () => [] } }
    const payment = { token: 'tok_another', card: { brand: 'Card' as const, lastFour: '1111' } }
    const again = await post(
      emptied,
      shopper,
      orderRequest([{ id: 1, qty: 2 }], { expectedTotal: 5, payment }),
      key,
    )
    expect(again.status).toBe(200)
    expect(again.body).toEqual(body)
  })

  it.each([
    ['other things', orderRequest([{ id: 1, qty: 3 }])],
    [
      'another address',
      orderRequest([{ id: 1, qty: 2 }], { billing: { ...billing, address: 'Elsewhere 1' } }),
    ],
  ])('refuses the key for %s, and shows the order it belongs to', async (_what, other) => {
    const deps = testDeps()
    const shopper = await account(deps)
    const key = crypto.randomUUID()
    const first = await post(deps, shopper, orderRequest(), key)
    const { status, body } = await post(deps, shopper, other, key)
    expect(status).toBe(409)
    expect(body).toMatchObject({ code: 'key_reused', order: first.body.order })
    expect((await recordsOf(deps, shopper.user.id)).orders).toHaveLength(1)
  })

  it('gives two people who use the same key an order each', async () => {
    const deps = testDeps()
    const key = crypto.randomUUID()
    const answers = [await account(deps), await account(deps)].map((shopper) =>
      post(deps, shopper, orderRequest(), key),
    )
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([201, 201])
  })

  it.each([
    ['the order', 'orders', 'INSERT'],
    ['a line', 'order_lines', 'INSERT'],
    ['a mail', 'outbox', 'INSERT'],
    ['the use of the code', 'promotions', 'UPDATE'],
    ['the address', 'users', 'UPDATE'],
  ])(
    'leaves nothing behind when %s cannot be written, and is placed by a retry',
    async (_what, table, verb) => {
      const deps = testDeps()
      const shopper = await account(deps)
      const code = await promotion(deps, { maxUses: 1 })
      const terms = { kind: 'percent', value: 10, minimumSubtotalCents: 0 } as const
      const request = orderRequest([{ id: 1, qty: 2 }], {
        promoCode: code,
        expectedTotal: totalOf([{ id: 1, qty: 2 }], terms),
      })
      const key = crypto.randomUUID()
      const before = await rowCounts(deps)
      await deps.db.run(
        sql.raw(
          `CREATE TRIGGER broken BEFORE ${verb} ON ${table} BEGIN SELECT RAISE(ABORT, 'disk I/O error'); END`,
        ),
      )
      const failed = await post(deps, shopper, request, key)
      await deps.db.run(sql.raw('DROP TRIGGER broken'))
      expect(failed.status).toBe(503)
      expect(failed.body.message).toContain('try again')
      expect(await rowCounts(deps)).toEqual(before)
      expect(await usesOf(deps, code)).toBe(0)

      expect((await post(deps, shopper, request, key)).status).toBe(201)
      expect(await usesOf(deps, code)).toBe(1)
    },
  )

  it('finds the order again when the database answered too late to be heard', async () => {
    const deps = testDeps()
    const shopper = await account(deps)
    const key = crypto.randomUUID()
    const deaf = spiedDatabase(async (go) => {
      const result = await go()
      const isOrder = (await recordsOf(deps, shopper.user.id)).orders.length > 0
      if (isOrder) throw new Error('D1_ERROR: Network connection lost.')
      return result
    })
    expect((await post({ ...deps, db: deaf }, shopper, orderRequest(), key)).status).toBe(503)
    const again = await post(deps, shopper, orderRequest(), key)
    expect(again.status).toBe(200)
    const { orders, lines, mails } = await recordsOf(deps, shopper.user.id)
    expect([orders.length, lines.length, mails.length]).toEqual([1, 1, 2])
    expect(again.body.order.number).toBe(orders[0]?.number)
  })

  it('takes another number when the one it drew is taken', async () => {
    const deps = testDeps()
    const shopper = await account(deps)
    const first = await post(deps, shopper, orderRequest())
    const six = first.body.order.number
      .slice(2)
      .split('')
      .map((c) => ORDER_NUMBER_ALPHABET.indexOf(c))
    let isDrawn = false
    const loaded = testDeps({
      randomBytes: (length) => {
        if (length !== 6 || isDrawn) return deps.randomBytes(length)
        isDrawn = true
        return new Uint8Array(six)
      },
    })
    const second = await post(loaded, shopper, orderRequest())
    expect(second.status).toBe(201)
    expect(isDrawn).toBe(true)
    expect(second.body.order.number).not.toBe(first.body.order.number)
  })
})

describe('round trips to the database', () => {
  it('are two for an order with a code, one for its retry and two for the list', async () => {
    let trips = 0
    const db = spiedDatabase((go, statement) => {
      const isDelivery = statement.startsWith('update "outbox"')
      if (!isDelivery) trips++
      return go()
    })
    const deps = testDeps({ db })
    const shopper = await account(deps)
    const terms = { kind: 'percent', value: 10, minimumSubtotalCents: 0 } as const
    const request = orderRequest([{ id: 1, qty: 2 }], {
      promoCode: await promotion(deps),
      expectedTotal: totalOf([{ id: 1, qty: 2 }], terms),
    })
    const key = crypto.randomUUID()
    const tripsOf = async (call: () => Promise<{ status: number }>) => {
      trips = 0
      const { status } = await call()
      return [status, trips]
    }
    expect(await tripsOf(() => post(deps, shopper, request, key))).toEqual([201, 2])
    await deps.settled()
    expect(await tripsOf(() => post(deps, shopper, request, key))).toEqual([200, 1])
    expect(await tripsOf(() => list(deps, shopper))).toEqual([200, 2])
  })
})

describe('outages', () => {
  it('says 503 in words when the database is down, and when the catalogue cannot be read', async () => {
    const deps = testDeps()
    const shopper = await account(deps)
    for (const broken of [
      { ...deps, db: downDatabase() },
      { ...deps, catalogue: catalogueFrom(() => new Response('no', { status: 500 })) },
      { ...deps, payment: { ...deps.payment, authorise: () => Promise.reject(new Error('timeout')) } },
    ]) {
      const { status, body } = await post(broken, shopper, orderRequest())
      expect(status).toBe(503)
      expect(body.message).toMatch(/^The shop cannot .*\.$/)
    }
    expect((await list({ ...deps, db: downDatabase() }, shopper)).status).toBe(503)
    expect((await recordsOf(deps, shopper.user.id)).orders).toEqual([])
  })

  it('says why when the payment is declined, and records nothing', async () => {
    const deps = testDeps()
    const shopper = await account(deps)
    const authorise = async () => ({ outcome: 'declined' as const, message: 'Your bank said no.' })
    const { status, body } = await post(
      { ...deps, payment: { ...deps.payment, authorise } },
      shopper,
      orderRequest(),
    )
    expect([status, body.message]).toEqual([402, 'Your bank said no.'])
    expect((await recordsOf(deps, shopper.user.id)).orders).toEqual([])
  })
})

describe('own orders', () => {
  it('are listed newest first, with their lines, page by page', async () => {
    const deps = testDeps()
    const shopper = await account(deps)
    const placed: string[] = []
    for (let index = 0; index < 23; index++) {
      const clock = () => NOW_MS + Math.floor(index / 2)
      const { body } = await post(
        { ...deps, clock },
        shopper,
        orderRequest([
          { id: 1, qty: 1 },
          { id: 2, qty: 1 },
        ]),
      )
      placed.push(body.order.number)
    }
    const first = await list(deps, shopper)
    expect(first.body.orders).toHaveLength(20)
    for (const { lines } of first.body.orders) expect(lines.map(({ productId }) => productId)).toEqual([1, 2])
    const second = await list(deps, shopper, `?before=${first.body.next}`)
    expect(second.body.next).toBeNull()
    const listed = [...first.body.orders, ...second.body.orders]
    expect(new Set(listed.map(({ number }) => number))).toEqual(new Set(placed))
    const times = listed.map(({ placedAtMs }) => placedAtMs)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
  })

  it('are never shown to others', async () => {
    const deps = testDeps()
    const [owner, stranger] = [await account(deps), await account(deps)]
    const key = crypto.randomUUID()
    await post(deps, owner, orderRequest(), key)
    expect((await list(deps, stranger)).body).toEqual({ orders: [], next: null })
    const { status } = await post(deps, stranger, orderRequest([{ id: 2, qty: 1 }]), key)
    expect(status).toBe(201)
    expect((await list(deps, stranger)).body.orders).toHaveLength(1)
    expect((await list(deps, { bearer: { Authorization: '' } })).status).toBe(401)
  })

  it.each(['x', '1', "1.P-ABCDEF'--", `${'9'.repeat(30)}.P-ABCDEF`, ''])(
    'refuse a broken cursor: %j',
    async (before) => {
      const deps = testDeps()
      const { status } = await list(deps, await account(deps), `?before=${encodeURIComponent(before)}`)
      expect(status).toBe(400)
    },
  )
})

let codes = 0
async function promotion(deps: Deps, more: Partial<typeof promotions.$inferInsert> = {}) {
  const code = `TEST${++codes}`
  await deps.db.insert(promotions).values({ code, kind: 'percent', value: 10, createdAtMs: NOW_MS, ...more })
  return code
}

async function usesOf({ db }: Deps, code: string) {
  return (await db.select().from(promotions).where(eq(promotions.code, code)).get())?.uses
}
