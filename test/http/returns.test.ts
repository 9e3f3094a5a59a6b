import { and, eq, like, sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import {
  approveReturn,
  completeReturn,
  declineReturn,
  expireExchanges,
  receiveReturn,
  turnExchangeIntoReturn,
} from '#server/orders/change-return.ts'
import { changeOrderStatus } from '#server/orders/change-status.ts'
import { createReturn } from '#server/orders/create-return.ts'
import { editOrder } from '#server/orders/edit-order.ts'
import { calculateBalance } from '#server/orders/order-record.ts'
import { calculateReturnRefundLimits, readReturnContext } from '#server/orders/order-returns.ts'
import { payByLink } from '#server/orders/pay-order.ts'
import { recordManualPayment } from '#server/orders/record-manual-payment.ts'
import { requestRefund } from '#server/orders/request-refund.ts'
import { createReturnApprovedEmail } from '#server/orders/return-emails.ts'
import { runScheduledPayments } from '#server/orders/scheduled-payments.ts'
import { createOrderKey } from '#server/platform/auth/signed-link.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import {
  auditLog,
  figureItems,
  invoiceLines,
  invoices,
  orderReturns,
  orders,
  outbox,
  payments,
} from '#server/platform/db/schema.ts'
import { setStock as setStockInOffice } from '#server/stock/set-stock.ts'
import { catalogueSchema } from '#shared/catalogue/catalogue-schema.ts'
import { createDeliveryTerms } from '#shared/checkout/delivery.ts'
import { calculatePriceWithVatKsh } from '#shared/checkout/fees.ts'
import type { DiscountTerms } from '#shared/checkout/pricing.ts'
import { formatMoney, kshToCents } from '#shared/format.ts'
import { ORDER_KEY_PARAM } from '#shared/orders/order-link.ts'
import { RETURN_WINDOW_MS } from '#shared/orders/returns.ts'
import { createAccount } from '#test/support/account.ts'
import { createCatalogueSource, NOW_MS, testContext } from '#test/support/context.ts'
import { createSpyDatabase } from '#test/support/database.ts'
import { HOSTILE_TEXTS, takeNextShare } from '#test/support/hostile.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import {
  calculateCheckoutTotalKsh,
  createPromotion,
  getPriceKsh,
  listOrders,
  orderRequest,
  postOrder,
  tenPercentDiscount,
} from '#test/support/orders.ts'
import { createMpesaPayment, testPayments } from '#test/support/payments.ts'
import { readText } from '#test/support/pdf.ts'
import { get, postForm } from '#test/support/posting.ts'
import { newStockedItem, readStock, setStock, UNSIZED_ITEMS } from '#test/support/stock.ts'
import items from '../../public/Items.json'

const shopCtx = testContext()
const ctx = officeContext({
  shop: { fetch: async () => Response.json(items) },
  runHousekeeping: () => runScheduledPayments(shopCtx),
})
const owner = await createOfficeClient(ctx)
const actor = COMMAND_LINE_ACTOR
const reason = 'size'

const LINK_PAYMENT = {
  credential: null,
  origin: 'https://pamba.test',
  client: { ipAddress: '192.0.2.1', network: '192.0.2', device: null, browser: '', country: null },
  paymentDetails: { token: 'tok_simulated', card: { brand: 'Visa', lastFour: '4242' } },
} as const
const createKey = (id: number, qty = 1) => ({ productId: id, unitPriceCents: getPriceKsh(id) * 100, qty })

async function placeAndDeliver(
  lines: { id: number; qty: number }[],
  overrides: Parameters<typeof orderRequest>[1] = {},
) {
  const account = await createAccount(shopCtx)
  const { status, body } = await postOrder(shopCtx, account, orderRequest(lines, overrides))
  expect(status, body.message).toBeLessThan(300)
  const { number } = body.order
  for (const to of ['packed', 'shipped', 'delivered'] as const)
    await changeOrderStatus({ number, to, actor }, ctx)
  return { number, account }
}
async function placeAndShip(lines: { id: number; qty: number }[], edit: (number: string) => Promise<void>) {
  const { body } = await postOrder(shopCtx, await createAccount(shopCtx), orderRequest(lines))
  const { number } = body.order
  await edit(number)
  for (const to of ['packed', 'shipped'] as const)
    await changeOrderStatus({ number, to, isConfirmed: true, actor }, ctx)
  return { number }
}
const readReturns = async (number: string) => {
  const found = await readReturnContext(eq(orders.number, number), ctx)
  if (!found) throw new Error(`${number} is missing.`)
  const { record, returns } = found
  return {
    ...found,
    balance: calculateBalance(record),
    states: returns.map(({ state }) => state),
    total: record.row.totalCents,
  }
}
const newReturn = (number: string, id: number, qty = 1) =>
  createReturn({ number, kind: 'return', reason, note: '', lines: [createKey(id, qty)], actor }, ctx)
const newExchange = (number: string, id: number, replacementId: number, context: typeof ctx = ctx) =>
  createReturn(
    { number, kind: 'exchange', reason, note: '', lines: [{ ...createKey(id), replacementId }], actor },
    context,
  )
const receive = (number: string, restocked = [0]) => receiveReturn({ number, restocked, actor }, ctx)
const complete = (number: string, refundCents = 0, includesShipping = false) =>
  completeReturn({ number, refundCents, includesShipping, actor }, ctx)
/** Amounts and counts have no-break spaces on pages. */
const readPage = async (path: string, headers: Record<string, string> = {}, context = shopCtx) =>
  (await (await get(context, path, headers)).text()).replaceAll('\u00a0', ' ')
const readOnHand = async (id: number) => (await readStock(shopCtx, id)).onHand
const readActions = async (number: string) =>
  (await ctx.db.select().from(auditLog).where(eq(auditLog.subject, number)))
    .map(({ action }) => action)
    .filter((action) => action.startsWith('return.'))
const readEmailSubjects = async (number: string) => {
  const { id } = (await readReturns(number)).record.row
  const rows = await ctx.db
    .select()
    .from(outbox)
    .where(and(eq(outbox.subjectId, id), eq(outbox.kind, 'order-return')))
  return rows.map(({ subject }) => subject.replace(number, 'P'))
}

/** At KSH 250, an order of this item is too small for free shipping. */
const HAIR_CLIPS = 36
async function createReceivedReturn(number: string) {
  const created = await newReturn(number, HAIR_CLIPS)
  if (!created.ok) throw new Error(created.error.message)
  await receive(number)
  return created.data
}

