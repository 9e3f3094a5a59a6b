import { createHmac } from 'node:crypto'
import { eq, inArray, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '#server/app.ts'
import type { ServiceContext } from '#server/context.ts'
import { calculateAmountDueCents } from '#server/orders/amount-due.ts'
import { applyPaymentResult } from '#server/orders/apply-payment-result.ts'
import { cancelOrder } from '#server/orders/cancel-order.ts'
import {
  calculateBalance,
  type OrderRecord,
  selectOrderRecord,
  toOrderRecord,
} from '#server/orders/order-record.ts'
import { payOrder } from '#server/orders/pay-order.ts'
import { recordRefundResult, sendDueRefunds } from '#server/orders/process-refunds.ts'
import { changeRefund, requestRefund } from '#server/orders/request-refund.ts'
import { createPaystackProvider } from '#server/payments/providers/paystack/paystack.ts'
import type { RefundResult } from '#server/payments/providers/provider.ts'
import {
  calculateRefundableCents,
  calculateRefundableTotalCents,
  type RefundRow,
} from '#server/payments/refunds.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import { getGuardViolation } from '#server/platform/db/guards.ts'
import { orders, outbox, refunds } from '#server/platform/db/schema.ts'
import { formatMoney } from '#shared/format.ts'
import { REFUND_REASONS } from '#shared/payments/refunds.ts'
import { createAccount } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import { orderRequest, postOrder } from '#test/support/orders.ts'
import {
  createMpesaPayment,
  insertRefund,
  type ProviderOverrides,
  testPayments,
} from '#test/support/payments.ts'
import { readText } from '#test/support/pdf.ts'
import { get, postJson } from '#test/support/posting.ts'

const origin = 'https://pamba.test'
const actor = COMMAND_LINE_ACTOR

async function readRecord({ db }: ServiceContext, number: string): Promise<OrderRecord> {
  const record = toOrderRecord(await db.batch(selectOrderRecord(db, eq(orders.number, number))))
  if (!record) throw new Error(`We can’t find order ${number}.`)
  return record
}

async function settleLatest(ctx: ServiceContext, number: string): Promise<void> {
  const record = await readRecord(ctx, number)
  const payment = record.payments.at(-1)
  if (!payment) throw new Error('There is no attempt.')
  const result = { outcome: 'settled', reference: payment.id, receipt: null } as const
  await applyPaymentResult({ record, payment, result, origin }, ctx)
}

const setTotal = ({ db }: ServiceContext, number: string, totalCents: number) =>
  db.update(orders).set({ totalCents }).where(eq(orders.number, number))

async function selectEmails({ db }: ServiceContext, subjects: readonly { id: string }[]) {
  const ids = subjects.map(({ id }) => id)
  const rows = await db.select().from(outbox).where(inArray(outbox.subjectId, ids))
  return rows.map(({ kind, text }) => [kind, text])
}

async function placeOrder(ctx = testContext(), overrides: Parameters<typeof orderRequest>[1] = {}) {
  const shopper = await createAccount(ctx)
  const { body } = await postOrder(ctx, shopper, orderRequest([{ id: 1, qty: 2 }], overrides))
  const { number, totals } = body.order
  return { ctx, number, totalCents: totals.totalCents, cookie: shopper.cookie }
}

describe('a difference after an edit', () => {
  it('is paid by an attempt for that amount, and the order keeps its status', async () => {
    const { ctx, number, totalCents } = await placeOrder()
    await setTotal(ctx, number, totalCents + 300_00)
    const record = await readRecord(ctx, number)
    const started = await payOrder(
      { record, paymentDetails: createMpesaPayment(), origin, isRetry: false },
      ctx,
    )
    expect(started).toMatchObject({ ok: true, data: { isPaid: false, payment: { dueCents: 300_00 } } })
    await ctx.db.update(orders).set({ status: 'packed' }).where(eq(orders.number, number))
    await settleLatest(ctx, number)
    const paid = await readRecord(ctx, number)
    expect([paid.row.status, calculateBalance(paid).status, paid.refunds]).toEqual(['packed', 'paid', []])
    expect(await selectEmails(ctx, paid.payments)).toEqual([
      ['payment-received', expect.stringContaining('We’ve received your payment of KSH 300 for')],
    ])
  })

  it('can be paid from a phone that has just paid a different amount', async () => {
    const { ctx, number, totalCents } = await placeOrder()
    const paymentDetails = createMpesaPayment()
    for (const overrides of [300_00, 500_00]) {
      await setTotal(ctx, number, totalCents + overrides)
      const record = await readRecord(ctx, number)
      const started = await payOrder({ record, paymentDetails, origin, isRetry: false }, ctx)
      expect(started.ok).toBe(true)
      await settleLatest(ctx, number)
    }
    expect(calculateBalance(await readRecord(ctx, number)).status).toBe('paid')
  })

  it('is refunded to the extent that it is paid twice', async () => {
    const { ctx, number, totalCents } = await placeOrder()
    await setTotal(ctx, number, totalCents + 300_00)
    for (let times = 0; times < 2; times++) {
      const record = await readRecord(ctx, number)
      await payOrder({ record, paymentDetails: createMpesaPayment(), origin, isRetry: false }, ctx)
    }
    await settleLatest(ctx, number)
    await setTotal(ctx, number, totalCents + 500_00)
    const { payments, ...record } = await readRecord(ctx, number)
    const [, second] = payments
    if (!second) throw new Error('There is no second attempt.')
    const result = { outcome: 'settled', reference: second.id, receipt: null } as const
    await applyPaymentResult({ record: { ...record, payments }, payment: second, result, origin }, ctx)
    expect(await selectEmails(ctx, [second])).toHaveLength(1)
    expect((await readRecord(ctx, number)).refunds).toMatchObject([
      { paymentId: second.id, amountCents: 100_00, reason: 'extra_payment' },
    ])
  })

  it('can no longer be paid once the order is cancelled; a payment that still arrives is refunded', async () => {
    const { ctx, number, totalCents } = await placeOrder()
    await setTotal(ctx, number, totalCents + 300_00)
    const before = await readRecord(ctx, number)
    await payOrder({ record: before, paymentDetails: createMpesaPayment(), origin, isRetry: false }, ctx)
    await cancelOrder({ record: await readRecord(ctx, number), by: 'operator', actor }, ctx)
    await settleLatest(ctx, number)
    const { row, refunds, payments } = await readRecord(ctx, number)
    expect([row.status, row.isRefunded]).toEqual(['cancelled', true])
    expect(await selectEmails(ctx, payments)).toEqual([])
    expect(refunds.map(({ amountCents, reason }) => [amountCents, reason])).toEqual([
      [totalCents, 'order_cancelled'],
      [300_00, 'late_payment'],
    ])
    const again = await payOrder(
      { record: before, paymentDetails: createMpesaPayment(), origin, isRetry: false },
      ctx,
    )
    expect(again).toMatchObject({ ok: false, error: { code: 'order_closed' } })
    expect(payments).toHaveLength(2)
  })
})

describe('the shopper’s pages', () => {
  it('say what was refunded of an order, in part and in full', async () => {
    const { ctx, number, totalCents, cookie } = await placeOrder()
    const read = async () => {
      const page = await (await get(ctx, `/order/${number}`, cookie)).text()
      const receipt = await readText(await get(ctx, `/order/${number}/receipt`, cookie))
      return { page: /<main[ >].*<\/main>/s.exec(page)?.[0] ?? '', receipt }
    }
    await requestRefund({ number, amountCents: 500_00, actor }, ctx)
    const started = await read()
    expect(started.page).toContain('Refund of KSH 500 in progress')
    expect(started.receipt).toContain('Refund in progress: KSH 500')
    await sendDueRefunds(ctx)
    const partly = await read()
    expect(partly.page).toContain('KSH 500 refunded')
    expect(partly.page).toContain('we’re packing it with care')
    expect(partly.receipt).toContain('Refunded: KSH 500')
    await requestRefund({ number, actor }, ctx)
    await sendDueRefunds(ctx)
    const { page } = await read()
    expect(page).toContain(`We’ve refunded ${formatMoney(totalCents)} for this order.`)
    expect(page).not.toContain('packing it with care')
    await ctx.db.update(orders).set({ status: 'delivered' }).where(eq(orders.number, number))
    const delivered = (await read()).page
    expect(delivered).toContain(`We’ve refunded ${formatMoney(totalCents)} for this order.`)
    expect(delivered).not.toContain('We hope you love it')
  })
})

describe('refunds', () => {
  it('never exceed their payment, even when many are requested concurrently', async () => {
    const { ctx, number, totalCents } = await placeOrder()
    const amountCents = Math.round(totalCents / 300) * 100
    const requests = Array.from({ length: 8 }, () => requestRefund({ number, amountCents, actor }, ctx))
    const results = await Promise.all(requests)
    expect(results.filter(({ ok }) => ok).length).toBeGreaterThan(0)
    for (const result of results) if (!result.ok) expect(result.error.code).not.toBe('not_found')
    const { refunds } = await readRecord(ctx, number)
    const sum = refunds.reduce((total, refund) => total + refund.amountCents, 0)
    expect(refunds).toHaveLength(results.filter(({ ok }) => ok).length)
    expect(sum).toBeLessThanOrEqual(totalCents)
  })

  it('can’t exceed their payment in the database either, belong to another order or change their amount', async () => {
    const { ctx, number, totalCents } = await placeOrder()
    const { payments } = await readRecord(ctx, number)
    const { row: other } = await readRecord(ctx, (await placeOrder(ctx)).number)
    const [payment] = payments
    await insertRefund(payment, { amountCents: 500_00 }, ctx)
    for (const change of [
      () => insertRefund(payment, { amountCents: totalCents - 500_00 + 1 }, ctx),
      () => insertRefund(payment, { amountCents: 100_00, orderId: other.id }, ctx),
      () =>
        ctx.db
          .update(refunds)
          .set({ amountCents: 100_00 })
          .where(eq(refunds.paymentId, payment?.id ?? '')),
    ])
      expect(await change().then(() => undefined, getGuardViolation)).toEqual({
        guard: 'refundExceedsPayment',
      })
    await insertRefund(payment, { amountCents: totalCents - 500_00 }, ctx)
  })

  it('are requested once if the form is sent twice concurrently', async () => {
    const { ctx, number, totalCents } = await placeOrder()
    const input = { number, amountCents: 400_00, seenCents: totalCents, actor }
    const results = await Promise.all([1, 2].map(() => requestRefund(input, ctx)))
    expect(results.filter(({ ok }) => ok)).toHaveLength(1)
    const { refunds } = await readRecord(ctx, number)
    expect(refunds.map(({ amountCents }) => amountCents)).toEqual([400_00])
  })

  it('are completed once, even if they are marked several times concurrently', async () => {
    const { ctx, number } = await placeOrder()
    await requestRefund({ number, amountCents: 400_00, actor }, ctx)
    const complete = () => changeRefund({ number, change: 'complete', expectedState: 'due', actor }, ctx)
    const results = await Promise.all([complete(), complete(), complete()])
    expect(results.filter(({ ok }) => ok)).toHaveLength(1)
  })

  it('are sent once, even if several runs send them concurrently', async () => {
    const sent: number[] = []
    const refund = async ({ amountCents }: { amountCents: number }) => {
      sent.push(amountCents)
      return { outcome: 'done' } as const
    }
    const ctx = testContext({ payments: testPayments({ simulated: { refund } }) })
    const { number, totalCents } = await placeOrder(ctx)
    await requestRefund({ number, amountCents: 500_00, actor }, ctx)
    await requestRefund({ number, amountCents: 700_00, actor }, ctx)
    await Promise.all([sendDueRefunds(ctx), sendDueRefunds(ctx), sendDueRefunds(ctx)])
    const { refunds } = await readRecord(ctx, number)
    expect(refunds.map(({ state, attempts }) => [state, attempts])).toEqual(Array(2).fill(['done', 1]))
    const paidSentence = `After refunds, you’ve paid ${formatMoney(totalCents - 1200_00)} for this order.`
    for (const [, text] of await selectEmails(ctx, refunds)) expect(text).toContain(paidSentence)
    expect(await selectEmails(ctx, refunds)).toHaveLength(2)
    expect(sent.filter((cents) => cents === 500_00 || cents === 700_00).toSorted()).toEqual([500_00, 700_00])
  })

  it('that start during a cancellation are left out of the refund that its email states', async () => {
    const { ctx, number, totalCents } = await placeOrder()
    const record = await readRecord(ctx, number)
    await requestRefund({ number, amountCents: 500_00, actor }, ctx)
    expect(await cancelOrder({ record, by: 'operator', actor }, ctx)).toMatchObject({ ok: false })
    await cancelOrder({ record, by: 'shopper' }, ctx)
    const emails = await selectEmails(ctx, [record.row])
    const texts = emails.flatMap(([kind, text]) => (kind === 'order-cancelled' ? [text] : []))
    expect(texts).toEqual([
      expect.stringContaining(`We’ve started a refund of ${formatMoney(totalCents - 500_00)}`),
    ])
  })

  it('take from the newest payment first', async () => {
    const { ctx, number, totalCents, cookie } = await placeOrder()
    await setTotal(ctx, number, totalCents + 300_00)
    const record = await readRecord(ctx, number)
    await payOrder({ record, paymentDetails: createMpesaPayment(), origin, isRetry: false }, ctx)
    await settleLatest(ctx, number)
    await requestRefund({ number, amountCents: 400_00, actor }, ctx)
    const { payments, refunds } = await readRecord(ctx, number)
    expect(
      payments.map((payment) => payment.amountCents - calculateRefundableCents(payment, refunds)),
    ).toEqual([100_00, 300_00])
    const receipt = await readText(await get(ctx, `/order/${number}/receipt`, cookie))
    expect(receipt).toContain('KSH 300 paid (M-Pesa')
  })
})

describe('a partial M-Pesa refund', () => {
  async function withPartRefund(
    respond: (sent: number) => Promise<RefundResult>,
    otherProvider: ProviderOverrides = {},
  ) {
    const requests: { reference: string; isRetry: boolean; callbackUrl: string }[] = []
    let nowMs = NOW_MS
    const refund: ProviderOverrides['refund'] = ({ payment, reference, isRetry }, { callbackUrl }) => {
      if (payment.orderNumber === number) requests.push({ reference, isRetry, callbackUrl })
      return respond(requests.length)
    }
    const payments = testPayments({ mpesa: { refund }, paystack: otherProvider })
    const { ctx, number } = await placeOrder(testContext({ payments, clock: () => nowMs }), {
      payment: createMpesaPayment(),
    })
    await settleLatest(ctx, number)
    await requestRefund({ number, amountCents: 500_00, actor }, ctx)
    const run = (afterMs = 0) => {
      nowMs += afterMs
      return sendDueRefunds(ctx)
    }
    const sendResult = (body: object, query = '') =>
      postJson(ctx, new URL((requests.at(-1)?.callbackUrl ?? '') + query).pathname + query, body)
    const state = async () => (await readRecord(ctx, number)).refunds[0]
    const readPayment = async () => (await readRecord(ctx, number)).payments[0]
    /** Records a result for a refund as it was read earlier, as if the result arrived late. */
    const recordLate = async (earlier: RefundRow | undefined, late: RefundResult) => {
      const {
        row,
        payments: [payment],
      } = await readRecord(ctx, number)
      if (earlier && payment) await recordRefundResult({ refund: earlier, payment, row, result: late }, ctx)
    }
    return { ctx, number, requests, run, sendResult, state, readPayment, recordLate }
  }
  const HOUR_MS = 3_600_000
  const createResult = (code: number, amount = 500) => ({
    Result: {
      ResultCode: code,
      ResultDesc: 'Reported.',
      ResultParameters: { ResultParameter: [{ Key: 'TransactionAmount', Value: amount }] },
    },
  })

  it('is requested again with the same reference after a kill, and ignores a result for another amount', async () => {
    const { requests, run, sendResult, state } = await withPartRefund(async (sent) => {
      if (sent === 1) throw new Error('Killed.')
      return { outcome: 'requested' }
    })
    await run()
    await run(HOUR_MS)
    expect(requests.map(({ isRetry }) => isRetry)).toEqual([false, true])
    expect(new Set(requests.map(({ reference }) => reference)).size).toBe(1)
    expect(new Set(requests.map(({ callbackUrl }) => callbackUrl)).size).toBe(1)
    await expectStatus(await sendResult(createResult(0, 300)), 200)
    expect(await state()).toMatchObject({ state: 'requested' })
    await expectStatus(await sendResult(createResult(0)), 200)
    expect(await state()).toMatchObject({ state: 'done', amountCents: 500_00 })
    await sendResult(createResult(1))
    expect(await state()).toMatchObject({ state: 'done' })
  })

  it('gets another reference only once M-Pesa has reported that it failed, not when it timed out', async () => {
    const { requests, run, sendResult, state, recordLate } = await withPartRefund(async () => ({
      outcome: 'requested',
    }))
    await run()
    await sendResult(createResult(1037), '?timeout')
    expect(await state()).toMatchObject({ state: 'due', error: expect.stringContaining('too busy') })
    await run(HOUR_MS)
    const earlier = await state()
    await sendResult(createResult(1))
    expect(await state()).toMatchObject({ state: 'due', reference: null, error: '1 Reported.' })
    await run(HOUR_MS)
    await recordLate(earlier, { outcome: 'failed', error: 'Repeated.', isFinal: true })
    expect(await state()).toMatchObject({ state: 'requested', reference: requests.at(-1)?.reference })
    const [first, second, third] = requests.map(({ reference }) => reference)
    expect([second === first, third === first]).toEqual([true, false])
  })

  it('ignores a payment receipt sent to its callback URL', async () => {
    const { run, sendResult, readPayment } = await withPartRefund(async () => ({ outcome: 'requested' }))
    await run()
    const { reference, amountCents = 0 } = (await readPayment()) ?? {}
    const Item = [
      { Name: 'Amount', Value: amountCents / 100 },
      { Name: 'MpesaReceiptNumber', Value: 'FORGED1234' },
    ]
    const stkCallback = { CheckoutRequestID: reference, ResultCode: 0, CallbackMetadata: { Item } }
    await expectStatus(await sendResult({ Body: { stkCallback } }), 200)
    expect(await readPayment()).toMatchObject({ state: 'settled', receipt: null })
  })

  it('isn’t completed by an event of another provider', async () => {
    let attemptId = ''
    const { ctx, run, state, readPayment } = await withPartRefund(async () => ({ outcome: 'requested' }), {
      parseWebhook: async () => ({ kind: 'refund_changed', attemptId }),
      queryRefund: async () => ({ outcome: 'done' }),
    })
    await run()
    attemptId = (await readPayment())?.id ?? ''
    await expectStatus(await postJson(ctx, '/api/payments/paystack', {}), 200)
    expect(await state()).toMatchObject({ state: 'requested' })
  })

  it('isn’t to be sent again by the operator while M-Pesa processes it', async () => {
    const { number, run, state } = await withPartRefund(async () => ({ outcome: 'requested' }))
    const office = await createOfficeClient(officeContext())
    const path = `/orders/${number}/refunded?refund=${(await state())?.id}`
    expect((await office.get(path)).text).toContain('Do this only once you’ve sent KSH 500 to')
    await run()
    expect((await office.get(path)).text).toContain('so don’t send KSH 500 again.')
  })

  it('is completed by a result that arrives after it was left to be made manually', async () => {
    const { ctx, requests, run, sendResult, state } = await withPartRefund(async () => ({
      outcome: 'requested',
    }))
    while ((await state())?.state !== 'by_hand') {
      await run(24 * HOUR_MS)
      await sendResult(createResult(1037), '?timeout')
    }
    expect(new Set(requests.map(({ reference }) => reference)).size).toBe(1)
    await sendResult(createResult(1037), '?timeout')
    await sendResult(createResult(0))
    await sendResult(createResult(1037), '?timeout')
    const refund = await state()
    expect(refund).toMatchObject({ state: 'done' })
    const kinds = (await selectEmails(ctx, refund ? [refund] : [])).map(([kind]) => kind)
    expect(kinds.toSorted()).toEqual(['order-refunded', 'refund-notice'])
  })
})

describe('a Paystack refund', () => {
  afterEach(() => vi.unstubAllGlobals())

  async function withRefunds(send: (requests: number) => Promise<void>) {
    const knownReferences: string[] = []
    let requests = 0
    let nowMs = NOW_MS
    const queryRefund: ProviderOverrides['queryRefund'] = async ({ reference }) =>
      knownReferences.includes(reference) ? { outcome: 'done' } : undefined
    const refund: ProviderOverrides['refund'] = async (request) => {
      const earlier = request.isRetry ? await queryRefund(request) : undefined
      if (earlier) return earlier
      await send(++requests)
      knownReferences.push(request.reference)
      return { outcome: 'requested' }
    }
    const payments = testPayments({ paystack: { refund, queryRefund } })
    const { ctx, number } = await placeOrder(testContext({ payments, clock: () => nowMs }), {
      payment: { provider: 'paystack' },
    })
    await settleLatest(ctx, number)
    for (let times = 0; times < 2; times++) await requestRefund({ number, amountCents: 500_00, actor }, ctx)
    return {
      ctx,
      number,
      knownReferences,
      readRefunds: async () => (await readRecord(ctx, number)).refunds,
      run(afterMs = 0) {
        nowMs += afterMs
        return sendDueRefunds(ctx)
      },
      sendEvent: () => sendEvent(ctx, number),
    }
  }

  async function sendEvent(ctx: ServiceContext, number: string, status = 'processed') {
    const [payment] = (await readRecord(ctx, number)).payments
    const data = { transaction_reference: payment?.id, amount: '50000', status }
    const body = JSON.stringify({ event: `refund.${status}`, data })
    const signature = createHmac('sha512', 'sk_test_sandbox').update(body).digest('hex')
    const headers = { 'Content-Type': 'application/json', 'x-paystack-signature': signature }
    const url = `${origin}/api/payments/paystack`
    await expectStatus(await createApp(ctx).request(url, { method: 'POST', headers, body }), 200)
  }
  const HOUR_MS = 3_600_000

  it('isn’t completed by an event about another of the same amount', async () => {
    const { knownReferences, readRefunds, run, sendEvent } = await withRefunds(async (requests) => {
      if (requests === 1) throw new Error('Killed before Paystack was called.')
    })
    await run()
    for (let events = 0; events < 2; events++) {
      await sendEvent()
      const completed = (await readRefunds()).filter(({ state }) => state === 'done')
      expect(completed.map(({ reference }) => reference)).toEqual(knownReferences)
    }
    await run(HOUR_MS)
    await sendEvent()
    expect((await readRefunds()).map(({ state }) => state)).toEqual(['done', 'done'])
    expect([knownReferences.length, new Set(knownReferences).size]).toEqual([2, 2])
  })

  async function withFailedRefund() {
    const listed: { merchant_note: string; status: string }[] = []
    let respond = async () => {}
    vi.stubGlobal('fetch', async (_: string, { body }: RequestInit) => {
      if (!body) return Response.json({ status: true, data: listed })
      await respond()
      const { merchant_note } = JSON.parse(String(body))
      listed.push({ merchant_note, status: listed.length === 0 ? 'failed' : 'processed' })
      return Response.json({ status: true, data: { status: 'pending' } })
    })
    const settings = { base: 'https://paystack.test', secretKey: 'sk_test_sandbox', shopEmail: '' }
    const { refund, queryRefund } = createPaystackProvider(settings)
    let nowMs = NOW_MS
    const payments = testPayments({ paystack: { refund, ...(queryRefund && { queryRefund }) } })
    const context = testContext({ payments, clock: () => nowMs })
    const { ctx, number } = await placeOrder(context, { payment: { provider: 'paystack' } })
    await settleLatest(ctx, number)
    await requestRefund({ number, amountCents: 500_00, actor }, ctx)
    const readStates = async () => (await readRecord(ctx, number)).refunds.map(({ state }) => state)
    const runAfterDays = async (days: number) => {
      nowMs += days * 24 * HOUR_MS
      await sendDueRefunds(ctx)
      return readStates()
    }
    await runAfterDays(0)
    expect(await runAfterDays(1)).toEqual(['by_hand'])
    expect(await changeRefund({ number, change: 'restart', actor }, ctx)).toMatchObject({ ok: true })
    return {
      ctx,
      number,
      listed,
      readStates,
      runAfterDays,
      delayResponse: (until: Promise<void>) => {
        respond = () => until
      },
    }
  }

  it.each([
    ['is requested again', 'failed', 2],
    ['isn’t requested again if Paystack has processed it after all', 'processed', 1],
  ])('that failed and is retried by the operator %s', async (_, statusOnRetry, requests) => {
    const { listed, runAfterDays } = await withFailedRefund()
    listed[0] = { ...(listed[0] ?? { merchant_note: '' }), status: statusOnRetry }
    await runAfterDays(0)
    expect(await runAfterDays(1)).toEqual(['done'])
    expect(listed).toHaveLength(requests)
  })

  it('that failed isn’t left to the operator by a late event while it is requested again', async () => {
    const { ctx, number, readStates, runAfterDays, delayResponse } = await withFailedRefund()
    const { promise, resolve } = Promise.withResolvers<void>()
    delayResponse(promise)
    const underWay = runAfterDays(0)
    await expect.poll(async () => (await readRecord(ctx, number)).refunds[0]?.attempts).toBe(1)
    await sendEvent(ctx, number, 'failed')
    expect(await readStates()).toEqual(['due'])
    resolve()
    expect(await underWay).toEqual(['requested'])
    await sendEvent(ctx, number)
    expect(await readStates()).toEqual(['done'])
  })

  it('isn’t requested again while its request is under way', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { ctx, number, knownReferences, readRefunds, run, sendEvent } = await withRefunds((requests) => {
      if (requests <= 2) throw new Error('Paystack is down.')
      return promise
    })
    await run()
    const [shown] = await readRefunds()
    const underWay = run(HOUR_MS)
    await expect.poll(async () => (await readRefunds()).map(({ error }) => error)).toEqual([null, null])
    await sendEvent()
    const again = { number, refundId: shown?.id, change: 'restart', seen: 'due', actor } as const
    expect(await changeRefund(again, ctx)).toMatchObject({
      ok: false,
      error: { code: 'refund_not_possible', message: expect.stringContaining('already been requested') },
    })
    await run()
    resolve()
    await underWay
    expect([knownReferences.length, new Set(knownReferences).size]).toEqual([2, 2])
  })
})

