import { and, eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { changeOrderStatus } from '#server/orders/change-status.ts'
import { editOrder } from '#server/orders/edit-order.ts'
import { calculateBalance, selectOrderRecord, toOrderRecord } from '#server/orders/order-record.ts'
import { recordManualPayment } from '#server/orders/record-manual-payment.ts'
import { changeRefund, requestRefund } from '#server/orders/request-refund.ts'
import { runScheduledPayments } from '#server/orders/scheduled-payments.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import {
  auditLog,
  invoices,
  orderDocuments,
  orderLines,
  orders,
  outbox,
  refunds,
} from '#server/platform/db/schema.ts'
import { calculateAgreedTotals } from '#shared/checkout/pricing.ts'
import { formatMoney } from '#shared/format.ts'
import { createAccount } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { createSpyDatabase } from '#test/support/database.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import {
  billing,
  calculateCheckoutTotalKsh,
  createPromotion,
  getPriceKsh,
  orderRequest,
  postOrder,
  tenPercentDiscount,
} from '#test/support/orders.ts'
import { newStockedItem, readStock } from '#test/support/stock.ts'
import items from '../../public/Items.json'

const shopCtx = testContext()
const ctx = officeContext({ shop: { fetch: async () => Response.json(items) } })
const owner = await createOfficeClient(ctx)
const actor = COMMAND_LINE_ACTOR

async function placeOrder(lines = [{ id: 1, qty: 2 }], overrides: Parameters<typeof orderRequest>[1] = {}) {
  const { status, body } = await postOrder(
    shopCtx,
    await createAccount(shopCtx),
    orderRequest(lines, overrides),
  )
  expect(status, body.message).toBeLessThan(300)
  return body.order.number
}
const readOrder = async (number: string) => {
  const row = await ctx.db.select().from(orders).where(eq(orders.number, number)).get()
  if (!row) throw new Error(`${number} is missing.`)
  const lines = await ctx.db.select().from(orderLines).where(eq(orderLines.orderId, row.id))
  return {
    ...row,
    lines: lines.map(({ productId, qty, unitPriceCents }) => [productId, qty, unitPriceCents / 100]),
  }
}
/** Otherwise, the order may be on the board's second page. */
const moveToTopOfBoard = async (number: string) => {
  await ctx.db.update(orders).set({ createdAtMs: 0 }).where(eq(orders.number, number))
}
const readBalance = async (number: string) => {
  const rows = await ctx.db.batch(selectOrderRecord(ctx.db, eq(orders.number, number)))
  const record = toOrderRecord(rows)
  return record && calculateBalance(record)
}
const selectEmails = async ({ id }: { id: string }) =>
  ctx.db
    .select()
    .from(outbox)
    .where(and(eq(outbox.subjectId, id), eq(outbox.kind, 'order-edited')))
const readForm = async (number: string, overrides: Record<string, string> = {}) => {
  const { text } = await owner.get(`/orders/${number}/edit`)
  const seen = /name="seen" value="(\d+)"/.exec(text)?.[1] ?? ''
  return { seen, save: '1', ...overrides }
}

