import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { generateExport } from '#server/books/export.ts'
import { ORDER_NUMBER_ALPHABET } from '#server/orders/insert-order.ts'
import { users } from '#server/platform/db/schema.ts'
import { formatMoney } from '#shared/format.ts'
import { listPaymentLines } from '#shared/orders/payment-status.ts'
import { shop } from '#shared/shop.ts'
import { createAccount } from '#test/support/account.ts'
import {
  catalogue,
  createCatalogueSource,
  createUnpublishedCatalogue,
  NOW_MS,
  testContext,
} from '#test/support/context.ts'
import { createUnreachableDatabase } from '#test/support/database.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import {
  billing,
  calculateCheckoutTotalKsh,
  countRows,
  createPromotion,
  getPriceKsh,
  listOrders,
  orderRequest,
  postOrder,
  readRecords,
  tenPercentDiscount,
} from '#test/support/orders.ts'
import { callOrder, createMpesaPayment, testPayments } from '#test/support/payments.ts'

/** The largest size costs more than the other sizes. */
const largestJacket = catalogue.find(({ id }) => id === 30)?.sizing?.sizes.at(-1)?.id ?? 0

describe('placing an order', () => {
  it.each(['<v>x@y.zz', 'a,b@x.yz', 'a@x..yz'])(
    'is refused with the email %s, which the mailer wouldn’t send to',
    async (email) => {
      const ctx = testContext()
      const refused = await postOrder(
        ctx,
        await createAccount(ctx),
        orderRequest(undefined, { billing: { ...billing, email } }),
      )
      expect([refused.status, refused.body.message]).toEqual([400, 'Please enter a valid email address'])
    },
  )

  it('strips invisible characters from the email address', async () => {
    const ctx = testContext()
    const email = '\u202awanjiru@example.com\u202c'
    const { body } = await postOrder(
      ctx,
      await createAccount(ctx),
      orderRequest(undefined, { billing: { ...billing, email } }),
    )
    expect(body.order.email).toBe('wanjiru@example.com')
  })

  // The last stands for no payment: cash on delivery isn't offered.
  it.each([
    { provider: 'paystack' } as const,
    createMpesaPayment(),
    { provider: 'cash-on-delivery' } as const,
  ])('needs no payment if a promo code covers the total: %j', async (payment) => {
    const ctx = testContext()
    const terms = { ...tenPercentDiscount, value: 100 }
    const [shopper, promoCode] = [await createAccount(ctx), await createPromotion(ctx, terms)]
    const request = orderRequest(undefined, { payment, promoCode, expectedTotal: 0 })
    const { status, body } = await postOrder(ctx, shopper, request)
    expect([status, body.order.status, body.order.balance.dueCents]).toEqual([201, 'placed', 0])
    expect(listPaymentLines(body.order)).toEqual(['There’s nothing to pay.'])
    const state = await callOrder(ctx, shopper, 'GET', `${body.order.number}/payment`)
    expect(state.body.payment).toMatchObject({ status: 'paid', message: 'There’s nothing to pay.' })
    const period = { startMs: 0, endMs: 2 * NOW_MS }
    const exported = await Array.fromAsync(generateExport({ name: 'payments', format: 'csv', period }, ctx))
    expect(exported.join('')).not.toContain(body.order.number)
    const { emails } = await readRecords(ctx, shopper.user.id)
    expect(emails.map(({ kind }) => kind).toSorted()).toEqual(['order-confirmation', 'order-notice'])
    for (const { text } of emails) expect(text).not.toContain('\n\n\n')
  })

  it('stores the order, its lines and both emails, and returns the order', async () => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    const requestedLines = [
      { id: 1, qty: 2 },
      { id: 3, qty: 1 },
    ]
    const { status, body } = await postOrder(ctx, shopper, orderRequest(requestedLines))
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body.order).toMatchObject({
      status: 'placed',
      placedAtMs: NOW_MS,
      email: billing.email,
      promoCode: null,
      card: { brand: 'Visa', lastFour: '4242' },
      lines: [
        { productId: 1, unitPriceCents: getPriceKsh(1) * 100, qty: 2 },
        { productId: 3, unitPriceCents: getPriceKsh(3) * 100, qty: 1 },
      ],
    })
    expect(body.order.number).toMatch(new RegExp(`^P-[${ORDER_NUMBER_ALPHABET}]{6}$`))

    const { orders, lines, emails } = await readRecords(ctx, shopper.user.id)
    expect(orders).toHaveLength(1)
    expect(lines).toHaveLength(2)
    expect(emails.map(({ kind, recipient }) => [kind, recipient])).toEqual([
      ['order-confirmation', billing.email],
      ['order-notice', shop.email],
    ])
    for (const { text } of emails) {
      expect(text).toContain(body.order.number)
      expect(text).toContain(`Total: ${formatMoney(calculateCheckoutTotalKsh(requestedLines) * 100)}`)
    }
    await ctx.backgroundDone()
    expect(ctx.emails).toHaveLength(2)
  })

  it('sells each size as its own item at its own price, and names it in responses and emails', async () => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    const lines = [
      { id: 30, qty: 1 },
      { id: largestJacket, qty: 2 },
    ]
    const { status, body } = await postOrder(ctx, shopper, orderRequest(lines))
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body.order.lines).toMatchObject([
      { productId: 30, size: '12–18 months', unitPriceCents: 4350_00, qty: 1 },
      { productId: largestJacket, size: '6–7 years', unitPriceCents: 4650_00, qty: 2 },
    ])
    const { emails } = await readRecords(ctx, shopper.user.id)
    for (const { text } of emails) expect(text).toContain('Indigo Quilted Toggle Jacket, 6–7 years × 2')
    const changed = await postOrder(ctx, shopper, orderRequest(lines, { expectedTotal: 1 }))
    expect(changed.body).toMatchObject({
      code: 'prices_changed',
      lines: [{ size: '12–18 months' }, { id: largestJacket, size: '6–7 years', price: 4650 }],
    })
  })

  it('saves the address for the next checkout', async () => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    await postOrder(ctx, shopper, orderRequest())
    const user = await ctx.db.select().from(users).where(eq(users.id, shopper.user.id)).get()
    const { email: _, address2: __, ...address } = billing
    expect(user).toMatchObject({ ...address, address2: null, email: shopper.user.email })
  })

  it('charges the catalogue price and ignores prices sent by the browser', async () => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    const tampered = { ...orderRequest(), lines: [{ id: 1, qty: 2, price: 1, unitPriceCents: 1 }] }
    const honest = await postOrder(ctx, shopper, tampered)
    await expectStatus(honest, 201)
    expect(honest.body.order.totals.subtotalCents).toBe(getPriceKsh(1) * 2 * 100)
  })

  it('places no order at a total the shopper didn’t see, and returns the current one', async () => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    const { status, body } = await postOrder(
      ctx,
      shopper,
      orderRequest([{ id: 1, qty: 2 }], { expectedTotal: 1 }),
    )
    expect(status, JSON.stringify(body)).toBe(409)
    expect(body.code).toBe('prices_changed')
    expect(body.message).toContain('You haven’t been charged')
    expect(body.totals).toMatchObject({ totalCents: calculateCheckoutTotalKsh([{ id: 1, qty: 2 }]) * 100 })
    expect(body.lines).toMatchObject([{ id: 1, qty: 2, price: getPriceKsh(1), title: catalogue[0]?.title }])
    expect((await readRecords(ctx, shopper.user.id)).orders).toEqual([])
  })

  it('accepts 100 different products', async () => {
    const { sizing: _, ...product } = catalogue[0] as (typeof catalogue)[number]
    const products = Array.from({ length: 100 }, (_, index) => ({
      ...product,
      id: index + 1,
      price: 100,
    }))
    const ctx = testContext({ catalogue: createCatalogueSource(products) })
    const shopper = await createAccount(ctx)
    const lines = products.map(({ id }) => ({ id, qty: 99 }))
    const { status, body } = await postOrder(
      ctx,
      shopper,
      orderRequest(lines, { expectedTotal: 99 * 100 * 116 }),
    )
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body.order.lines.map(({ productId }) => productId)).toEqual(lines.map(({ id }) => id))
    expect((await readRecords(ctx, shopper.user.id)).lines).toHaveLength(100)
  })

  it('is refused if a product is no longer sold, and the response says which', async () => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    const lines = [
      { id: 1, qty: 1 },
      { id: 999_999, qty: 1 },
    ]
    const { status, body } = await postOrder(ctx, shopper, orderRequest(lines))
    expect(status, JSON.stringify(body)).toBe(422)
    expect(body).toMatchObject({ code: 'unknown_product', productIds: [999_999] })
    expect(body.message).toContain('999999')
  })

  it('requires a session', async () => {
    const ctx = testContext()
    const before = await countRows(ctx)
    await expectStatus(
      await postOrder(ctx, { bearer: { Authorization: 'Bearer nobody' } }, orderRequest()),
      401,
    )
    expect(await countRows(ctx)).toEqual(before)
  })

  it('stores no card number and no CVV, even if a page sends them by mistake', async () => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    const withCardNumber = {
      ...orderRequest(),
      ccNumber: '4242424242424242',
      billing: { ...billing, ccNumber: '4242424242424242', ccCVV: '987' },
    }
    await expectStatus(await postOrder(ctx, shopper, withCardNumber), 201)
    await ctx.backgroundDone()
    const storedText = JSON.stringify([await readRecords(ctx, shopper.user.id), ctx.lines, ctx.emails])
    expect(storedText).not.toContain('4242424242424242')
    // The pattern matches a whole word, because a random id can contain these three digits.
    expect(storedText).not.toMatch(/\b987\b/)
  })
})

