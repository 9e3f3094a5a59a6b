import { and, eq, inArray, ne } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assignIncomingPayment, markIncomingPaymentReturned } from '#server/books/assign-incoming.ts'
import { generateExport } from '#server/books/export.ts'
import { type IncomingPaymentRow, recordIncomingPaymentsStatements } from '#server/books/incoming-payments.ts'
import { matchIncomingPayments } from '#server/books/match-incoming.ts'
import { dismissWithdrawal } from '#server/books/match-withdrawal.ts'
import { pullIncomingPayments, requestConfirmationUrlRegistration } from '#server/books/pull-incoming.ts'
import { reconcileDay } from '#server/books/reconcile.ts'
import { refundIncomingPayment, sendDueIncomingRefunds } from '#server/books/refund-incoming.ts'
import { DEFAULT_PAYMENTS } from '#server/content/default-texts.ts'
import { runHousekeeping } from '#server/housekeeping.ts'
import { applyPaymentResult } from '#server/orders/apply-payment-result.ts'
import { editOrder } from '#server/orders/edit-order.ts'
import { readOrderRecord } from '#server/orders/order-record.ts'
import { sendDueRefunds } from '#server/orders/process-refunds.ts'
import { recordManualPayment } from '#server/orders/record-manual-payment.ts'
import { changeRefund, requestRefund } from '#server/orders/request-refund.ts'
import { runScheduledPayments } from '#server/orders/scheduled-payments.ts'
import { parseConfirmation } from '#server/payments/providers/mpesa/incoming.ts'
import type {
  IncomingPayment,
  IncomingPaymentSource,
  RefundRequest,
  RefundResult,
} from '#server/payments/providers/provider.ts'
import { createOrderKey } from '#server/platform/auth/signed-link.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import {
  auditLog,
  incomingPayments,
  incomingRefunds,
  incomingSources,
  invoices,
  orders,
  outbox,
  payments,
  refunds,
  stock,
  withdrawals,
} from '#server/platform/db/schema.ts'
import { formatMoney } from '#shared/format.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, parseShopDay } from '#shared/time.ts'
import { createAccount } from '#test/support/account.ts'
import { createContentSource, NOW_MS, testContext } from '#test/support/context.ts'
import { HOSTILE_TEXTS, HOSTILE_VALUES } from '#test/support/hostile.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import { orderRequest, postOrder } from '#test/support/orders.ts'
import {
  createMpesaPayment,
  insertRefund,
  type ProviderOverrides,
  testPayments,
} from '#test/support/payments.ts'
import { get, postJson } from '#test/support/posting.ts'
import items from '../../public/Items.json'

function createMpesaHarness(overrides: Partial<IncomingPaymentSource> = {}) {
  const listed: IncomingPayment[] = []
  const confirmationPaths: string[] = []
  let nowMs = NOW_MS
  const incoming: IncomingPaymentSource = {
    parseConfirmation: (body) => parseConfirmation(body, { shortcode: '174379', till: undefined }),
    instructions: ({ number, amount }) => `Pay ${amount} to paybill 174379, account ${number}.`,
    register: async ({ confirmationUrl }) => {
      confirmationPaths.push(new URL(confirmationUrl).pathname)
      return { ok: true, data: undefined }
    },
    list: async () => ({ ok: true, data: [...listed] }),
    ...overrides,
  }
  const ctx = testContext({
    payments: testPayments({
      mpesa: { incoming, queryPayment: async () => ({ outcome: 'declined', problem: 'cancelled' }) },
    }),
    clock: () => nowMs,
    content: createContentSource({ payments: { ...DEFAULT_PAYMENTS, payByHand: true } }),
  })
  return {
    ctx,
    listed,
    confirmationPaths,
    async pull() {
      nowMs += MINUTE_MS
      await pullIncomingPayments(ctx)
    },
    postConfirmation: (path: string, body: unknown) => postJson(ctx, path, body),
  }
}

const mpesa = createMpesaHarness()
const { ctx } = mpesa
await requestConfirmationUrlRegistration(COMMAND_LINE_ACTOR, ctx)
await mpesa.pull()
const confirmationPath = mpesa.confirmationPaths[0] ?? ''

let receipts = 0
const newReceipt = () => `RCT${String(++receipts).padStart(7, '0')}`
const newPayment = (overrides: Partial<IncomingPayment>): IncomingPayment => ({
  receipt: newReceipt(),
  amountCents: 100_000,
  paidAtMs: ctx.clock(),
  account: null,
  payer: null,
  ...overrides,
})
const toConfirmation = ({ receipt, amountCents, account }: IncomingPayment) => ({
  TransactionType: 'Pay Bill',
  TransID: receipt,
  TransTime: '20261121090507',
  TransAmount: (amountCents / 100).toFixed(2),
  BusinessShortCode: '174379',
  BillRefNumber: account ?? '',
  MSISDN: '25471****678',
  FirstName: 'AMINA',
})
const placeUnpaidOrder = async (qty = 2) => {
  const { body } = await postOrder(
    ctx,
    await createAccount(ctx),
    orderRequest([{ id: 1, qty }], { payment: createMpesaPayment() }),
  )
  const { number, totals } = body.order
  const orderId = ctx.db.select({ id: orders.id }).from(orders).where(eq(orders.number, number))
  const declined = { state: 'declined', nextCheckAtMs: null, endedAtMs: NOW_MS } as const
  await ctx.db.update(payments).set(declined).where(inArray(payments.orderId, orderId))
  return { number, totalCents: totals.totalCents }
}
const record = (source: IncomingPaymentRow['source'], paid: IncomingPayment) =>
  Promise.all(recordIncomingPaymentsStatements({ provider: 'mpesa', source, payments: [paid] }, ctx))
const readOrder = async (number: string) => {
  const row = await ctx.db.select().from(orders).where(eq(orders.number, number)).get()
  const own = await ctx.db
    .select()
    .from(payments)
    .where(eq(payments.orderId, row?.id ?? ''))
  return { status: row?.status, settled: own.filter(({ state }) => state === 'settled') }
}
const selectIncoming = (receipt: string) =>
  ctx.db.select().from(incomingPayments).where(eq(incomingPayments.receipt, receipt)).get()