describe('an edit of an order', () => {
  it('changes address, phone, landmark and gift note, with one email and one audit entry', async () => {
    const number = await placeOrder()
    const fields = {
      address: 'Moi Avenue 7',
      phone: '0712 000 111',
      landmark: 'Yaya Centre',
      giftNote: 'Hongera!',
    }
    const { location } = await owner.post(`/orders/${number}/edit`, await readForm(number, fields))
    expect(location).toBe(`/orders/${number}?done=edited`)
    const order = await readOrder(number)
    expect(order).toMatchObject({ ...fields, revision: 1, firstName: billing.firstName })
    const [email, ...others] = await selectEmails(order)
    expect([email?.recipient, others]).toEqual([billing.email, []])
    expect(email?.text).toContain('Moi Avenue 7')
    const entries = await ctx.db.select().from(auditLog).where(eq(auditLog.subject, number))
    expect(entries.map(({ actor: who, action, to }) => [who, action, to])).toEqual([
      ['achieng@pamba.test', 'order.edit', 'Address; Landmark; Phone; Gift note'],
    ])
    expect((await owner.get(`/orders/${number}`)).text).toContain('Order changed: Address; Landmark; Phone;')
  })

  it('credits at most what an earlier refund left of each sum', async () => {
    // At KSH 250 each, the order is too small for free shipping.
    const number = await placeOrder([{ id: 36, qty: 2 }])
    await requestRefund({ number, amountCents: 310_00, actor }, ctx)
    await runScheduledPayments(shopCtx)
    await editOrder({ number, lines: [{ id: 36, qty: 1 }], actor }, ctx)
    await runScheduledPayments(shopCtx)
    const { id } = await readOrder(number)
    const left = await ctx.db.select().from(orderDocuments).where(eq(orderDocuments.orderId, id))
    const [total, ofTotal] = [610_00, (cents: number) => Math.round((cents * 10_00) / total)]
    expect(left.find(({ kind }) => kind === 'all')).toMatchObject({
      subtotalCents: ofTotal(500_00),
      shippingCents: ofTotal(30_00),
      vatCents: ofTotal(80_00),
      totalCents: 10_00,
    })
  })

  it('credits its own VAT if it drops the discount and another refund completes first', async () => {
    const terms = { ...tenPercentDiscount, minimumSubtotalCents: 3000_00 } as const
    const lines = [{ id: 1, qty: 2 }]
    const expectedTotal = calculateCheckoutTotalKsh(lines, terms)
    const promoCode = await createPromotion(shopCtx, terms)
    const number = await placeOrder(lines, { promoCode, expectedTotal })
    await editOrder({ number, lines: [{ id: 1, qty: 1 }], actor }, ctx)
    await requestRefund({ number, amountCents: 1500_00, actor }, ctx)
    const { id } = await readOrder(number)
    const requested = await ctx.db.select().from(refunds).where(eq(refunds.orderId, id))
    for (const reason of ['other', 'order_edited']) {
      const refundId = requested.find((refund) => refund.reason === reason)?.id
      await changeRefund({ number, refundId, change: 'complete', actor }, ctx)
    }
    const documents = await ctx.db.select().from(invoices).where(eq(invoices.orderId, id))
    expect(documents).toHaveLength(3)
    for (const { subtotalCents, discountCents, vatCents, roundingCents } of documents) {
      expect(Math.abs(roundingCents)).toBeLessThan(100)
      expect(Math.abs(vatCents - (subtotalCents - discountCents) * 0.16)).toBeLessThan(100)
    }
  })

  it('that is paid before the refund of an earlier one bills no shipping again', async () => {
    const number = await placeOrder([{ id: 36, qty: 2 }])
    for (const qty of [1, 2]) await editOrder({ number, lines: [{ id: 36, qty }], actor }, ctx)
    await recordManualPayment({ number, type: 'cash', reference: '', actor }, ctx)
    await runScheduledPayments(shopCtx)
    const { id } = await readOrder(number)
    const documents = await ctx.db.select().from(invoices).where(eq(invoices.orderId, id))
    expect(documents.map(({ kind, totalCents, shippingCents }) => [kind, totalCents, shippingCents])).toEqual(
      expect.arrayContaining([
        ['invoice', 610_00, 30_00],
        ['invoice', 290_00, 0],
        ['credit_note', -290_00, 0],
      ]),
    )
  })

  it('keeps agreed prices, uses today’s for added items, and moves the stock', async () => {
    const [kept, dropped, added] = [
      await newStockedItem(shopCtx, 5),
      await newStockedItem(shopCtx, 5),
      await newStockedItem(shopCtx, 5),
    ]
    const number = await placeOrder([
      { id: kept, qty: 1 },
      { id: dropped, qty: 2 },
    ])
    await ctx.db.update(orderLines).set({ unitPriceCents: 100_00 }).where(eq(orderLines.productId, kept))
    const edited = await editOrder(
      {
        number,
        lines: [
          { id: kept, qty: 1 },
          { id: added, qty: 3 },
        ],
        actor,
      },
      ctx,
    )
    expect(edited).toMatchObject({ ok: true })
    const order = await readOrder(number)
    expect(order.lines).toEqual([
      [kept, 1, 100],
      [added, 3, getPriceKsh(added)],
    ])
    const totals = calculateAgreedTotals(
      [
        { price: 100, qty: 1 },
        { price: getPriceKsh(added), qty: 3 },
      ],
      null,
      order,
    )
    expect(order).toMatchObject({ totalCents: totals.totalCents, vatCents: totals.vatCents })
    const readUnitsLeft = async (id: number) => (await readStock(shopCtx, id)).onHand
    expect([await readUnitsLeft(kept), await readUnitsLeft(dropped), await readUnitsLeft(added)]).toEqual([
      4, 5, 2,
    ])
    await changeOrderStatus({ number, to: 'cancelled', actor }, ctx)
    expect([await readUnitsLeft(kept), await readUnitsLeft(dropped), await readUnitsLeft(added)]).toEqual([
      5, 5, 5,
    ])
  })

  it('names its refund before and after it’s saved', async () => {
    const number = await placeOrder([{ id: 1, qty: 2 }])
    const path = `/orders/${number}/edit`
    const form = await readForm(number, { 'line-0': '1', 'qty-0': '1' })
    expect((await owner.get(path)).text).toContain('>Save changes and email the customer<')
    const preview = (await owner.post(path, { ...form, save: '' })).text
    const [, refund = ''] = /If you save, we’ll refund (KSH [\d,]+)\./.exec(preview) ?? []
    expect(preview).toContain(`>Save changes, refund ${refund} and email the customer<`)
    const before = await readOrder(number)
    const { location } = await owner.post(path, form)
    const { totalCents } = await readOrder(number)
    expect(refund).toBe(formatMoney(before.totalCents - totalCents))
    expect((await owner.get(location ?? '')).text).toContain(`Order changed. Refund of ${refund} started.`)
  })

  it('shows a total that the form hasn’t shown before it’s saved', async () => {
    const number = await placeOrder([{ id: 1, qty: 2 }])
    const path = `/orders/${number}/edit`
    const readShown = (text: string) => /name="shown" value="([^"]*)"/.exec(text)?.[1] ?? ''
    let shown = readShown((await owner.get(path)).text)
    for (const [qty, outcome] of [
      ['two', /value="two"/],
      ['1', /, so we’ll refund KSH [\d,]+\. Please check it, then save again\./],
      ['9', /, so KSH [\d,]+ will be due\. Please check it, then save again\./],
    ] as const) {
      const form = await readForm(number, { 'line-0': '1', 'qty-0': qty, shown })
      const { status, text } = await owner.post(path, form)
      expect([status, (await readOrder(number)).revision]).toEqual([409, 0])
      expect(text).toMatch(outcome)
      shown = readShown(text)
    }
    await owner.post(path, await readForm(number, { 'line-0': '1', 'qty-0': '9', shown }))
    expect((await readOrder(number)).lines).toEqual([[1, 9, getPriceKsh(1)]])
  })

  it('makes a higher total due and refunds a lower one, as the email says', async () => {
    const number = await placeOrder([{ id: 1, qty: 2 }])
    const before = await readOrder(number)
    await editOrder({ number, lines: [{ id: 1, qty: 3 }], actor }, ctx)
    const dearer = await readOrder(number)
    const dueCents = dearer.totalCents - before.totalCents
    expect(await readBalance(number)).toMatchObject({ status: 'part_paid', dueCents, refundDueCents: 0 })
    const [asked] = await selectEmails(dearer)
    expect(asked?.text).toContain(`${formatMoney(dueCents)} is still due.`)
    await editOrder({ number, lines: [{ id: 1, qty: 1 }], actor }, ctx)
    const cheaper = await readOrder(number)
    const refundDueCents = before.totalCents - cheaper.totalCents
    expect(await readBalance(number)).toMatchObject({ status: 'refund_due', dueCents: 0, refundDueCents })
    const emails = await selectEmails(cheaper)
    expect(emails.map(({ text }) => text.includes(`more than the new total`))).toEqual([true])
    expect(emails[0]?.text).toContain(formatMoney(refundDueCents))
    await runScheduledPayments(shopCtx)
    expect(await readBalance(number)).toMatchObject({ status: 'paid', refundedCents: refundDueCents })
  })

  it('mentions a refund even if the order changes again before the email is sent, but only once', async () => {
    const number = await placeOrder([{ id: 1, qty: 3 }])
    const edit = async (
      changes: Pick<Parameters<typeof editOrder>[0], 'lines' | 'fields'>,
      nowMs = NOW_MS,
    ) => {
      expect(await editOrder({ number, actor, ...changes }, { ...ctx, clock: () => nowMs })).toMatchObject({
        ok: true,
      })
      return (await selectEmails(await readOrder(number))).at(-1)
    }
    const before = await readOrder(number)
    await edit({ lines: [{ id: 1, qty: 1 }] })
    const cheaper = await readOrder(number)
    const refund = formatMoney(before.totalCents - cheaper.totalCents)
    const paidMore = `You’ve paid ${refund} more than the new total, so we’ve started a refund.`
    expect((await edit({ fields: { address: 'Moi Avenue 7' } }))?.text).toContain(paidMore)
    const dearer = await edit({ lines: [{ id: 1, qty: 2 }] })
    const due = formatMoney((await readOrder(number)).totalCents - cheaper.totalCents)
    expect(dearer?.text).toContain(
      `After an earlier change, we started a refund of ${refund}.\n\n${due} is still due.`,
    )
    await ctx.db
      .update(outbox)
      .set({ attempts: 1, status: 'sent' })
      .where(eq(outbox.id, dearer?.id ?? ''))
    const later = await edit({ fields: { address: 'Moi Avenue 8' } }, NOW_MS + 1000)
    expect(later?.text).not.toContain('refund')
    expect(later?.text).toContain(`${due} is still due.`)
  })

  it('keeps the shipping, the VAT rate and, above its minimum, the promo code', async () => {
    const code = await createPromotion(shopCtx, { minimumSubtotalCents: 300_000 })
    const lines = [{ id: 1, qty: 2 }]
    const expectedTotal = calculateCheckoutTotalKsh(lines, {
      ...tenPercentDiscount,
      minimumSubtotalCents: 300_000,
    })
    const number = await placeOrder(lines, { promoCode: code, expectedTotal })
    await ctx.db
      .update(orders)
      .set({ vatPercent: 14, shippingCents: 250_00 })
      .where(eq(orders.number, number))
    await editOrder({ number, lines: [{ id: 1, qty: 3 }], actor }, ctx)
    expect(await readOrder(number)).toMatchObject({
      discountCents: 555_00,
      shippingCents: 250_00,
      vatCents: 699_30,
      totalCents: 5944_00,
    })
    await editOrder({ number, lines: [{ id: 1, qty: 1 }], actor }, ctx)
    expect(await readOrder(number)).toMatchObject({ discountCents: 0, totalCents: 2359_00 })
  })

  it.each([
    ['makes an order free', { kind: 'fixed', value: 1000_00, minimumSubtotalCents: 0 }, 4],
    ['adds to an order that was refunded', null, 6],
  ] as const)('keeps an order “To pack” if it %s', async (_, terms, qty) => {
    const lines = [{ id: 36, qty: 5 }]
    const overrides = terms
      ? {
          promoCode: await createPromotion(shopCtx, terms),
          expectedTotal: calculateCheckoutTotalKsh(lines, terms),
        }
      : {}
    const number = await placeOrder(lines, overrides)
    if (!terms) await requestRefund({ number, actor }, ctx)
    await editOrder({ number, lines: [{ id: 36, qty }], actor }, ctx)
    await runScheduledPayments(shopCtx)
    await moveToTopOfBoard(number)
    expect((await owner.get('/?stage=pack')).text).toContain(number)
    const { totalCents } = await readOrder(number)
    if (totalCents > 0) return
    expect(await readBalance(number)).toMatchObject({ status: 'paid', dueCents: 0, refundDueCents: 0 })
    expect(await changeOrderStatus({ number, to: 'packed', actor }, ctx)).toMatchObject({ ok: true })
  })

  it('keeps an order “To pack” if it makes the order free before a payment for it settles', async () => {
    const terms = { kind: 'fixed', value: 1000_00, minimumSubtotalCents: 0 } as const
    const lines = [{ id: 36, qty: 5 }]
    const expectedTotal = calculateCheckoutTotalKsh(lines, terms)
    const promoCode = await createPromotion(shopCtx, terms)
    const number = await placeOrder(lines, { promoCode, expectedTotal })
    await editOrder({ number, lines: [{ id: 36, qty: 6 }], actor }, ctx)
    await recordManualPayment({ number, type: 'cash', reference: '', actor }, ctx)
    await editOrder({ number, lines: [{ id: 36, qty: 4 }], actor }, ctx)
    await runScheduledPayments(shopCtx)
    const { paidCents, refundCents } = await readOrder(number)
    expect([paidCents, refundCents]).toEqual([580_00, 580_00])
    await moveToTopOfBoard(number)
    expect((await owner.get('/?stage=pack')).text).toContain(number)
  })

  it('can be made with a form that needs no JavaScript and previews the new total', async () => {
    const number = await placeOrder()
    const searched = await owner.post(`/orders/${number}/edit`, {
      ...(await readForm(number, { save: '', q: 'romper', 'line-0': '1', 'qty-0': '2', address: 'Typed' })),
    })
    expect(searched.text).toMatch(/name="address"[^>]*value="Typed"/)
    const [, add = ''] = /value="(\d+)" name="add"/.exec(searched.text) ?? []
    const form = await readForm(number, { save: '', add, 'line-0': '101', 'qty-0': '2' })
    const previewed = await owner.post(`/orders/${number}/edit`, form)
    expect(previewed.text).toMatch(/name="line-1"/)
    expect(previewed.text).toMatch(
      /New total: <strong>KSH [\d,]+<\/strong> \(was KSH [\d,]+\)\. KSH [\d,]+ will be due\./,
    )
    expect((await readOrder(number)).revision).toBe(0)
    await owner.post(`/orders/${number}/edit`, { ...form, save: '1', add: '' })
    expect((await readOrder(number)).lines).toEqual([[101, 2, getPriceKsh(101)]])
  })

  it.each([
    [{ address: ' ' }, 'Address is required', 'name="address"'],
    [{ phone: 'abc' }, 'Please enter a valid phone number', 'value="abc"'],
    [{ giftNote: 'x'.repeat(201) }, 'Please use at most 200 characters', 'x'.repeat(201)],
    [{ 'line-0': '1', 'qty-0': '0' }, 'An order needs at least one item.', 'value="0"'],
    [{ 'line-0': '1', 'qty-0': 'two' }, 'Please enter quantities as whole numbers', 'value="two"'],
    [{ 'line-0': '999999', 'qty-0': '1' }, 'We no longer sell', 'value="999999"'],
  ])('with %j is refused, and the form keeps what was typed', async (typed, sentence, kept) => {
    const number = await placeOrder()
    const form = await readForm(number, { landmark: 'Typed landmark', ...(typed as Record<string, string>) })
    const { status, text } = await owner.post(`/orders/${number}/edit`, form)
    expect([status, text.includes(sentence), text.includes(kept)]).toEqual([409, true, true])
    expect(text).toContain('value="Typed landmark"')
    expect(await readOrder(number)).toMatchObject({ revision: 0, landmark: null })
  })

  it.each(['abc', '', '1.5'])(
    'offers no total while the quantity is %j, also before it is saved',
    async (qty) => {
      const number = await placeOrder()
      const form = await readForm(number, { 'line-0': '1', 'qty-0': qty, 'line-1': '101', 'qty-1': '3' })
      for (const save of ['', '1']) {
        const { status, text } = await owner.post(`/orders/${number}/edit`, { ...form, save })
        expect(status).toBe(409)
        expect(text).toContain('Please enter quantities as whole numbers')
        expect(text).toMatch(new RegExp(`name="qty-0"[^>]*value="${qty}"`))
        expect(text).toMatch(/name="qty-1"[^>]*value="3"/)
        expect(text).not.toContain('New total')
      }
      expect((await readOrder(number)).revision).toBe(0)
    },
  )

  it('is refused without enough stock, and the message says how many units are left', async () => {
    const scarce = await newStockedItem(shopCtx, 1)
    const number = await placeOrder()
    const edited = await editOrder(
      {
        number,
        lines: [
          { id: 1, qty: 2 },
          { id: scarce, qty: 2 },
        ],
        actor,
      },
      ctx,
    )
    expect(edited).toMatchObject({
      ok: false,
      error: {
        code: 'out_of_stock',
        message: expect.stringMatching(/: only 1 left\. Your changes weren’t saved\.$/),
      },
    })
    expect([(await readOrder(number)).revision, (await readStock(shopCtx, scarce)).onHand]).toEqual([0, 1])
  })

  it('is refused with a 409 that lists what differs if the order has changed in the meantime', async () => {
    const number = await placeOrder()
    const form = await readForm(number)
    await owner.post(`/orders/${number}/edit`, { ...form, address: 'First Street 1' })
    const late = await owner.post(`/orders/${number}/edit`, { ...form, address: 'Second Street 2' })
    expect(late.status).toBe(409)
    expect(late.text).toContain(
      'This order has changed since you opened it. Your changes weren’t saved. It now has: Address: First Street 1. Save again',
    )
    expect(late.text).toContain('value="Second Street 2"')
    expect((await readOrder(number)).address).toBe('First Street 1')
    expect(await selectEmails(await readOrder(number))).toHaveLength(1)
  })

  it('is compared as it would be saved if the order has changed in the meantime', async () => {
    const number = await placeOrder()
    await editOrder({ number, fields: { giftNote: 'Hongera!\nLove, Mum' }, actor }, ctx)
    const form = await readForm(number)
    await editOrder({ number, fields: { phone: '0712 000 111' }, actor }, ctx)
    const entered = { address: ' Ngong Road 12 ', giftNote: 'Hongera!\r\nLove, Mum', phone: '' }
    const { text } = await owner.post(`/orders/${number}/edit`, { ...form, ...entered })
    expect(text).toContain('It now has: Phone: 0712 000 111. Save again to replace')
  })

  it.each(['/?stage=pack', 'its page'])(
    'must be seen before the order is marked as packed, from %s',
    async (page) => {
      const number = await placeOrder()
      await moveToTopOfBoard(number)
      const path = page.startsWith('/') ? page : `/orders/${number}`
      const readPackForm = (text: string) => {
        const form = text.split('<form').find((html) => html.includes(`${number}/status`)) ?? ''
        const revision = /name="revision" value="(\d+)"/.exec(form)?.[1] ?? ''
        return { from: 'placed', to: 'packed', revision }
      }
      const outdated = readPackForm((await owner.get(path)).text)
      await editOrder({ number, fields: { address: 'Moi Avenue 7' }, actor }, ctx)
      const refused = await owner.post(`/orders/${number}/status`, outdated)
      expect([refused.status, (await readOrder(number)).status]).toEqual([409, 'placed'])
      expect(refused.text).toContain('This order has changed since you opened it. Your change wasn’t saved.')
      const again = await owner.post(`/orders/${number}/status`, readPackForm(refused.text))
      expect([again.status, (await readOrder(number)).status]).toEqual([303, 'packed'])
    },
  )

  it('keeps an order that is being packed at the same time “To pack”', async () => {
    const number = await placeOrder()
    let trips = 0
    const db = createSpyDatabase(async (go) => {
      const answer = await go()
      if (++trips === 1) await editOrder({ number, fields: { address: 'Moi Avenue 7' }, actor }, ctx)
      return answer
    })
    const packed = await changeOrderStatus({ number, to: 'packed', actor }, officeContext({ db }))
    expect(packed).toMatchObject({ ok: false, error: { code: 'status_changed' } })
    expect(await readOrder(number)).toMatchObject({ status: 'placed', address: 'Moi Avenue 7' })
  })

  it.each([
    [
      'another edit',
      (number: string) => editOrder({ number, fields: { address: 'Elsewhere 9' }, actor }, ctx),
    ],
    ['a cancellation', (number: string) => changeOrderStatus({ number, to: 'cancelled', actor }, ctx)],
  ])('loses the race against %s', async (_, change) => {
    const id = await newStockedItem(shopCtx, 3)
    const number = await placeOrder([{ id, qty: 1 }])
    let trips = 0
    const db = createSpyDatabase(async (go) => {
      const answer = await go()
      if (++trips === 1) await change(number)
      return answer
    })
    const late = await editOrder({ number, lines: [{ id, qty: 3 }], actor }, { ...ctx, db })
    expect(late).toMatchObject({ ok: false, error: { code: 'status_changed' } })
    const { lines, status } = await readOrder(number)
    expect(lines).toEqual([[id, 1, getPriceKsh(id)]])
    expect((await readStock(shopCtx, id)).onHand).toBe(status === 'cancelled' ? 3 : 2)
  })

  it('is refused once the order is sent', async () => {
    const number = await placeOrder()
    for (const to of ['packed', 'shipped'] as const) await changeOrderStatus({ number, to, actor }, ctx)
    expect(await editOrder({ number, fields: { address: 'Late 1' }, actor }, ctx)).toMatchObject({
      ok: false,
      error: { code: 'status_not_allowed' },
    })
    expect((await owner.get(`/orders/${number}/edit`)).status).toBe(404)
  })
})
