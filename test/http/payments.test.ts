import { eq, sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import type { ServiceContext } from '#server/context.ts'
import { runHousekeeping } from '#server/housekeeping.ts'
import { loadCheckoutPage } from '#server/orders/pages.ts'
import { recordManualPayment } from '#server/orders/record-manual-payment.ts'
import { runScheduledPayments } from '#server/orders/scheduled-payments.ts'
import { byUndecidedState } from '#server/payments/payment-attempts.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import { orders, outbox, payments, refunds, users } from '#server/platform/db/schema.ts'
import { createDeliveryTerms } from '#shared/checkout/delivery.ts'
import { deliverySettings } from '#shared/shop.ts'
import { HOUR_MS, MINUTE_MS } from '#shared/time.ts'
import { createAccount } from '#test/support/account.ts'
import { catalogue, createCatalogueSource, NOW_MS, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import {
  calculateCheckoutTotalKsh,
  countUses,
  createPromotion,
  orderRequest,
  postOrder,
  readRecords,
  tenPercentDiscount,
} from '#test/support/orders.ts'
import {
  callOrder,
  createMpesaPayment,
  insertRefund,
  type ProviderOverrides,
  testPayments,
} from '#test/support/payments.ts'
import { get, postForm, postJson } from '#test/support/posting.ts'

const cancelledByShopper = { outcome: 'declined', problem: 'cancelled' } as const
const lines = [{ id: 1, qty: 2 }]
/** Its price is below the threshold for free shipping. */
const CHEAP_PRODUCT_ID = catalogue.find(({ price }) => price < 1000)?.id ?? 0
const catalogueAtHigherPrices = catalogue.map((product) => ({ ...product, price: product.price + 1 }))

async function placeUnpaidOrder({
  mpesa = {},
  promoCode,
  lines: ordered = lines,
}: {
  mpesa?: ProviderOverrides
  promoCode?: string
  lines?: { id: number; qty: number }[]
} = {}) {
  const started: { callbackUrl: string; id: string }[] = []
  const provider: ProviderOverrides = {
    async startPayment({ id }, { callbackUrl }) {
      started.push({ callbackUrl, id })
      return { outcome: 'pending', reference: `ref-${id}` }
    },
    ...mpesa,
  }
  let nowMs = NOW_MS
  const ctx = testContext({ payments: testPayments({ mpesa: provider }), clock: () => nowMs })
  const shopper = await createAccount(ctx)
  const key = crypto.randomUUID()
  const request = orderRequest(ordered, {
    payment: createMpesaPayment(),
    ...(promoCode ? { promoCode, expectedTotal: calculateCheckoutTotalKsh(lines, tenPercentDiscount) } : {}),
  })
  const placed = await postOrder(ctx, shopper, request, key)
  const { number } = placed.body.order
  const withProvider = (change: ProviderOverrides): ServiceContext => ({
    ...ctx,
    payments: testPayments({ mpesa: { ...provider, ...change } }),
  })
  return {
    ctx,
    shopper,
    key,
    request,
    placed,
    number,
    started,
    withProvider,
    advanceClock: (ms: number) => {
      nowMs += ms
    },
    readState: (context: ServiceContext = ctx) => callOrder(context, shopper, 'GET', `${number}/payment`),
    pay: (payment: unknown, context: ServiceContext = ctx) =>
      callOrder(context, shopper, 'POST', `${number}/payment`, { payment }),
    cancel: () => callOrder(ctx, shopper, 'POST', `${number}/cancel`, {}),
    sendCallback: (body: unknown, context: ServiceContext = ctx, attempt = 0) =>
      postJson(context, new URL(started[attempt]?.callbackUrl ?? '').pathname, body),
    readAttempts: () =>
      ctx.db
        .select()
        .from(payments)
        .innerJoin(orders, eq(orders.id, payments.orderId))
        .leftJoin(refunds, eq(refunds.paymentId, payments.id))
        .where(eq(orders.number, number))
        .orderBy(payments.attempt),
  }
}

const createSettledQuery = (receipt: string | null = null): ProviderOverrides => ({
  queryPayment: async ({ id }) => ({ outcome: 'settled', reference: `ref-${id}`, receipt }),
})

let receipts = 0
const newReceipt = () => `SKL${String(++receipts).padStart(7, '0')}`

const createStkCallback = (
  id: string,
  { code = 0, amount = calculateCheckoutTotalKsh(lines), receipt = newReceipt() } = {},
) => ({
  Body: {
    stkCallback: {
      CheckoutRequestID: `ref-${id}`,
      ResultCode: code,
      CallbackMetadata: {
        Item: [
          { Name: 'Amount', Value: amount },
          { Name: 'MpesaReceiptNumber', Value: receipt },
        ],
      },
    },
  },
})

describe('an order paid by M-Pesa', () => {
  it('exists before it is paid, and is placed with its emails once the payment arrives', async () => {
    const { placed, ctx, shopper, readState, withProvider, advanceClock } = await placeUnpaidOrder()
    expect(placed.status).toBe(202)
    expect(placed.body).toMatchObject({
      order: { status: 'awaiting_payment', payment: null },
      payment: {
        status: 'waiting',
        message: expect.stringContaining('Enter your M-Pesa PIN'),
        pollInMs: 2000,
      },
    })
    expect((await readRecords(ctx, shopper.user.id)).emails).toEqual([])

    advanceClock(20_000)
    const { body } = await readState(withProvider(createSettledQuery()))
    expect(body).toMatchObject({ order: { status: 'placed' }, payment: { status: 'paid', pollInMs: null } })
    const { emails } = await readRecords(ctx, shopper.user.id)
    expect(emails.map(({ kind }) => kind).toSorted()).toEqual(['order-confirmation', 'order-notice'])
    expect(emails[0]?.text).toContain('Payment: M-Pesa')
  })

  it('sends one prompt even if the request is retried, and is visible to its owner only', async () => {
    const { ctx, shopper, request, key, number, started } = await placeUnpaidOrder()
    expect((await postOrder(ctx, shopper, request, key)).status).toBe(202)
    expect(started).toHaveLength(1)
    const stranger = await createAccount(ctx)
    expect((await callOrder(ctx, stranger, 'GET', `${number}/payment`)).status).toBe(404)
    expect((await callOrder(ctx, stranger, 'POST', `${number}/cancel`, {})).status).toBe(404)
  })

  it('explains why its payment failed, and can be paid again or another way', async () => {
    const { readState, pay, withProvider, request, started, advanceClock, readAttempts } =
      await placeUnpaidOrder()
    expect(await pay(request.payment)).toMatchObject({
      status: 409,
      retryAfter: '120',
      body: { code: 'prompt_too_soon' },
    })
    advanceClock(20_000)
    expect(
      (await readState(withProvider({ queryPayment: async () => cancelledByShopper }))).body.payment,
    ).toMatchObject({
      status: 'failed',
      problem: 'cancelled',
      pollInMs: null,
      promptAgainInMs: 0,
      message:
        'The payment was cancelled on your phone. You haven’t been charged. Please try again, or pay another way.',
      methods: ['simulated', 'mpesa', 'paystack'],
    })
    expect((await readAttempts())[0]?.payments).toMatchObject({ problem: 'cancelled', message: null })
    expect((await pay(request.payment)).status).toBe(202)
    expect(started).toHaveLength(2)
    const { status, body } = await pay(orderRequest().payment)
    expect([status, body.order.status, body.order.card?.lastFour]).toEqual([200, 'placed', '4242'])
  })

  it('says that a later card payment was declined while its prompt is open, which can be sent again', async () => {
    const { ctx, pay, readState } = await placeUnpaidOrder()
    const declined = { outcome: 'declined', problem: 'declined' } as const
    const payments = testPayments({ simulated: { startPayment: async () => declined } })
    expect((await pay(orderRequest().payment, { ...ctx, payments })).status).toBe(402)
    const { payment } = (await readState()).body
    expect(payment).toMatchObject({
      status: 'waiting',
      provider: 'mpesa',
      problem: 'declined',
      promptAgainInMs: 120_000,
    })
    expect(payment.message).toMatch(
      /^The payment didn’t go through\. You haven’t been charged\.\nWe’ve sent a prompt/,
    )
  })

  it('leaves the phone of its last prompt for the next checkout, and the contact phone as it was', async () => {
    const { ctx, shopper, pay, readState, withProvider, advanceClock } = await placeUnpaidOrder()
    advanceClock(20_000)
    await readState(withProvider({ queryPayment: async () => cancelledByShopper }))
    const { phone = '' } = createMpesaPayment() as { phone?: string }
    expect((await pay(createMpesaPayment(phone))).status).toBe(202)
    advanceClock(20_000)
    expect((await readState(withProvider(createSettledQuery()))).body.order.status).toBe('placed')
    const user = await ctx.db.select().from(users).where(eq(users.id, shopper.user.id)).get()
    expect(user).toMatchObject({ mpesaPhone: `254${phone.slice(1)}`, phone: null })
  })

  it('exists before a slow M-Pesa responds, and stores the response later', async () => {
    const response = Promise.withResolvers<void>()
    const { placed, readAttempts, ctx } = await placeUnpaidOrder({
      mpesa: {
        async startPayment({ id }) {
          await response.promise
          return { outcome: 'pending', reference: `late-${id}` }
        },
      },
    })
    expect([placed.status, placed.body.order.status]).toEqual([202, 'awaiting_payment'])
    response.resolve()
    await ctx.backgroundDone()
    expect((await readAttempts())[0]?.payments).toMatchObject({ state: 'pending', reference: /^late-/ })
  })
})

describe('a callback', () => {
  it('delivers the receipt of a confirmed payment, even if it is repeated', async () => {
    const { sendCallback, started, withProvider, readAttempts, ctx, shopper } = await placeUnpaidOrder()
    const id = started[0]?.id ?? ''
    const body = createStkCallback(id, { receipt: 'SKLTHRICE0' })
    for (let times = 0; times < 3; times++)
      expect((await sendCallback(body, withProvider(createSettledQuery()))).status).toBe(200)
    expect(
      (await readAttempts()).map(({ payments: { state, receipt }, refunds }) => [state, receipt, refunds]),
    ).toEqual([['settled', 'SKLTHRICE0', null]])
    expect((await readRecords(ctx, shopper.user.id)).emails).toHaveLength(2)
  })

  it('is ignored while M-Pesa reports another state, and rejected at any other URL', async () => {
    const { sendCallback, started, readState, ctx } = await placeUnpaidOrder()
    const body = createStkCallback(started[0]?.id ?? '')
    expect((await sendCallback(body)).status).toBe(200)
    expect((await readState()).body.payment.status).toBe('waiting')
    const app = createApp(ctx)
    const post = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }
    for (const token of ['x', '0'.repeat(64), `${'0'.repeat(63)}'`])
      expect((await app.request(`https://pamba.test/api/payments/${token}`, post)).status).toBe(404)
  })

  it('adds the receipt to a payment settled by query, unless the amount differs', async () => {
    const { sendCallback, started, withProvider, readAttempts, readState, advanceClock } =
      await placeUnpaidOrder()
    advanceClock(20_000)
    await readState(withProvider(createSettledQuery()))
    const id = started[0]?.id ?? ''
    await sendCallback(createStkCallback(id, { amount: 1 }))
    expect((await readAttempts())[0]?.payments.receipt).toBeNull()
    await sendCallback(createStkCallback(id, { receipt: 'SKLLATER00' }))
    expect((await readAttempts())[0]?.payments.receipt).toBe('SKLLATER00')
  })

  it('is ignored if its receipt belongs to another order', async () => {
    const first = await placeUnpaidOrder()
    await first.sendCallback(
      createStkCallback(first.started[0]?.id ?? '', { receipt: 'SKLSAME000' }),
      first.withProvider(createSettledQuery()),
    )
    const second = await placeUnpaidOrder()
    const id = second.started[0]?.id ?? ''
    await second.sendCallback(
      createStkCallback(id, { receipt: 'SKLSAME000' }),
      second.withProvider(createSettledQuery()),
    )
    expect((await second.readAttempts())[0]?.payments).toMatchObject({ state: 'pending', receipt: null })
    expect(second.ctx.paymentLines).toMatchObject([{ outcome: 'ignored' }])
  })

  it('settles a prompt whose acknowledgement was lost', async () => {
    const lost = await placeUnpaidOrder()
    const id = lost.started[0]?.id ?? ''
    await lost.ctx.db.update(payments).set({ state: 'sending', reference: null }).where(eq(payments.id, id))
    await lost.sendCallback(createStkCallback(id), lost.withProvider(createSettledQuery()))
    expect((await lost.readState()).body.payment.status).toBe('paid')
  })

  it('places an expired order whose prompt was never acknowledged; until then, the attempt is listed as undecided', async () => {
    const lost = await placeUnpaidOrder()
    const id = lost.started[0]?.id ?? ''
    const byId = eq(payments.id, id)
    await lost.ctx.db.update(payments).set({ state: 'sending', reference: null }).where(byId)
    // The M-Pesa provider returns this result when it has no reference to query with.
    const unacknowledged = { outcome: 'unknown', error: 'M-Pesa never acknowledged this prompt.' } as const
    const context = lost.withProvider({ queryPayment: async () => unacknowledged })
    lost.advanceClock(20_000)
    expect((await lost.readState(context)).body.payment.message).toContain('hasn’t confirmed the prompt')
    lost.advanceClock(31 * MINUTE_MS)
    await runHousekeeping(context)
    expect((await lost.readState(context)).body.order.status).toBe('expired')
    const listed = await lost.ctx.db.select().from(payments).where(byUndecidedState)
    expect(listed).toContainEqual(expect.objectContaining({ id, error: unacknowledged.error }))
    await lost.sendCallback(createStkCallback(id), lost.withProvider(createSettledQuery()))
    expect((await lost.readState()).body.order.status).toBe('placed')
  })
})

describe('two payments of one order', () => {
  it('both settle, and the second is refunded', async () => {
    const { sendCallback, started, pay, request, advanceClock, withProvider, readAttempts, ctx, number } =
      await placeUnpaidOrder()
    advanceClock(2 * MINUTE_MS)
    await pay(request.payment)
    const refunded: string[] = []
    const context = withProvider({
      ...createSettledQuery(),
      async refund({ payment: { receipt } }) {
        refunded.push(receipt ?? '')
        return { outcome: 'requested' }
      },
    })
    for (const [attempt, receipt] of ['SKLFIRST00', 'SKLSECOND0'].entries())
      await sendCallback(createStkCallback(started[attempt]?.id ?? '', { receipt }), context, attempt)
    await runHousekeeping(context)
    expect(refunded.filter((receipt) => /FIRST|SECOND/.test(receipt))).toEqual(['SKLSECOND0'])
    expect((await readAttempts()).map(({ payments: { state }, refunds }) => [state, refunds?.state])).toEqual(
      [
        ['settled', undefined],
        ['settled', 'requested'],
      ],
    )
    expect(ctx.paymentLines).toContainEqual(expect.objectContaining({ order: number, outcome: 'refund due' }))
  })
})

describe('an unpaid order', () => {
  it('expires after 30 minutes and releases its promo code', async () => {
    const promoCode = await createPromotion(testContext(), { maxUses: 1 })
    const { ctx, advanceClock, readState, key, request, shopper, pay } = await placeUnpaidOrder({ promoCode })
    expect(await countUses(ctx, promoCode)).toBe(1)
    advanceClock(29 * MINUTE_MS)
    await runHousekeeping(ctx)
    expect((await readState()).body.order.status).toBe('awaiting_payment')
    advanceClock(MINUTE_MS)
    await runHousekeeping(ctx)
    expect((await readState()).body).toMatchObject({
      order: { status: 'expired' },
      payment: { status: 'expired' },
    })
    expect(await countUses(ctx, promoCode)).toBe(0)
    for (const response of [await postOrder(ctx, shopper, request, key), await pay(request.payment)])
      expect([response.status, response.body.code]).toEqual([409, 'order_closed'])
  })

  it('is placed by a late payment if its promo code is still available', async () => {
    const promoCode = await createPromotion(testContext(), { maxUses: 1 })
    const { ctx, advanceClock, withProvider, readState, shopper } = await placeUnpaidOrder({ promoCode })
    advanceClock(31 * MINUTE_MS)
    await runHousekeeping(ctx)
    advanceClock(31 * MINUTE_MS)
    await runHousekeeping(withProvider(createSettledQuery()))
    expect((await readState()).body.order.status).toBe('placed')
    expect(await countUses(ctx, promoCode)).toBe(1)
    expect((await readRecords(ctx, shopper.user.id)).emails).toHaveLength(2)
  })

  it('has its late payment refunded if its promo code has been used up', async () => {
    const promoCode = await createPromotion(testContext(), { maxUses: 1 })
    const late = await placeUnpaidOrder({ promoCode })
    late.advanceClock(31 * MINUTE_MS)
    await runHousekeeping(late.ctx)
    await placeUnpaidOrder({ promoCode })
    late.advanceClock(31 * MINUTE_MS)
    await runHousekeeping(late.withProvider(createSettledQuery()))
    expect((await late.readState()).body.order.status).toBe('expired')
    expect((await late.readAttempts())[0]).toMatchObject({
      payments: { state: 'settled' },
      refunds: { state: 'requested', reason: 'late_payment' },
    })
  })

  it.each([
    [
      'a price has changed',
      (ctx: ServiceContext) => ({ ...ctx, catalogue: createCatalogueSource(catalogueAtHigherPrices) }),
    ],
    [
      'the delivery fee has changed',
      (ctx: ServiceContext) => ({
        ...ctx,
        delivery: createDeliveryTerms({
          ...deliverySettings,
          zones: [{ name: 'Town', counties: ['Nairobi'], feeKsh: 77 }],
        }),
      }),
    ],
    [
      'a product is no longer sold',
      (ctx: ServiceContext) => ({ ...ctx, catalogue: createCatalogueSource([]) }),
    ],
  ])('has its late payment refunded if %s, and says so', async (_, change) => {
    const late = await placeUnpaidOrder({ lines: [{ id: CHEAP_PRODUCT_ID, qty: 1 }] })
    late.advanceClock(31 * MINUTE_MS)
    await runHousekeeping(late.ctx)
    late.advanceClock(31 * MINUTE_MS)
    const context = change(late.withProvider(createSettledQuery()))
    await runHousekeeping(context)
    const { body } = await late.readState(context)
    expect(body.order.status).toBe('expired')
    expect(body.payment.message).toMatch(/^Your payment arrived too late: .* We’ve started a refund/)
    expect((await late.readAttempts())[0]).toMatchObject({
      payments: { state: 'settled' },
      refunds: { state: 'requested' },
    })
  })

  it('has its late payment refunded if its promo code has ended', async () => {
    const promoCode = await createPromotion(testContext(), { endsAtMs: NOW_MS + 40 * MINUTE_MS })
    const late = await placeUnpaidOrder({ promoCode })
    late.advanceClock(31 * MINUTE_MS)
    await runHousekeeping(late.ctx)
    late.advanceClock(31 * MINUTE_MS)
    await runHousekeeping(late.withProvider(createSettledQuery()))
    expect((await late.readState()).body.order.status).toBe('expired')
    expect((await late.readAttempts())[0]?.refunds?.state).toBe('requested')
  })

  it('releases its promo code when its payment is declined, and redeems it again for the next attempt', async () => {
    const promoCode = await createPromotion(testContext(), { maxUses: 1 })
    const { ctx, advanceClock, withProvider, readState, pay } = await placeUnpaidOrder({ promoCode })
    advanceClock(20_000)
    await readState(withProvider({ queryPayment: async () => cancelledByShopper }))
    expect(await countUses(ctx, promoCode)).toBe(0)
    await pay(createMpesaPayment())
    expect(await countUses(ctx, promoCode)).toBe(1)
    advanceClock(20_000)
    await readState(withProvider({ queryPayment: async () => cancelledByShopper }))
    await placeUnpaidOrder({ promoCode })
    const { status, body } = await pay(createMpesaPayment())
    expect([status, body.code]).toEqual([409, 'order_closed'])
    expect(body.message).toContain('promo code has just reached its limit')
    expect((await readState()).body.order.status).toBe('expired')
  })

  it('can be cancelled; a payment that still arrives is refunded', async () => {
    const { cancel, sendCallback, started, withProvider, readAttempts, ctx, shopper } =
      await placeUnpaidOrder()
    const { status, body } = await cancel()
    expect([status, body.order.status, body.payment.status]).toEqual([200, 'cancelled', 'cancelled'])
    expect((await cancel()).status).toBe(200)
    await sendCallback(createStkCallback(started[0]?.id ?? ''), withProvider(createSettledQuery()))
    expect((await readAttempts())[0]).toMatchObject({
      payments: { state: 'settled' },
      refunds: { state: 'due' },
    })
    expect((await readRecords(ctx, shopper.user.id)).emails).toEqual([])
  })
})

describe('a payment that differs from the order’s total', () => {
  const half: ProviderOverrides = {
    queryPayment: async () => ({
      outcome: 'unknown',
      problem: 'amount_differs',
      error: 'Paystack reports KES 100, not KES 200.',
    }),
  }
  const lookingInto =
    /We’ve received a payment that doesn’t match the amount due of KSH .*We’re looking into it/

  it.each(['waiting', 'cancelled', 'expired'])(
    'is said to be looked into while the order is %s, and listed until it is resolved',
    async (status) => {
      const { ctx, advanceClock, readState, withProvider, cancel, number } = await placeUnpaidOrder()
      advanceClock(20_000)
      await readState(withProvider(half))
      if (status === 'cancelled') await cancel()
      if (status === 'expired') {
        advanceClock(31 * MINUTE_MS)
        await runHousekeeping(withProvider(half))
      }
      const { body } = await readState(withProvider(half))
      expect(body.payment).toMatchObject({ status, message: expect.stringMatching(lookingInto) })
      expect(body.payment.message).not.toContain('haven’t been charged')

      const office = await createOfficeClient(officeContext())
      const isListed = async () => (await office.get('/payments')).text.includes(number)
      expect(await isListed()).toBe(true)
      advanceClock(4 * 24 * 60 * MINUTE_MS)
      await runHousekeeping(withProvider(half))
      expect(await isListed()).toBe(true)
      expect((await office.get(`/orders/${number}`)).text).toContain('Paystack reports KES 100, not KES 200.')
      const [attempt] = await ctx.db
        .select({ id: payments.id })
        .from(payments)
        .innerJoin(orders, eq(orders.id, payments.orderId))
        .where(eq(orders.number, number))
      const resolve = () => office.post(`/orders/${number}/resolved`, { payment: attempt?.id ?? '' })
      expect((await resolve()).status).toBe(303)
      expect((await resolve()).status).toBe(409)
      expect(await isListed()).toBe(false)
    },
  )
})

describe('cancelling a paid order', () => {
  it('refunds the payment, releases the promo code and emails the shopper', async () => {
    const promoCode = await createPromotion(testContext())
    const { sendCallback, started, withProvider, cancel, readAttempts, ctx, shopper } =
      await placeUnpaidOrder({
        promoCode,
      })
    const amount = calculateCheckoutTotalKsh(lines, tenPercentDiscount)
    await sendCallback(
      createStkCallback(started[0]?.id ?? '', { amount, receipt: 'SKLCANCEL0' }),
      withProvider(createSettledQuery()),
    )
    expect((await cancel()).body).toMatchObject({
      order: { status: 'cancelled', payment: { receipt: 'SKLCANCEL0', refund: 'due' } },
      payment: { message: expect.stringContaining('We’ve started a refund of KSH') },
    })
    await ctx.backgroundDone()
    expect(await countUses(ctx, promoCode)).toBe(0)
    expect((await readAttempts())[0]?.refunds?.state).toBe('requested')
    const { emails } = await readRecords(ctx, shopper.user.id)
    expect(emails.map(({ kind }) => kind)).toContain('order-cancelled')

    const reversal = { Result: { ResultCode: 0 } }
    const callbackUrls: string[] = []
    const context = withProvider({
      async refund(_, { callbackUrl }) {
        callbackUrls.push(callbackUrl)
        return { outcome: 'requested' }
      },
    })
    const { refunds: refund } = (await readAttempts())[0] ?? {}
    await ctx.db
      .update(refunds)
      .set({ nextAtMs: 0 })
      .where(eq(refunds.id, refund?.id ?? ''))
    await runHousekeeping(context)
    const headers = { 'Content-Type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(reversal) }
    expect((await createApp(context).request(callbackUrls[0] ?? '', init)).status).toBe(200)
    expect((await readAttempts())[0]?.refunds?.state).toBe('done')
  })

  it('leads to a manual refund and an email to the shop if the provider can’t refund the payment', async () => {
    const mpesa: ProviderOverrides = {
      refund: async () => ({ outcome: 'by_hand', error: 'No receipt.' }),
      ...createSettledQuery(),
    }
    const { readState, advanceClock, cancel, readAttempts, ctx } = await placeUnpaidOrder({ mpesa })
    advanceClock(20_000)
    await readState()
    await cancel()
    await ctx.backgroundDone()
    expect((await readAttempts())[0]?.refunds).toMatchObject({ state: 'by_hand', error: 'No receipt.' })
    const [operatorEmail] = await ctx.db.select().from(outbox).where(eq(outbox.kind, 'refund-notice'))
    expect(operatorEmail?.text).toContain('No receipt.')
  })

  it('leads to a manual refund when the provider accepts the refund but never completes it', async () => {
    const { sendCallback, started, withProvider, cancel, readAttempts, advanceClock, ctx } =
      await placeUnpaidOrder()
    const context = withProvider(createSettledQuery())
    await sendCallback(createStkCallback(started[0]?.id ?? ''), context)
    await cancel()
    await ctx.backgroundDone()
    for (let day = 0; day < 8; day++) {
      advanceClock(24 * 60 * MINUTE_MS)
      await runHousekeeping(context)
    }
    expect((await readAttempts())[0]?.refunds).toMatchObject({ state: 'by_hand', attempts: 7 })
  })

  it('leads to a refund by the provider once the callback delivers the receipt', async () => {
    const refunded: (string | null)[] = []
    const refund: ProviderOverrides['refund'] = async ({ payment: { receipt } }) => {
      refunded.push(receipt)
      return receipt ? { outcome: 'requested' } : { outcome: 'by_hand', error: 'No receipt.' }
    }
    const { readState, advanceClock, cancel, readAttempts, ctx, sendCallback, started } =
      await placeUnpaidOrder({
        mpesa: { refund, ...createSettledQuery() },
      })
    advanceClock(20_000)
    await readState()
    await cancel()
    await ctx.backgroundDone()
    expect(
      (await sendCallback(createStkCallback(started[0]?.id ?? '', { receipt: 'SKLAFTER00' }))).status,
    ).toBe(200)
    await runHousekeeping(ctx)
    expect(refunded).toEqual([null, 'SKLAFTER00'])
    expect((await readAttempts())[0]?.refunds?.state).toBe('requested')
  })

  it('is refused once the order is packed', async () => {
    const { readState, advanceClock, withProvider, cancel, ctx, number } = await placeUnpaidOrder()
    advanceClock(20_000)
    await readState(withProvider(createSettledQuery()))
    await ctx.db.update(orders).set({ status: 'packed' }).where(eq(orders.number, number))
    const { status, body } = await cancel()
    expect([status, body.code, body.order.status]).toEqual([409, 'order_not_cancellable', 'packed'])
  })
})

describe('an unreliable provider', () => {
  const providerMessage = expect.stringMatching(/M-Pesa|Paystack/)

  it('leads to a 503 if its response is lost; a retried order waits for the same prompt', async () => {
    const startPayment: ProviderOverrides['startPayment'] = async () => ({
      outcome: 'unknown',
      error: 'Network connection lost.',
    })
    const { placed, ctx, shopper, request, key, readAttempts } = await placeUnpaidOrder({
      mpesa: { startPayment },
    })
    expect(placed).toMatchObject({
      status: 503,
      body: { code: 'payment_unavailable', message: providerMessage, payment: { status: 'waiting' } },
    })
    expect(placed.body.message).not.toContain('You haven’t been charged')
    expect((await postOrder(ctx, shopper, request, key)).status).toBe(202)
    expect(await readAttempts()).toHaveLength(1)
  })

  it('leads to a 503 when Paystack opens no page in time; a retry gets the page’s URL', async () => {
    const opened = Promise.withResolvers<void>()
    const startPayment: ProviderOverrides['startPayment'] = async ({ id }) => {
      await opened.promise
      return { outcome: 'pending', reference: id, redirectTo: 'https://paystack.test/pay' }
    }
    const ctx = testContext({ payments: testPayments({ paystack: { startPayment } }) })
    const shopper = await createAccount(ctx)
    const key = crypto.randomUUID()
    const request = orderRequest(lines, { payment: { provider: 'paystack' } })
    expect(await postOrder(ctx, shopper, request, key)).toMatchObject({
      status: 503,
      body: { message: providerMessage, payment: { status: 'waiting', redirectTo: null } },
    })
    opened.resolve()
    await ctx.backgroundDone()
    expect(await postOrder(ctx, shopper, request, key)).toMatchObject({
      status: 202,
      body: { payment: { redirectTo: 'https://paystack.test/pay' } },
    })
  })
})

describe('a prompt whose payment the operator recorded manually', () => {
  async function placePromptedOrder() {
    const order = await placeUnpaidOrder()
    const { number, started, withProvider, sendCallback, advanceClock, readAttempts } = order
    const paid = new Set<string>()
    const queried: string[] = []
    const reversed: (string | null)[] = []
    const context = withProvider({
      async queryPayment({ id }) {
        queried.push(id)
        return paid.has(id)
          ? { outcome: 'settled', reference: `ref-${id}`, receipt: null }
          : { outcome: 'pending' }
      },
      async refund({ payment: { receipt } }) {
        if (receipt === null) return { outcome: 'by_hand', error: 'No receipt.' }
        reversed.push(receipt)
        return { outcome: 'requested' }
      },
    })
    const suffix = number.slice(2)
    const getId = (attempt: number) => started[attempt]?.id ?? ''
    // By now, polling queries the prompt.
    advanceClock(20_000)
    return {
      ...order,
      context,
      reversed,
      receipts: { till: `TILL${suffix}`, first: `SKL1${suffix}`, second: `SKL2${suffix}` },
      countQueries: () => queried.filter((id) => started.some((attempt) => attempt.id === id)).length,
      record: (reference: string, type: 'till' | 'cash' = 'till') =>
        recordManualPayment({ number, type, reference, actor: COMMAND_LINE_ACTOR }, context),
      payPrompt: (attempt = 0) => paid.add(getId(attempt)),
      callBack(receipt: string, attempt = 0) {
        paid.add(getId(attempt))
        return sendCallback(createStkCallback(getId(attempt), { receipt }), context, attempt)
      },
      async runLater() {
        advanceClock(5 * MINUTE_MS)
        await runHousekeeping(context)
      },
      /** Per attempt: provider, state, receipt and the state of its refund. */
      readPayments: async () =>
        (await readAttempts()).map(({ payments: { provider, state, receipt }, refunds }) => [
          provider,
          state,
          receipt,
          refunds?.state,
        ]),
    }
  }

  it.each([
    { hasReceipt: false, reportedBy: 'callback', isSettled: true },
    { hasReceipt: false, reportedBy: 'callback', isSettled: false },
    { hasReceipt: false, reportedBy: 'query', isSettled: true },
    { hasReceipt: false, reportedBy: 'query', isSettled: false },
    { hasReceipt: true, reportedBy: 'callback', isSettled: true },
    { hasReceipt: true, reportedBy: 'callback', isSettled: false },
    { hasReceipt: true, reportedBy: 'query', isSettled: true },
    { hasReceipt: true, reportedBy: 'query', isSettled: false },
  ])(
    'counts once (recorded with its receipt: $hasReceipt, settled before: $isSettled, reported by $reportedBy)',
    async ({ hasReceipt, reportedBy, isSettled }) => {
      const order = await placePromptedOrder()
      const { context, receipts, readPayments, callBack, runLater } = order
      await order.record(hasReceipt ? receipts.first : '')
      if (isSettled) {
        await runLater()
        order.advanceClock(5 * MINUTE_MS)
      }
      order.payPrompt()
      if (reportedBy === 'query') await order.readState(context)
      else for (let times = 0; times < 2; times++) await callBack(receipts.first)
      const closed = ['mpesa', 'declined', null, undefined]
      const known = hasReceipt || reportedBy === 'callback' ? receipts.first : null
      expect(await readPayments()).toEqual([closed, ['manual', 'settled', known, undefined]])
      const queries = order.countQueries()
      for (let runs = 0; runs < 2; runs++) await runLater()
      expect(order.countQueries()).toBe(queries)
      await callBack(receipts.first)
      await runLater()
      expect(await readPayments()).toEqual([closed, ['manual', 'settled', receipts.first, undefined]])
      expect(order.reversed).toEqual([])
      expect((await order.readState(context)).body).toMatchObject({
        order: { status: 'placed' },
        payment: { status: 'paid', dueCents: 0 },
      })
      expect((await readRecords(order.ctx, order.shopper.user.id)).emails).toHaveLength(2)
    },
  )

  it('counts once if it is recorded while it is reported', async () => {
    for (const hasReceipt of [true, false, true, false]) {
      const { context, receipts, reversed, ...order } = await placePromptedOrder()
      await Promise.all([
        order.record(hasReceipt ? receipts.first : ''),
        order.callBack(receipts.first),
        order.readState(context),
      ])
      for (let runs = 0; runs < 2; runs++) await order.runLater()
      const settled = (await order.readPayments()).filter(([, state]) => state === 'settled')
      expect(settled).toEqual([[expect.any(String), 'settled', receipts.first, undefined]])
      expect(reversed).toEqual([])
    }
  })

  it('is refunded if the recorded payment has another receipt, even after a query without one', async () => {
    const { receipts, readPayments, ...order } = await placePromptedOrder()
    await order.record(receipts.till)
    order.payPrompt()
    await order.runLater()
    const recorded = ['manual', 'settled', receipts.till, undefined]
    expect(await readPayments()).toEqual([['mpesa', 'declined', null, undefined], recorded])
    await order.callBack(receipts.first)
    await order.runLater()
    expect(order.reversed).toEqual([receipts.first])
    expect(await readPayments()).toEqual([['mpesa', 'settled', receipts.first, 'requested'], recorded])
  })

  it('is refunded if another prompt was recorded', async () => {
    const { receipts, readPayments, request, ...order } = await placePromptedOrder()
    order.advanceClock(2 * MINUTE_MS)
    await order.pay(request.payment)
    await order.record('')
    await order.callBack(receipts.first, 0)
    await order.callBack(receipts.second, 1)
    await order.runLater()
    expect(order.reversed).toEqual([receipts.second])
    expect(await readPayments()).toEqual([
      ['mpesa', 'declined', null, undefined],
      ['mpesa', 'settled', receipts.second, 'requested'],
      ['manual', 'settled', receipts.first, undefined],
    ])
  })

  it('is left to the operator if a query took it for another prompt’s payment and its receipt never arrives', async () => {
    const { receipts, readPayments, request, ...order } = await placePromptedOrder()
    order.advanceClock(2 * MINUTE_MS)
    await order.pay(request.payment)
    await order.record(receipts.second)
    order.payPrompt(0)
    await order.runLater()
    await order.callBack(receipts.second, 1)
    await order.runLater()
    expect(order.reversed).toEqual([])
    expect(await readPayments()).toEqual([
      ['mpesa', 'settled', null, 'by_hand'],
      ['mpesa', 'declined', null, undefined],
      ['manual', 'settled', receipts.second, undefined],
    ])
  })

  it('is refunded if it was sent after the recording, or if cash was recorded', async () => {
    const late = await placePromptedOrder()
    late.advanceClock(2 * MINUTE_MS)
    await late.record('')
    await late.pay(late.request.payment)
    await late.runLater()
    await late.callBack(late.receipts.second, 1)
    await late.runLater()
    expect(late.reversed).toEqual([late.receipts.second])
    const cash = await placePromptedOrder()
    await cash.record('', 'cash')
    await cash.runLater()
    await cash.callBack(cash.receipts.first)
    await cash.runLater()
    expect(cash.reversed).toEqual([cash.receipts.first])
  })

  it('is marked in the office, also as a wrong amount if the order was edited before it was recorded', async () => {
    const { ctx, number, receipts, context, started, sendCallback, record, payPrompt, readPayments } =
      await placePromptedOrder()
    await record(receipts.first)
    payPrompt()
    const id = started[0]?.id ?? ''
    await ctx.db.update(payments).set({ amountCents: 100 }).where(eq(payments.id, id))
    await sendCallback(createStkCallback(id, { amount: 1, receipt: receipts.first }), context)
    const { text } = await (await createOfficeClient(officeContext())).get(`/orders/${number}`)
    expect(text).toContain('<span class="mark">Recorded manually</span>')
    expect(text).toContain('<span class="mark mark--due">Wrong amount</span>')
    expect(await readPayments()).toEqual([
      ['mpesa', 'declined', null, undefined],
      ['manual', 'settled', receipts.first, undefined],
    ])
  })
})

describe('an attempt whose receipt another payment has', () => {
  const placePaystackOrder = async (receipt: string) => {
    let nowMs = NOW_MS
    const queried: string[] = []
    const queryPayment: ProviderOverrides['queryPayment'] = async ({ id }) => {
      queried.push(id)
      return { outcome: 'settled', reference: id, receipt }
    }
    const ctx = testContext({
      clock: () => nowMs,
      payments: testPayments({ paystack: { queryPayment } }),
    })
    const request = orderRequest(lines, { payment: { provider: 'paystack' } })
    const { number } = (await postOrder(ctx, await createAccount(ctx), request)).body.order
    const order = ctx.db.select({ id: orders.id }).from(orders).where(eq(orders.number, number))
    const readPayments = () =>
      ctx.db.select().from(payments).where(eq(payments.orderId, order)).orderBy(payments.attempt)
    const [attempt] = await readPayments()
    return {
      number,
      readPayments,
      record: (to: string) =>
        recordManualPayment({ number: to, type: 'bank', reference: receipt, actor: COMMAND_LINE_ACTOR }, ctx),
      countQueries: () => queried.filter((id) => id === attempt?.id).length,
      async runLater(ms: number) {
        nowMs += ms
        await runScheduledPayments(ctx)
      },
    }
  }

  it('isn’t queried again if the operator recorded it for the same order', async () => {
    const { number, record, runLater, countQueries, readPayments } = await placePaystackOrder('4099260516')
    await record(number)
    for (let runs = 0; runs < 3; runs++) await runLater(5 * MINUTE_MS)
    const [attempt, recorded] = await readPayments()
    expect(recorded).toMatchObject({ state: 'settled', receipt: '4099260516' })
    expect(attempt).toMatchObject({ state: 'declined', nextCheckAtMs: null, recordedAs: recorded?.id })
    expect(countQueries()).toBe(1)
  })

  it('is queried ever less often, for three days, if it belongs to another order', async () => {
    const { record, runLater, countQueries, readPayments } = await placePaystackOrder('4099260517')
    await record((await placeUnpaidOrder()).number)
    for (let runs = 0; runs < 4 * 24; runs++) await runLater(HOUR_MS)
    expect(countQueries()).toBeLessThan(40)
    expect(await readPayments()).toMatchObject([{ state: 'expired', nextCheckAtMs: null, receipt: null }])
  })
})

describe('an attempt whose result can’t be stored', () => {
  it('doesn’t keep a run from checking other attempts, expiring orders and refunding', async () => {
    let nowMs = NOW_MS
    const ctx = testContext({ clock: () => nowMs })
    const placeOrder = async (payment?: ReturnType<typeof createMpesaPayment>) => {
      const request = orderRequest(lines, payment && { payment })
      return (await postOrder(ctx, await createAccount(ctx), request)).body.order.number
    }
    const readPayment = async (number: string | undefined) => {
      const byOrder = eq(orders.id, payments.orderId)
      const select = ctx.db.select().from(payments).innerJoin(orders, byOrder)
      const [row] = await select.where(eq(orders.number, number ?? ''))
      return row
    }
    const paid = await placeOrder()
    const unpaid: string[] = []
    for (let count = 0; count < 12; count++) {
      unpaid.push(await placeOrder(createMpesaPayment()))
      nowMs += 1
    }
    const ids = await Promise.all(unpaid.map(async (number) => (await readPayment(number))?.payments.id))
    const settledIds = [ids.at(0), ids.at(-1)]
    const queryPayment: ProviderOverrides['queryPayment'] = async ({ id }) =>
      settledIds.includes(id)
        ? { outcome: 'settled', reference: `ref-${id}`, receipt: null }
        : { outcome: 'pending' }
    await ctx.db.run(
      sql.raw(
        `CREATE TRIGGER fail_settling BEFORE UPDATE ON payments WHEN new.id = '${ids[0]}' AND new.state = 'settled' BEGIN SELECT raise(abort, 'not stored'); END`,
      ),
    )
    nowMs += HOUR_MS
    await insertRefund((await readPayment(paid))?.payments, { nextAtMs: nowMs, amountCents: 100 }, ctx)
    const run = runScheduledPayments({ ...ctx, payments: testPayments({ mpesa: { queryPayment } }) })
    await expect(run).rejects.toMatchObject({ cause: { message: expect.stringContaining('not stored') } })
    await ctx.db.run(sql`DROP TRIGGER fail_settling`)
    const statuses = await Promise.all(
      unpaid.map(async (number) => (await readPayment(number))?.orders.status),
    )
    expect(statuses).toEqual([...Array(11).fill('expired'), 'placed'])
    const refunded = ctx.db.select({ attempts: refunds.attempts }).from(refunds)
    expect(await refunded.where(eq(refunds.amountCents, 100))).toEqual([{ attempts: 1 }])
  })
})

describe('abuse protection', () => {
  it('limits a phone’s prompts for accounts it never paid for to six in ten minutes and twelve a day', async () => {
    let nowMs = NOW_MS
    const ctx = testContext({ clock: () => nowMs })
    const phone = '0722 000 001'
    const promptPhone = async () =>
      postOrder(ctx, await createAccount(ctx), orderRequest(lines, { payment: createMpesaPayment(phone) }))
    const promptSixTimes = async () => {
      const statuses: number[] = []
      for (let times = 0; times < 6; times++) {
        statuses.push((await promptPhone()).status)
        nowMs += MINUTE_MS
      }
      return statuses
    }
    expect(await promptSixTimes()).toEqual(Array(6).fill(202))
    expect(await promptPhone()).toMatchObject({
      status: 429,
      body: {
        message: 'We’ve sent too many payment prompts. Please try again in 4 minutes, or pay another way.',
      },
    })
    nowMs += 10 * MINUTE_MS
    expect(await promptSixTimes()).toEqual(Array(6).fill(202))
    nowMs += 10 * MINUTE_MS
    // The day's first prompt was sent 32 minutes ago, so the wait is rounded up to 24 hours.
    expect((await promptPhone()).body.message).toContain('Please try again in 24 hours')
  })

  it('allows prompts to a phone for an account it has paid for, regardless of strangers', async () => {
    let nowMs = NOW_MS
    const ctx = testContext({ clock: () => nowMs })
    const payer = await createAccount(ctx)
    const payment = createMpesaPayment('0722 000 002')
    const order = orderRequest(lines, { payment })
    const settled = testPayments({ mpesa: createSettledQuery() })
    const first = await postOrder(ctx, payer, order)
    nowMs += 20_000
    await callOrder({ ...ctx, payments: settled }, payer, 'GET', `${first.body.order.number}/payment`)
    for (let times = 0; times < 6; times++) await postOrder(ctx, await createAccount(ctx), order)
    expect((await postOrder(ctx, await createAccount(ctx), order)).status).toBe(429)
    for (let times = 0; times < 5; times++) expect((await postOrder(ctx, payer, order)).status).toBe(202)
    expect(await postOrder(ctx, payer, order)).toMatchObject({
      status: 429,
      body: { message: expect.stringContaining('Please try again in 10 minutes') },
    })
  })

  it('limits an account’s prompts to phones that never paid for it to twelve a day', async () => {
    let nowMs = NOW_MS
    const ctx = testContext({ clock: () => nowMs })
    const shopper = await createAccount(ctx)
    const { body } = await postOrder(ctx, shopper, orderRequest(lines, { payment: createMpesaPayment() }))
    const pay = (number: string) =>
      callOrder(ctx, shopper, 'POST', `${number}/payment`, { payment: createMpesaPayment() })
    for (let times = 0; times < 10; times++) expect((await pay(body.order.number)).status).toBe(202)
    const next = await postOrder(ctx, shopper, orderRequest(lines, { payment: createMpesaPayment() }))
    expect(next.status).toBe(202)
    expect(await pay(next.body.order.number)).toMatchObject({ status: 429, retryAfter: '86400' })
    expect((await postOrder(ctx, shopper, orderRequest())).status).toBe(201)
    nowMs += 24 * 60 * MINUTE_MS
    expect(
      (await postOrder(ctx, shopper, orderRequest(lines, { payment: createMpesaPayment() }))).status,
    ).toBe(202)
  })

  it('says that an order has been tried too often, not that it can be paid in a minute', async () => {
    const { ctx, pay, withProvider } = await placeUnpaidOrder()
    const failing = withProvider({ startPayment: async () => cancelledByShopper })
    const card = {
      ...ctx,
      payments: testPayments({ paystack: { startPayment: async () => cancelledByShopper } }),
    }
    for (let times = 0; times < 11; times++) await pay({ provider: 'paystack' }, card)
    const refused = await pay(createMpesaPayment(), failing)
    expect([refused.status, refused.body.message]).toEqual([
      429,
      'You’ve tried to pay for this order 12 times. Please cancel it and place a new one, or contact us.',
    ])
  })

  it('queries the provider once for concurrent polls', async () => {
    let queries = 0
    const { readState, advanceClock, withProvider } = await placeUnpaidOrder()
    advanceClock(20_000)
    const context = withProvider({
      async queryPayment() {
        queries += 1
        return { outcome: 'pending' }
      },
    })
    const responses = await Promise.all(Array.from({ length: 8 }, () => readState(context)))
    expect(responses.map(({ body }) => body.payment.status)).toEqual(Array(8).fill('waiting'))
    expect(queries).toBe(1)
    advanceClock(20_000)
    await readState(context)
    expect(queries).toBe(2)
  })

  it('logs no callback URL', async () => {
    const { sendCallback, started, ctx } = await placeUnpaidOrder()
    await sendCallback(createStkCallback(started[0]?.id ?? ''))
    expect(ctx.lines.map(({ path }) => path)).toContain('/api/payments/…')
    expect(JSON.stringify(ctx.lines)).not.toContain(started[0]?.callbackUrl.split('/').at(-1))
  })

  it('limits confirmations to addresses other than the account’s to three orders a day', async () => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    const shown: string[] = []
    for (let times = 0; times < 4; times++)
      shown.push((await postOrder(ctx, shopper, orderRequest())).body.order.email)
    const { emails } = await readRecords(ctx, shopper.user.id)
    const confirmed = emails
      .filter(({ kind }) => kind === 'order-confirmation')
      .map(({ recipient }) => recipient)
    expect(confirmed).toEqual([...Array(3).fill('wanjiru@example.com'), shopper.user.email])
    expect(shown, 'what the shopper is told').toEqual(confirmed)
  })

  it('refuses a payment method that isn’t offered', async () => {
    const ctx = testContext()
    const limited = { ...ctx, payments: { ...ctx.payments, methods: ['mpesa' as const] } }
    const { status, body } = await postOrder(limited, await createAccount(ctx), orderRequest())
    expect([status, body.errors?.payment]).toEqual([400, expect.stringContaining('isn’t available')])
  })
})

describe('the checkout page', () => {
  it('shows the state of the order in its URL to its owner', async () => {
    const { ctx, shopper, number } = await placeUnpaidOrder()
    const loadData = async ({ session: sessionCookie }: typeof shopper) => {
      const url = new URL(`https://pamba.test/checkout?order=${number}`)
      const cookieUser = { name: '', email: '' }
      const { origin } = url
      const client = async () => ({ ipAddress: '', network: '', device: null, browser: '', country: null })
      const request = { url, origin, cookieUser, sessionCookie, client, params: {}, catalogue: ctx.catalogue }
      return (await loadCheckoutPage({ ...request, onFailure: () => {} }, ctx)).data
    }
    expect(await loadData(shopper)).toMatchObject({ order: { number }, payment: { status: 'waiting' } })
    expect(await loadData(await createAccount(ctx))).toBeNull()
  })

  it('shows the next step without JavaScript: check the phone and refresh, or continue to Paystack', async () => {
    const page = async (
      ctx: ServiceContext,
      { cookie }: Awaited<ReturnType<typeof createAccount>>,
      number: string,
    ) => {
      const url = `https://pamba.test/checkout?order=${number}`
      const html = await (await createApp(ctx).request(url, { headers: cookie })).text()
      return /<main[ >].*<\/main>/s.exec(html)?.[0] ?? ''
    }
    const { ctx, shopper, number } = await placeUnpaidOrder()
    const byPhone = await page(ctx, shopper, number)
    expect(byPhone).toContain('Check your phone')
    expect(byPhone).toMatch(/<a [^>]+>Check again<\/a>/)

    const redirectTo = 'https://checkout.paystack.com/x'
    const startPayment: ProviderOverrides['startPayment'] = async () => ({
      outcome: 'pending',
      reference: 'x',
      redirectTo,
    })
    const other = testContext({ payments: testPayments({ paystack: { startPayment } }) })
    const buyer = await createAccount(other)
    const order = orderRequest(lines, { payment: { provider: 'paystack' } })
    const { body } = await postOrder(other, buyer, order)
    expect(await page(other, buyer, body.order.number)).toMatch(
      new RegExp(`<a [^>]*href="${redirectTo}"[^>]*>Continue to Paystack</a>`),
    )
  })

  it('accepts its form without JavaScript: it pays again, or explains what is wrong and keeps the entered values', async () => {
    const { ctx, shopper, number, advanceClock, readState, readAttempts } = await placeUnpaidOrder({
      mpesa: { queryPayment: async () => cancelledByShopper },
    })
    advanceClock(20_000)
    await readState()
    const path = `/checkout?order=${number}`
    const pay = (fields: Record<string, string>, headers: Record<string, string> = shopper.cookie) =>
      postForm(ctx, path, fields, headers)
    const refusals: [Record<string, string>, string][] = [
      [{ payWith: 'mpesa', mpesaPhone: '0812 "1' }, 'Please enter a valid M-Pesa phone number'],
      [{ payWith: 'mpesa' }, 'M-Pesa phone number is required'],
      [{ payWith: 'simulated' }, 'Card payments need JavaScript'],
    ]
    for (const [fields, message] of refusals) {
      const response = await pay(fields)
      await expectStatus(response, 400)
      const html = await response.text()
      expect(html).toContain(message)
      if (fields.mpesaPhone) expect(html).toContain('value="0812 &quot;1"')
      expect(html).toMatch(/Not paid yet.*Amount due.*name="payWith"/s)
    }
    const onlyPaystack = { ...ctx, payments: { ...ctx.payments, methods: ['paystack'] as const } }
    expect(await (await get(onlyPaystack, path, shopper.cookie)).text()).toMatch(
      /<input [^>]*name="payWith" value="paystack"/,
    )
    await expectStatus(await pay({ payWith: 'paystack' }, (await createAccount(ctx)).cookie), 404)
    expect((await pay({ payWith: 'paystack' }, {})).headers.get('Location')).toBe('/login')
    expect(await readAttempts()).toHaveLength(1)

    for (const fields of [{ mpesaPhone: '0712 345 678' }, { payWith: 'paystack' }]) {
      const response = await pay(fields)
      expect([response.status, response.headers.get('Location')]).toEqual([303, path])
    }
    expect((await readAttempts()).map(({ payments: { provider, phone } }) => [provider, phone])).toEqual([
      ['mpesa', expect.any(String)],
      ['mpesa', '254712345678'],
      ['paystack', null],
    ])
  })
})