describe('a payment from the M-Pesa menu', () => {
  it('is corrected by M-Pesa’s list or a statement until one has verified it, and never afterwards', async () => {
    const ctx = testContext()
    const receipt = 'CORRECTED1'
    const amounts = [
      ['confirmation', 900_00, 900_00],
      ['pull', 500_00, 500_00],
      ['statement', 900_00, 500_00],
      ['confirmation', 900_00, 500_00],
    ] as const
    for (const [source, amountCents, recorded] of amounts) {
      const payments = [{ receipt, amountCents, paidAtMs: NOW_MS, account: null, payer: null }]
      for (const statement of recordIncomingPaymentsStatements({ provider: 'mpesa', source, payments }, ctx))
        await statement
      const byReceipt = eq(incomingPayments.receipt, receipt)
      const row = await ctx.db.select().from(incomingPayments).where(byReceipt).get()
      expect(row?.amountCents, source).toBe(recorded)
    }
    await ctx.db.delete(incomingPayments).where(eq(incomingPayments.receipt, receipt))
  })

  it('settles its order once M-Pesa’s transaction list has it, however often it is confirmed', async () => {
    const { number, totalCents } = await placeUnpaidOrder()
    const payment = newPayment({ amountCents: totalCents, account: number.toLowerCase().replace('-', ' ') })
    for (const _ of [1, 2]) {
      const response = await mpesa.postConfirmation(confirmationPath, toConfirmation(payment))
      expect([response.status, await response.json()]).toEqual([
        200,
        { ResultCode: '0', ResultDesc: 'Accepted' },
      ])
    }
    await ctx.backgroundDone()
    expect(await readOrder(number)).toMatchObject({ status: 'awaiting_payment', settled: [] })
    expect(await selectIncoming(payment.receipt)).toMatchObject({
      verifiedAtMs: null,
      payer: 'AMINA 25471****678',
    })

    mpesa.listed.push(payment)
    await Promise.all([mpesa.pull(), mpesa.pull(), mpesa.pull()])
    const { status, settled } = await readOrder(number)
    expect([status, settled.map(({ receipt }) => receipt)]).toEqual(['placed', [payment.receipt]])
    expect(await selectIncoming(payment.receipt)).toMatchObject({
      paymentId: settled[0]?.id,
      paidAtMs: payment.paidAtMs,
    })
  })

  it('is offered on the order page, without JavaScript and to the holder of a link, until the order is paid', async () => {
    const owner = await createAccount(ctx)
    const { body } = await postOrder(ctx, owner, orderRequest(undefined, { payment: createMpesaPayment() }))
    const { number, totals } = body.order
    const page = async (query: string, headers = {}) =>
      (await get(ctx, `/order/${number}${query}`, headers)).text()
    const sentence = `Pay ${formatMoney(totals.totalCents)} to paybill 174379, account ${number}.`
    expect(await page('', owner.cookie)).toContain(sentence)
    const off = { ...ctx, content: createContentSource({}) }
    expect(await (await get(off, `/order/${number}`, owner.cookie)).text()).not.toContain(sentence)
    expect(await page(`?key=${await createOrderKey(number, ctx)}`)).toContain(sentence)
    const placedOrders = await ctx.db
      .update(orders)
      .set({ status: 'placed' })
      .where(eq(orders.number, number))
      .returning({ id: orders.id })
    const ofOrder = eq(payments.orderId, placedOrders[0]?.id ?? '')
    await ctx.db.update(payments).set({ state: 'settled' }).where(ofOrder)
    expect(await page('', owner.cookie)).not.toContain(sentence)
  })

  it('is fetched from M-Pesa’s list only if the shop offers it or M-Pesa has the confirmation URL', async () => {
    let lists = 0
    const counted = createMpesaHarness({
      async list() {
        lists += 1
        return { ok: true, data: [] }
      },
    })
    const on = counted.ctx
    const off = { ...on, content: createContentSource({}) }
    const source = eq(incomingSources.provider, 'mpesa')
    const pullWith = async (now: typeof on, registeredAtMs: number | null) => {
      await on.db.update(incomingSources).set({ nextPullAtMs: 0, registeredAtMs }).where(source)
      const before = lists
      await pullIncomingPayments(now)
      return lists > before
    }
    expect([await pullWith(off, null), await pullWith(on, null), await pullWith(off, NOW_MS)]).toEqual([
      false,
      true,
      true,
    ])
  })

  it('is found in the list if no confirmation ever arrived', async () => {
    const { number, totalCents } = await placeUnpaidOrder()
    mpesa.listed.push(newPayment({ amountCents: totalCents, account: number }))
    await mpesa.pull()
    expect((await readOrder(number)).status).toBe('placed')
  })

  it.each([
    ['of another amount', { amountCents: 4200 }],
    ['for an unknown order', { account: 'P-ZZZZZZ' }],
    ['without an account', { account: null }],
  ])('%s settles nothing and stays unassigned', async (_what, overrides) => {
    const { number, totalCents } = await placeUnpaidOrder()
    const payment = newPayment({ amountCents: totalCents, account: number, ...overrides })
    mpesa.listed.push(payment)
    await mpesa.pull()
    expect(await readOrder(number)).toMatchObject({ status: 'awaiting_payment', settled: [] })
    expect((await selectIncoming(payment.receipt))?.paymentId).toBeNull()
  })

  it('is found in the next list if there are too many for one', async () => {
    const { number, totalCents } = await placeUnpaidOrder()
    const base = createMpesaHarness({})
    const nowMs = base.ctx.clock()
    const all = [3, 2, 1].map((minutes) => newPayment({ paidAtMs: nowMs - minutes * MINUTE_MS }))
    all.push(newPayment({ paidAtMs: nowMs, amountCents: totalCents, account: number }))
    const busy = createMpesaHarness({
      list: async ({ startMs }) => {
        const rows = all.filter(({ paidAtMs }) => paidAtMs >= startMs)
        return { ok: true, data: rows.slice(0, 2), isPartial: rows.length > 2 }
      },
    })
    await ctx.db.update(incomingSources).set({ nextPullAtMs: 0, pulledToMs: nowMs })
    for (let times = 0; times < 4; times++) {
      await ctx.db.update(incomingSources).set({ nextPullAtMs: 0 })
      await pullIncomingPayments(busy.ctx)
    }
    expect((await readOrder(number)).status).toBe('placed')
  })

  it('is matched even if it comes after many that name no order', async () => {
    const { number, totalCents } = await placeUnpaidOrder()
    const others = Array.from({ length: 25 }, () => newPayment({ account: 'SHOES' }))
    mpesa.listed.push(...others, newPayment({ amountCents: totalCents, account: number }))
    await mpesa.pull()
    expect((await readOrder(number)).status).toBe('placed')
    expect((await selectIncoming(others[0]?.receipt ?? ''))?.paymentId).toBeNull()
  })

  it('that turns out to come from the order’s prompt counts once and provides the receipt', async () => {
    const phone = createMpesaHarness({})
    const { body } = await postOrder(
      phone.ctx,
      await createAccount(ctx),
      orderRequest(undefined, { payment: createMpesaPayment() }),
    )
    const { number, totals } = body.order
    const settled = testContext({
      payments: testPayments({
        mpesa: {
          queryPayment: async () => ({ outcome: 'settled', reference: `ref ${number}`, receipt: null }),
        },
      }),
    })
    const payment = newPayment({ amountCents: totals.totalCents, account: number })
    await record('pull', payment)
    await matchIncomingPayments(settled)
    const once = { status: 'placed', settled: [{ provider: 'mpesa', receipt: payment.receipt }] }
    expect(await readOrder(number)).toMatchObject(once)
    await matchIncomingPayments(settled)
    expect(await readOrder(number)).toMatchObject(once)
    expect((await selectIncoming(payment.receipt))?.paymentId).not.toBeNull()
  })

  it('that was recorded manually without its receipt counts once and provides the receipt', async () => {
    const { number, totalCents } = await placeUnpaidOrder()
    await recordManualPayment({ number, type: 'till', reference: '', actor: COMMAND_LINE_ACTOR }, ctx)
    const payment = newPayment({ amountCents: totalCents, account: number })
    await record('pull', payment)
    const key = { provider: 'mpesa', receipt: payment.receipt, actor: COMMAND_LINE_ACTOR } as const
    expect(await refundIncomingPayment(key, ctx)).toMatchObject({ ok: false })
    await runScheduledPayments(ctx)
    expect(await refundIncomingPayment(key, ctx)).toMatchObject({ ok: false })
    await matchIncomingPayments(ctx)
    const once = { status: 'placed', settled: [{ provider: 'manual', receipt: payment.receipt }] }
    expect(await readOrder(number)).toMatchObject(once)
    const again = newPayment({ amountCents: totalCents, account: number })
    await record('pull', again)
    await matchIncomingPayments(ctx)
    expect(await readOrder(number)).toMatchObject(once)
    expect((await selectIncoming(again.receipt))?.paymentId).toBeNull()
  })

  it('can’t be recorded manually with another amount, or once its refund has started', async () => {
    const { number, totalCents } = await placeUnpaidOrder()
    const [larger, returned, refunded] = [totalCents + 500_00, totalCents, totalCents].map((amountCents) =>
      newPayment({ amountCents }),
    )
    if (!larger || !returned || !refunded) throw new Error('A payment is missing.')
    for (const payment of [larger, returned, refunded]) await record('pull', payment)
    const toKey = ({ receipt }: IncomingPayment) =>
      ({ provider: 'mpesa', receipt, actor: COMMAND_LINE_ACTOR }) as const
    expect(await markIncomingPaymentReturned(toKey(returned), ctx)).toMatchObject({ ok: true })
    expect(await refundIncomingPayment(toKey(refunded), ctx)).toMatchObject({ ok: true })
    const refusals = [
      [larger, `Receipt ${larger.receipt} is a payment of ${formatMoney(larger.amountCents)}`],
      [returned, 'This payment was refunded'],
      [refunded, 'This payment was refunded'],
    ] as const
    for (const [{ receipt }, message] of refusals) {
      const manual = { number, type: 'till', reference: receipt, actor: COMMAND_LINE_ACTOR } as const
      expect(await recordManualPayment(manual, ctx)).toMatchObject({
        ok: false,
        error: { code: 'invalid_fields', fieldErrors: { reference: expect.stringContaining(message) } },
      })
    }
    await runScheduledPayments(ctx)
    expect(await readOrder(number)).toMatchObject({ status: 'awaiting_payment', settled: [] })
  })

  it('can be assigned to a payment recorded without its receipt, even if it names no order', async () => {
    const { number, totalCents } = await placeUnpaidOrder()
    await recordManualPayment({ number, type: 'till', reference: '', actor: COMMAND_LINE_ACTOR }, ctx)
    await runScheduledPayments(ctx)
    const payment = newPayment({ amountCents: totalCents })
    const again = newPayment({ amountCents: totalCents })
    for (const each of [payment, again]) await record('pull', each)
    const assign = ({ receipt }: IncomingPayment) =>
      assignIncomingPayment({ provider: 'mpesa', receipt, number, actor: COMMAND_LINE_ACTOR }, ctx)
    const assigned = await Promise.all([assign(payment), assign(again)])
    expect(assigned.filter(({ ok }) => ok)).toMatchObject([{ data: { leftCents: 0 } }])
    const receipt = assigned[0]?.ok ? payment.receipt : again.receipt
    expect(await readOrder(number)).toMatchObject({ status: 'placed', settled: [{ receipt }] })
    expect((await selectIncoming(receipt))?.paymentId).not.toBeNull()
    expect((await assign(again)).ok).toBe(false)
  })

  describe('that settled without its receipt and is on a statement uploaded a week later', () => {
    const paidAtMs = NOW_MS - 7 * DAY_MS
    const placeSettledOrder = async () => {
      const { number, totalCents } = await placeUnpaidOrder()
      const order = await readOrderRecord(number, ctx)
      const [payment] = order?.payments ?? []
      if (!order || !payment) throw new Error('The order is missing.')
      const result = {
        outcome: 'settled',
        reference: payment.reference ?? payment.id,
        receipt: null,
      } as const
      await applyPaymentResult({ record: order, payment, result, origin: 'https://pamba.test' }, ctx)
      return { number, totalCents, payment }
    }
    const readExported = async (number: string, { receipt }: IncomingPayment) => {
      const period = { startMs: 0, endMs: 2 * NOW_MS }
      const texts = await Array.fromAsync(generateExport({ name: 'payments', format: 'json', period }, ctx))
      return JSON.parse(texts.join('')).filter(
        (row: { number: string | null; receipt: string | null }) =>
          row.number === number || row.receipt === receipt,
      )
    }

    it('gets its receipt, counts once in the books, and resumes no manual refund', async () => {
      const { number, totalCents, payment } = await placeSettledOrder()
      const refund = {
        amountCents: 10_000,
        reason: 'other',
        state: 'by_hand',
        createdAtMs: paidAtMs,
      } as const
      const { id: paymentId, orderId } = payment
      await ctx.db.insert(refunds).values({ id: `refund ${number}`, orderId, paymentId, ...refund })
      const paid = newPayment({ amountCents: totalCents, account: number, paidAtMs })
      await record('statement', paid)
      await runHousekeeping(ctx)
      expect(await readOrder(number)).toMatchObject({
        status: 'placed',
        settled: [{ id: payment.id, receipt: paid.receipt }],
      })
      expect((await selectIncoming(paid.receipt))?.paymentId).toBe(payment.id)
      expect(await readExported(number, paid)).toMatchObject([
        { number, kind: 'Payment', receipt: paid.receipt, amountCents: totalCents },
      ])
      const byPayment = eq(refunds.paymentId, payment.id)
      expect(await ctx.db.select().from(refunds).where(byPayment)).toMatchObject([{ state: 'by_hand' }])
    })

    it('can be assigned to its order, but neither to another order nor refunded', async () => {
      const { number, totalCents, payment } = await placeSettledOrder()
      const paid = newPayment({ amountCents: totalCents, account: number, paidAtMs })
      await record('statement', paid)
      const key = { provider: 'mpesa', receipt: paid.receipt, actor: COMMAND_LINE_ACTOR } as const
      const message = `This is probably a payment of order ${number} that has no receipt yet. Assign it to order ${number}.`
      const refused = { ok: false, error: { code: 'refused', message } }
      expect(await refundIncomingPayment(key, ctx)).toEqual(refused)
      const other = await placeUnpaidOrder()
      expect(await assignIncomingPayment({ ...key, number: other.number }, ctx)).toEqual(refused)
      expect(await assignIncomingPayment({ ...key, number }, ctx)).toMatchObject({
        ok: true,
        data: { leftCents: 0 },
      })
      expect((await selectIncoming(paid.receipt))?.paymentId).toBe(payment.id)
      expect(await readExported(number, paid)).toMatchObject([{ receipt: paid.receipt }])
      const again = newPayment({ amountCents: totalCents, paidAtMs })
      await record('statement', again)
      expect(await assignIncomingPayment({ ...key, receipt: again.receipt, number }, ctx)).toMatchObject({
        ok: false,
      })
    })
  })

  it('settles its order from a statement uploaded a week later, unless the statement has its refund', async () => {
    const paidAtMs = NOW_MS - 7 * DAY_MS
    const [kept, reversed] = [await placeUnpaidOrder(), await placeUnpaidOrder()]
    const paid = newPayment({ amountCents: kept.totalCents, account: kept.number, paidAtMs })
    const sentBack = newPayment({ amountCents: reversed.totalCents, account: reversed.number, paidAtMs })
    for (const each of [paid, sentBack]) await record('statement', each)
    const { receipt: linkedReceipt, amountCents } = sentBack
    const reversal = { provider: 'mpesa', receipt: newReceipt(), isFee: false, atMs: paidAtMs } as const
    await ctx.db.insert(withdrawals).values({ ...reversal, amountCents, linkedReceipt, recordedAtMs: NOW_MS })
    await matchIncomingPayments(ctx)
    const settled = [{ receipt: paid.receipt }]
    expect(await readOrder(kept.number)).toMatchObject({ status: 'placed', settled })
    expect(await readOrder(reversed.number)).toMatchObject({ status: 'awaiting_payment', settled: [] })
  })

  it('settles a prompt that M-Pesa never acknowledged, once the phone no longer shows it', async () => {
    const mpesa: ProviderOverrides = {
      queryPayment: async () => ({ outcome: 'unknown', error: 'Never acknowledged.' }),
    }
    const createContextAfter = (ms: number) =>
      testContext({ payments: testPayments({ mpesa }), clock: () => ctx.clock() + ms })
    const { number, totalCents } = await placeUnpaidOrder()
    const order = await ctx.db.select().from(orders).where(eq(orders.number, number)).get()
    const lost = { state: 'unknown', reference: null, nextCheckAtMs: 1, createdAtMs: ctx.clock() } as const
    await ctx.db
      .update(payments)
      .set(lost)
      .where(eq(payments.orderId, order?.id ?? ''))
    const byHand = { amountCents: totalCents, account: number }
    const earlier = newPayment({ ...byHand, paidAtMs: ctx.clock() - HOUR_MS })
    const payment = newPayment(byHand)
    await record('pull', earlier)
    await matchIncomingPayments(createContextAfter(3 * MINUTE_MS))
    await record('pull', payment)
    await matchIncomingPayments(createContextAfter(MINUTE_MS))
    expect((await readOrder(number)).status).toBe('awaiting_payment')
    await matchIncomingPayments(createContextAfter(3 * MINUTE_MS))
    const settled = [{ provider: 'mpesa', receipt: payment.receipt }]
    expect(await readOrder(number)).toMatchObject({ status: 'placed', settled })
    expect((await selectIncoming(earlier.receipt))?.paymentId).toBeNull()
  })

  it('counts at most once when it is assigned, marked as refunded and matched at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 2 }), async (actions) => {
        const [first, second] = [await placeUnpaidOrder(), await placeUnpaidOrder()]
        const payment = newPayment({ amountCents: first.totalCents, account: first.number })
        await record('pull', payment)
        const key = { provider: 'mpesa', receipt: payment.receipt, actor: COMMAND_LINE_ACTOR } as const
        const run = [
          () => assignIncomingPayment({ ...key, number: first.number }, ctx),
          () => assignIncomingPayment({ ...key, number: second.number }, ctx),
          () => markIncomingPaymentReturned(key, ctx),
          () => mpesa.pull(),
          () => mpesa.postConfirmation(confirmationPath, toConfirmation(payment)),
        ]
        await Promise.all(actions.map((action) => run[action]?.()))
        await runScheduledPayments(ctx)
        const own = await ctx.db.select().from(payments).where(eq(payments.receipt, payment.receipt))
        const row = await selectIncoming(payment.receipt)
        expect(own.length + (row?.returnedAtMs ? 1 : 0)).toBeLessThanOrEqual(1)
        expect(row?.paymentId ?? null).toBe(own[0]?.id ?? null)
        expect(own.every(({ state }) => state === 'settled')).toBe(true)
      }),
      { numRuns: 12 },
    )
  })
})

