import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import type { ServiceContext } from '#server/context.ts'
import { runHousekeeping } from '#server/housekeeping.ts'
import { checkoutPage } from '#server/orders/pages.ts'
import { isUndecided } from '#server/payments/attempts.ts'
import { orders, outbox, payments } from '#server/platform/db/schema.ts'
import { account } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import {
  orderRequest,
  post,
  promotionCode,
  recordsOf,
  tenPercent,
  totalOf,
  usesOf,
} from '#test/support/orders.ts'
import { byMpesa, type Change, callOrder, testPayments } from '#test/support/payments.ts'
import { get, postForm } from '#test/support/posting.ts'

const MINUTE_MS = 60_000
const no = { outcome: 'declined', problem: 'cancelled' } as const
const lines = [{ id: 1, qty: 2 }]

/** A shopper whose order awaits M-Pesa, a clock to put forward, and a provider that changes its mind. */
async function waiting({ mpesa = {}, promoCode }: { mpesa?: Change; promoCode?: string } = {}) {
  const told: { callbackUrl: string; id: string }[] = []
  const provider: Change = {
    async startPayment({ id }, { callbackUrl }) {
      told.push({ callbackUrl, id })
      return { outcome: 'pending', reference: `ref-${id}` }
    },
    ...mpesa,
  }
  let nowMs = NOW_MS
  const ctx = testContext({ payments: testPayments({ mpesa: provider }), clock: () => nowMs })
  const shopper = await account(ctx)
  const key = crypto.randomUUID()
  const request = orderRequest(lines, {
    payment: byMpesa(),
    ...(promoCode ? { promoCode, expectedTotal: totalOf(lines, tenPercent) } : {}),
  })
  const placed = await post(ctx, shopper, request, key)
  const { number } = placed.body.order
  /** The same world, with a provider that says something else. */
  const with_ = (change: Change): ServiceContext => ({
    ...ctx,
    payments: testPayments({ mpesa: { ...provider, ...change } }),
  })
  return {
    ...{ ctx, shopper, key, request, placed, number, told, with_ },
    later: (ms: number) => {
      nowMs += ms
    },
    state: (world: ServiceContext = ctx) => callOrder(world, shopper, 'GET', `${number}/payment`),
    pay: (payment: unknown, world: ServiceContext = ctx) =>
      callOrder(world, shopper, 'POST', `${number}/payment`, { payment }),
    cancel: () => callOrder(ctx, shopper, 'POST', `${number}/cancel`, {}),
    callback: (body: unknown, world: ServiceContext = ctx, attempt = 0) =>
      createApp(world).request(told[attempt]?.callbackUrl ?? '', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
    attempts: () =>
      ctx.db
        .select()
        .from(payments)
        .innerJoin(orders, eq(orders.id, payments.orderId))
        .where(eq(orders.number, number))
        .orderBy(payments.attempt),
  }
}

const settles = (receipt: string | null = null): Change => ({
  queryPayment: async ({ id }) => ({ outcome: 'settled', reference: `ref-${id}`, receipt }),
})

let receipts = 0
const newReceipt = () => `SKL${String(++receipts).padStart(7, '0')}`

const stkCallback = (id: string, { code = 0, amount = totalOf(lines), receipt = newReceipt() } = {}) => ({
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
  it('is there before its money, and is placed with its mails once the money came', async () => {
    const { placed, ctx, shopper, state, with_, later } = await waiting()
    expect(placed.status).toBe(202)
    expect(placed.body).toMatchObject({
      order: { status: 'awaiting_payment', payment: null },
      payment: {
        status: 'waiting',
        message: expect.stringContaining('enter your M-Pesa PIN'),
        pollInMs: 2000,
      },
    })
    expect((await recordsOf(ctx, shopper.user.id)).mails).toEqual([])

    later(20_000)
    const { body } = await state(with_(settles()))
    expect(body).toMatchObject({ order: { status: 'placed' }, payment: { status: 'paid', pollInMs: null } })
    const { mails } = await recordsOf(ctx, shopper.user.id)
    expect(mails.map(({ kind }) => kind).toSorted()).toEqual(['order-confirmation', 'order-notice'])
    expect(mails[0]?.text).toContain('Paid with: M-Pesa')
  })

  it('is not asked for twice by a request that is sent again, and is shown to its owner alone', async () => {
    const { ctx, shopper, request, key, number, told } = await waiting()
    expect((await post(ctx, shopper, request, key)).status).toBe(202)
    expect(told).toHaveLength(1)
    const stranger = await account(ctx)
    expect((await callOrder(ctx, stranger, 'GET', `${number}/payment`)).status).toBe(404)
    expect((await callOrder(ctx, stranger, 'POST', `${number}/cancel`, {})).status).toBe(404)
  })

  it('shows why it failed, and can be prompted again or paid another way', async () => {
    const { state, pay, with_, request, told, later, attempts } = await waiting()
    expect(await pay(request.payment)).toMatchObject({
      status: 409,
      retryAfter: '120',
      body: { code: 'prompt_too_soon' },
    })
    later(20_000)
    expect((await state(with_({ queryPayment: async () => no }))).body.payment).toMatchObject({
      ...{ status: 'failed', problem: 'cancelled', pollInMs: null, promptAgainInMs: 0 },
      message: 'The payment was cancelled on the phone. You haven’t been charged.',
      ways: ['simulated', 'mpesa', 'paystack'],
    })
    expect((await attempts())[0]?.payments).toMatchObject({ problem: 'cancelled', message: null })
    expect((await pay(request.payment)).status).toBe(202)
    expect(told).toHaveLength(2)
    const { status, body } = await pay(orderRequest().payment)
    expect([status, body.order.status, body.order.card?.lastFour]).toEqual([200, 'placed', '4242'])
  })

  it('answers in time when M-Pesa is silent, and keeps what it says later', async () => {
    const answer = Promise.withResolvers<void>()
    const { placed, attempts, ctx } = await waiting({
      mpesa: {
        async startPayment({ id }) {
          await answer.promise
          return { outcome: 'pending', reference: `late-${id}` }
        },
      },
    })
    expect([placed.status, placed.body.order.status]).toEqual([202, 'awaiting_payment'])
    answer.resolve()
    await ctx.settled()
    expect((await attempts())[0]?.payments).toMatchObject({ state: 'pending', reference: /^late-/ })
  })
})

describe('a callback', () => {
  it('tells the receipt of a payment that M-Pesa confirms, however often it comes', async () => {
    const { callback, told, with_, attempts, ctx, shopper } = await waiting()
    const id = told[0]?.id ?? ''
    const body = stkCallback(id, { receipt: 'SKLTHRICE0' })
    for (let times = 0; times < 3; times++) expect((await callback(body, with_(settles()))).status).toBe(200)
    expect(
      (await attempts()).map(({ payments: { state, receipt, refundState } }) => [
        state,
        receipt,
        refundState,
      ]),
    ).toEqual([['settled', 'SKLTHRICE0', null]])
    expect((await recordsOf(ctx, shopper.user.id)).mails).toHaveLength(2)
  })

  it('is not believed while M-Pesa says otherwise, nor at any other address', async () => {
    const { callback, told, state, ctx } = await waiting()
    const body = stkCallback(told[0]?.id ?? '')
    expect((await callback(body)).status).toBe(200)
    expect((await state()).body.payment.status).toBe('waiting')
    const app = createApp(ctx)
    const post = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }
    for (const token of ['x', '0'.repeat(64), `${'0'.repeat(63)}'`])
      expect((await app.request(`https://pamba.test/api/payments/${token}`, post)).status).toBe(404)
  })

  it('brings the receipt after the query has already settled the order, but none of another amount', async () => {
    const { callback, told, with_, attempts, state, later } = await waiting()
    later(20_000)
    await state(with_(settles()))
    const id = told[0]?.id ?? ''
    await callback(stkCallback(id, { amount: 1 }))
    expect((await attempts())[0]?.payments.receipt).toBeNull()
    await callback(stkCallback(id, { receipt: 'SKLLATER00' }))
    expect((await attempts())[0]?.payments.receipt).toBe('SKLLATER00')
  })

  it('pays one order with one receipt', async () => {
    const first = await waiting()
    await first.callback(
      stkCallback(first.told[0]?.id ?? '', { receipt: 'SKLSAME000' }),
      first.with_(settles()),
    )
    const second = await waiting()
    const id = second.told[0]?.id ?? ''
    await second.callback(stkCallback(id, { receipt: 'SKLSAME000' }), second.with_(settles()))
    expect((await second.attempts())[0]?.payments).toMatchObject({ state: 'pending', receipt: null })
    expect(second.ctx.paymentLines).toMatchObject([{ outcome: 'ignored' }])
  })

  it('names a prompt whose acknowledgement was lost', async () => {
    const lost = await waiting()
    const id = lost.told[0]?.id ?? ''
    await lost.ctx.db.update(payments).set({ state: 'sending', reference: null }).where(eq(payments.id, id))
    await lost.callback(stkCallback(id), lost.with_(settles()))
    expect((await lost.state()).body.payment.status).toBe('paid')
  })

  it('places an expired order whose prompt had never been named, until when the attempt is on the list', async () => {
    const lost = await waiting()
    const id = lost.told[0]?.id ?? ''
    const isIt = eq(payments.id, id)
    await lost.ctx.db.update(payments).set({ state: 'sending', reference: null }).where(isIt)
    // As M-Pesa's provider does: there is nothing to ask for.
    const unnamed = { outcome: 'unknown', error: 'M-Pesa never acknowledged this prompt.' } as const
    const world = lost.with_({ queryPayment: async () => unnamed })
    lost.later(20_000)
    expect((await lost.state(world)).body.payment.message).toContain('has not confirmed the prompt')
    lost.later(31 * MINUTE_MS)
    await runHousekeeping(world)
    expect((await lost.state(world)).body.order.status).toBe('expired')
    const listed = await lost.ctx.db.select().from(payments).where(isUndecided)
    expect(listed).toContainEqual(expect.objectContaining({ id, error: unnamed.error }))
    await lost.callback(stkCallback(id), lost.with_(settles()))
    expect((await lost.state()).body.order.status).toBe('placed')
  })
})