/** Only undoing a delivery reverses cash. */
const requestedReasons = REFUND_REASONS.filter((reason) => reason !== 'not_collected')
const cents = fc.integer({ min: 1, max: 30 }).map((hundreds) => hundreds * 100_00)
const step = fc.oneof(
  fc.record({ what: fc.constant('refund' as const), cents, reason: fc.constantFrom(...requestedReasons) }),
  fc.record({ what: fc.constantFrom('total' as const, 'pay' as const), cents }),
  fc.constant({ what: 'settle' } as const),
  fc.constant({ what: 'send' } as const),
  fc.constant({ what: 'cancel' } as const),
)

it('after any sequence of payments, edits and refunds, no refund exceeds its payment and all sums agree', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
    const { ctx, number } = await placeOrder(testContext(), { payment: createMpesaPayment() })
    for (const { what, ...values } of steps) {
      const record = await readRecord(ctx, number)
      if (what === 'refund' && 'reason' in values)
        await requestRefund({ number, amountCents: values.cents, reason: values.reason, actor }, ctx)
      else if (what === 'total' && 'cents' in values) await setTotal(ctx, number, values.cents)
      else if (what === 'pay')
        await payOrder({ record, paymentDetails: createMpesaPayment(), origin, isRetry: false }, ctx)
      else if (what === 'settle') await settleLatest(ctx, number)
      else if (what === 'send') await sendDueRefunds(ctx)
      else if (what === 'cancel') await cancelOrder({ record, by: 'operator', actor }, ctx)

      const now = await readRecord(ctx, number)
      const { row, payments, refunds } = now
      for (const payment of payments) {
        const refundableCents = calculateRefundableCents(payment, refunds)
        expect(refundableCents).toBeGreaterThanOrEqual(0)
        const own = refunds.filter(({ paymentId }) => paymentId === payment.id)
        if (payment.state !== 'settled') expect(own).toEqual([])
      }
      const { paidCents, dueCents, refundDueCents, refundedCents } = calculateBalance(now)
      const requested = refunds.reduce((sum, { amountCents }) => sum + amountCents, 0)
      expect([row.paidCents, row.refundCents]).toEqual([paidCents, requested])
      expect(row.isRefunded).toBe(paidCents > 0 && calculateRefundableTotalCents(now) === 0)
      const [inSql] = await ctx.db
        .select({ due: sql<number>`${calculateAmountDueCents(row.id)}` })
        .from(orders)
        .where(eq(orders.id, row.id))
      expect(inSql?.due).toBe(dueCents - (refundDueCents - (requested - refundedCents)))
      if (row.status === 'cancelled') expect(calculateRefundableTotalCents(now)).toBe(0)
    }
  })
  await fc.assert(property, { numRuns: 15 })
})