describe('the confirmation URLs', () => {
  it('are unguessable and accept only payments to the shop’s own number', async () => {
    const valid = toConfirmation(newPayment({}))
    expect((await mpesa.postConfirmation(`/api/incoming/${'0'.repeat(64)}`, valid)).status).toBe(404)
    expect((await mpesa.postConfirmation(`/api/incoming/${'0'.repeat(64)}/check`, valid)).status).toBe(404)
    expect((await mpesa.postConfirmation(`${confirmationPath}/check`, valid)).status).toBe(200)
    // The log must not reveal the token in the URL.
    expect(ctx.lines.slice(-1).map(({ path }) => path)).toEqual(['/api/incoming/…/check'])
    expect(
      (await mpesa.postConfirmation(confirmationPath, { ...valid, BusinessShortCode: '600000' })).status,
    ).toBe(400)
    expect(await ctx.db.select().from(incomingSources)).not.toEqual(
      expect.arrayContaining([expect.objectContaining({ tokenHash: confirmationPath.split('/').at(-1) })]),
    )
  })

  it('never fail on hostile confirmations', async () => {
    const before = await ctx.db.$count(incomingPayments)
    let recorded = 0
    for (const value of HOSTILE_VALUES)
      for (const field of ['TransID', 'TransTime', 'TransAmount', 'BusinessShortCode']) {
        const { status } = await mpesa.postConfirmation(confirmationPath, {
          ...toConfirmation(newPayment({})),
          [field]: value,
        })
        expect([200, 400], `${field} ${JSON.stringify(value)}`).toContain(status)
        if (status === 200) recorded += 1
      }
    for (const body of ['{', '[]', 'null', '"x"', '{}'])
      expect((await mpesa.postConfirmation(confirmationPath, body)).status).toBe(400)
    expect((await ctx.db.$count(incomingPayments)) - before).toBeLessThanOrEqual(recorded)
    for (const value of HOSTILE_VALUES)
      for (const field of ['BillRefNumber', 'MSISDN', 'FirstName'])
        expect(
          (
            await mpesa.postConfirmation(confirmationPath, {
              ...toConfirmation(newPayment({})),
              [field]: value,
            })
          ).status,
        ).toBe(200)
  })

  it('respond while M-Pesa’s list is down, and payments settle once it is back', async () => {
    const down = createMpesaHarness({ list: async () => ({ ok: false, error: 'TimeoutError: no response' }) })
    const { number, totalCents } = await placeUnpaidOrder()
    const payment = newPayment({ amountCents: totalCents, account: number })
    await ctx.db.update(incomingSources).set({ nextPullAtMs: 0 })
    expect((await down.postConfirmation(confirmationPath, toConfirmation(payment))).status).toBe(200)
    await down.ctx.backgroundDone()
    await runHousekeeping(down.ctx)
    expect(await readOrder(number)).toMatchObject({ status: 'awaiting_payment', settled: [] })
    const source = await ctx.db.select().from(incomingSources).get()
    expect(source?.pullError).toBe('TimeoutError: no response')
    mpesa.listed.push(payment)
    await mpesa.pull()
    expect((await readOrder(number)).status).toBe('placed')
  })
})