describe('two payments of one order', () => {
  it('keep the first, and give the second back', async () => {
    const { callback, told, pay, request, later, with_, attempts, ctx, number } = await waiting()
    later(2 * MINUTE_MS)
    await pay(request.payment)
    const refunds: string[] = []
    const world = with_({
      ...settles(),
      async refund({ receipt }) {
        refunds.push(receipt ?? '')
        return { outcome: 'requested' }
      },
    })
    for (const [attempt, receipt] of ['SKLFIRST00', 'SKLSECOND0'].entries())
      await callback(stkCallback(told[attempt]?.id ?? '', { receipt }), world, attempt)
    await runHousekeeping(world)
    expect(refunds.filter((receipt) => /FIRST|SECOND/.test(receipt))).toEqual(['SKLSECOND0'])
    expect((await attempts()).map(({ payments: { state, refundState } }) => [state, refundState])).toEqual([
      ['settled', null],
      ['settled', 'requested'],
    ])
    expect(ctx.paymentLines).toContainEqual(expect.objectContaining({ order: number, outcome: 'refund due' }))
  })
})

describe('an order that is not paid', () => {
  it('expires after half an hour, and its promo code is free again', async () => {
    const promoCode = await promotionCode(testContext(), { maxUses: 1 })
    const { ctx, later, state, key, request, shopper, pay } = await waiting({ promoCode })
    expect(await usesOf(ctx, promoCode)).toBe(1)
    later(29 * MINUTE_MS)
    await runHousekeeping(ctx)
    expect((await state()).body.order.status).toBe('awaiting_payment')
    later(MINUTE_MS)
    await runHousekeeping(ctx)
    expect((await state()).body).toMatchObject({
      order: { status: 'expired' },
      payment: { status: 'expired' },
    })
    expect(await usesOf(ctx, promoCode)).toBe(0)
    for (const answer of [await post(ctx, shopper, request, key), await pay(request.payment)])
      expect([answer.status, answer.body.code]).toEqual([409, 'order_closed'])
  })

  it('is placed after all when its money comes late, and its promo code is still free', async () => {
    const promoCode = await promotionCode(testContext(), { maxUses: 1 })
    const { ctx, later, with_, state, shopper } = await waiting({ promoCode })
    later(31 * MINUTE_MS)
    await runHousekeeping(ctx)
    later(31 * MINUTE_MS)
    await runHousekeeping(with_(settles()))
    expect((await state()).body.order.status).toBe('placed')
    expect(await usesOf(ctx, promoCode)).toBe(1)
    expect((await recordsOf(ctx, shopper.user.id)).mails).toHaveLength(2)
  })

  it('has its late refunded when somebody else has used its promo code', async () => {
    const promoCode = await promotionCode(testContext(), { maxUses: 1 })
    const late = await waiting({ promoCode })
    late.later(31 * MINUTE_MS)
    await runHousekeeping(late.ctx)
    await waiting({ promoCode })
    late.later(31 * MINUTE_MS)
    await runHousekeeping(late.with_(settles()))
    expect((await late.state()).body.order.status).toBe('expired')
    expect((await late.attempts())[0]?.payments).toMatchObject({ state: 'settled', refundState: 'requested' })
  })

  it('lets go of its promo code when its payment is declined, and takes it again for the next attempt', async () => {
    const promoCode = await promotionCode(testContext(), { maxUses: 1 })
    const { ctx, later, with_, state, pay } = await waiting({ promoCode })
    later(20_000)
    await state(with_({ queryPayment: async () => no }))
    expect(await usesOf(ctx, promoCode)).toBe(0)
    await pay(byMpesa())
    expect(await usesOf(ctx, promoCode)).toBe(1)
    later(20_000)
    await state(with_({ queryPayment: async () => no }))
    await waiting({ promoCode })
    const { status, body } = await pay(byMpesa())
    expect([status, body.code]).toEqual([409, 'order_closed'])
    expect(body.message).toContain('used up')
    expect((await state()).body.order.status).toBe('expired')
  })

  it('can be given up; money that comes all the same is given back', async () => {
    const { cancel, callback, told, with_, attempts, ctx, shopper } = await waiting()
    const { status, body } = await cancel()
    expect([status, body.order.status, body.payment.status]).toEqual([200, 'cancelled', 'cancelled'])
    expect((await cancel()).status).toBe(200)
    await callback(stkCallback(told[0]?.id ?? ''), with_(settles()))
    expect((await attempts())[0]?.payments).toMatchObject({ state: 'settled', refundState: 'due' })
    expect((await recordsOf(ctx, shopper.user.id)).mails).toEqual([])
  })
})