describe('a failed order request', () => {
  it('gets a 503 and a message if the database is down or the catalogue can’t be read', async () => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    for (const broken of [
      { ...ctx, db: createUnreachableDatabase() },
      { ...ctx, catalogue: createUnpublishedCatalogue(() => new Response('no', { status: 500 })) },
    ]) {
      const { status, body } = await postOrder(broken, shopper, orderRequest())
      expect(status, JSON.stringify(body)).toBe(503)
      expect(body.message).toMatch(/^The shop .*\.$/)
    }
    await expectStatus(await listOrders({ ...ctx, db: createUnreachableDatabase() }, shopper), 503)
    expect((await readRecords(ctx, shopper.user.id)).orders).toEqual([])
  })

  it('says that the payment was declined, and can be retried', async () => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    const no = { outcome: 'declined', problem: 'declined' } as const
    const declining = { ...ctx, payments: testPayments({ simulated: { startPayment: async () => no } }) }
    const key = crypto.randomUUID()
    const { status, body } = await postOrder(declining, shopper, orderRequest(), key)
    expect([status, body.message]).toEqual([402, 'The payment didn’t go through. You haven’t been charged.'])
    expect(body.order.status).toBe('awaiting_payment')
    expect((await readRecords(ctx, shopper.user.id)).emails).toEqual([])
    expect((await postOrder(ctx, shopper, orderRequest(), key)).status).toBe(200)
    const { orders: rows, emails } = await readRecords(ctx, shopper.user.id)
    expect([rows.length, emails.length]).toEqual([1, 2])
  })
})