describe('the office', async () => {
  const office = officeContext({ runHousekeeping: () => runScheduledPayments(ctx) })
  const owner = await createOfficeClient(office)

  it('suggests the order of the same amount for a payment, and assigns it in one tap', async () => {
    const { number, totalCents } = await placeUnpaidOrder(7)
    const payment = newPayment({ amountCents: totalCents, payer: '<b>AMINA</b>', account: '<i>Amina</i>' })
    await record('pull', payment)
    const { text } = await owner.get('/incoming')
    expect(text).toContain(`Assign to ${number}, Wanjiru Kamau`)
    expect(text).toContain('from &lt;b&gt;AMINA')
    const key = { provider: 'mpesa', receipt: payment.receipt }
    const { location } = await owner.post('/incoming/assign', { ...key, number })
    expect(location).toBe(`/orders/${number}?done=paid&receipt=${payment.receipt}`)
    expect(await readOrder(number)).toMatchObject({
      status: 'placed',
      settled: [{ receipt: payment.receipt }],
    })
    expect((await owner.get('/incoming')).text).not.toContain(payment.receipt)
    expect((await owner.post('/incoming/return', key)).text).toContain('already been assigned or refunded')
  })

  it('counts a payment once that was recorded without its receipt just before it is assigned', async () => {
    const { number, totalCents } = await placeUnpaidOrder()
    const { receipt, ...paid } = newPayment({ amountCents: totalCents, account: 'Amina' })
    await record('pull', { receipt, ...paid })
    await recordManualPayment({ number, type: 'till', reference: '', actor: COMMAND_LINE_ACTOR }, ctx)
    const { text } = await owner.get(`/incoming/assign?provider=mpesa&receipt=${receipt}&number=${number}`)
    expect(text).toContain(`already has a payment of ${formatMoney(totalCents)} without a receipt.`)
    const { location } = await owner.post('/incoming/assign', { provider: 'mpesa', receipt, number })
    expect(location).toBe(`/orders/${number}?done=paid&receipt=${receipt}`)
    await runScheduledPayments(ctx)
    expect(await readOrder(number)).toMatchObject({ status: 'placed', settled: [{ receipt }] })
    expect((await readOrderRecord(number, ctx))?.refunds).toEqual([])
  })

  it('names the payment that it assigns, even if the order has a later one', async () => {
    const { number, totalCents } = await placeUnpaidOrder()
    const { receipt, ...paid } = newPayment({ amountCents: totalCents, account: 'Amina' })
    await record('pull', { receipt, ...paid })
    const payManually = async (type: 'till' | 'cash') => {
      await recordManualPayment({ number, type, reference: '', actor: COMMAND_LINE_ACTOR }, ctx)
      await runScheduledPayments(ctx)
    }
    await payManually('till')
    const [line] = (await readOrderRecord(number, ctx))?.lines ?? []
    const more = { id: line?.productId ?? 0, qty: (line?.qty ?? 0) + 1 }
    const shop = { fetch: async () => Response.json(items) }
    await editOrder({ number, lines: [more], actor: COMMAND_LINE_ACTOR }, officeContext({ shop }))
    await payManually('cash')
    const { location } = await owner.post('/incoming/assign', { provider: 'mpesa', receipt, number })
    expect((await owner.get(location ?? '')).text).toContain(
      `Payment recorded: ${formatMoney(totalCents)}, M-Pesa till or paybill, reference ${receipt}.`,
    )
  })

  it('names what it refunds if the payment is more than the order’s total', async () => {
    const { number, totalCents } = await placeUnpaidOrder(7)
    const payment = newPayment({ amountCents: totalCents + 500_00 })
    await record('pull', payment)
    const { receipt } = payment
    const { location } = await owner.post('/incoming/assign', { provider: 'mpesa', receipt, number })
    expect((await owner.get(location ?? '')).text).toMatch(
      /Payment recorded: KSH [^.]+, M-Pesa till or paybill, reference \w+\. (Refund of KSH 500 \w+|Please refund KSH 500 manually, then select “Mark as refunded” below)\./,
    )
  })

  it('assigns no unverified or refunded payment and nothing to unknown orders, and keeps what was typed', async () => {
    const { number, totalCents } = await placeUnpaidOrder()
    const payment = newPayment({ amountCents: totalCents - 5000 })
    const unverified = newPayment({ amountCents: totalCents })
    await record('pull', payment)
    await record('confirmation', unverified)
    const assign = (receipt: string, to = number) =>
      owner.post('/incoming/assign', { provider: 'mpesa', receipt, number: to })
    expect((await assign(unverified.receipt)).text).toContain('hasn’t confirmed this payment yet')
    const { status, text } = await assign(payment.receipt, 'P-NOWHERE')
    expect([status, text.includes('value="P-NOWHERE"')]).toEqual([409, true])
    expect((await assign('RCT-UNKNOWN')).status).toBe(409)
    expect(
      (await owner.post('/incoming/return', { provider: 'mpesa', receipt: payment.receipt })).location,
    ).toBe('/incoming?done=returned')
    expect((await assign(payment.receipt)).status).toBe(409)
    expect((await readOrder(number)).status).toBe('awaiting_payment')
  })

  it('asks before it assigns a payment to a typed number, or marks one as refunded', async () => {
    const { number, totalCents } = await placeUnpaidOrder()
    const { receipt, ...paid } = newPayment({ amountCents: totalCents - 50_00, payer: 'AMINA' })
    await record('pull', { receipt, ...paid })
    const { text: list } = await owner.get('/incoming')
    expect(list).not.toContain('action="/incoming/return"')
    const key = `provider=mpesa&receipt=${receipt}`
    const assigning = await owner.get(`/incoming/assign?${key}&number=${number.toLowerCase()}`)
    expect(assigning.text).toContain(`Assign ${formatMoney(totalCents - 50_00)} to ${number}?`)
    expect(assigning.text).toContain(
      `${formatMoney(totalCents)} is due on this order, which is for Wanjiru Kamau. The customer still has to pay KSH 50.`,
    )
    const unknown = await owner.get(`/incoming/assign?${key}&number=P-NOWHERE`)
    expect([unknown.status, unknown.text.includes('value="P-NOWHERE"')]).toEqual([409, true])
    const paidOrder = await placeUnpaidOrder()
    await recordManualPayment(
      { number: paidOrder.number, type: 'cash', reference: '', actor: COMMAND_LINE_ACTOR },
      ctx,
    )
    await runScheduledPayments(ctx)
    const alreadyPaid = await owner.get(`/incoming/assign?${key}&number=${paidOrder.number}`)
    expect(alreadyPaid.text).toContain(`Order ${paidOrder.number} has already been paid or cancelled.`)
    const returning = await owner.get(`/incoming/return?${key}`)
    expect(returning.text).toContain(`(receipt ${receipt}) back to AMINA yourself.`)
    for (const { text } of [assigning, returning])
      expect(text).toContain(`<input type="hidden" name="receipt" value="${receipt}"/>`)
    for (const page of ['assign', 'return'])
      expect((await owner.get(`/incoming/${page}?provider=mpesa&receipt=RCT-UNKNOWN`)).status).toBe(404)
  })

  it('lists a payment that was never assigned, and its refund, in exports and reconciliation', async () => {
    const payment = newPayment({ amountCents: 123_400, account: 'SHOES', paidAtMs: NOW_MS - MINUTE_MS })
    await record('pull', payment)
    const key = { provider: 'mpesa', receipt: payment.receipt }
    expect((await owner.post('/incoming/return', key)).location).toBe('/incoming?done=returned')
    const period = { startMs: 0, endMs: 2 * NOW_MS }
    const texts = await Array.fromAsync(generateExport({ name: 'payments', format: 'json', period }, ctx))
    const moved = JSON.parse(texts.join('')).filter(
      (row: { receipt: string }) => row.receipt === payment.receipt,
    )
    expect(moved).toMatchObject([
      { kind: 'Payment', number: null, method: 'M-Pesa', amountCents: 123_400, document: null },
      { kind: 'Refund', number: null, amountCents: -123_400 },
    ])
    const audit = await ctx.db.select().from(auditLog).where(eq(auditLog.subject, payment.receipt))
    expect(audit).toMatchObject([{ action: 'incoming.return', to: 'KSH 1,234' }])
    const today = parseShopDay('today', NOW_MS)
    const reconciled = today && (await reconcileDay({ provider: 'mpesa', day: today }, ctx))
    const own = reconciled?.entries.filter(({ receipt }) => receipt === payment.receipt)
    expect(own?.map(({ direction, state }) => `${direction} ${state}`)).toEqual([
      'in returned',
      'out unconfirmed',
    ])
  })

  it('asks before it refunds a payment, and names the amount, receipt and payer', async () => {
    const payment = newPayment({ amountCents: 34_800, payer: '254700000000 - <b>Wanjiru' })
    const unverified = newPayment({})
    await record('pull', payment)
    await record('confirmation', unverified)
    const { text: list } = await owner.get('/incoming')
    expect(list).not.toContain('action="/incoming/refund"')
    const path = `/incoming/refund?provider=mpesa&receipt=${payment.receipt}`
    expect(list.replaceAll('&amp;', '&')).toContain(`href="${path}"`)
    const { text } = await owner.get(path)
    expect(text).toContain('Refund KSH 348?')
    expect(text).toContain(
      `We’ll refund KSH 348 (M-Pesa, receipt ${payment.receipt}) to 254700000000 - &lt;b&gt;Wanjiru. This can’t be undone.`,
    )
    expect(text).toContain('action="/incoming/refund"')
    expect(text).toContain(`name="receipt" value="${payment.receipt}"`)
    await owner.post('/incoming/return', { provider: 'mpesa', receipt: payment.receipt })
    for (const receipt of [payment.receipt, unverified.receipt, 'RCT-UNKNOWN', ''])
      expect((await owner.get(`/incoming/refund?provider=mpesa&receipt=${receipt}`)).status).toBe(404)
    expect((await owner.get('/incoming/refund?provider=hostile')).status).toBe(404)
  })

  it('refunds a payment that belongs to no order, once and through M-Pesa, or says why it can’t', async () => {
    const results: RefundResult[] = [
      { outcome: 'failed', error: '500.003.02 System is busy' },
      { outcome: 'requested' },
      { outcome: 'by_hand', error: 'R000002 The OriginalTransactionID is invalid.' },
    ]
    const requests: string[] = []
    const paths: string[] = []
    let nowMs = NOW_MS
    const reversing = testContext({
      clock: () => nowMs,
      payments: testPayments({
        mpesa: {
          refund: async ({ payment: { receipt }, amountCents }, { callbackUrl }) => {
            requests.push(`${receipt} ${amountCents}`)
            paths.push(new URL(callbackUrl).pathname)
            return results.shift() ?? { outcome: 'requested' }
          },
        },
      }),
    })
    const refundOf = async (receipt: string) =>
      (await ctx.db.select().from(incomingRefunds)).find((refund) => refund.receipt === receipt)
    const first = newPayment({ amountCents: 50_000, account: 'SHOES' })
    const second = newPayment({ amountCents: 60_000, account: 'SHOES' })
    const third = newPayment({ amountCents: 70_000, account: 'SHOES' })
    for (const paid of [first, second, third]) await record('pull', paid)
    const key = { provider: 'mpesa', receipt: first.receipt }
    expect((await owner.get('/incoming')).text).toContain('Refund KSH 500')
    const started = await Promise.all([1, 2, 3].map(() => owner.post('/incoming/refund', key)))
    expect(started.map(({ status }) => status).toSorted()).toEqual([303, 409, 409])
    await sendDueIncomingRefunds(reversing)
    expect(await refundOf(first.receipt)).toMatchObject({ state: 'due', attempts: 1 })
    expect((await owner.get('/incoming')).text).toContain('M-Pesa was too busy')
    const { number } = await placeUnpaidOrder()
    expect((await owner.post('/incoming/assign', { ...key, number })).status).toBe(409)
    nowMs += 10 * MINUTE_MS
    await Promise.all([sendDueIncomingRefunds(reversing), sendDueIncomingRefunds(reversing)])
    expect(requests).toEqual([`${first.receipt} 50000`, `${first.receipt} 50000`])
    expect(await refundOf(first.receipt)).toMatchObject({ state: 'requested' })
    expect((await owner.get(`/incoming/return?${new URLSearchParams(key)}`)).text).toContain(
      'The provider is still processing this refund, so don’t send KSH 500 again.',
    )

    const postResult = (path: string, body: unknown) => postJson(reversing, path, body)
    const [path = ''] = paths
    expect(new Set(paths).size).toBe(1)
    const done = { Result: { ResultCode: 0, ResultDesc: 'Done', TransactionID: 'SKREVERSED' } }
    expect((await postResult(path.replace(/[0-9a-f]{64}/, '0'.repeat(64)), done)).status).toBe(404)
    expect((await postResult(path, { Result: 'x' })).status).toBe(400)
    for (const _ of [1, 2]) expect((await postResult(path, done)).status).toBe(200)
    expect(await selectIncoming(first.receipt)).toMatchObject({ returnedAtMs: nowMs })
    expect((await owner.get('/incoming')).text).not.toContain(first.receipt)

    await owner.post('/incoming/refund', { provider: 'mpesa', receipt: second.receipt })
    await sendDueIncomingRefunds(reversing)
    expect(await refundOf(second.receipt)).toMatchObject({ state: 'by_hand' })
    const { text } = await owner.get('/incoming')
    for (const shown of ['Refund manually', 'can’t find this payment', 'Retry refund'])
      expect(text).toContain(shown)
    const byHand = { provider: 'mpesa', receipt: second.receipt }
    expect((await owner.post('/incoming/return', byHand)).location).toBe('/incoming?done=returned')
    expect(await refundOf(second.receipt)).toMatchObject({ state: 'done' })
    const actions = await ctx.db.select().from(auditLog).where(eq(auditLog.subject, second.receipt))
    expect(actions.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['incoming.refund', 'incoming.return']),
    )

    await owner.post('/incoming/refund', { provider: 'mpesa', receipt: third.receipt })
    results.push({ outcome: 'requested' }, { outcome: 'by_hand', error: 'MPESA_INITIATOR isn’t set.' })
    await sendDueIncomingRefunds(reversing)
    const last = paths.at(-1) ?? ''
    await postResult(last, { Result: { ResultCode: 1, ResultDesc: 'Insufficient funds' } })
    expect(await refundOf(third.receipt)).toMatchObject({ state: 'due' })
    nowMs += 20 * MINUTE_MS
    await sendDueIncomingRefunds(reversing)
    expect(await refundOf(third.receipt)).toMatchObject({ state: 'by_hand' })
    await postResult(last, done)
    expect(await refundOf(third.receipt)).toMatchObject({ state: 'done' })
    expect(await selectIncoming(third.receipt)).toMatchObject({ returnedAtMs: nowMs })

    const fourth = newPayment({ amountCents: 80_000, account: 'SHOES' })
    await record('pull', fourth)
    await owner.post('/incoming/refund', { provider: 'mpesa', receipt: fourth.receipt })
    for (let day = 0; day < 9; day++) {
      await sendDueIncomingRefunds(reversing)
      nowMs += DAY_MS
    }
    expect(await refundOf(fourth.receipt)).toMatchObject({ state: 'by_hand', nextAtMs: null })
    expect((await owner.get('/incoming')).text).toContain('never confirmed it')
    await postResult(paths.at(-1) ?? '', done)
    expect(await selectIncoming(fourth.receipt)).toMatchObject({ returnedAtMs: nowMs })
  })

  it('neither refunds nor assigns a payment that may be an order’s prompt', async () => {
    const { number, totalCents } = await placeUnpaidOrder()
    const order = await ctx.db.select().from(orders).where(eq(orders.number, number)).get()
    const payment = newPayment({ amountCents: totalCents, account: number.toLowerCase() })
    await record('pull', payment)
    const key = { provider: 'mpesa', receipt: payment.receipt }
    const insertPrompt = (set: Partial<typeof payments.$inferInsert>) =>
      ctx.db
        .update(payments)
        .set(set)
        .where(eq(payments.orderId, order?.id ?? ''))
    for (const state of ['pending', 'unknown', 'settled'] as const) {
      await insertPrompt({ state })
      const refused = await owner.post('/incoming/refund', key)
      expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(`order ${number}`)])
      const other = (await placeUnpaidOrder()).number
      for (const chosen of state === 'settled' ? [other] : [number, other]) {
        const assigned = await owner.post('/incoming/assign', { ...key, number: chosen })
        expect(assigned.status).toBe(409)
      }
    }
    await insertPrompt({ state: 'declined' })
    expect((await owner.post('/incoming/refund', key)).status).toBe(303)
    await insertPrompt({ state: 'settled', receipt: payment.receipt })
    let requests = 0
    const refund = async () => ({ outcome: requests++ === 0 ? 'done' : 'requested' }) as const
    await sendDueIncomingRefunds(testContext({ payments: testPayments({ mpesa: { refund } }) }))
    expect(requests).toBe(0)
  })

  const later = testContext({ payments: ctx.payments, clock: () => ctx.clock() + 31 * MINUTE_MS })
  const assignPart = async (number: string, amountCents: number) => {
    const part = newPayment({ amountCents })
    await record('pull', part)
    const key = { provider: 'mpesa', receipt: part.receipt } as const
    const { location } = await owner.post('/incoming/assign', { ...key, number })
    expect(location).toBe(`/orders/${number}?done=part`)
    return part
  }

  it('keeps a partly paid order open after its reservation ends, and places it once the rest is paid', async () => {
    const { number, totalCents } = await placeUnpaidOrder(1)
    const part = await assignPart(number, totalCents - 5000)
    const readListed = async () => (await owner.get('/payments')).text.replace(/<[^>]+>/g, '')
    expect(await readListed()).toContain(`${number} Wanjiru Kamau KSH 50 due`)
    const refund = { amount: '10', reason: 'other', seen: String(part.amountCents) }
    const refused = await owner.post(`/orders/${number}/refund`, refund)
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('cancel the order')])
    expect((await owner.get(`/orders/${number}`)).text).not.toContain('Refund payment')
    const row = await ctx.db.select().from(orders).where(eq(orders.number, number)).get()
    const byAttempt = and(eq(payments.orderId, row?.id ?? ''), ne(payments.state, 'settled'))
    await ctx.db.update(payments).set({ state: 'pending', endedAtMs: null }).where(byAttempt)
    await runScheduledPayments(later)
    expect(await readOrder(number)).toMatchObject({
      status: 'awaiting_payment',
      settled: [{ id: expect.any(String) }],
    })
    expect(await ctx.db.select().from(payments).where(byAttempt)).toMatchObject([{ state: 'expired' }])
    expect(await readListed()).toContain('items no longer reserved')
    const rest = newPayment({ amountCents: 5000, account: number })
    mpesa.listed.push(rest)
    await mpesa.pull()
    const { status, settled } = await readOrder(number)
    expect([status, settled.map(({ receipt }) => receipt)]).toEqual(['placed', [part.receipt, rest.receipt]])
    const documents = await ctx.db
      .select()
      .from(invoices)
      .where(eq(invoices.orderId, row?.id ?? ''))
    expect(documents).toMatchObject([{ kind: 'invoice', totalCents }])
    const day = { startMs: 0, endMs: 2 * NOW_MS }
    const texts = await Array.fromAsync(
      generateExport({ name: 'payments', format: 'json', period: day }, ctx),
    )
    const moved = JSON.parse(texts.join('')).filter((entry: { number: string }) => entry.number === number)
    expect(new Set(moved.map(({ document }: { document: string }) => document)).size).toBe(1)
    expect(await readListed()).not.toContain(number)
  })

  it('says after each part what is left, even if several parts are processed in the same run', async () => {
    const { number, totalCents } = await placeUnpaidOrder()
    const parts = [1, 2].map(() => newPayment({ amountCents: 1000_00 }))
    await Promise.all(parts.map((part) => record('pull', part)))
    const key = { provider: 'mpesa', number, actor: COMMAND_LINE_ACTOR } as const
    for (const { receipt } of parts) await assignIncomingPayment({ ...key, receipt }, ctx)
    await runScheduledPayments(ctx)
    const { settled } = await readOrder(number)
    const ids = settled.map(({ id }) => id)
    const emails = await ctx.db.select().from(outbox).where(inArray(outbox.subjectId, ids))
    const sentences = emails.map(({ text }) => /.* is still due/.exec(text)?.[0])
    expect(sentences.toSorted()).toEqual(
      [2000_00, 1000_00].map((cents) => `${formatMoney(totalCents - cents)} is still due`),
    )
  })

  it('reopens an expired order once part of it is paid; cancelling it refunds that part', async () => {
    const { number, totalCents } = await placeUnpaidOrder(1)
    await runScheduledPayments(later)
    expect((await readOrder(number)).status).toBe('expired')
    await assignPart(number, 5000)
    const page = await owner.get(`/orders/${number}/payment-link`)
    expect(page.text).toContain(`pay ${formatMoney(totalCents - 5000)}`)
    await runScheduledPayments(later)
    expect((await readOrder(number)).status).toBe('awaiting_payment')
    await owner.post(`/orders/${number}/status`, { from: 'awaiting_payment', to: 'cancelled' })
    const row = await ctx.db.select().from(orders).where(eq(orders.number, number)).get()
    expect(row).toMatchObject({ status: 'cancelled', paidCents: 5000, refundCents: 5000 })
  })

  it('refunds every payment if the items are sold by the time the rest arrives', async () => {
    await ctx.db.insert(stock).values({ itemId: 1, onHand: 1 })
    const { number, totalCents } = await placeUnpaidOrder(1)
    await assignPart(number, 5000)
    await runScheduledPayments(later)
    await ctx.db.update(stock).set({ onHand: 0 })
    mpesa.listed.push(newPayment({ amountCents: totalCents - 5000, account: number }))
    await mpesa.pull()
    await ctx.db.delete(stock).where(eq(stock.itemId, 1))
    const row = await ctx.db.select().from(orders).where(eq(orders.number, number)).get()
    expect(row).toMatchObject({ status: 'expired', paidCents: totalCents, refundCents: totalCents })
  })

  it('places an order once if partial payments cover it, even when they are processed concurrently', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 2, maxLength: 4 }),
        async (shares) => {
          const { number, totalCents } = await placeUnpaidOrder(1)
          const parts = shares.map((share) =>
            newPayment({ amountCents: share * Math.floor(totalCents / 100) }),
          )
          await Promise.all(parts.map((part) => record('pull', part)))
          const key = { provider: 'mpesa', number, actor: COMMAND_LINE_ACTOR } as const
          for (const { receipt } of parts) await assignIncomingPayment({ ...key, receipt }, ctx)
          await Promise.all([runScheduledPayments(ctx), runScheduledPayments(ctx)])
          const row = await ctx.db.select().from(orders).where(eq(orders.number, number)).get()
          const paidCents = parts.reduce((sum, { amountCents }) => sum + amountCents, 0)
          expect(row).toMatchObject({
            status: paidCents >= totalCents ? 'placed' : 'awaiting_payment',
            paidCents,
            refundCents: Math.max(paidCents - totalCents, 0),
          })
          const documents = await ctx.db
            .select()
            .from(invoices)
            .where(eq(invoices.orderId, row?.id ?? ''))
          expect(documents.map((document) => document.totalCents)).toEqual(
            paidCents >= totalCents ? [totalCents] : [],
          )
        },
      ),
      { numRuns: 6 },
    )
  })
})