describe('a paid order that is cancelled', () => {
  it('gives back money and promo code, and tells the shopper, in one batch', async () => {
    const promoCode = await promotionCode(testContext())
    const { callback, told, with_, cancel, attempts, ctx, shopper } = await waiting({ promoCode })
    const amount = totalOf(lines, tenPercent)
    await callback(stkCallback(told[0]?.id ?? '', { amount, receipt: 'SKLCANCEL0' }), with_(settles()))
    expect((await cancel()).body).toMatchObject({
      order: { status: 'cancelled', payment: { receipt: 'SKLCANCEL0', refund: 'due' } },
      payment: { message: expect.stringContaining('giving KSH') },
    })
    await ctx.settled()
    expect(await usesOf(ctx, promoCode)).toBe(0)
    expect((await attempts())[0]?.payments.refundState).toBe('requested')
    const { mails } = await recordsOf(ctx, shopper.user.id)
    expect(mails.map(({ kind }) => kind)).toContain('order-cancelled')

    const reversal = { Result: { ResultCode: 0 } }
    const asked: string[] = []
    const world = with_({
      async refund(_, { callbackUrl }) {
        asked.push(callbackUrl)
        return { outcome: 'requested' }
      },
    })
    await ctx.db.update(payments).set({ nextRefundAtMs: 0 }).where(eq(payments.receipt, 'SKLCANCEL0'))
    await runHousekeeping(world)
    const headers = { 'Content-Type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(reversal) }
    expect((await createApp(world).request(asked[0] ?? '', init)).status).toBe(200)
    expect((await attempts())[0]?.payments.refundState).toBe('done')
  })

  it('is on the list of refunds by hand, and in a mail, when the provider cannot give the money back', async () => {
    const mpesa: Change = { refund: async () => ({ outcome: 'by_hand', error: 'No receipt.' }), ...settles() }
    const { state, later, cancel, attempts, ctx } = await waiting({ mpesa })
    later(20_000)
    await state()
    await cancel()
    await ctx.settled()
    expect((await attempts())[0]?.payments).toMatchObject({
      refundState: 'by_hand',
      refundError: 'No receipt.',
    })
    const [notice] = await ctx.db.select().from(outbox).where(eq(outbox.kind, 'refund-notice'))
    expect(notice?.text).toContain('No receipt.')
  })

  it('is left to a person when the provider accepts to give it back, and never does', async () => {
    const { callback, told, with_, cancel, attempts, later, ctx } = await waiting()
    const world = with_(settles())
    await callback(stkCallback(told[0]?.id ?? ''), world)
    await cancel()
    await ctx.settled()
    for (let day = 0; day < 8; day++) {
      later(24 * 60 * MINUTE_MS)
      await runHousekeeping(world)
    }
    expect((await attempts())[0]?.payments).toMatchObject({ refundState: 'by_hand', refundAttempts: 7 })
  })

  it('is given back by the provider after all once the callback has told its receipt', async () => {
    const refunds: (string | null)[] = []
    const refund: Change['refund'] = async ({ receipt }) => {
      refunds.push(receipt)
      return receipt ? { outcome: 'requested' } : { outcome: 'by_hand', error: 'No receipt.' }
    }
    const { state, later, cancel, attempts, ctx, callback, told } = await waiting({
      mpesa: { refund, ...settles() },
    })
    later(20_000)
    await state()
    await cancel()
    await ctx.settled()
    expect((await callback(stkCallback(told[0]?.id ?? '', { receipt: 'SKLAFTER00' }))).status).toBe(200)
    await runHousekeeping(ctx)
    expect(refunds).toEqual([null, 'SKLAFTER00'])
    expect((await attempts())[0]?.payments.refundState).toBe('requested')
  })

  it('cannot be cancelled once it is packed', async () => {
    const { state, later, with_, cancel, ctx, number } = await waiting()
    later(20_000)
    await state(with_(settles()))
    await ctx.db.update(orders).set({ status: 'packed' }).where(eq(orders.number, number))
    const { status, body } = await cancel()
    expect([status, body.code, body.order.status]).toEqual([409, 'order_not_cancellable', 'packed'])
  })
})

describe('a provider that cannot be relied on', () => {
  const sentence = expect.stringMatching(/M-Pesa|Paystack/)

  it('is answered with 503 when it gave no usable answer; sent again, the order waits for the same prompt', async () => {
    const startPayment: Change['startPayment'] = async () => ({
      outcome: 'unknown',
      error: 'Network connection lost.',
    })
    const { placed, ctx, shopper, request, key, attempts } = await waiting({ mpesa: { startPayment } })
    expect(placed).toMatchObject({
      status: 503,
      body: { code: 'payment_unavailable', message: sentence, payment: { status: 'waiting' } },
    })
    expect(placed.body.message).not.toContain('Nothing was charged')
    expect((await post(ctx, shopper, request, key)).status).toBe(202)
    expect(await attempts()).toHaveLength(1)
  })

  it('is answered with 503 when Paystack opens no page in time, and led to it when it does later', async () => {
    const opened = Promise.withResolvers<void>()
    const startPayment: Change['startPayment'] = async ({ id }) => {
      await opened.promise
      return { outcome: 'pending', reference: id, redirectTo: 'https://paystack.test/pay' }
    }
    const ctx = testContext({ payments: testPayments({ paystack: { startPayment } }) })
    const shopper = await account(ctx)
    const key = crypto.randomUUID()
    const request = orderRequest(lines, { payment: { provider: 'paystack' } })
    expect(await post(ctx, shopper, request, key)).toMatchObject({
      status: 503,
      body: { message: sentence, payment: { status: 'waiting', redirectTo: null } },
    })
    opened.resolve()
    await ctx.settled()
    expect(await post(ctx, shopper, request, key)).toMatchObject({
      status: 202,
      body: { payment: { redirectTo: 'https://paystack.test/pay' } },
    })
  })
})

describe('what protects others', () => {
  it('prompts one phone six times in ten minutes at most, whoever asks', async () => {
    const payment = byMpesa()
    const ctx = testContext()
    const statuses: number[] = []
    for (let times = 0; times < 7; times++)
      statuses.push((await post(ctx, await account(ctx), orderRequest(lines, { payment }))).status)
    expect(statuses).toEqual([...Array(6).fill(202), 429])
  })

  it('sends thirty prompts of one account in ten minutes at most, to whatever phones', async () => {
    let nowMs = NOW_MS
    const ctx = testContext({ clock: () => nowMs })
    const shopper = await account(ctx)
    const { body } = await post(ctx, shopper, orderRequest(lines, { payment: byMpesa() }))
    const orderIds = [body.order.number]
    const statuses: number[] = []
    while (statuses.length < 30) {
      if (statuses.length % 10 === 9) {
        const next = await post(ctx, shopper, orderRequest(lines, { payment: byMpesa() }))
        statuses.push(next.status)
        orderIds.push(next.body.order?.number)
      } else {
        const path = `${orderIds.at(-1)}/payment`
        statuses.push((await callOrder(ctx, shopper, 'POST', path, { payment: byMpesa() })).status)
      }
    }
    expect(statuses).toEqual([...Array(29).fill(202), 429])
    const order = orderRequest(lines, { payment: byMpesa() })
    expect((await post(ctx, await account(ctx), order)).status).toBe(202)
    nowMs += 10 * MINUTE_MS
    expect((await post(ctx, shopper, order)).status).toBe(202)
  })

  it('asks the provider once for whoever polls at the same moment', async () => {
    let queries = 0
    const { state, later, with_ } = await waiting()
    later(20_000)
    const world = with_({
      async queryPayment() {
        queries += 1
        return { outcome: 'pending' }
      },
    })
    const answers = await Promise.all(Array.from({ length: 8 }, () => state(world)))
    expect(answers.map(({ body }) => body.payment.status)).toEqual(Array(8).fill('waiting'))
    expect(queries).toBe(1)
    later(20_000)
    await state(world)
    expect(queries).toBe(2)
  })

  it('logs no address that a callback comes to', async () => {
    const { callback, told, ctx } = await waiting()
    await callback(stkCallback(told[0]?.id ?? ''))
    expect(ctx.lines.map(({ path }) => path)).toContain('/api/payments/…')
    expect(JSON.stringify(ctx.lines)).not.toContain(told[0]?.callbackUrl.split('/').at(-1))
  })

  it('confirms three orders a day to other addresses than the account’s own', async () => {
    const ctx = testContext()
    const shopper = await account(ctx)
    for (let times = 0; times < 4; times++) await post(ctx, shopper, orderRequest())
    const { mails } = await recordsOf(ctx, shopper.user.id)
    const confirmed = mails
      .filter(({ kind }) => kind === 'order-confirmation')
      .map(({ recipient }) => recipient)
    expect(confirmed).toEqual([...Array(3).fill('wanjiru@example.com'), shopper.user.email])
  })

  it('offers no way to pay that is not configured', async () => {
    const ctx = testContext()
    const limited = { ...ctx, payments: { ...ctx.payments, ways: ['mpesa' as const] } }
    const { status, body } = await post(limited, await account(ctx), orderRequest())
    expect([status, body.errors?.payment]).toEqual([400, expect.stringContaining('not offered')])
  })
})

describe('checkout’s page', () => {
  it('is made from the state of the order in its address, for its owner', async () => {
    const { ctx, shopper, number } = await waiting()
    const dataFor = async ({ session: sessionCookie }: typeof shopper) => {
      const url = new URL(`https://pamba.test/checkout?order=${number}`)
      const visitor = { name: '', email: '' }
      const { origin } = url
      const client = async () => ({ address: '', network: '', device: null, browser: '', country: null })
      const request = { url, origin, visitor, sessionCookie, client, params: {}, catalogue: ctx.catalogue }
      return (await checkoutPage({ ...request, onFailure: () => {} }, ctx)).data
    }
    expect(await dataFor(shopper)).toMatchObject({ order: { number }, payment: { status: 'waiting' } })
    expect(await dataFor(await account(ctx))).toBeNull()
  })

  it('shows without scripts what is to be done, and leads on to Paystack or to another look', async () => {
    const page = async (
      ctx: ServiceContext,
      { cookie }: Awaited<ReturnType<typeof account>>,
      number: string,
    ) => {
      const address = `https://pamba.test/checkout?order=${number}`
      const html = await (await createApp(ctx).request(address, { headers: cookie })).text()
      return /<main[ >].*<\/main>/s.exec(html)?.[0] ?? ''
    }
    const { ctx, shopper, number } = await waiting()
    const byPhone = await page(ctx, shopper, number)
    expect(byPhone).toContain('Check your phone')
    expect(byPhone).toMatch(/<a [^>]+>Check again<\/a>/)

    const redirectTo = 'https://checkout.paystack.com/x'
    const startPayment: Change['startPayment'] = async () => ({
      outcome: 'pending',
      reference: 'x',
      redirectTo,
    })
    const other = testContext({ payments: testPayments({ paystack: { startPayment } }) })
    const buyer = await account(other)
    const order = orderRequest(lines, { payment: { provider: 'paystack' } })
    const { body } = await post(other, buyer, order)
    expect(await page(other, buyer, body.order.number)).toMatch(
      new RegExp(`<a [^>]*href="${redirectTo}"[^>]*>Continue to Paystack</a>`),
    )
  })

  it('takes its form before, or without, its script: pays again, or says what is wrong and keeps what was typed', async () => {
    const { ctx, shopper, number, later, state, attempts } = await waiting({
      mpesa: { queryPayment: async () => no },
    })
    later(20_000)
    await state()
    const address = `/checkout?order=${number}`
    const pay = (fields: Record<string, string>, headers: Record<string, string> = shopper.cookie) =>
      postForm(ctx, address, fields, headers)
    const refusals: [Record<string, string>, string][] = [
      [{ payWith: 'mpesa', mpesaPhone: '0812 "1' }, 'Please enter a valid M-Pesa phone number'],
      [{ payWith: 'mpesa' }, 'M-Pesa phone number is required'],
      [{ payWith: 'simulated' }, 'Your card is checked in your browser'],
    ]
    for (const [fields, message] of refusals) {
      const response = await pay(fields)
      await expectStatus(response, 400)
      const html = await response.text()
      expect(html).toContain(message)
      if (fields.mpesaPhone) expect(html).toContain('value="0812 &quot;1"')
      expect(html).toContain('Not paid yet')
    }
    const onlyPaystack = { ...ctx, payments: { ...ctx.payments, ways: ['paystack'] as const } }
    expect(await (await get(onlyPaystack, address, shopper.cookie)).text()).toMatch(
      /<input [^>]*name="payWith" value="paystack"/,
    )
    await expectStatus(await pay({ payWith: 'paystack' }, (await account(ctx)).cookie), 404)
    expect((await pay({ payWith: 'paystack' }, {})).headers.get('Location')).toBe('/login')
    expect(await attempts()).toHaveLength(1)

    for (const fields of [{ mpesaPhone: '0712 345 678' }, { payWith: 'paystack' }]) {
      const response = await pay(fields)
      expect([response.status, response.headers.get('Location')]).toEqual([303, address])
    }
    expect((await attempts()).map(({ payments: { provider, phone } }) => [provider, phone])).toEqual([
      ['mpesa', expect.any(String)],
      ['mpesa', '254712345678'],
      ['paystack', null],
    ])
  })
})