describe('a return', () => {
  it('is expected, received, put back in stock and refunded up to what was paid for it', async () => {
    const id = await newStockedItem(shopCtx, 5)
    const { number, account } = await placeAndDeliver([{ id, qty: 2 }])
    expect(await newReturn(number, id)).toMatchObject({ ok: true, data: { state: 'expected' } })
    const listed = async () => (await listOrders(shopCtx, account)).body.orders
    expect(await listed()).toMatchObject([{ number, returnStatus: 'Return approved: send us the items' }])
    expect(await newReturn(number, id, 2)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('You can return up to 1 of') },
    })
    expect((await receive(number)).ok).toBe(true)
    expect(await readOnHand(id)).toBe(4)
    const paidCents = Math.floor((getPriceKsh(id) * 116) / 100) * 100
    const tooMuch = await complete(number, paidCents + 100)
    expect(tooMuch).toMatchObject({ ok: false, error: { code: 'invalid_fields' } })
    expect(await complete(number, paidCents)).toMatchObject({ ok: true, data: { state: 'completed' } })
    await runScheduledPayments(shopCtx)
    expect((await readReturns(number)).balance).toMatchObject({
      refundedCents: paidCents,
      dueCents: 0,
      status: 'partly_refunded',
    })
    expect(await readActions(number)).toEqual(['return.create', 'return.receive', 'return.complete'])
    expect(await readEmailSubjects(number)).toEqual([
      'Your return for order P is approved',
      'We’ve received your items for order P',
    ])
    const { record } = await readReturns(number)
    const emails = await ctx.db.select().from(outbox).where(eq(outbox.subjectId, record.row.id))
    const findText = (words: string) => emails.find(({ text }) => text.includes(words))?.text
    const promise = `We’ll refund ${formatMoney(paidCents)} for this item.`
    expect(findText('by 5 December.')).toContain(promise)
    expect(findText('We’ve received your items.')).toContain(promise)
    const page = await readPage(`/order/${number}`, account.cookie)
    expect(page).toContain(`We’ve refunded ${formatMoney(paidCents)} for this item.`)
    expect(page).toContain('<br/>1 returned</p>')
  })

  it('has a credit note that names its lines with their own VAT', async () => {
    const { number } = await placeAndDeliver([
      { id: 1, qty: 2 },
      { id: HAIR_CLIPS, qty: 3 },
    ])
    const creditOf = async (refundCents: number) => {
      await createReceivedReturn(number)
      await complete(number, refundCents)
      await runScheduledPayments(shopCtx)
      const { row } = (await readReturns(number)).record
      const notes = await ctx.db.select().from(invoices).where(eq(invoices.orderId, row.id))
      const note = notes.findLast(({ kind }) => kind === 'credit_note')
      const ofNote = and(eq(invoiceLines.kind, 'credit_note'), eq(invoiceLines.number, note?.number ?? 0))
      return { note, lines: await ctx.db.select().from(invoiceLines).where(ofNote) }
    }
    const itemOf = (id: number) => ctx.db.select().from(figureItems).where(eq(figureItems.itemId, id)).get()
    const [before, other] = [await itemOf(HAIR_CLIPS), await itemOf(1)]
    const whole = await creditOf(290_00)
    expect(whole.note).toMatchObject({
      subtotalCents: -250_00,
      vatCents: -40_00,
      shippingCents: 0,
      roundingCents: 0,
      totalCents: -290_00,
    })
    expect(whole.lines).toMatchObject([
      { itemId: HAIR_CLIPS, qty: 1, unitPriceCents: 250_00, netCents: -250_00 },
    ])
    const part = await creditOf(145_00)
    expect(part.note).toMatchObject({ subtotalCents: -125_00, vatCents: -20_00, totalCents: -145_00 })
    expect(part.lines).toMatchObject([{ itemId: HAIR_CLIPS, netCents: -125_00 }])
    expect(await itemOf(HAIR_CLIPS)).toMatchObject({
      units: (before?.units ?? 0) - 2,
      returnedCents: (before?.returnedCents ?? 0) + 375_00,
    })
    expect(await itemOf(1)).toEqual(other)
    const key = await createOrderKey(number, shopCtx)
    const receipt = await createApp(shopCtx).request(`https://pamba.test/order/${number}/receipt?key=${key}`)
    const text = await readText(receipt)
    expect(text).toMatch(/Hair Clips[^×]*× 1 –KSH 250/i)
    expect(text).toContain('× 1 part of KSH 250')
  })

  it('of a whole order, one item after the other, refunds all that was paid, and leaves nothing invoiced', async () => {
    const terms = { ...tenPercentDiscount, value: 7 } as const
    const lines = [HAIR_CLIPS, 1].map((id) => ({ id, qty: 1 }))
    const promoCode = await createPromotion(shopCtx, terms)
    const { number } = await placeAndDeliver(lines, {
      promoCode,
      expectedTotal: calculateCheckoutTotalKsh(lines, terms),
    })
    for (const { id } of lines) {
      await newReturn(number, id)
      await receive(number)
      const context = await readReturns(number)
      const [orderReturn] = context.returns.filter(({ state }) => state === 'received')
      const { goodsCents } = orderReturn
        ? calculateReturnRefundLimits(context, orderReturn)
        : { goodsCents: 0 }
      await complete(number, goodsCents)
      await runScheduledPayments(shopCtx)
    }
    const { total, balance, record } = await readReturns(number)
    expect(balance).toMatchObject({ refundedCents: total, refundDueCents: 0, status: 'refunded' })
    const documents = await ctx.db.select().from(invoices).where(eq(invoices.orderId, record.row.id))
    expect(documents).toHaveLength(3)
    for (const sum of ['subtotalCents', 'discountCents', 'vatCents', 'roundingCents', 'totalCents'] as const)
      expect(documents.reduce((cents, document) => cents + document[sum], 0)).toBe(0)
  })

  it('of an order that isn’t fully paid lowers the amount due first, and refunds only the rest', async () => {
    const id = await newStockedItem(shopCtx, 9)
    const unitCents = calculatePriceWithVatKsh(getPriceKsh(id)) * 100
    const { number } = await placeAndShip([{ id, qty: 2 }], async (number) => {
      await editOrder({ number, lines: [{ id, qty: 3 }], actor }, ctx)
    })
    const { balance } = await readReturns(number)
    expect(balance.dueCents).toBeGreaterThanOrEqual(unitCents)
    const credit = async (qty: number) => {
      await newReturn(number, id, qty)
      await receive(number)
      const context = await readReturns(number)
      const [orderReturn] = context.returns
      if (!orderReturn) throw new Error('The return is missing.')
      const { goodsCents } = calculateReturnRefundLimits(context, orderReturn)
      expect(await complete(number, goodsCents + 1_00)).toMatchObject({ ok: false })
      expect(await complete(number, goodsCents)).toMatchObject({ ok: true })
      return goodsCents
    }
    expect(await credit(1)).toBe(unitCents - balance.dueCents)
    expect((await readReturns(number)).balance).toMatchObject({ dueCents: 0 })
    expect(await credit(1)).toBe(unitCents)
    await runScheduledPayments(shopCtx)
    const { record } = await readReturns(number)
    expect(record.row.paidCents - record.row.refundCents).toBe(record.row.totalCents - 2 * unitCents)
  })

  it('that takes billed shipping off the amount due is invoiced without it', async () => {
    const { number } = await placeAndShip([{ id: HAIR_CLIPS, qty: 2 }], async (number) => {
      await editOrder({ number, lines: [{ id: HAIR_CLIPS, qty: 4 }], actor }, ctx)
    })
    await createReceivedReturn(number)
    expect(await complete(number, 0, true)).toMatchObject({ ok: true })
    await recordManualPayment({ number, type: 'cash', reference: '', actor }, ctx)
    await runScheduledPayments(shopCtx)
    const { row } = (await readReturns(number)).record
    const documents = await ctx.db.select().from(invoices).where(eq(invoices.orderId, row.id))
    expect(documents).toMatchObject([
      { subtotalCents: 500_00, shippingCents: 30_00, vatCents: 80_00, totalCents: 610_00 },
      { subtotalCents: 250_00, shippingCents: -30_00, vatCents: 40_00, totalCents: 260_00 },
    ])
  })

  it('of an item that an edit swapped in counts as a change in the sales by item', async () => {
    const [ordered = 0, swapped = 0] = UNSIZED_ITEMS.filter((id) => getPriceKsh(id) === 1350)
    const itemOf = (id: number) => ctx.db.select().from(figureItems).where(eq(figureItems.itemId, id)).get()
    const { number } = await placeAndShip([{ id: ordered, qty: 1 }], async (number) => {
      await editOrder({ number, lines: [{ id: swapped, qty: 1 }], actor }, ctx)
    })
    const before = [await itemOf(swapped), await itemOf(0)] as const
    await newReturn(number, swapped)
    await receive(number)
    await complete(number, 100_00)
    await runScheduledPayments(shopCtx)
    expect(await itemOf(swapped)).toEqual(before[0])
    const netCents = Math.round(100_00 / 1.16)
    expect(await itemOf(0)).toMatchObject({
      units: before[1]?.units ?? 0,
      returnedCents: (before[1]?.returnedCents ?? 0) + netCents,
    })
  })

  it('is completed only with the amount due that its owner saw', async () => {
    const id = await newStockedItem(shopCtx, 9)
    const { number } = await placeAndShip([{ id, qty: 1 }], async (number) => {
      await editOrder({ number, lines: [{ id, qty: 3 }], actor }, ctx)
    })
    await newReturn(number, id, 2)
    await receive(number)
    const path = `/orders/${number}/returns`
    const { text } = await owner.get(path)
    const [, due = ''] = /name="due" value="(\d+)"/.exec(text) ?? []
    const { balance, returns } = await readReturns(number)
    expect(due).toBe(String(balance.dueCents))
    expect(text).toContain('off the amount due')
    expect(text).not.toContain('Refund in KSH')
    const fields = { return: returns[0]?.id ?? '', returnAction: 'complete', due }
    await recordManualPayment({ number, type: 'cash', reference: '', actor }, ctx)
    await runScheduledPayments(shopCtx)
    expect((await owner.post(path, fields)).status).toBe(409)
    expect((await readReturns(number)).states).toEqual(['received'])
  })

  it('never credits more shipping than an earlier refund left on the order’s documents', async () => {
    const { number } = await placeAndDeliver([{ id: HAIR_CLIPS, qty: 3 }])
    await requestRefund({ number, amountCents: 90_00, actor }, ctx)
    await runScheduledPayments(shopCtx)
    const readLeft = async () => {
      const { row } = (await readReturns(number)).record
      const documents = await ctx.db.select().from(invoices).where(eq(invoices.orderId, row.id))
      const sum = (name: 'subtotalCents' | 'shippingCents' | 'vatCents' | 'totalCents') =>
        documents.reduce((total, document) => total + document[name], 0)
      return [sum('subtotalCents'), sum('shippingCents'), sum('vatCents'), sum('totalCents')]
    }
    const left = [67_500, 2700, 10_800, 81_000]
    expect(await readLeft()).toEqual(left)
    await createReceivedReturn(number)
    expect(await complete(number, 320_00, true)).toMatchObject({ ok: true })
    await runScheduledPayments(shopCtx)
    expect(await readLeft()).toEqual(left.map((cents) => Math.round((cents * 490) / 810)))
  })

  it('refunds the shipping of its order once', async () => {
    const { number } = await placeAndDeliver([{ id: HAIR_CLIPS, qty: 2 }])
    const { id } = await createReceivedReturn(number)
    const offer = 'The amount includes shipping'
    expect((await owner.get(`/orders/${number}/returns`)).text).toContain(offer)
    expect(await complete(number, 130_00, true)).toMatchObject({ ok: true, data: { id } })
    await createReceivedReturn(number)
    expect((await owner.get(`/orders/${number}/returns`)).text).not.toContain(offer)
    expect(await complete(number, 320_00, true)).toMatchObject({
      ok: false,
      error: { code: 'invalid_fields' },
    })
    expect(await complete(number, 290_00, true)).toMatchObject({ ok: true })
  })

  it('can be completed without restocking or refunding, and can’t be received twice', async () => {
    const id = await newStockedItem(shopCtx, 5)
    const { number } = await placeAndDeliver([{ id, qty: 1 }])
    await newReturn(number, id)
    await receive(number, [])
    expect(await receive(number)).toMatchObject({ ok: false })
    expect(await complete(number)).toMatchObject({ ok: true })
    expect([await readOnHand(id), (await readReturns(number)).balance.refundDueCents]).toEqual([4, 0])
  })

  it('can’t claim a unit twice by naming its line twice', async () => {
    const [id, other] = [await newStockedItem(shopCtx, 5), await newStockedItem(shopCtx, 5)]
    const { number, account } = await placeAndDeliver([
      { id, qty: 1 },
      { id: other, qty: 1 },
    ])
    const line = `${id}-${getPriceKsh(id) * 100}`
    const twice = { 'line-0': line, 'qty-0': '1', 'line-1': line, 'qty-1': '1' }
    const form = { returnKind: 'return', reason, returnNote: '', ...twice }
    const { status } = await postForm(shopCtx, `/order/${number}`, form, account.cookie)
    expect([status, (await readReturns(number)).returns]).toEqual([400, []])
  })

  it('is refused before the order is sent', async () => {
    const id = await newStockedItem(shopCtx, 5)
    const { body } = await postOrder(shopCtx, await createAccount(shopCtx), orderRequest([{ id, qty: 1 }]))
    expect(await newReturn(body.order.number, id)).toMatchObject({
      ok: false,
      error: { code: 'status_not_allowed' },
    })
  })

  it('stops its order from going back to packed, even while the return is being created', async () => {
    const id = await newStockedItem(shopCtx, 5)
    const { number } = await placeAndDeliver([{ id, qty: 1 }])
    const undo = (to: 'shipped' | 'packed', context: typeof ctx = ctx) =>
      changeOrderStatus({ number, to, actor }, context)
    expect(await undo('shipped')).toMatchObject({ ok: true })
    let trips = 0
    const db = createSpyDatabase(async (go) => {
      const answer = await go()
      if (++trips === 1) await newReturn(number, id)
      return answer
    })
    const refused = {
      ok: false,
      error: { code: 'status_not_allowed', message: expect.stringContaining('has a return or exchange') },
    }
    expect(await undo('packed', { ...ctx, db })).toMatchObject(refused)
    await receive(number)
    expect(await undo('packed')).toMatchObject(refused)
    await newReturn(number, id)
    expect((await readReturns(number)).record.row.status).toBe('shipped')
  })

  it('is stored once if two people create it at the same moment', async () => {
    const id = await newStockedItem(shopCtx, 5)
    const { number } = await placeAndDeliver([{ id, qty: 1 }])
    let trips = 0
    const db = createSpyDatabase(async (go) => {
      const answer = await go()
      if (++trips === 1) await newReturn(number, id)
      return answer
    })
    const late = await createReturn(
      { number, kind: 'return', reason, note: '', lines: [createKey(id)], actor },
      { ...ctx, db },
    )
    expect(late).toMatchObject({ ok: false, error: { code: 'status_changed' } })
    expect((await readReturns(number)).returns).toHaveLength(1)
  })
})

/** Two sizes of the Kikoi Wrap Dress. */
const [SIZE_S, SIZE_M] = [2, 104]