describe('reconciling a day', async () => {
  const office = officeContext({ runHousekeeping: () => pullIncomingPayments(ctx) })
  const DAY = '2026-03-02'
  const atMs = Date.UTC(2026, 2, 2, 9)
  const upload = async (rows: readonly string[], columns = '') => {
    const form = new FormData()
    const text = `Organization Statement\nReceipt No.,Completion Time,Transaction Status,Paid In,Withdrawn,A/C No.${columns}\n${rows.join('\n')}`
    form.set('file', new File([text], 'statement.csv', { type: 'text/csv' }))
    form.set('provider', 'mpesa')
    form.set('day', DAY)
    return (await createOfficeClient(office, undefined, form)).post('/reconciliation/statement', {})
  }
  const insertSettled = async (amountCents: number, endedAtMs = atMs) => {
    const { number } = await placeUnpaidOrder()
    const receipt = newReceipt()
    const row = await ctx.db.select().from(orders).where(eq(orders.number, number)).get()
    await ctx.db.update(orders).set({ status: 'placed' }).where(eq(orders.number, number))
    await ctx.db.insert(payments).values({
      id: receipt,
      orderId: row?.id ?? '',
      attempt: 9,
      provider: 'mpesa',
      state: 'settled',
      receipt,
      amountCents,
      createdAtMs: endedAtMs,
      endedAtMs,
    })
    return { number, receipt }
  }
  const day = parseShopDay(DAY, NOW_MS)
  if (!day) throw new Error('The day is invalid.')
  const readStates = async () => {
    const { entries } = await reconcileDay({ provider: 'mpesa', day }, ctx)
    return Object.fromEntries(
      entries.map(({ key, state, change }) => [key, change ? `${state}, ${change}` : state]),
    )
  }

  it('matches payments, suggests an order or leaves them open, and marks changes after the day is closed', async () => {
    const matched = await insertSettled(100_000)
    const differing = await insertSettled(100_000)
    const unconfirmed = await insertSettled(100_000)
    const { number: fitting, totalCents } = await placeUnpaidOrder(5)
    await ctx.db
      .update(orders)
      .set({ createdAtMs: atMs - 60_000 })
      .where(eq(orders.number, fitting))
    const [suggested, unknown] = [newReceipt(), newReceipt()]
    const row = (receipt: string, amountKsh: number) =>
      `${receipt},02-03-2026 12:00:00,Completed,"${amountKsh.toFixed(2)}",,`
    const rows = [
      row(matched.receipt, 1000),
      row(differing.receipt, 900),
      row(suggested, totalCents / 100),
      row(unknown, 77),
      'SKLCHARGE1,02-03-2026 12:00:00,Completed,,-12.00,,Pay merchant charge',
    ]
    const uploaded = await upload(rows, ',Details')
    expect(uploaded.location).toBe(`/reconciliation?provider=mpesa&day=${DAY}&done=5`)
    expect((await upload(rows, ',Details')).location).toBe(uploaded.location)
    expect(await readStates()).toEqual({
      [matched.receipt]: 'matched',
      [differing.receipt]: 'differs',
      [unconfirmed.receipt]: 'unconfirmed',
      [suggested]: 'suggested',
      [unknown]: 'unknown',
      'fee SKLCHARGE1 1200': 'fee',
    })
    const owner = await createOfficeClient(office)
    const { text } = await owner.get(uploaded.location ?? '')
    expect(text).toContain(`Assign to ${fitting}`)
    expect(text).toContain('6 entries, 4 open')
    expect(text).toMatch(
      new RegExp(`Receipt ${unknown}.*href="/incoming">Assign or refund<[^>]+>: ${unknown}<`),
    )
    expect(text).not.toMatch(new RegExp(`Assign or refund<[^>]+>: ${suggested}<`))

    await owner.post('/reconciliation/close', { provider: 'mpesa', day: DAY })
    expect((await owner.get(uploaded.location ?? '')).text).toContain('Nothing has changed since.')
    await owner.post('/incoming/assign', { provider: 'mpesa', receipt: suggested, number: fitting })
    await runScheduledPayments(ctx)
    const late = newReceipt()
    await upload([row(unconfirmed.receipt, 1000), row(late, 5)])
    expect(await readStates()).toMatchObject({
      [matched.receipt]: 'matched',
      [suggested]: 'matched, changed',
      [late]: 'unknown, added',
      [unconfirmed.receipt]: 'matched, changed',
    })
    expect((await owner.get(uploaded.location ?? '')).text).toContain('3 entries have changed since.')
  })

  const at = async (receipt: string) => {
    const { entries } = await reconcileDay({ provider: 'mpesa', day }, ctx)
    return entries.find((entry) => entry.direction === 'out' && entry.receipt === receipt)
  }

  it('matches refunds, suggests a refund of the same amount, and leaves the rest open', async () => {
    const owner = await createOfficeClient(office)
    const insertRefunded = async (amountCents: number, state: 'done' | 'by_hand') => {
      const { number, receipt } = await insertSettled(amountCents)
      const paid = await ctx.db.select().from(payments).where(eq(payments.receipt, receipt)).get()
      await ctx.db.insert(refunds).values({
        id: `refund ${receipt}`,
        orderId: paid?.orderId ?? '',
        paymentId: receipt,
        amountCents,
        reason: 'other',
        state,
        createdAtMs: atMs,
        completedAtMs: state === 'done' ? atMs : null,
      })
      return { number, receipt }
    }
    const named = await insertRefunded(1300_00, 'done')
    const byHand = await insertRefunded(1700_00, 'by_hand')
    const missing = await insertRefunded(1900_00, 'done')
    const row = (receipt: string, amountKsh: number, details: string) =>
      `${receipt},02-03-2026 13:00:00,Completed,,"-${amountKsh.toFixed(2)}",,${details}`
    const rows = [
      row('REVERSAL01', 1300, `Reversal of ${named.receipt}`),
      row('REVERSAL02', 1700, 'Customer payment'),
      row('TOBANK0001', 44_000, 'Transfer to bank'),
    ]
    expect((await upload(rows, ',Details')).location).toContain('done=3')
    expect((await at(missing.receipt))?.state).toBe('unconfirmed')
    expect((await at('REVERSAL01'))?.state).toBe('matched')
    expect(await at('REVERSAL02')).toMatchObject({
      state: 'suggested',
      suggestions: [{ number: byHand.number }],
    })
    expect((await at('TOBANK0001'))?.state).toBe('unknown')
    const { text } = await owner.get(`/reconciliation?provider=mpesa&day=${DAY}`)
    expect(text).toContain(`Match to refund for ${byHand.number}`)
    expect(text).toContain('Refunded to customers')

    const withdrawal = (receipt: string, amountCents: number) => ({
      provider: 'mpesa',
      day: DAY,
      receipt,
      amountCents: String(amountCents),
    })
    const match = { ...withdrawal('REVERSAL02', 1700_00), target: `refund ${byHand.receipt}` }
    expect((await owner.post('/reconciliation/withdrawal', match)).location).toContain('done=matched')
    expect((await owner.post('/reconciliation/withdrawal', match)).status).toBe(409)
    const dismissed = await owner.post('/reconciliation/withdrawal', withdrawal('TOBANK0001', 44_000_00))
    expect(dismissed.location).toContain('done=dismissed')
    expect((await at('REVERSAL02'))?.state).toBe('matched')
    expect((await at('TOBANK0001'))?.state).toBe('dismissed')
    const refund = await ctx.db.select().from(refunds).where(eq(refunds.id, match.target)).get()
    expect(refund?.state).toBe('done')
    const stale = await insertRefunded(1700_00, 'by_hand')
    const again = { ...match, target: `refund ${stale.receipt}` }
    expect((await owner.post('/reconciliation/withdrawal', again)).status).toBe(409)
    const open = await ctx.db.select().from(refunds).where(eq(refunds.id, again.target)).get()
    expect(open?.state).toBe('by_hand')

    expect(
      (await upload([row('REVERSAL03', 1700, `Reversal of ${stale.receipt}`)], ',Details')).location,
    ).toContain('done=1')
    const retried = await owner.post(`/orders/${stale.number}/refund/retry`, {
      refund: again.target,
      seen: 'by_hand',
    })
    expect(retried.status).toBe(409)
    expect(retried.text).toContain('The provider’s statement shows a refund of this payment and amount.')
    for (const value of HOSTILE_TEXTS.slice(0, 10)) {
      const hostile = { ...match, receipt: value, target: value }
      expect((await owner.post('/reconciliation/withdrawal', hostile)).status).toBe(409)
      const status = (await owner.post('/reconciliation/withdrawal', { ...match, amountCents: value })).status
      expect(status).toBe(400)
    }
  })

  it('completes a refund that the statement already shows instead of sending it', async () => {
    const sent: string[] = []
    const refund = async ({ payment }: RefundRequest) => {
      sent.push(payment.receipt ?? '')
      return { outcome: 'by_hand', error: 'Refused.' } as const
    }
    const sending = testContext({ payments: testPayments({ mpesa: { refund } }) })
    const [shown, dismissed] = [await insertSettled(2300_00), await insertSettled(2300_00)]
    const unassigned = newPayment({ amountCents: 2300_00 })
    await record('statement', unassigned)
    const rows = [shown, dismissed, unassigned].map(
      ({ receipt }, index) =>
        `REVERSED0${index},14-11-2026 13:00:00,Completed,,-2300.00,,Reversal of ${receipt}`,
    )
    await upload(rows, ',Details')
    const actor = COMMAND_LINE_ACTOR
    await dismissWithdrawal({ provider: 'mpesa', receipt: 'REVERSED01', amountCents: 2300_00, actor }, office)
    for (const { number } of [shown, dismissed]) await requestRefund({ number, actor }, office)
    await refundIncomingPayment({ provider: 'mpesa', receipt: unassigned.receipt, actor }, office)
    await sendDueRefunds(sending)
    await sendDueIncomingRefunds(sending)
    expect(sent).toEqual([dismissed.receipt])
    const { number } = dismissed
    expect(await changeRefund({ number, change: 'restart', actor }, office)).toMatchObject({ ok: true })
    const [completed] = await ctx.db.select().from(refunds).where(eq(refunds.paymentId, shown.receipt))
    expect(completed).toMatchObject({ state: 'done', receipt: 'REVERSED00' })
    expect((await selectIncoming(unassigned.receipt))?.returnedAtMs).toBe(NOW_MS)
    const reversals = await ctx.db
      .select({ matchedTo: withdrawals.matchedTo })
      .from(withdrawals)
      .where(inArray(withdrawals.receipt, ['REVERSED01', 'REVERSED02']))
      .orderBy(withdrawals.receipt)
    expect(reversals).toEqual([{ matchedTo: null }, { matchedTo: `returned ${unassigned.receipt}` }])
  })

  it('doesn’t complete a refund with a withdrawal that may be another refund of the same payment', async () => {
    const refund = async () => {
      throw new Error('The refund was sent again.')
    }
    const sending = testContext({ payments: testPayments({ mpesa: { refund } }) })
    const { receipt } = await insertSettled(2900_00)
    const payment = await ctx.db.select().from(payments).where(eq(payments.receipt, receipt)).get()
    const amountCents = 700_00
    await insertRefund(payment, { amountCents, attempts: 1, nextAtMs: NOW_MS, createdAtMs: atMs }, ctx)
    await insertRefund(
      payment,
      { amountCents, state: 'done', createdAtMs: atMs + 1, completedAtMs: atMs + 1 },
      ctx,
    )
    const row = (name: string) => `${name},02-03-2026 13:00:00,Completed,,-700.00,,Refund of ${receipt}`
    const readStates = async () => {
      const rows = await ctx.db.select().from(refunds).where(eq(refunds.paymentId, receipt))
      return rows.map(({ state }) => state).toSorted()
    }
    await upload([row('REFUNDED01')], ',Details')
    await sendDueRefunds(sending)
    expect(await readStates()).toEqual(['by_hand', 'done'])
    await insertRefund(payment, { amountCents, nextAtMs: NOW_MS, createdAtMs: atMs + 2 }, ctx)
    await upload([row('REFUNDED02'), row('REFUNDED03')], ',Details')
    await sendDueRefunds(sending)
    expect(await readStates(), 'all three are on the statement').toEqual(['by_hand', 'done', 'done'])
  })

  it('doesn’t complete a refund with a withdrawal that was made more than a week earlier', async () => {
    const refund = async () => {
      throw new Error('The refund was sent.')
    }
    const { number, receipt } = await insertSettled(3700_00)
    await upload([`GOODWILL01,12-11-2026 13:00:00,Completed,,-400.00,,Refund of ${receipt}`], ',Details')
    await requestRefund({ number, amountCents: 400_00, reason: 'return', actor: COMMAND_LINE_ACTOR }, office)
    await sendDueRefunds(testContext({ payments: testPayments({ mpesa: { refund } }) }))
    const [open] = await ctx.db.select().from(refunds).where(eq(refunds.paymentId, receipt))
    expect(open).toMatchObject({ state: 'by_hand', error: expect.stringContaining('Check your statement') })
    const retried = await changeRefund({ number, change: 'restart', actor: COMMAND_LINE_ACTOR }, office)
    expect(retried).toMatchObject({
      error: { message: expect.stringContaining('If it’s another, match it to that one') },
    })
  })

  it.each(['match', 'dismiss', 'complete'] as const)(
    'lets the operator decide about a withdrawal that may be another refund: %s',
    async (decision) => {
      const owner = await createOfficeClient(office)
      const sent: string[] = []
      const refund = async ({ payment }: RefundRequest) => {
        sent.push(payment.receipt ?? '')
        return { outcome: 'requested' } as const
      }
      const sending = testContext({ payments: testPayments({ mpesa: { refund } }) })
      const { number, receipt } = await insertSettled(4100_00)
      const payment = await ctx.db.select().from(payments).where(eq(payments.receipt, receipt)).get()
      const amountCents = { match: 510_00, dismiss: 520_00, complete: 530_00 }[decision]
      const [open, made] = [`open ${receipt}`, `made ${receipt}`]
      await insertRefund(payment, { id: open, amountCents, nextAtMs: NOW_MS, createdAtMs: atMs }, ctx)
      const done = { state: 'done', createdAtMs: atMs + 1, completedAtMs: atMs + 8 * DAY_MS } as const
      await insertRefund(payment, { id: made, amountCents, ...done }, ctx)
      const other = await insertSettled(4200_00)
      const otherPayment = await ctx.db
        .select()
        .from(payments)
        .where(eq(payments.receipt, other.receipt))
        .get()
      await insertRefund(otherPayment, { amountCents, ...done, completedAtMs: atMs }, ctx)
      const name = `TWIN${receipt}`
      await upload(
        [`${name},02-03-2026 13:00:00,Completed,,-${amountCents / 100}.00,,Refund of ${receipt}`],
        ',Details',
      )
      await sendDueRefunds(sending)
      const { text } = await owner.get(`/orders/${number}`)
      expect(text).toContain('match it to that one or mark it as not a refund under More → Reconciliation')
      const retry = () => owner.post(`/orders/${number}/refund/retry`, { refund: open, seen: 'by_hand' })
      expect((await retry()).status).toBe(409)
      const day = (await owner.get(`/reconciliation?provider=mpesa&day=${DAY}`)).text
      for (const label of ['refund', 'another refund'])
        expect(day).toContain(`Match to ${label} for ${number}`)
      expect(day, 'the statement names the payment').not.toContain(`refund for ${other.number}`)
      const dismissal = `provider=mpesa&day=${DAY}&receipt=${name}&amountCents=${amountCents}`
      const confirmation = await owner.get(`/reconciliation/dismiss?${dismissal}`)
      expect(confirmation.text).toContain(`You can then retry the refund for ${number}`)
      expect((await owner.get(`/reconciliation/dismiss?${dismissal}0`)).status).toBe(404)
      const target = { match: made, dismiss: '', complete: open }[decision]
      const fields = { provider: 'mpesa', day: DAY, receipt: name, amountCents: String(amountCents) }
      const decide = (target: string) => owner.post('/reconciliation/withdrawal', { ...fields, target })
      expect((await decide(target)).status).toBe(303)
      expect((await at(name))?.state).toBe(decision === 'dismiss' ? 'dismissed' : 'matched')
      expect((await retry()).status).toBe(decision === 'complete' ? 409 : 303)
      for (const outdated of [open, made, ''])
        expect((await decide(outdated)).status, 'in another tab').toBe(409)
      await sendDueRefunds(sending)
      expect(sent).toEqual(decision === 'complete' ? [] : [receipt])
    },
  )

  it('matches a withdrawal with the refund that has its receipt, even if an older one has the same amount', async () => {
    const { receipt } = await insertSettled(3100_00)
    const payment = await ctx.db.select().from(payments).where(eq(payments.receipt, receipt)).get()
    const refund = { amountCents: 800_00, state: 'by_hand', nextAtMs: null } as const
    await insertRefund(payment, { ...refund, createdAtMs: atMs }, ctx)
    const done = { ...refund, state: 'done', createdAtMs: atMs + 1, completedAtMs: atMs + 1 } as const
    await insertRefund(payment, { ...done, receipt: 'OWNRECEIPT' }, ctx)
    await upload([`OWNRECEIPT,02-03-2026 13:00:00,Completed,,-800.00,,Refund of ${receipt}`], ',Details')
    const matched = await ctx.db
      .select({ state: refunds.state })
      .from(withdrawals)
      .innerJoin(refunds, eq(refunds.id, withdrawals.matchedTo))
      .where(eq(withdrawals.receipt, 'OWNRECEIPT'))
    expect(matched).toEqual([{ state: 'done' }])
  })

  it('leaves payments unchecked until M-Pesa’s list or a statement covers the day', async () => {
    const other = parseShopDay('2026-03-05', NOW_MS)
    if (!other) throw new Error('The day is invalid.')
    const { receipt } = await insertSettled(100_000, other.startMs + 60_000)
    const state = async () =>
      (await reconcileDay({ provider: 'mpesa', day: other }, ctx)).entries.map((entry) => entry.state)
    expect(await state()).toEqual(['unchecked'])
    const { text } = await (await createOfficeClient(office)).get(
      '/reconciliation?provider=mpesa&day=2026-03-05',
    )
    expect(text).toContain('not checked yet')
    expect(text).not.toContain('mark--due')
    await upload([
      'SKLEARLIER,04-03-2026 12:00:00,Completed,5,,',
      'SKLLATER01,06-03-2026 12:00:00,Completed,5,,',
    ])
    expect(await state()).toEqual(['unconfirmed'])
    // M-Pesa's clock differs from the shop's, so its statement lists the payment on the day before.
    await upload([`${receipt},04-03-2026 23:59:59,Completed,1000,,`])
    expect(await state()).toEqual([])
  })

  it.each(HOSTILE_TEXTS.slice(0, 20))('refuses %j as a statement', async (text) => {
    const form = new FormData()
    form.set('file', new File([text || 'x'], 'statement.csv'))
    const { status } = await (await createOfficeClient(office, undefined, form)).post(
      '/reconciliation/statement',
      {},
    )
    expect(status).toBe(409)
    const query = new URLSearchParams({ provider: text, day: text, done: text })
    expect((await (await createOfficeClient(office)).get(`/reconciliation?${query}`)).status).toBe(200)
  })
})