describe('an exchange', () => {
  it('of two lines for the same item sells both of its units', async () => {
    const [a = 0, b = 0, wanted = 0] = UNSIZED_ITEMS.slice(-3)
    for (const id of [a, b, wanted]) await setStock(shopCtx, id, 2)
    const { number } = await placeAndDeliver([a, b].map((id) => ({ id, qty: 1 })))
    const lines = [a, b].map((id) => ({ ...createKey(id), replacementId: wanted }))
    await createReturn({ number, kind: 'exchange', reason, note: '', lines, actor }, ctx)
    expect(await readStock(shopCtx, wanted)).toMatchObject({ onHand: 2, reserved: 2 })
    await receive(number, [0, 1])
    expect(await readStock(shopCtx, wanted)).toMatchObject({
      ...{ onHand: 0, reserved: 0 },
      reservations: [{ qty: 2, state: 'sold' }],
    })
  })

  it('reserves its replacement, and waits for the difference to be paid through the order’s link', async () => {
    const old = await newStockedItem(shopCtx, 5)
    const dearer = UNSIZED_ITEMS.find((id) => getPriceKsh(id) > getPriceKsh(old)) ?? 0
    await setStock(shopCtx, dearer, 1)
    const { number } = await placeAndDeliver([{ id: old, qty: 1 }])
    const before = await readReturns(number)
    await newExchange(number, old, dearer)
    expect(await readStock(shopCtx, dearer)).toMatchObject({ onHand: 1, reserved: 1 })
    expect(await setStockInOffice({ itemId: dearer, onHand: 0, actor }, ctx)).toMatchObject({ ok: false })
    await receive(number)
    const { record, total, balance } = await readReturns(number)
    expect(record.lines.map(({ productId, qty }) => [productId, qty])).toEqual([[dearer, 1]])
    expect(balance).toMatchObject({ status: 'part_paid', dueCents: total - before.total })
    expect([await readOnHand(old), await readStock(shopCtx, dearer)]).toMatchObject([
      5,
      { onHand: 0, reserved: 0 },
    ])
    expect(await complete(number)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('still has to pay') },
    })
    const link = `/order/${number}?${ORDER_KEY_PARAM}=${await createOrderKey(number, shopCtx)}`
    const page = await readPage(link)
    expect(page).toContain('Pay for your exchange')
    expect(page).toContain(formatMoney(balance.dueCents))
    const startPayment = async () => ({ outcome: 'declined', problem: 'cancelled' }) as const
    const declining = { ...shopCtx, payments: testPayments({ mpesa: { startPayment } }) }
    const key = await createOrderKey(number, shopCtx)
    await payByLink({ number, key, ...LINK_PAYMENT, paymentDetails: createMpesaPayment() }, declining)
    expect(await readPage(link)).toMatch(
      /role="status">(?:(?!<\/section>).)*banner--error.*The payment was cancelled/s,
    )
    const later = { ...shopCtx, clock: () => NOW_MS + 1 }
    const paid = await payByLink({ number, key, ...LINK_PAYMENT }, later)
    expect(paid).toMatchObject({ ok: true, data: { isPaid: true } })
    const paidPage = await readPage(link)
    const next = /Next, we’ll contact you within 24 hours to arrange pickup or delivery of the [^.]+\./
    expect(paidPage).toContain(
      `We’ve received your items and your payment of ${formatMoney(balance.dueCents)}.`,
    )
    expect(paidPage).toMatch(next)
    const unheld = '<br/>To be handed over</p>'
    expect([paidPage.includes(unheld), paidPage.includes('Request a return')]).toEqual([true, false])
    const documents = await ctx.db.select().from(invoices).where(eq(invoices.orderId, record.row.id))
    const lines = await ctx.db.select().from(invoiceLines).where(eq(invoiceLines.kind, 'invoice'))
    const difference = lines.find(({ number: nr }) => nr === documents.at(-1)?.number)
    const [first] = before.record.lines
    expect(difference?.title).toBe(`Exchange of ${first?.title} for ${record.lines[0]?.title}`)
    for (const part of ['product', 'category', 'size']) {
      const sales = (await owner.get(`/figures/sales?by=${part}`)).text
      expect(sales, part).toContain('Changes, exchanges and part payments')
      expect(sales, part).not.toMatch(/Exchange of|No longer in the catalogue/)
    }
    expect(paidPage.match(/>KSH [\d,]+ paid \([^<]+\)</g)).toHaveLength(2)
    const emails = await ctx.db.select().from(outbox).where(eq(outbox.recipient, record.row.email))
    const findText = (subject: string) =>
      emails.find((email) => email.subject.includes(subject))?.text.replaceAll(/\s+/g, ' ')
    expect(findText(`We’ve received your items for order ${number}`)).toMatch(
      /Once you’ve paid it, we’ll contact you/,
    )
    expect(findText(`We’ve received ${formatMoney(balance.dueCents)}`)).toMatch(next)
    expect(await complete(number)).toMatchObject({ ok: true, data: { state: 'completed' } })
    const [completion] = await ctx.db
      .select()
      .from(outbox)
      .where(like(outbox.subject, `%${number} is complete`))
    expect(completion?.text).toMatch(/We’ve handed over the [^.]+\. We hope you love it\. Asante!/)
    const completedPage = await readPage(link)
    expect(completedPage).toContain('We’ve handed over the ')
    expect(completedPage).not.toContain(unheld)
    expect(completedPage).toContain('Request a return')
    expect((await readReturns(number)).balance).toMatchObject({
      status: 'paid',
      dueCents: 0,
      paidCents: total,
    })
  })

  it('becomes a return of the received items if its difference isn’t paid, and its replacement is back in stock', async () => {
    const old = await newStockedItem(shopCtx, 5)
    const dearer = UNSIZED_ITEMS.find((id) => getPriceKsh(id) > getPriceKsh(old)) ?? 0
    await setStock(shopCtx, dearer, 9)
    const { number } = await placeAndDeliver([{ id: old, qty: 1 }])
    const before = await readReturns(number)
    await newExchange(number, old, dearer)
    const path = `/orders/${number}/returns`
    const convert = async () => {
      const { returns } = await readReturns(number)
      return owner.post(path, { return: returns[0]?.id ?? '', returnAction: 'convert' })
    }
    expect((await convert()).status).toBe(409)
    await receive(number)
    expect((await owner.get(path)).text).toContain('Turn into a return')
    const results = await Promise.all([convert(), convert()])
    expect(results.map(({ status }) => status).toSorted()).toEqual([303, 409])
    const { record, returns, balance, total } = await readReturns(number)
    expect(record.lines).toEqual(before.record.lines)
    expect([total, balance.dueCents]).toEqual([before.total, 0])
    expect(returns).toMatchObject([{ kind: 'return', state: 'received', lines: [{ replacementId: null }] }])
    expect([await readOnHand(old), await readStock(shopCtx, dearer)]).toMatchObject([
      5,
      { onHand: 9, reserved: 0 },
    ])
    expect(await readEmailSubjects(number)).toEqual([
      'Your exchange for order P is approved',
      'We’ve received your items for order P',
      'We’ve received your items for order P',
    ])
    const refundCents = total - record.row.shippingCents
    expect((await owner.get(path)).text).toContain(`refund up to ${formatMoney(refundCents)} for these items`)
    expect(await complete(number, refundCents)).toMatchObject({ ok: true })
    await runScheduledPayments(shopCtx)
    expect((await readReturns(number)).balance).toMatchObject({ refundedCents: refundCents, dueCents: 0 })
  })

  it('takes each unit of a replacement that it sends for two items from stock', async () => {
    const [one, other, replacement] = [
      await newStockedItem(shopCtx, 5),
      await newStockedItem(shopCtx, 5),
      await newStockedItem(shopCtx, 5),
    ]
    const { number } = await placeAndDeliver([one, other].map((id) => ({ id, qty: 1 })))
    const lines = [one, other].map((id) => ({ ...createKey(id), replacementId: replacement }))
    await createReturn({ number, kind: 'exchange', reason, note: '', lines, actor }, ctx)
    expect(await readStock(shopCtx, replacement)).toMatchObject({ onHand: 5, reserved: 2 })
    await receive(number)
    expect(await readStock(shopCtx, replacement)).toMatchObject({ onHand: 3, reserved: 0 })
  })

  it('can’t become a return once its difference is paid', async () => {
    const old = await newStockedItem(shopCtx, 5)
    const dearer = UNSIZED_ITEMS.find((id) => getPriceKsh(id) > getPriceKsh(old)) ?? 0
    await setStock(shopCtx, dearer, 9)
    const { number } = await placeAndDeliver([{ id: old, qty: 1 }])
    await newExchange(number, old, dearer)
    await receive(number)
    await recordManualPayment({ number, type: 'cash', reference: '', actor }, ctx)
    await runScheduledPayments(shopCtx)
    expect(await turnExchangeIntoReturn({ number, actor }, ctx)).toMatchObject({ ok: false })
  })

  it('of the same price asks for no payment while another exchange of the order does', async () => {
    const old = await newStockedItem(shopCtx, 5)
    const dearer = UNSIZED_ITEMS.find((id) => getPriceKsh(id) > getPriceKsh(old)) ?? 0
    await setStock(shopCtx, dearer, 1)
    await setStock(shopCtx, SIZE_M, 1)
    const { number, account } = await placeAndDeliver([old, SIZE_S].map((id) => ({ id, qty: 1 })))
    await newExchange(number, SIZE_S, SIZE_M)
    await receive(number)
    await newExchange(number, old, dearer)
    await receive(number)
    const readNextSteps = async () => {
      const page = await readPage(`/order/${number}`, account.cookie)
      return Array.from(page.matchAll(/-next-step" [^>]*>([^<]*)</g), ([, step]) => step).sort()
    }
    const even = expect.stringMatching(/^We’ve received your items\. Next, .* of size M\.$/)
    const due = expect.stringContaining('Once you’ve paid the difference of KSH')
    expect(await readNextSteps()).toEqual([even, due])
    const key = await createOrderKey(number, shopCtx)
    await payByLink({ number, key, ...LINK_PAYMENT }, { ...shopCtx, clock: () => NOW_MS + 1 })
    const paid = expect.stringContaining('We’ve received your items and your payment of KSH')
    expect(await readNextSteps()).toEqual([paid, even])
    await setStock(shopCtx, SIZE_M, 9)
  })

  it('asks only for its own difference, so a cheaper one can be completed before a dearer one is paid', async () => {
    const [first = 0, middle = 0, last = 0] = [...new Map(UNSIZED_ITEMS.map((id) => [getPriceKsh(id), id]))]
      .toSorted(([a], [b]) => a - b)
      .map(([, id]) => id)
    for (const id of [first, middle, last]) await setStock(shopCtx, id, 5)
    const { number, account } = await placeAndDeliver([
      { id: first, qty: 1 },
      { id: middle, qty: 2 },
    ])
    const totals = [(await readReturns(number)).total]
    const exchanges: string[] = []
    for (const [atMs, old, replacement] of [
      [NOW_MS, middle, first],
      [NOW_MS + 1, middle, last],
      [NOW_MS + 2, first, last],
    ] as const) {
      const context = { ...ctx, clock: () => atMs }
      const created = await newExchange(number, old, replacement, context)
      if (!created.ok) throw new Error(created.error.message)
      exchanges.push(created.data.id)
      await receiveReturn({ number, returnId: created.data.id, restocked: [0], actor }, context)
      totals.push((await readReturns(number)).total)
    }
    const [cheaper = '', dearer = '', dearest = ''] = exchanges
    const [dearerCents = 0, dearestCents = 0] = [1, 2].map(
      (nth) => (totals[nth + 1] ?? 0) - (totals[nth] ?? 0),
    )
    const readOffice = async () => {
      const { text } = await owner.get(`/orders/${number}/returns`)
      return Array.from(text.matchAll(/the difference of <strong>([^<]*)</g), ([, difference]) => difference)
    }
    const readShop = async () => {
      const page = await readPage(`/order/${number}`, account.cookie)
      const steps = page.matchAll(/-next-step" [^>]*>[^<]*the difference of (KSH [\d,]*\d)/g)
      return Array.from(steps, ([, difference]) => difference)
    }
    const completeOne = (returnId: string) =>
      completeReturn({ number, returnId, refundCents: 0, includesShipping: false, actor }, ctx)
    const differences = [dearestCents, dearerCents].map(formatMoney)
    expect([await readOffice(), await readShop()]).toEqual([differences, differences])
    const message = `The customer still has to pay the difference of ${formatMoney(dearerCents)}.`
    expect(await completeOne(dearer)).toMatchObject({ ok: false, error: { message } })
    expect(await completeOne(cheaper)).toMatchObject({ ok: true, data: { state: 'completed' } })
    const { row } = (await readReturns(number)).record
    await ctx.db.insert(payments).values({
      ...{ id: crypto.randomUUID(), orderId: row.id, attempt: 2, provider: 'manual', manualType: 'cash' },
      ...{ state: 'settled', amountCents: dearerCents, createdAtMs: NOW_MS, endedAtMs: NOW_MS },
    })
    const rest = [formatMoney(dearestCents)]
    expect([await readOffice(), await readShop()]).toEqual([rest, rest])
    expect(await completeOne(dearest)).toMatchObject({ ok: false })
    expect(await completeOne(dearer)).toMatchObject({ ok: true })
  })

  it.each([
    ['faulty', 'We cover return shipping, so please keep the courier’s receipt.'],
    ['size', 'You pay for return shipping.'],
  ] as const)('for the reason %s says who pays the courier', async (why, sentence) => {
    const id = await newStockedItem(shopCtx, 5)
    const { number, account } = await placeAndDeliver([{ id, qty: 1 }])
    const created = await createReturn(
      { number, kind: 'return', reason: why, note: '', lines: [createKey(id)], actor },
      ctx,
    )
    expect(created.ok).toBe(true)
    expect(await readPage(`/order/${number}`, account.cookie)).toContain(`>${sentence}<`)
    const [email] = await ctx.db
      .select()
      .from(outbox)
      .where(like(outbox.subject, `%${number} is approved`))
    expect(email?.text).toContain(sentence)
  })

  it('for a cheaper item refunds the difference when the items are received', async () => {
    const ids = UNSIZED_ITEMS.toSorted((a, b) => getPriceKsh(b) - getPriceKsh(a))
    const [dear = 0, cheap = 0] = [ids[0], ids.at(-1)]
    const { number } = await placeAndDeliver([{ id: dear, qty: 1 }])
    const before = await readReturns(number)
    await newExchange(number, dear, cheap)
    await receive(number)
    const { balance, total } = await readReturns(number)
    expect(balance).toMatchObject({ status: 'refund_due', refundDueCents: before.total - total, dueCents: 0 })
    await runScheduledPayments(shopCtx)
    expect(await complete(number)).toMatchObject({ ok: true, data: { state: 'completed' } })
    expect((await readReturns(number)).balance.refundedCents).toBe(before.total - total)
  })

  describe('after a return from an order with a promo code', () => {
    const byPrice = UNSIZED_ITEMS.toSorted((a, b) => getPriceKsh(a) - getPriceKsh(b))
    const [cheap, middle, dear] = [byPrice[2] ?? 0, byPrice.at(-4) ?? 0, byPrice.at(-1) ?? 0]
    const returnAll = async (number: string, id: number) => {
      const created = await newReturn(number, id)
      if (!created.ok) throw new Error(created.error.message)
      await receive(number)
      const context = await readReturns(number)
      const orderReturn = context.returns.find((found) => found.id === created.data.id)
      if (!orderReturn) throw new Error('The return is missing.')
      const { goodsCents, shippingCents } = calculateReturnRefundLimits(context, orderReturn)
      expect(await complete(number, goodsCents + shippingCents, true)).toMatchObject({ ok: true })
      await runScheduledPayments(shopCtx)
    }
    const exchangeAfterReturn = async (
      promotion: DiscountTerms,
      [returned, kept, replacement]: [number, number, number],
    ) => {
      for (const id of [returned, kept, replacement]) await setStock(shopCtx, id, 9)
      const lines = [returned, kept].map((id) => ({ id, qty: 1 }))
      const promoCode = await createPromotion(shopCtx, promotion)
      const { number } = await placeAndDeliver(lines, {
        promoCode,
        expectedTotal: calculateCheckoutTotalKsh(lines, promotion),
      })
      await returnAll(number, returned)
      const before = await readReturns(number)
      await newExchange(number, kept, replacement)
      await receive(number)
      const { balance } = await readReturns(number)
      if (balance.dueCents > 0) await recordManualPayment({ number, type: 'cash', reference: '', actor }, ctx)
      await runScheduledPayments(shopCtx)
      expect(await complete(number)).toMatchObject({ ok: true })
      const after = await readReturns(number)
      return { number, differenceCents: after.total - before.total, paidCents: balance.dueCents }
    }
    const readKeptCents = async (number: string) => {
      const { row } = (await readReturns(number)).record
      return row.paidCents - row.refundCents
    }
    const fixed = { kind: 'fixed', value: 200_00, minimumSubtotalCents: 0 } as const
    const half = {
      kind: 'percent',
      value: 50,
      minimumSubtotalCents: (getPriceKsh(middle) + getPriceKsh(dear)) * 100,
    } as const

    it.each([
      ['costs the difference of the prices with VAT', fixed, [cheap, middle, dear]],
      [
        'costs nothing more for a cheaper item, although its promo code no longer applies',
        half,
        [middle, dear, cheap],
      ],
    ] as const)('%s, and the last return refunds all that is left', async (_, promotion, ids) => {
      const [returned, kept, replacement] = ids
      const { number, differenceCents, paidCents } = await exchangeAfterReturn(promotion, [
        returned,
        kept,
        replacement,
      ])
      const dearerKsh = Math.max(getPriceKsh(replacement) - getPriceKsh(kept), 0)
      expect(differenceCents).toBeLessThanOrEqual(calculatePriceWithVatKsh(dearerKsh) * 100)
      expect(paidCents).toBe(Math.max(differenceCents, 0))
      expect(await readKeptCents(number)).toBeGreaterThan(0)
      await returnAll(number, replacement)
      expect(await readKeptCents(number)).toBe(0)
    })
  })

  it('names its refund in the office before and after its items are received', async () => {
    const ids = UNSIZED_ITEMS.toSorted((a, b) => getPriceKsh(b) - getPriceKsh(a))
    const [dear = 0, cheap = 0] = [ids[0], ids.at(-1)]
    const promoCode = await createPromotion(shopCtx)
    const lines = [{ id: dear, qty: 1 }]
    const expectedTotal = calculateCheckoutTotalKsh(lines, tenPercentDiscount)
    const { number } = await placeAndDeliver(lines, { promoCode, expectedTotal })
    const before = await readReturns(number)
    await newExchange(number, dear, cheap)
    const path = `/orders/${number}/returns`
    const { text } = await owner.get(path)
    const [, refund = ''] = />Mark as received and refund ([^<]*)</.exec(text) ?? []
    const [, seen = ''] = /name="refund" value="(\d+)"/.exec(text) ?? []
    const [exchange] = (await readReturns(number)).returns
    const form = { return: exchange?.id ?? '', returnAction: 'receive' }
    const outdated = await owner.post(path, { ...form, refund: `${Number(seen) - 100}` })
    expect([outdated.status, (await readReturns(number)).states]).toEqual([409, ['expected']])
    const { location } = await owner.post(path, { ...form, refund: seen })
    expect(refund).toBe(formatMoney(before.total - (await readReturns(number)).total))
    expect((await owner.get(location ?? '')).text).toContain(`Items marked as received. Refund of ${refund} `)
  })

  it('expires after 14 days, and releases its replacement', async () => {
    const [old, other] = [await newStockedItem(shopCtx, 5), await newStockedItem(shopCtx, 1)]
    const { number } = await placeAndDeliver([{ id: old, qty: 1 }])
    await newExchange(number, old, other)
    await expireExchanges({ ...ctx, clock: () => NOW_MS + RETURN_WINDOW_MS - 1 })
    expect((await readReturns(number)).states).toEqual(['expected'])
    await expireExchanges({ ...ctx, clock: () => NOW_MS + RETURN_WINDOW_MS })
    expect((await readReturns(number)).states).toEqual(['expired'])
    expect(await readStock(shopCtx, other)).toMatchObject({ onHand: 1, reserved: 0 })
    expect(await readEmailSubjects(number)).toContain('Your exchange for order P has expired')
  })

  it('expires even if another one can’t', async () => {
    const numbers: string[] = []
    for (let count = 0; count < 3; count++) {
      const [old, other] = [await newStockedItem(shopCtx, 5), await newStockedItem(shopCtx, 1)]
      const { number } = await placeAndDeliver([{ id: old, qty: 1 }])
      await newExchange(number, old, other)
      numbers.push(number)
    }
    const [first] = (await readReturns(numbers[0] ?? '')).returns
    await ctx.db.run(
      sql.raw(
        `CREATE TRIGGER fail_return BEFORE UPDATE ON order_returns WHEN new.id = '${first?.id}' BEGIN SELECT raise(abort, 'not expired'); END`,
      ),
    )
    const expire = () => expireExchanges({ ...ctx, clock: () => NOW_MS + RETURN_WINDOW_MS })
    await expect(expire()).rejects.toMatchObject({
      cause: { message: expect.stringContaining('not expired') },
    })
    await ctx.db.run(sql`DROP TRIGGER fail_return`)
    const states = await Promise.all(numbers.map(async (number) => (await readReturns(number)).states[0]))
    expect(states).toEqual(['expected', 'expired', 'expired'])
  })

  it('can’t get the last unit if an order placed at the same moment gets it', async () => {
    const [old, last] = [await newStockedItem(shopCtx, 5), await newStockedItem(shopCtx, 1)]
    const { number } = await placeAndDeliver([{ id: old, qty: 1 }])
    const rival = await createAccount(shopCtx)
    const [exchanged, ordered] = await Promise.all([
      newExchange(number, old, last),
      postOrder(shopCtx, rival, orderRequest([{ id: last, qty: 1 }])),
    ])
    expect([exchanged.ok, ordered.status === 201]).toContain(true)
    expect([exchanged.ok, ordered.status === 201]).toContain(false)
    const { onHand: left = 0, reserved = 0 } = await readStock(shopCtx, last)
    expect(left - reserved).toBe(0)
  })
})

describe('returns in the office', () => {
  const formFor = (id: number, overrides: Record<string, string> = {}) => ({
    returnAction: 'create',
    kind: 'return',
    reason: 'faulty',
    note: 'Loose seam',
    'line-0': `${id}-${getPriceKsh(id) * 100}`,
    'qty-0': '1',
    ...overrides,
  })

  it('are created, received and refunded with forms that need no JavaScript', async () => {
    const id = await newStockedItem(shopCtx, 5)
    const { number } = await placeAndDeliver([{ id, qty: 1 }])
    const path = `/orders/${number}/returns`
    const empty = await owner.post(path, formFor(id, { 'qty-0': '0' }))
    expect([empty.status, empty.text.includes('Please choose at least one item.')]).toEqual([409, true])
    expect(empty.text).toContain('Loose seam')
    // A number that a name starts with is no item's number. Several items have the last name.
    for (const typed of ['', '4–5 years', '4 years', '4 Kiondo Bag', 'Kikoi Wrap Dress']) {
      const missing = await owner.post(path, formFor(id, { kind: 'exchange', 'other-0': typed }))
      expect(missing.status).toBe(409)
      expect(missing.text).toContain(typed ? `We can’t find “${typed}”.` : 'Please choose a replacement')
      expect(missing.text).toContain(`name="other-0" value="${typed}"`)
      expect(missing.text.split('"4 Maasai Beaded Leather Sandals'), 'the catalogue').toHaveLength(2)
    }
    await owner.post(path, formFor(id))
    expect((await owner.get('/returns')).text).toContain(number)
    const [orderReturn] = (await readReturns(number)).returns
    await owner.post(path, { return: orderReturn?.id ?? '', returnAction: 'receive', 'restock-0': '1' })
    const refused = await owner.post(path, {
      return: orderReturn?.id ?? '',
      returnAction: 'complete',
      amount: '999999',
    })
    expect(refused.text).toContain('Refund must be from KSH 0 to')
    expect(refused.text).toContain('value="999999"')
    const { location } = await owner.post(path, {
      return: orderReturn?.id ?? '',
      returnAction: 'complete',
      amount: '100',
    })
    expect((await owner.get(location ?? '')).text).toMatch(/Return completed\. Refund of KSH 100 \w+\./)
    expect((await owner.get(location ?? '')).text).toContain('Refund: KSH 100.')
    expect((await readReturns(number)).balance).toMatchObject({ refundedCents: 100_00 })
    const { text } = await owner.get(`/orders/${number}`)
    expect(text).toMatch(
      /Return created: 1.*Return received: 1.*Return completed: 1.*Refund of KSH 100 started: Return.*Refund of KSH 100 complete.*Refund email/s,
    )
  })

  const [STOCKED, FAULTY, MADE_TO_ORDER] = [107, 108, 109]

  it('are refused with quantities that aren’t whole numbers, and the form keeps what was typed', async () => {
    const { number } = await placeAndDeliver([STOCKED, FAULTY].map((id) => ({ id, qty: 2 })))
    for (const qty of ['one', '1.9', '-1', '1,5']) {
      const second = { 'line-1': `${FAULTY}-${getPriceKsh(FAULTY) * 100}`, 'qty-1': '2' }
      const form = formFor(STOCKED, { 'qty-0': qty, ...second })
      const { status, text } = await owner.post(`/orders/${number}/returns`, form)
      expect(status, qty).toBe(409)
      expect(text).toContain('Please enter quantities as whole numbers.')
      expect(text).toContain(`name="qty-0" value="${qty}"`)
      expect(text).toContain('name="qty-1" value="2"')
    }
    expect((await readReturns(number)).states).toEqual([])
  })

  it('are created once if the form is submitted twice', async () => {
    const { number } = await placeAndDeliver([{ id: STOCKED, qty: 2 }])
    const path = `/orders/${number}/returns`
    const [, revision = ''] = /name="revision" value="(\d+)"/.exec((await owner.get(path)).text) ?? []
    const results = await Promise.all([1, 2].map(() => owner.post(path, formFor(STOCKED, { revision }))))
    expect(results.map(({ status }) => status).toSorted()).toEqual([303, 409])
    expect((await readReturns(number)).states).toEqual(['expected'])
    expect((await owner.post(path, formFor(STOCKED, { revision }))).status).toBe(409)
  })

  it('are named once they are created', async () => {
    const { number } = await placeAndDeliver([{ id: STOCKED, qty: 2 }])
    const { location } = await owner.post(`/orders/${number}/returns`, formFor(STOCKED, { 'qty-0': '2' }))
    const { title } = (await readReturns(number)).record.lines[0] ?? { title: '' }
    const { text } = await owner.get(location ?? '')
    expect(text.replaceAll('\u00a0', ' ')).toContain(`Return created: 2 × ${title}`)
  })

  it('put units back in stock by default, unless they are faulty or made to order', async () => {
    for (const id of [STOCKED, FAULTY]) await setStock(shopCtx, id, 5)
    const { number } = await placeAndDeliver([STOCKED, FAULTY, MADE_TO_ORDER].map((id) => ({ id, qty: 1 })))
    const path = `/orders/${number}/returns`
    const readRestockField = async () =>
      /<input[^>]*name="restock-0"[^>]*>/.exec((await owner.get(path)).text)?.[0]
    await newReturn(number, STOCKED)
    expect(await readRestockField()).toContain('checked')
    await receive(number)
    expect((await owner.get(path)).text).toContain('(back in stock)')
    await complete(number)
    await owner.post(path, formFor(FAULTY))
    expect(await readRestockField()).toMatch(/^(?!.*checked=)/)
    await receive(number, [])
    await complete(number)
    await newReturn(number, MADE_TO_ORDER)
    expect(await readRestockField()).toBeUndefined()
    await receive(number)
    expect((await owner.get(path)).text.match(/\(not restocked\)/g), 'only the faulty one').toHaveLength(1)
    const { returns } = await readReturns(number)
    const restocked = Object.fromEntries(
      returns.flatMap(({ lines }) => lines.map(({ productId, isRestocked }) => [productId, isRestocked])),
    )
    expect(restocked).toEqual({ [STOCKED]: true, [FAULTY]: false, [MADE_TO_ORDER]: false })
  })

  it('take a replacement by its name or from the list, and say how much it costs more before its items are received', async () => {
    const [ring, bag] = [20, 8]
    const { number } = await placeAndDeliver([{ id: ring, qty: 1 }])
    const path = `/orders/${number}/returns`
    const exchangeFor = (name: string) =>
      owner.post(path, formFor(ring, { kind: 'exchange', 'other-0': name }))
    await exchangeFor('8 Kiondo Bag')
    const [listed] = (await readReturns(number)).returns
    expect(listed?.lines).toMatchObject([{ replacementId: bag }])
    await owner.post(path, { return: listed?.id ?? '', returnAction: 'cancel' })
    const { location } = await exchangeFor('kiondo bag')
    const difference = `<strong>${formatMoney(Math.round((getPriceKsh(bag) - getPriceKsh(ring)) * 116))}</strong>`
    expect((await owner.get(location ?? '')).text).toContain(`The difference of ${difference} will be due`)
    await receive(number)
    expect((await owner.get(path)).text).toContain(`still has to pay the difference of ${difference}`)
  })

  it('escape hostile texts', async () => {
    const id = await newStockedItem(shopCtx, 50)
    const { number } = await placeAndDeliver([{ id, qty: 20 }])
    for (const text of HOSTILE_TEXTS) {
      const field = takeNextShare(['note', 'reason', 'kind', 'line-0', 'qty-0', 'return', 'do'], 5)
      const fields = Object.fromEntries(field.map((name) => [name, text]))
      const { status } = await owner.post(`/orders/${number}/returns`, formFor(id, fields))
      expect([303, 400, 409, 413], text.slice(0, 40)).toContain(status)
    }
    expect((await owner.get(`/orders/${number}/returns`)).text).not.toMatch(/<script>|<img src=x|<svg onload/)
  })
})

describe('a shopper’s return request', () => {
  const fieldsFor = (id: number, overrides: Record<string, string> = {}) => ({
    returnKind: 'exchange',
    reason: 'size',
    returnNote: 'Size M, please',
    'line-0': `${id}-${getPriceKsh(id) * 100}`,
    'qty-0': '1',
    ...overrides,
  })
  const postRequest = (
    number: string,
    fields: Record<string, string>,
    headers = {},
    key = '',
    context = shopCtx,
  ) => postForm(context, `/order/${number}${key && `?${ORDER_KEY_PARAM}=${key}`}`, fields, headers)

  it('can be declined with a message only, and both sides are emailed', async () => {
    const id = await newStockedItem(shopCtx, 5)
    const { number, account } = await placeAndDeliver([{ id, qty: 1 }])
    const config = { ...shopCtx.config, OFFICE_ORIGIN: 'https://office.pamba.test' }
    const response = await postRequest(number, fieldsFor(id), account.cookie, '', { ...shopCtx, config })
    expect(response.status).toBe(303)
    const { returns, record } = await readReturns(number)
    expect(returns).toMatchObject([{ state: 'requested', isByShopper: true, note: 'Size M, please' }])
    const operatorEmails = await ctx.db
      .select()
      .from(outbox)
      .where(and(eq(outbox.subjectId, record.row.id), eq(outbox.kind, 'return-notice')))
    expect(operatorEmails.map(({ recipient }) => recipient)).toEqual([shopCtx.config.OPERATOR_EMAIL])
    expect(operatorEmails[0]?.text).toContain(`https://office.pamba.test/orders/${number}/returns`)
    expect(operatorEmails[0]?.text).toMatch(/ × 1$/m)
    expect(await newReturn(number, id)).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/^No more of .+ can be returned\.$/) },
    })
    const page = await owner.get(`/orders/${number}/returns`)
    expect(page.text).toMatch(/Exchange .*Requested by the customer.*Wrong size.*Size M, please/s)
    const form = { return: returns[0]?.id ?? '', returnAction: 'decline' }
    expect((await owner.post(`/orders/${number}/returns`, { ...form, message: ' ' })).status).toBe(409)
    await owner.post(`/orders/${number}/returns`, { ...form, message: 'It was worn.' })
    expect((await readReturns(number)).states).toEqual(['declined'])
    const orderPage = await readPage(`/order/${number}`, account.cookie)
    expect(orderPage).toContain('Our reply: It was worn.')
    expect((await owner.get(`/orders/${number}/returns`)).text).toContain('Your message: It was worn.')
    expect(await readEmailSubjects(number)).toEqual([
      'We’ve received your exchange request for order P',
      'Your exchange request for order P',
    ])
    expect(await approveReturn({ number, replacements: [id], actor }, ctx)).toMatchObject({ ok: false })
  })

  it('promises no email to a customer without an address', async () => {
    const id = await newStockedItem(shopCtx, 1)
    const { number, account } = await placeAndDeliver([{ id, qty: 1 }])
    const { record } = await readReturns(number)
    const { firstName, lastName } = record.row
    await ctx.db.update(orders).set({ email: '' }).where(eq(orders.number, number))
    expect((await postRequest(number, fieldsFor(id), account.cookie)).status).toBe(303)
    const emails = await ctx.db.select().from(outbox).where(eq(outbox.subjectId, record.row.id))
    const operatorEmail = emails.find(({ kind }) => kind === 'return-notice')
    expect(operatorEmail?.text).toContain(
      `${firstName} ${lastName} has requested an exchange for order ${number}.`,
    )
    expect(operatorEmail?.replyTo).toBeNull()
    expect(await readPage(`/order/${number}`, account.cookie)).not.toContain('email you')
    expect((await owner.get(`/orders/${number}/refund`)).text).not.toContain('email them')
  })

  const orderDress = (overrides: Parameters<typeof orderRequest>[1] = {}) =>
    placeAndDeliver([{ id: SIZE_S, qty: 1 }], overrides)

  it('can name another size, which both sides see and which is reserved at its approval', async () => {
    await setStock(shopCtx, SIZE_M, 1)
    const { number, account } = await orderDress()
    const chosen = fieldsFor(SIZE_S, { returnNote: '', 'for-0': String(SIZE_M) })
    const { status, headers } = await postRequest(number, chosen, account.cookie)
    expect([status, headers.get('Location')]).toEqual([303, `/order/${number}#latest-return`])
    const [orderReturn] = (await readReturns(number)).returns
    expect(orderReturn?.lines).toMatchObject([{ replacementId: SIZE_M, replacementSize: 'M' }])
    expect(await readStock(shopCtx, SIZE_M)).toMatchObject({ onHand: 1, reserved: 0 })
    const exchange = '1 × Kikoi Wrap Dress, S → M\nReason: Wrong size'
    const page = await readPage(`/order/${number}`, account.cookie)
    expect(page).toMatch(
      new RegExp(
        `id="latest-return".*21 November 2026.*Exchange requested.*${exchange}.*within 24 hours`,
        's',
      ),
    )
    expect(page).toContain('Exchange requested</a>. We’ll reply within 24 hours.')
    const promise =
      'We’ll reply within 24 hours. If we approve it, we’ll arrange with you how to bring or send the items.'
    const samePrice =
      'We’ll hold your new item for 14 days. It costs the same, so there’s no difference to pay.'
    for (const sentence of [promise, samePrice]) expect(page).toContain(sentence)
    const { id } = (await readReturns(number)).record.row
    const emails = await ctx.db.select().from(outbox).where(eq(outbox.subjectId, id))
    for (const kind of ['order-return', 'return-notice'])
      expect(emails.find((email) => email.kind === kind)?.text).toContain('exchange for M')
    const text = emails.find(({ kind }) => kind === 'order-return')?.text.replaceAll(/\s+/g, ' ')
    expect(text).toContain(`${promise} ${samePrice}`)
    const office = await owner.get(`/orders/${number}/returns`)
    expect(office.text).toMatch(new RegExp(`<option value="${SIZE_M}" selected`))
    const approval = { return: orderReturn?.id ?? '', returnAction: 'approve', 'for-0': String(SIZE_M) }
    await owner.post(`/orders/${number}/returns`, approval)
    expect((await readReturns(number)).states).toEqual(['expected'])
    expect(await readStock(shopCtx, SIZE_M)).toMatchObject({ onHand: 1, reserved: 1 })

    const instruction =
      'Bring or send us the Kikoi Wrap Dress (S) by 4 December. We’re holding size M for you until then.'
    const approved = await readPage(`/order/${number}`, account.cookie)
    expect(approved).toContain('<a href="#latest-return">Exchange approved: send us the items</a>')
    expect(approved).toContain(instruction)
    expect(approved).toContain('Arrange it by email')
    const [email] = await ctx.db
      .select()
      .from(outbox)
      .where(and(eq(outbox.subjectId, id), like(outbox.subject, '%is approved')))
    expect(email?.text.replaceAll(/\s+/g, ' ')).toContain(
      `${instruction} It costs the same, so there’s no difference to pay. We’ll deliver it to your address for KSH 30, payable to the rider. Reply to this email to arrange where to bring or send your items.`,
    )
    const { record, returns } = await readReturns(number)
    const withAddress = createReturnApprovedEmail(
      { record, returns },
      returns[0] as (typeof returns)[number],
      { address: 'Biashara Street 9', phone: '0712 000 000', costs: 'You pay for return shipping.' },
    )
    expect(withAddress.text.replaceAll(/\s+/g, ' ')).toContain(
      `Our address in Nairobi: Biashara Street 9 If you send a parcel, write order number ${number} and our phone number, 0712 000 000, on it. You pay for return shipping.`,
    )
    const withPickup = {
      ...shopCtx,
      delivery: createDeliveryTerms({ zones: [], pickup: 'Biashara Street 9' }),
    }
    const pageWithAddress = await (await get(withPickup, `/order/${number}`, account.cookie)).text()
    expect(pageWithAddress).toContain('Our address in Nairobi: Biashara Street 9')
    expect(pageWithAddress).not.toContain('Arrange it')
  })

  it.each([
    [
      'delivery',
      'size',
      'We’ll deliver it to your address for KSH 250, payable to the rider.',
      'Next, we’ll deliver size M to your address for KSH 250, payable to the rider. We’ll contact you within 24 hours to arrange the time.',
      'Deliver the replacement to the customer’s address. The rider collects KSH 250.',
    ],
    [
      'delivery',
      'faulty',
      'We’ll deliver it to your address for free.',
      'Next, we’ll deliver size M to your address for free. We’ll contact you within 24 hours to arrange the time.',
      'Deliver the replacement to the customer’s address for free.',
    ],
    [
      'pickup',
      'size',
      'You can pick it up at our shop for free.',
      'Next, you can pick up size M at our shop: Biashara Street 9.',
      'The customer will pick up the replacement at the shop.',
    ],
  ] as const)('can choose %s of its new item (%s), which every step repeats', async (...chosen) => {
    const [exchangeDelivery, why, promise, next, instruction] = chosen
    const zones = [{ name: 'Coast', counties: ['Mombasa'], feeKsh: 250 }] as const
    const delivery = createDeliveryTerms({ zones, pickup: 'Biashara Street 9' })
    const shopWithPickup = { ...shopCtx, delivery }
    await setStock(shopCtx, SIZE_M, 9)
    const { number, account } = await orderDress()
    await ctx.db
      .update(orders)
      .set({ address: 'Moi Avenue 7', state: 'Mombasa' })
      .where(eq(orders.number, number))
    const readOrderPage = () => readPage(`/order/${number}`, account.cookie, shopWithPickup)
    expect(await readOrderPage()).toMatch(
      /checked="" value="delivery"\/>Deliver it to Moi Avenue 7<.*>KSH 250, paid to the rider\. Free if the item was faulty or damaged\.<.*value="pickup"\/>Pick it up at our shop<.*>Free: Biashara Street 9</s,
    )
    const fields = fieldsFor(SIZE_S, { reason: why, 'for-0': String(SIZE_M), exchangeDelivery })
    expect((await postRequest(number, fields, account.cookie, '', shopWithPickup)).status).toBe(303)
    expect(await readOrderPage()).toContain(promise)
    expect((await owner.get(`/orders/${number}/returns`)).text).toContain(instruction)
    expect(await approveReturn({ number, replacements: [SIZE_M], actor }, ctx)).toMatchObject({ ok: true })
    expect(await readOrderPage()).toContain(promise)
    await receive(number)
    const received = await readOrderPage()
    expect(received).toContain(`We’ve received your items. ${next}`)
    expect(received.includes('Arrange it by email')).toBe(exchangeDelivery === 'delivery')
    const { id } = (await readReturns(number)).record.row
    const emails = await ctx.db.select().from(outbox).where(eq(outbox.subjectId, id))
    const findText = (subject: string) =>
      emails.find((email) => email.subject.includes(subject))?.text.replaceAll(/\s+/g, ' ')
    expect(findText('Exchange requested')).toContain(instruction)
    for (const subject of ['received your exchange request', 'is approved'])
      expect(findText(subject)).toContain(promise)
    expect(findText('received your items')).toContain(next)
  })

  it('uses the order’s delivery method for its new item if no valid one is chosen', async () => {
    const readChosen = async (
      overrides: Partial<typeof orders.$inferInsert>,
      typed: string,
      pickup: string,
    ) => {
      const { number, account } = await orderDress()
      await ctx.db
        .update(orders)
        .set({ phone: null, ...overrides })
        .where(eq(orders.number, number))
      const context = { ...shopCtx, delivery: createDeliveryTerms({ zones: [], pickup }) }
      const offered = await (await get(context, `/order/${number}`, account.cookie)).text()
      const fields = fieldsFor(SIZE_S, { 'for-0': String(SIZE_M), exchangeDelivery: typed })
      await postRequest(number, fields, account.cookie, '', context)
      const [orderReturn] = (await readReturns(number)).returns
      const hasChoice = offered.includes('How would you like to get your new item?')
      return [orderReturn?.deliveryFeeCents, orderReturn?.pickup, hasChoice]
    }
    expect(await readChosen({}, '<b>', 'Biashara Street 9')).toEqual([30_00, null, true])
    expect(await readChosen({ pickup: 'Old Street 1' }, '', 'Biashara Street 9')).toEqual([
      null,
      'Biashara Street 9',
      true,
    ])
    expect(await readChosen({}, 'pickup', '')).toEqual([30_00, null, false])
    expect(await readChosen({ address: '' }, 'delivery', '')).toEqual([null, null, false])
  })

  it('can be approved with another replacement, at the price of that day', async () => {
    await setStock(shopCtx, SIZE_M, 1)
    const { number, account } = await orderDress()
    await postRequest(number, fieldsFor(SIZE_S, { 'for-0': String(SIZE_M) }), account.cookie)
    const [{ id = '' } = {}] = (await readReturns(number)).returns
    const dearer = items.map((item) => (item.id === HAIR_CLIPS ? { ...item, price: 275 } : item))
    const nextDay = { ...ctx, shop: { fetch: async () => Response.json(dearer) } }
    await approveReturn({ number, returnId: id, replacements: [HAIR_CLIPS], actor }, nextDay)
    expect((await readReturns(number)).returns[0]?.lines).toMatchObject([
      { replacementId: HAIR_CLIPS, replacementSize: null, replacementPriceCents: 275_00 },
    ])
    expect(await readStock(shopCtx, SIZE_M)).toMatchObject({ reserved: 0 })
  })

  it('is refused, with an error at the sizes, for anything but another size in stock', async () => {
    const { number, account } = await orderDress()
    await setStock(shopCtx, SIZE_M, 0)
    const missing = 'This size is no longer available. Please choose another.'
    for (const [id, sentence] of [
      [SIZE_M, 'We’re sold out of Kikoi Wrap Dress, M. Please choose another size.'],
      [SIZE_S, missing],
      [HAIR_CLIPS, missing],
      [999_999, missing],
    ] as const) {
      const fields = fieldsFor(SIZE_S, { 'for-0': String(id) })
      const response = await postRequest(number, fields, account.cookie)
      const text = await response.text()
      expect(response.status).toBe(400)
      expect(text).toMatch(
        /<fieldset id="return-error"[^>]* aria-invalid="true" aria-describedby="for-0-error"/,
      )
      expect(text).toContain(`id="for-0-error" class="field__error field--wide">${sentence}`)
    }
    expect((await readReturns(number)).states).toEqual([])
    await setStock(shopCtx, SIZE_M, 9)
  })

  it('can name another item in stock, whose difference the page and emails say', async () => {
    const { number, account } = await orderDress()
    const wanted = (otherItem: string) =>
      fieldsFor(SIZE_S, { 'for-0': 'other', 'other-0': otherItem, returnNote: '' })
    const expectRefused = async (otherItem: string, sentence: string) => {
      const response = await postRequest(number, wanted(otherItem), account.cookie)
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(sentence)])
    }
    await expectRefused('Kikoi Wrap Dress, S', 'You’re returning this item. Please choose another.')
    await setStock(shopCtx, HAIR_CLIPS, 0)
    await expectRefused(
      'Kanga Bow Hair Clips',
      'We’re sold out of Kanga Bow Hair Clips. Please choose another item.',
    )
    await setStock(shopCtx, HAIR_CLIPS, 9)
    for (const unknown of ['the green one', '<b>', 'x'.repeat(5000)])
      await expectRefused(unknown, 'Please choose an item from the list, or leave this empty')
    await postRequest(number, wanted(' bow HAIR clips '), account.cookie)
    const [named] = (await readReturns(number)).returns
    expect(named).toMatchObject({
      note: null,
      lines: [{ replacementId: HAIR_CLIPS, replacementPriceCents: 250_00 }],
    })
    const page = await readPage(`/order/${number}`, account.cookie)
    expect(page).toContain('1 × Kikoi Wrap Dress, S → Kanga Bow Hair Clips')
    expect((await owner.get(`/orders/${number}/returns`)).text).toContain(
      `value="${HAIR_CLIPS} Kanga Bow Hair Clips"`,
    )
    const difference = `${formatMoney(kshToCents(calculatePriceWithVatKsh(getPriceKsh(SIZE_S)) - calculatePriceWithVatKsh(getPriceKsh(HAIR_CLIPS))))} less`
    const requested = await owner.get(`/orders/${number}/returns`)
    expect(requested.text).toContain(
      `With the replacement the customer asked for, we’ll refund <strong>${difference.replace(' less', '')}</strong> once`,
    )
    const reservation = 'We’ll hold your new item for 14 days.'
    expect(page).toContain(
      `${reservation} It costs ${difference}, which we’ll refund once we’ve received your items.`,
    )
    await approveReturn({ number, replacements: [HAIR_CLIPS], actor }, ctx)
    const { record } = await readReturns(number)
    const emails = await ctx.db.select().from(outbox).where(eq(outbox.subjectId, record.row.id))
    for (const subject of ['received your exchange request', 'is approved'])
      expect(emails.find((email) => email.subject.includes(subject))?.text).toContain(
        `It costs ${difference}`,
      )
  })

  it('promises help with choosing the new item if none is chosen, and doesn’t name a difference that a promo code changes', async () => {
    const { number, account } = await orderDress()
    await postRequest(number, fieldsFor(SIZE_S, { returnNote: 'the green one' }), account.cookie)
    expect(await readPage(`/order/${number}`, account.cookie)).toContain(
      'We’ll help you choose your new item, then hold it for 14 days. Once we’ve received the items, you pay the difference',
    )
    await setStock(shopCtx, HAIR_CLIPS, 9)
    const promoCode = await createPromotion(shopCtx)
    const expectedTotal = calculateCheckoutTotalKsh([{ id: SIZE_S, qty: 1 }], tenPercentDiscount)
    const discounted = await orderDress({ promoCode, expectedTotal })
    const fields = fieldsFor(SIZE_S, { 'for-0': 'other', 'other-0': 'Kanga Bow Hair Clips', returnNote: '' })
    await postRequest(discounted.number, fields, discounted.account.cookie)
    expect(await readPage(`/order/${discounted.number}`, discounted.account.cookie)).toContain(
      'We’ll hold your new item for 14 days. Once we’ve received the items, you pay the difference',
    )
  })

  it('needs a message only for items without a chosen size, which a return ignores', async () => {
    const lines = [SIZE_S, HAIR_CLIPS].map((id) => ({ id, qty: 1 }))
    const { number, account } = await placeAndDeliver(lines)
    const both = fieldsFor(SIZE_S, {
      'for-0': String(SIZE_M),
      'line-1': `${HAIR_CLIPS}-${getPriceKsh(HAIR_CLIPS) * 100}`,
      'qty-1': '1',
      'for-1': 'other',
      returnNote: '',
    })
    const refused = await postRequest(number, both, account.cookie)
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('Please enter the size or item you’d like instead.'),
    ])
    await postRequest(number, { ...both, returnKind: 'return' }, account.cookie)
    const [orderReturn] = (await readReturns(number)).returns
    expect(orderReturn).toMatchObject({ kind: 'return', lines: [{ replacementId: null }, {}] })
  })

  it('asks for a size at the sizes, and for a message only if another item is chosen', async () => {
    const { number, account } = await orderDress()
    const fields = fieldsFor(SIZE_S, { returnNote: '' })
    const withoutSize = await (await postRequest(number, fields, account.cookie)).text()
    expect(withoutSize).toMatch(/<fieldset id="return-error".*Please choose a size or another item\./s)
    expect(withoutSize).not.toContain('returnNote-error')
    const other = await (await postRequest(number, { ...fields, 'for-0': 'other' }, account.cookie)).text()
    expect(other).toMatch(/<textarea id="return-error".*Please enter the size or item/s)
    // The field for another item needs scripts.
    const unnamed = { ...fields, 'for-0': 'other', 'other-0': ' ' }
    const empty = await (await postRequest(number, unnamed, account.cookie)).text()
    expect(empty).toMatch(
      /<input id="return-error" [^>]*name="other-0".*id="other-0-error"[^>]*>Please enter the size or item/s,
    )
    expect(empty).not.toContain('returnNote-error')
  })

  it('shows each error at its field, and scrolls to the first', async () => {
    const { number, account } = await placeAndDeliver([{ id: SIZE_S, qty: 2 }])
    // Browsers don't post radio buttons that aren't checked.
    const { returnKind: _, ...fields } = fieldsFor(SIZE_S, { reason: '', 'qty-0': '0' })
    const text = await (await postRequest(number, fields, account.cookie)).text()
    expect(text).toContain(`action="/order/${number}#return-error"`)
    expect(text.match(/id="return-error"/g)).toHaveLength(1)
    expect(text).toMatch(/<fieldset id="return-error" role="radiogroup" [^>]+ aria-invalid="true"/)
    expect(text).not.toContain('banner--error')
    for (const [field, sentence] of [
      ['returnKind', 'Please choose a return or an exchange.'],
      ['qty-0', 'Please choose at least one item.'],
      ['reason', 'Please choose a reason.'],
    ]) {
      expect(text).toContain(`aria-invalid="true" aria-describedby="${field}-error"`)
      expect(text).toContain(`id="${field}-error" class="field__error field--wide">${sentence}`)
    }
  })

  it('shows its message to the shopper, but not the shop’s own notes', async () => {
    const { number, account } = await orderDress()
    await postRequest(number, fieldsFor(SIZE_S), account.cookie)
    const page = async () => (await get(shopCtx, `/order/${number}`, account.cookie)).text()
    expect(await page()).toContain('Your message: Size M, please')
    const { record } = await readReturns(number)
    await ctx.db
      .update(orderReturns)
      .set({ isByShopper: false })
      .where(eq(orderReturns.orderId, record.row.id))
    expect(await page()).not.toContain('Size M, please')
  })

  it('shows that it’s too late instead of errors at fields once the deadline has passed', async () => {
    const { number, account } = await orderDress()
    const later = testContext({ clock: () => NOW_MS + RETURN_WINDOW_MS })
    const key = await createOrderKey(number, later)
    const fields = fieldsFor(SIZE_S, { reason: '' })
    const text = await (await postRequest(number, fields, account.cookie, key, later)).text()
    expect(text).toMatch(
      /<p id="return-error" class="banner banner--error" role="alert">You can no longer return/,
    )
  })

  it('keeps the requested size in the office if declining fails', async () => {
    const { number, account } = await orderDress()
    await postRequest(number, fieldsFor(SIZE_S, { 'for-0': String(SIZE_M) }), account.cookie)
    const { returns } = await readReturns(number)
    const form = { return: returns[0]?.id ?? '', returnAction: 'decline', message: ' ' }
    const { status, text } = await owner.post(`/orders/${number}/returns`, form)
    expect([status, text]).toEqual([
      409,
      expect.stringMatching(new RegExp(`<option value="${SIZE_M}[^>]* selected=""`)),
    ])
  })

  it('offers the sizes that are in stock, with prices that differ from the one paid', async () => {
    const catalogue = catalogueSchema
      .parse(items)
      .map((product) => (product.id === SIZE_S ? { ...product, left: { [SIZE_M]: 0 } } : product))
    const { number, account } = await orderDress()
    const dress = catalogue.find(({ id }) => id === SIZE_S)
    const context = testContext({ catalogue: createCatalogueSource(catalogue) })
    const text = await (await get(context, `/order/${number}`, account.cookie)).text()
    expect(text).toContain('href="/contact#returns">How returns work<')
    expect(text).toMatch(/You can send a request until \d+ December\..*<summary/)
    expect(text, 'without JavaScript, both outcomes show').not.toMatch(
      /(?:return|exchange)-note"[^>]* hidden/,
    )
    expect(text, 'the only unit is preselected').toContain('name="qty-0" value="1"')
    const [, group = ''] = /<fieldset id="for-0"(.*?)<\/fieldset>/s.exec(text) ?? []
    const labels = dress?.sizing?.sizes.slice(1).map(({ label }) => label) ?? []
    expect(group.replace(/<[^>]+>/g, ' ')).toMatch(new RegExp(labels.join('.*'), 's'))
    expect(group).toContain(`disabled="" name="for-0" value="${SIZE_M}"/><s>M</s><small>Sold out</small>`)
    expect(group).not.toContain('KSH')
  })

  it('is listed in the office before returns whose items are still expected', async () => {
    const earlier = await orderDress()
    await newReturn(earlier.number, SIZE_S)
    const { number, account } = await orderDress()
    await postRequest(number, fieldsFor(SIZE_S), account.cookie)
    const numbers = (await owner.get('/returns')).text.match(/P-\w{6}(?=,)/g) ?? []
    expect(numbers.filter((one) => [number, earlier.number].includes(one))).toEqual([number, earlier.number])
  })

  it('says how much a return refunds, with VAT and without the discount', async () => {
    const promoCode = await createPromotion(shopCtx)
    const expectedTotal = calculateCheckoutTotalKsh([{ id: SIZE_S, qty: 1 }], tenPercentDiscount)
    const { number, account } = await orderDress({ promoCode, expectedTotal })
    await postRequest(number, fieldsFor(SIZE_S, { returnKind: 'return' }), account.cookie)
    const page = await readPage(`/order/${number}`, account.cookie)
    expect(page).toContain(
      `We’ll refund KSH ${Math.floor(expectedTotal).toLocaleString('en')} for this item.`,
    )
  })

  it('can be cancelled by its shopper until its items arrive, even while it is being approved', async () => {
    const id = await newStockedItem(shopCtx, 5)
    const { number, account } = await placeAndDeliver([{ id, qty: 2 }])
    const request = async () => {
      await postRequest(number, fieldsFor(id, { returnKind: 'return' }), account.cookie)
      return (await readReturns(number)).returns.find(({ state }) => state === 'requested')?.id ?? ''
    }
    const cancel = (returnId: string, headers: Record<string, string>, key = '', context = shopCtx) =>
      postRequest(number, { cancelReturn: returnId }, headers, key, context)
    const first = await request()
    await cancel(first, (await createAccount(shopCtx)).cookie)
    expect((await readReturns(number)).states, 'from another account').toEqual(['requested'])
    expect(await readPage(`/order/${number}`, account.cookie)).toContain(
      `name="cancelReturn" value="${first}"`,
    )
    for (const attempt of ['first', 'second']) {
      const { status, headers } = await cancel(first, account.cookie)
      expect([status, headers.get('Location')], attempt).toEqual([303, `/order/${number}#latest-return`])
    }
    expect((await readReturns(number)).states).toEqual(['cancelled'])
    expect((await owner.get(`/orders/${number}/returns`)).text).toContain('>Cancelled</span>')
    const { id: orderId } = (await readReturns(number)).record.row
    const notices = await ctx.db
      .select({ subject: outbox.subject, text: outbox.text })
      .from(outbox)
      .where(and(eq(outbox.subjectId, orderId), eq(outbox.kind, 'return-notice')))
    expect(notices.map(({ subject }) => subject)).toEqual([
      `Return requested for order ${number}`,
      `Return for order ${number} cancelled`,
    ])
    expect(notices[1]?.text.replaceAll(/\s+/g, ' ')).toContain(
      `has cancelled the return for order ${number}. You don’t need to answer the request.`,
    )
    const cancelledEntry = 'Return cancelled by the customer'
    expect((await owner.get(`/orders/${number}`)).text.split(cancelledEntry)).toHaveLength(2)

    const second = await request()
    const writes = async () => false
    const busy = await cancel(second, account.cookie, '', {
      ...shopCtx,
      limits: { ...shopCtx.limits, writes },
    })
    expect([busy.status, (await busy.text()).includes('<details class="stack" open')]).toEqual([429, false])
    await cancel(second, {}, await createOrderKey(number, shopCtx))
    expect((await readReturns(number)).states, 'with the signed link').not.toContain('requested')

    const third = await request()
    let hasRead = false
    const db = createSpyDatabase(async (go, _, statements) => {
      const answer = await go()
      if (!hasRead && statements.some(({ text }) => text.includes('from "promotions"'))) {
        hasRead = true
        await approveReturn({ number, returnId: third, replacements: [], actor }, ctx)
      }
      return answer
    })
    const late = await cancel(third, account.cookie, '', { ...shopCtx, db })
    expect([hasRead, late.status]).toEqual([true, 303])
    expect(new Set((await readReturns(number)).states)).toEqual(new Set(['cancelled']))
    expect(await readActions(number)).toEqual(['return.approve'])

    const fourth = await request()
    await approveReturn({ number, returnId: fourth, replacements: [], actor }, ctx)
    await receive(number)
    const received = await cancel(fourth, account.cookie)
    expect([received.status, (await received.text()).includes('We’ve already received these items')]).toEqual(
      [409, true],
    )
    expect((await readReturns(number)).states).toContain('received')
  })

  it('releases the reserved item if its shopper cancels an approved exchange, and tells the shop', async () => {
    const id = await newStockedItem(shopCtx, 5)
    const wanted = await newStockedItem(shopCtx, 1)
    const { number, account } = await placeAndDeliver([{ id, qty: 1 }])
    await postRequest(number, fieldsFor(id), account.cookie)
    await approveReturn({ number, replacements: [wanted], actor }, ctx)
    expect(await readStock(shopCtx, wanted)).toMatchObject({ reserved: 1 })
    const [{ id: returnId = '' } = {}] = (await readReturns(number)).returns
    const page = await readPage(`/order/${number}`, account.cookie)
    expect(page).toContain('Yes, cancel this exchange')
    await postRequest(number, { cancelReturn: returnId }, account.cookie)
    expect((await readReturns(number)).states).toEqual(['cancelled'])
    expect(await readStock(shopCtx, wanted)).toMatchObject({ onHand: 1, reserved: 0 })
    const { id: orderId } = (await readReturns(number)).record.row
    const notices = await ctx.db
      .select({ text: outbox.text })
      .from(outbox)
      .where(and(eq(outbox.subjectId, orderId), like(outbox.subject, 'Exchange for order %')))
    expect(notices[0]?.text.replaceAll(/\s+/g, ' ')).toContain(
      'The customer is keeping the items. The replacement is back in stock.',
    )
  })

  it('is refused after ten for the same order, even if each was cancelled', async () => {
    const id = await newStockedItem(shopCtx, 5)
    const { number, account } = await placeAndDeliver([{ id, qty: 1 }])
    const { record } = await readReturns(number)
    const cancelled = { kind: 'return', reason, state: 'cancelled', isByShopper: true } as const
    const times = { createdAtMs: NOW_MS, changedAtMs: NOW_MS }
    for (let nth = 1; nth < 10; nth++)
      await ctx.db
        .insert(orderReturns)
        .values({ id: `${number} ${nth}`, orderId: record.row.id, ...cancelled, ...times })
    expect((await postRequest(number, fieldsFor(id), account.cookie)).status).toBe(303)
    const [{ id: returnId = '' } = {}] = (await readReturns(number)).returns.filter(
      ({ state }) => state === 'requested',
    )
    await postRequest(number, { cancelReturn: returnId }, account.cookie)
    const refused = await postRequest(number, fieldsFor(id), account.cookie)
    expect([refused.status, await refused.text()]).toEqual([
      409,
      expect.stringContaining('You’ve sent 10 requests for this order. Please contact us'),
    ])
  })

  it('leads the page while it needs the shopper, even if a newer one was declined', async () => {
    await setStock(shopCtx, SIZE_M, 9)
    const { number, account } = await placeAndDeliver([
      { id: SIZE_S, qty: 1 },
      { id: HAIR_CLIPS, qty: 1 },
    ])
    const readLead = async () => {
      const page = await readPage(`/order/${number}`, account.cookie)
      return /class="lead" role="status">(.*?)<\/p>/s.exec(page)?.[1]?.replace(/<[^>]+>/g, '')
    }
    await postRequest(number, fieldsFor(SIZE_S, { 'for-0': String(SIZE_M) }), account.cookie)
    await postRequest(number, fieldsFor(HAIR_CLIPS, { returnKind: 'return' }), account.cookie)
    const { returns } = await readReturns(number)
    const findId = (kind: string) => returns.find((orderReturn) => orderReturn.kind === kind)?.id
    await ctx.db
      .update(orderReturns)
      .set({ createdAtMs: NOW_MS + 1 })
      .where(eq(orderReturns.id, findId('return') ?? ''))
    const decline = { number, returnId: findId('return'), message: 'It was worn.', actor }
    expect((await declineReturn(decline, { ...ctx, clock: () => NOW_MS + 1 })).ok).toBe(true)
    expect(await readLead()).toBe('Exchange requested. We’ll reply within 24 hours.')
    await approveReturn({ number, replacements: [SIZE_M], actor }, ctx)
    expect(await readLead()).toBe('Exchange approved: send us the items')
    await receive(number)
    expect(await readLead()).toContain('We’ve received your items. Next, ')
    await completeReturn(
      { number, refundCents: 0, includesShipping: false, actor },
      { ...ctx, clock: () => NOW_MS + 2 },
    )
    expect(await readLead()).toBe('Your order has been delivered. We hope you love it.')
    await ctx.db
      .update(orderReturns)
      .set({ changedAtMs: NOW_MS + 3 })
      .where(eq(orderReturns.state, 'declined'))
    expect(await readLead()).toBe('Return declined')
  })

  it('is ignored from another account or with a forged link, and accepted with the signed link', async () => {
    const id = await newStockedItem(shopCtx, 5)
    const { number } = await placeAndDeliver([{ id, qty: 1 }])
    const stranger = await createAccount(shopCtx)
    await postRequest(number, fieldsFor(id), stranger.cookie)
    await postRequest(number, fieldsFor(id), {}, 'forged')
    expect((await readReturns(number)).states).toEqual([])
    const key = await createOrderKey(number, shopCtx)
    const { status, headers } = await postRequest(number, fieldsFor(id), {}, key)
    expect([status, headers.get('Location')]).toEqual([303, expect.stringContaining(key)])
    expect((await readReturns(number)).states).toEqual(['requested'])
  })

  it.each([
    [{ returnKind: '' }, 0, 400, 'Please choose a return or an exchange.'],
    [{ reason: '' }, 0, 400, 'Please choose a reason.'],
    [{ returnNote: ' ' }, 0, 400, 'Please enter the size or item you’d like instead.'],
    [{ 'qty-0': '0' }, 0, 400, 'Please choose at least one item.'],
    [{ returnNote: 'x'.repeat(501) }, 0, 400, 'Your message must be at most 500 characters'],
    [{}, RETURN_WINDOW_MS, 409, 'It’s too late to return or exchange this order online.'],
  ])('is refused with a reason: $3', async (wrong, laterMs, expected, sentence) => {
    const id = await newStockedItem(shopCtx, 5)
    const { number } = await placeAndDeliver([{ id, qty: 1 }])
    const later = testContext({ clock: () => NOW_MS + laterMs })
    const fields = fieldsFor(id, { returnNote: 'Size M', ...(wrong as Record<string, string>) })
    const response = await postRequest(number, fields, {}, await createOrderKey(number, later), later)
    const text = await response.text()
    expect([response.status, text.includes(sentence)]).toEqual([expected, true])
    if (laterMs === 0) expect(text).toContain(fields.returnNote.slice(0, 400))
    expect((await readReturns(number)).states).toEqual([])
  })
})
