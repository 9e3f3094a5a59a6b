import { and, desc, eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { assignIncomingPayment } from '#server/books/assign-incoming.ts'
import { recordIncomingPaymentsStatements } from '#server/books/incoming-payments.ts'
import { getDeliveryTerms } from '#server/content/delivery-terms.ts'
import { runHousekeeping } from '#server/housekeeping.ts'
import { cancelReturn, completeReturn, receiveReturn } from '#server/orders/change-return.ts'
import { changeOrderStatus } from '#server/orders/change-status.ts'
import { createReturn } from '#server/orders/create-return.ts'
import { editOrder } from '#server/orders/edit-order.ts'
import { readOrderRecord } from '#server/orders/order-record.ts'
import { recordManualPayment } from '#server/orders/record-manual-payment.ts'
import { changeRefund, requestRefund } from '#server/orders/request-refund.ts'
import { createOrderKey } from '#server/platform/auth/signed-link.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import {
  figureDays,
  figureItems,
  invoiceLines,
  invoices,
  orders,
  outbox,
  payments,
  salesDays,
  salesItems,
  stock,
} from '#server/platform/db/schema.ts'
import { createDeliveryTerms, isCashOffered } from '#shared/checkout/delivery.ts'
import type { OrderView } from '#shared/orders/contract.ts'
import { DAY_MS, listShopDaysUntil } from '#shared/time.ts'
import { createAccount, createDeviceCookie } from '#test/support/account.ts'
import { createCashContentSource, createContentSource, NOW_MS, testContext } from '#test/support/context.ts'
import { createSpyDatabase } from '#test/support/database.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import {
  billing,
  calculateCheckoutTotalKsh,
  countUses,
  createPromotion,
  orderRequest,
  postOrder,
  tenPercentDiscount,
} from '#test/support/orders.ts'
import { callOrder, createMpesaPayment, testPayments } from '#test/support/payments.ts'
import { postJson } from '#test/support/posting.ts'
import { setStock } from '#test/support/stock.ts'
import items from '../../public/Items.json'

const delivery = createDeliveryTerms({ zones: [], pickup: 'Biashara Street 9' })
const content = createCashContentSource(5000, ['Nairobi'])
const terms = getDeliveryTerms({ delivery, content })
const newContext = (overrides: Parameters<typeof testContext>[0] = {}) =>
  testContext({ delivery, content, ...overrides })
const withCatalogue = officeContext({ shop: { fetch: async () => Response.json(items) } })
const cashPayment = { provider: 'cash-on-delivery' } as const
const lines = [{ id: 1, qty: 2 }]
const totalKsh = calculateCheckoutTotalKsh(lines)
const amount = `KSH ${totalKsh.toLocaleString('en')}`

async function placeOrder(
  overrides: Parameters<typeof orderRequest>[1] = {},
  contextOverrides: Parameters<typeof testContext>[0] = {},
) {
  const ctx = newContext(contextOverrides)
  const shopper = await createAccount(ctx)
  const key = crypto.randomUUID()
  const request = orderRequest(lines, { payment: cashPayment, ...overrides })
  const { status, body } = await postOrder(ctx, shopper, request, key)
  const number = body.order?.number ?? ''
  const client = await createOfficeClient(officeContext())
  const changeStatus = (to: string, from: string, fields: Record<string, string> = {}) =>
    client.post(`/orders/${number}/status`, {
      from,
      to,
      note: '',
      trackingUrl: '',
      stage: '',
      confirmed: '',
      collected: '',
      ...fields,
    })
  return {
    ctx,
    shopper,
    key,
    request,
    status,
    body,
    number,
    client,
    changeStatus,
    readOrder: () => ctx.db.select().from(orders).where(eq(orders.number, number)).get(),
    readEmails: async () => {
      const order = await ctx.db.select().from(orders).where(eq(orders.number, number)).get()
      return ctx.db
        .select()
        .from(outbox)
        .where(eq(outbox.subjectId, order?.id ?? ''))
    },
  }
}

describe('cash on delivery', () => {
  it('is off unless the operator turns it on', async () => {
    const off = testContext()
    const shopper = await createAccount(off)
    expect((await postOrder(off, shopper, orderRequest(lines, { payment: cashPayment }))).status).toBe(400)
    expect(getDeliveryTerms(off)).not.toHaveProperty('cash')
  })

  it.each([
    [{ method: 'delivery', county: 'Nairobi', totalKsh: 5000 }, true],
    [{ method: 'delivery', county: 'Nairobi', totalKsh: 5001 }, false],
    [{ method: 'delivery', county: 'Mombasa', totalKsh: 100 }, false],
    [{ method: 'pickup', county: 'Nairobi', totalKsh: 100 }, false],
  ] as const)('is offered for %j: %s', (choice, isOffered) => {
    expect(isCashOffered(terms, choice)).toBe(isOffered)
  })

  it('is refused by the server above the limit and in other counties', async () => {
    const many = [{ id: 1, qty: 9 }]
    for (const [requested, overrides] of [
      [many, { expectedTotal: calculateCheckoutTotalKsh(many) }],
      [lines, { billing: { ...billing, state: 'Mombasa' } }],
    ] as const) {
      const ctx = newContext()
      const refused = await postOrder(
        ctx,
        await createAccount(ctx),
        orderRequest([...requested], { payment: cashPayment, ...overrides }),
      )
      expect([refused.status, refused.body.message]).toEqual([
        400,
        expect.stringContaining('isn’t available for this order'),
      ])
    }
  })

  it('follows the published terms: a shopper with an old page gets the current ones and pays another way', async () => {
    let published = content
    const current = () => published.current()
    const ctx = newContext({ content: { current, load: async () => current() } })
    const shopper = await createAccount(ctx)
    const key = crypto.randomUUID()
    const readBootData = async () => {
      const page = await createApp(ctx).request('https://pamba.test/checkout', { headers: shopper.cookie })
      return /id="boot">(.*?)<\/script>/s.exec(await page.text())?.[1] ?? ''
    }
    const order = (payment: Parameters<typeof orderRequest>[1]) =>
      postOrder(ctx, shopper, orderRequest(lines, payment), key)
    const offer = '"cash":{"maxKsh":5000,"counties":["Nairobi"]}'
    expect(await readBootData()).toContain(offer)
    published = createCashContentSource(1000, ['Nairobi'])
    const lowered = await order({ payment: cashPayment })
    expect([lowered.status, lowered.body]).toMatchObject([
      400,
      { code: 'invalid_fields', delivery: { cash: { maxKsh: 1000, counties: ['Nairobi'] } } },
    ])
    published = createContentSource({})
    expect(await readBootData()).not.toContain('cash')
    const off = await order({ payment: cashPayment })
    expect([off.status, off.body.message, off.body.delivery]).toEqual([
      400,
      'Cash on delivery isn’t available for this order. You haven’t been charged. Please choose another way to pay.',
      { zones: {}, highestFeeKsh: null, pickup: 'Biashara Street 9' },
    ])
    expect((await order({ payment: createMpesaPayment() })).status).toBe(202)
  })

  it('is still accepted when a placed order is resent after the option was turned off', async () => {
    const order = await placeOrder()
    const off = { ...order.ctx, content: createContentSource({}) }
    const again = await postOrder(off, order.shopper, order.request, order.key)
    expect([again.status, again.body.order?.number]).toEqual([202, order.number])
  })

  it('places the order unpaid and sells its units; emails and the order’s page say what to pay', async () => {
    const setup = newContext()
    await setStock(setup, 1, 4)
    const order = await placeOrder()
    expect([order.status, order.body.order.status]).toEqual([202, 'placed'])
    expect(await order.ctx.db.select().from(stock).where(eq(stock.itemId, 1)).get()).toMatchObject({
      onHand: 2,
      reserved: 0,
    })
    const emails = await order.readEmails()
    expect(emails.find(({ kind }) => kind === 'order-confirmation')?.text).toContain(
      `You’ll pay ${amount} when your order arrives`,
    )
    expect(emails.find(({ kind }) => kind === 'order-notice')?.text).toContain(
      'Not paid yet, Cash on delivery',
    )
    const page = await createApp(order.ctx).request(`https://pamba.test/order/${order.number}`, {
      headers: order.shopper.cookie,
    })
    expect(await page.text()).toMatch(new RegExp(`Pay on delivery.*You’ll pay ${amount}`, 's'))
    expect((await postOrder(order.ctx, order.shopper, order.request, order.key)).body.order.number).toBe(
      order.number,
    )
    expect(await order.readEmails()).toHaveLength(emails.length)
    await setup.db.delete(stock).where(eq(stock.itemId, 1))
  })

  it('shows its steps while it is unpaid, and keeps the time it was placed once it is paid', async () => {
    const placedAtMs = NOW_MS - 3_600_000
    const { ctx, shopper, number, changeStatus } = await placeOrder({}, { clock: () => placedAtMs })
    const readTimes = async () => {
      const url = `https://pamba.test/api/orders/${number}`
      const response = await createApp(ctx).request(url, { headers: shopper.bearer })
      return (await response.json<OrderView>()).steps.map(({ status, atMs }) => [status, atMs])
    }
    const [packed, shipped, delivered] = ['packed', 'shipped', 'delivered'].map((status) => [status, null])
    expect(await readTimes()).toEqual([['placed', placedAtMs], packed, shipped, delivered])
    await changeStatus('packed', 'placed')
    await changeStatus('shipped', 'packed')
    await changeStatus('delivered', 'shipped', { collected: 'yes' })
    expect(await readTimes()).toEqual([
      ['placed', placedAtMs],
      ...['packed', 'shipped', 'delivered'].map((status) => [status, NOW_MS]),
    ])
  })

  it('is shown as an amount to collect on the board and the slip, and is settled with the delivery', async () => {
    const order = await placeOrder()
    const { client, number, changeStatus } = order
    for (const path of ['/?stage=pack', `/orders/${number}`, `/packing-slips?orders=${number}`])
      expect((await client.get(path)).text, path).toContain(`Collect ${amount}`)
    expect((await changeStatus('packed', 'placed')).status).toBe(303)
    expect((await changeStatus('shipped', 'packed')).status).toBe(303)
    expect((await order.readEmails()).find(({ kind }) => kind === 'order-shipped')?.text).toContain(
      `Please have ${amount} ready`,
    )
    const { text } = await client.get(`/orders/${number}`)
    expect(text).toContain(`Mark as delivered and paid, ${amount}`)
    expect(text).toMatch(/Cash on delivery<\/span><span class="mark">To collect/)
    const results = await Promise.all(
      [1, 2, 3].map(() => changeStatus('delivered', 'shipped', { collected: 'yes' })),
    )
    expect(results.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(await order.readOrder()).toMatchObject({ status: 'delivered', paidCents: totalKsh * 100 })
    const collected = (await client.get(`/orders/${number}`)).text
    expect(collected).not.toMatch(/Collect KSH|To collect|Waiting for customer/)
  })

  it('is listed as unpaid if it was delivered without its cash, until the cash is recorded', async () => {
    const { number, client, changeStatus, ctx } = await placeOrder()
    const readUnpaid = async () => (await client.get('/?stage=pay')).text
    const countUnpaid = (text: string) =>
      Number(/>Unpaid<[^>]*>(\d+)</.exec(text.replaceAll(/<!-- -->/g, ''))?.[1] ?? 0)
    const before = countUnpaid(await readUnpaid())
    await changeStatus('packed', 'placed')
    await changeStatus('shipped', 'packed')
    expect(await readUnpaid()).not.toContain(number)
    await changeStatus('delivered', 'shipped', { collected: 'no' })
    const unpaid = await readUnpaid()
    expect(unpaid).toContain(number)
    expect(unpaid).toContain('Delivered')
    expect(countUnpaid(unpaid)).toBe(before + 1)
    await recordManualPayment({ number, type: 'cash', reference: '', actor: COMMAND_LINE_ACTOR }, ctx)
    await runHousekeeping(ctx)
    const paid = await readUnpaid()
    expect(paid).not.toContain(number)
    expect(countUnpaid(paid)).toBe(before)
  })

  it('is due again, at the edited total, once a delivery recorded by mistake is undone', async () => {
    const order = await placeOrder()
    const { client, number, changeStatus } = order
    await editOrder({ number, lines: [{ id: 1, qty: 1 }], actor: COMMAND_LINE_ACTOR }, withCatalogue)
    const due = `KSH ${calculateCheckoutTotalKsh([{ id: 1, qty: 1 }]).toLocaleString('en')}`
    await changeStatus('packed', 'placed')
    await changeStatus('shipped', 'packed')
    const isDue = async () => {
      const { text } = await client.get(`/orders/${number}`)
      expect(text).toContain(`Mark as delivered and paid, ${due}`)
      expect(text).toMatch(new RegExp(`<strong>${due}</strong> <span>Cash on delivery</span>`))
      expect((await client.get('/?stage=on-the-way')).text).toContain(number)
    }
    await isDue()
    await changeStatus('delivered', 'shipped', { collected: 'yes' })
    const undone = await Promise.all([1, 2].map(() => changeStatus('shipped', 'delivered')))
    expect(undone.map(({ status }) => status).toSorted()).toEqual([303, 409])
    await isDue()
    const readShown = async () => (await callOrder(order.ctx, order.shopper, 'GET', `${number}/payment`)).body
    const unpaid = { status: 'unpaid', paidCents: 0, refundedCents: 0 }
    expect(await readShown()).toMatchObject({
      order: { balance: unpaid, payment: null },
      payment: { message: expect.stringContaining(`You’ll pay ${due} when your order arrives`) },
    })
    expect((await order.readEmails()).find(({ kind }) => kind === 'order-shipped')?.text).toContain(
      `Please have ${due} ready`,
    )
    await changeStatus('delivered', 'shipped', { collected: 'yes' })
    const row = await order.readOrder()
    const { totalCents: paidCents } = row ?? {}
    expect((await readShown()).order.balance).toMatchObject({ status: 'paid', paidCents, refundedCents: 0 })
    expect(row).toMatchObject({ paidCents: 2 * (row?.totalCents ?? 0), refundCents: row?.totalCents })
    const documents = await order.ctx.db
      .select()
      .from(invoices)
      .where(eq(invoices.orderId, row?.id ?? ''))
    expect(documents.map(({ kind, totalCents, vatCents }) => [kind, totalCents, vatCents])).toEqual([
      ['credit_note', -(row?.totalCents ?? 0), -(row?.vatCents ?? 0)],
      ['invoice', row?.totalCents, row?.vatCents],
      ['invoice', row?.totalCents, row?.vatCents],
    ])
  })

  it('stays delivered if its cash is refunded while the delivery is being undone', async () => {
    const { number, changeStatus, readOrder } = await placeOrder()
    await changeStatus('packed', 'placed')
    await changeStatus('shipped', 'packed')
    await changeStatus('delivered', 'shipped', { collected: 'yes' })
    const actor = COMMAND_LINE_ACTOR
    let trips = 0
    const db = createSpyDatabase(async (go) => {
      const answer = await go()
      if (++trips === 1) await requestRefund({ number, amountCents: 100_00, actor }, officeContext())
      return answer
    })
    const undone = await changeOrderStatus({ number, to: 'shipped', actor }, officeContext({ db }))
    expect(undone).toMatchObject({ ok: false, error: { code: 'status_changed' } })
    expect(await readOrder()).toMatchObject({ status: 'delivered', refundCents: 100_00 })
  })

  it('isn’t collected again with the delivery if the cash was recorded separately just before', async () => {
    const { ctx, number, client, changeStatus, readOrder } = await placeOrder()
    await changeStatus('packed', 'placed')
    await changeStatus('shipped', 'packed')
    await recordManualPayment({ number, type: 'cash', reference: '', actor: COMMAND_LINE_ACTOR }, ctx)
    expect((await changeStatus('delivered', 'shipped', { collected: 'yes' })).status).toBe(303)
    await runHousekeeping(ctx)
    const paidOnce = { status: 'delivered', paidCents: totalKsh * 100, refundCents: 0 }
    expect(await readOrder()).toMatchObject(paidOnce)
    expect((await client.get(`/orders/${number}`)).text).not.toMatch(/Collect KSH|To collect/)
  })

  it('stays paid after a delivery is undone if the cash was recorded separately', async () => {
    const { ctx, number, changeStatus, readOrder } = await placeOrder()
    await changeStatus('packed', 'placed')
    await changeStatus('shipped', 'packed')
    await changeStatus('delivered', 'shipped')
    await recordManualPayment({ number, type: 'cash', reference: 'CASH-7', actor: COMMAND_LINE_ACTOR }, ctx)
    await runHousekeeping(ctx)
    expect((await changeStatus('shipped', 'delivered')).status).toBe(303)
    expect(await readOrder()).toMatchObject({ status: 'shipped', paidCents: totalKsh * 100, refundCents: 0 })
  })

  it('counts as a sale on the day it is paid, in the sales by order and by invoice', async () => {
    const dayBefore = NOW_MS - 86_400_000
    const { ctx } = await placeOrder()
    const readSales = async () => {
      const days = await ctx.db.select().from(salesDays)
      const invoiced = await ctx.db.select().from(figureDays).where(eq(figureDays.method, ''))
      const units = await ctx.db.select().from(salesItems).where(eq(salesItems.itemId, 1))
      const listFigures = (day: string) => [
        days.find((row) => row.day === day)?.orders ?? 0,
        days.find((row) => row.day === day)?.totalCents ?? 0,
        invoiced.find((row) => row.day === day)?.totalCents ?? 0,
        units.find(({ period }) => period === `day ${day}`)?.units ?? 0,
      ]
      const names = [dayBefore, NOW_MS].map((atMs) => listShopDaysUntil(atMs, 1)[0]?.name ?? '')
      return names.map(listFigures)
    }
    const before = await readSales()
    const order = await placeOrder({}, { clock: () => dayBefore })
    await order.changeStatus('packed', 'placed')
    await order.changeStatus('shipped', 'packed')
    expect(await readSales()).toEqual(before)
    expect((await order.changeStatus('delivered', 'shipped', { collected: 'yes' })).status).toBe(303)
    const sold = [1, totalKsh * 100, totalKsh * 100, 2]
    expect(await readSales()).toEqual([before[0], before[1]?.map((figure, n) => figure + (sold[n] ?? 0))])
  })

  it('counts in figures, sales, VAT and its customer’s total only while its cash is recorded', async () => {
    const order = await placeOrder({}, { clock: () => NOW_MS - 86_400_000 })
    const { ctx, client, changeStatus, shopper } = order
    const { id = '' } = (await order.readOrder()) ?? {}
    const readSums = async () => {
      const [ordered, invoiced, units, soldUnits, documents] = await ctx.db.batch([
        ctx.db.select().from(salesDays),
        ctx.db.select().from(figureDays),
        ctx.db.select().from(salesItems).where(eq(salesItems.itemId, 1)),
        ctx.db.select().from(figureItems).where(eq(figureItems.itemId, 1)),
        ctx.db.select().from(invoices).where(eq(invoices.orderId, id)),
      ])
      const all = invoiced.filter(({ method }) => method === '')
      const cash = invoiced.filter(({ method }) => method === 'cash')
      type Sums = { orders: number; totalCents: number; units: number }
      const sum = <Name extends keyof Sums>(rows: readonly Pick<Sums, Name>[], name: Name) =>
        rows.reduce((total, row) => total + row[name], 0)
      const customer = (await client.get(`/customers/${shopper.user.id}`)).text
      return {
        orders: [ordered, all, cash].map((rows) => sum(rows, 'orders')),
        totals: [ordered, all, cash, documents].map((rows) => sum(rows, 'totalCents')),
        units: [units.filter(({ period }) => period.startsWith('day')), soldUnits].map((rows) =>
          sum(rows, 'units'),
        ),
        customer: /<dt>Paid orders<.*?<dd>(.*?)<.*?<strong>(.*?)</s.exec(customer)?.slice(1),
      }
    }
    const before = await readSums()
    const isCounted = async (times: 0 | 1, step: string) => {
      const add = (amounts: number[], added: number) => amounts.map((value) => value + times * added)
      expect(await readSums(), step).toEqual({
        orders: add(before.orders, 1),
        totals: add(before.totals, totalKsh * 100),
        units: add(before.units, 2),
        customer: times ? ['1', amount] : ['0', 'KSH 0'],
      })
    }
    await changeStatus('packed', 'placed')
    await changeStatus('shipped', 'packed')
    await isCounted(0, 'sent')
    for (let times = 0; times < 2; times++) {
      await changeStatus('delivered', 'shipped', { collected: 'yes' })
      await isCounted(1, 'delivered')
      expect((await changeStatus('shipped', 'delivered')).status).toBe(303)
      await isCounted(0, 'undone')
    }
    expect((await client.get(`/orders/${order.number}/cancel`)).text).toContain('This order wasn’t paid')
    await changeStatus('cancelled', 'shipped')
    expect(await order.readOrder()).toMatchObject({ status: 'cancelled' })
    await isCounted(0, 'cancelled')
  })

  it('that was delivered twice gives back its units once when it’s refunded, and names one payment', async () => {
    const order = await placeOrder()
    const { ctx, number, changeStatus } = order
    const readUnits = async () => {
      const rows = await ctx.db.select().from(figureItems).where(eq(figureItems.itemId, 1))
      return rows.map(({ units, netCents, returnedCents }) => [units, netCents - returnedCents])
    }
    const before = await readUnits()
    await changeStatus('packed', 'placed')
    await changeStatus('shipped', 'packed')
    await changeStatus('delivered', 'shipped', { collected: 'yes' })
    await changeStatus('shipped', 'delivered')
    await changeStatus('delivered', 'shipped', { collected: 'yes' })
    await requestRefund({ number, actor: COMMAND_LINE_ACTOR }, ctx)
    const refund = { number, change: 'complete', actor: COMMAND_LINE_ACTOR } as const
    const refunded = await changeRefund(refund, officeContext())
    expect(await readUnits()).toEqual(before)
    const id = refunded.ok ? refunded.data.id : ''
    const email = await ctx.db.select().from(outbox).where(eq(outbox.subjectId, id)).get()
    expect(email?.text).toContain(`We’ve refunded ${amount}`)
    expect(email?.text).not.toContain('several payments')
  })

  it('counts as paid by its customer only once the cash was collected', async () => {
    const { client, shopper, changeStatus } = await placeOrder()
    const { id } = shopper.user
    const readTotals = async () => {
      const { text } = await client.get(`/customers/${id}`)
      return /<dt>Paid orders<.*?<dd>(.*?)<.*?<strong>(.*?)</s.exec(text)?.slice(1)
    }
    expect(await readTotals()).toEqual(['0', 'KSH 0'])
    await changeStatus('packed', 'placed')
    await changeStatus('shipped', 'packed')
    expect(await readTotals()).toEqual(['0', 'KSH 0'])
    await changeStatus('delivered', 'shipped', { collected: 'yes' })
    expect(await readTotals()).toEqual(['1', amount])
  })

  async function payDeposit(
    { ctx, number }: Pick<Awaited<ReturnType<typeof placeOrder>>, 'ctx' | 'number'>,
    receipt: string,
  ) {
    const deposit = { receipt, amountCents: 500_00, paidAtMs: NOW_MS, account: null, payer: null }
    await Promise.all(
      recordIncomingPaymentsStatements({ provider: 'mpesa', source: 'pull', payments: [deposit] }, ctx),
    )
    await assignIncomingPayment({ provider: 'mpesa', receipt, number, actor: COMMAND_LINE_ACTOR }, ctx)
    await runHousekeeping(ctx)
  }

  it('names only its deposit as the refund if it’s cancelled after its delivery was undone', async () => {
    const order = await placeOrder()
    const { ctx, shopper, number, changeStatus } = order
    await payDeposit(order, 'DEPOSIT002')
    await changeStatus('packed', 'placed')
    await changeStatus('shipped', 'packed')
    await changeStatus('delivered', 'shipped', { collected: 'yes' })
    await changeStatus('shipped', 'delivered')
    expect((await changeStatus('cancelled', 'shipped')).status).toBe(303)
    const { body } = await callOrder(ctx, shopper, 'GET', `${number}/payment`)
    expect(body.payment.message).toContain('We’ve started a refund of KSH 500.')
  })

  it('keeps an order “To pack” when its deposit is refunded; each invoice is for a part of the order', async () => {
    const { ctx, number, client, changeStatus } = await placeOrder()
    await payDeposit({ ctx, number }, 'DEPOSIT001')
    const due = `KSH ${(totalKsh - 500).toLocaleString('en')}`
    expect((await client.get(`/orders/${number}/refund`)).text).toContain(`The ${due} still due`)
    await requestRefund({ number, actor: COMMAND_LINE_ACTOR }, ctx)
    expect((await client.get('/?stage=pack')).text).toContain(number)
    await changeStatus('packed', 'placed')
    await changeStatus('shipped', 'packed')
    await changeStatus('delivered', 'shipped', { collected: 'yes' })
    const receiptPage = (await client.get(`/orders/${number}/invoice`)).text
    expect(receiptPage.match(/Part of the order/g)).toHaveLength(2)
    expect(receiptPage).not.toContain('Changes to the order')
  })

  it('is settled by a payment through the link, and is not collected again', async () => {
    const order = await placeOrder()
    const [, seen = ''] =
      /name="seen" value="(\d+)"/.exec((await order.client.get(`/orders/${order.number}`)).text) ?? []
    expect(seen).toBe(String(totalKsh * 100))
    const key = await createOrderKey(order.number, order.ctx)
    const pay = (payment: unknown) =>
      postJson(order.ctx, `/api/orders/${order.number}/payment?key=${key}`, { payment })
    expect((await pay(cashPayment)).status).toBe(400)
    expect((await pay({ token: 'tok_simulated', card: { brand: 'Visa', lastFour: '4242' } })).status).toBe(
      200,
    )
    expect(await order.readOrder()).toMatchObject({ status: 'placed', paidCents: totalKsh * 100 })
    await order.changeStatus('packed', 'placed')
    await order.changeStatus('shipped', 'packed')
    const collected = { collected: 'yes', seen }
    expect((await order.changeStatus('delivered', 'shipped', collected)).status, 'outdated').toBe(409)
    expect((await order.changeStatus('delivered', 'shipped', { collected: 'yes' })).status).toBe(303)
    expect(await order.readOrder()).toMatchObject({
      status: 'delivered',
      paidCents: totalKsh * 100,
      refundCents: 0,
    })
  })

  it('lets the order’s owner pay earlier by M-Pesa on its page, without JavaScript', async () => {
    const order = await placeOrder()
    const returnUrls: string[] = []
    const startPayment = async ({ id }: { id: string }, { returnUrl }: { returnUrl: string }) => {
      returnUrls.push(returnUrl)
      return { outcome: 'pending', reference: id } as const
    }
    const app = createApp({ ...order.ctx, payments: testPayments({ mpesa: { startPayment } }) })
    const url = `https://pamba.test/order/${order.number}`
    const page = await (await app.request(url, { headers: order.shopper.cookie })).text()
    expect(page).toMatch(new RegExp(`Pay with.*Pay ${amount}`, 's'))
    const fields = new URLSearchParams({ payWith: 'mpesa', mpesaPhone: '0712 345 679' })
    const send = (headers: Record<string, string>) =>
      app.request(url, {
        method: 'POST',
        body: fields,
        headers: { Origin: 'https://pamba.test', ...headers },
      })
    expect((await send({})).headers.get('Location')).toBe('/login')
    expect((await send(order.shopper.cookie)).headers.get('Location')).toBe(`/order/${order.number}`)
    expect(await order.readOrder()).toMatchObject({ status: 'placed' })
    const after = await (await app.request(url, { headers: order.shopper.cookie })).text()
    expect(after).toContain('sent a prompt to 0712\u00a0345\u00a0679.')
    expect(after).toContain('Otherwise, you’ll pay the rider.')
    expect(returnUrls, 'checkout would show the order as paid').toEqual([url])
    const mpesa = { queryPayment: async () => ({ outcome: 'declined', problem: 'wrong_pin' }) as const }
    await runHousekeeping(newContext({ clock: () => NOW_MS + 60_000, payments: testPayments({ mpesa }) }))
    const declined = await (await app.request(url, { headers: order.shopper.cookie })).text()
    expect(declined).toMatch(/That M-Pesa PIN was incorrect\..*Otherwise, you’ll pay the rider\./s)
  })

  it('is settled at the door by an M-Pesa prompt from the office', async () => {
    const order = await placeOrder()
    const path = `/orders/${order.number}/prompt`
    const refused = await order.client.post(path, { phone: '0812 345 678' })
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('value="0812 345 678"')])
    const sent = await order.client.post(path, { phone: '0712 345 680' })
    expect(sent.location).toBe(`/orders/${order.number}?done=prompted`)
    const waiting = 'Reload this page to see whether the customer has paid.'
    expect((await order.client.get(sent.location ?? '')).text).toContain(waiting)
    expect((await order.client.post(path, { phone: '0712 345 680' })).status).toBe(409)
    const settlePrompt = async ({ id }: { id: string }) =>
      ({ outcome: 'settled', reference: `ref-${id}`, receipt: `S-${id}` }) as const
    const mpesa = { queryPayment: settlePrompt }
    const later = { clock: () => NOW_MS + 60_000, payments: testPayments({ mpesa }) }
    await runHousekeeping(newContext(later))
    expect(await order.readOrder()).toMatchObject({
      status: 'placed',
      paidCents: totalKsh * 100,
      refundCents: 0,
    })
    const page = await order.client.get(`/orders/${order.number}`)
    expect(page.text).toContain('M-Pesa prompt sent')
    expect(page.text).not.toContain('Collect KSH')
  })

  it('shows why a prompt from the office was declined', async () => {
    const { client, number } = await placeOrder()
    const sent = await client.post(`/orders/${number}/prompt`, { phone: '0712 345 681' })
    const mpesa = {
      queryPayment: async () => ({ outcome: 'declined', problem: 'wrong_pin' }) as const,
    }
    await runHousekeeping(newContext({ clock: () => NOW_MS + 60_000, payments: testPayments({ mpesa }) }))
    const { text } = await client.get(sent.location ?? '')
    expect(text).toMatch(/Declined<.*Wrong PIN\./s)
    expect(text).not.toContain('Reload this page')
  })

  it('releases units and promo code when the order is cancelled, and emails the customer', async () => {
    const setup = newContext()
    await setStock(setup, 1, 2)
    const promoCode = await createPromotion(setup)
    const order = await placeOrder({
      promoCode,
      expectedTotal: calculateCheckoutTotalKsh(lines, tenPercentDiscount),
    })
    expect(await countUses(setup, promoCode)).toBe(1)
    expect((await order.changeStatus('cancelled', 'placed')).status).toBe(303)
    expect(await setup.db.select().from(stock).where(eq(stock.itemId, 1)).get()).toMatchObject({
      onHand: 2,
      reserved: 0,
    })
    expect(await countUses(setup, promoCode)).toBe(0)
    const email = (await order.readEmails()).find(({ kind }) => kind === 'order-cancelled')
    expect(email?.text).not.toContain('refund')
    expect(email).toBeDefined()
    await setup.db.delete(stock).where(eq(stock.itemId, 1))
  })

  it('ends with a cancellation when the parcel is refused, unless the order has a return', async () => {
    const setup = newContext()
    await setStock(setup, 1, 2)
    const order = await placeOrder()
    await order.changeStatus('packed', 'placed')
    await order.changeStatus('shipped', 'packed')
    const { text } = await order.client.get(`/orders/${order.number}/cancel`)
    expect(text).toContain('Wait until the parcel is back at the shop')
    const actor = COMMAND_LINE_ACTOR
    const { number } = order
    const line = { productId: 1, unitPriceCents: (items[0]?.price ?? 0) * 100 }
    const returned = { lines: [{ ...line, qty: 1 }], kind: 'return', reason: 'other', note: '' } as const
    expect(await createReturn({ number, ...returned, actor }, officeContext())).toMatchObject({ ok: true })
    const refused = await order.changeStatus('cancelled', 'shipped')
    expect(refused.text).toContain('You can’t cancel this order because it has a return or exchange.')
    await cancelReturn({ number, actor }, officeContext())
    expect((await order.changeStatus('cancelled', 'shipped')).status).toBe(303)
    expect(await setup.db.select().from(stock).where(eq(stock.itemId, 1)).get()).toMatchObject({ onHand: 2 })
    expect((await order.client.get(`/orders/${order.number}`)).text).not.toContain('Collect KSH')
    await setup.db.delete(stock).where(eq(stock.itemId, 1))
  })

  const actor = COMMAND_LINE_ACTOR
  const priceCents = (items[0]?.price ?? 0) * 100
  const unitCents = Math.round(priceCents * 1.16)
  async function shipAndReturn(units: number, includesShipping: boolean) {
    const order = await placeOrder()
    const { number, changeStatus } = order
    await changeStatus('packed', 'placed')
    await changeStatus('shipped', 'packed')
    const complete = async (qty: number, refundCents = 0) => {
      const returned = [{ productId: 1, unitPriceCents: priceCents, qty }]
      const request = { number, kind: 'return', reason: 'other', note: '', lines: returned, actor } as const
      expect(await createReturn(request, officeContext())).toMatchObject({ ok: true })
      await receiveReturn({ number, restocked: [], actor }, officeContext())
      const terms = { refundCents, includesShipping }
      expect(await completeReturn({ number, ...terms, actor }, officeContext())).toMatchObject({ ok: true })
    }
    await complete(units)
    const readDocuments = async () => {
      const { id = '' } = (await order.readOrder()) ?? {}
      return order.ctx.db.select().from(invoices).where(eq(invoices.orderId, id)).orderBy(desc(invoices.kind))
    }
    return { ...order, complete, readDocuments }
  }

  it('collects nothing for items that came back, and bills only the others', async () => {
    const order = await shipAndReturn(1, false)
    const { ctx, client, number, shopper, changeStatus } = order
    const dueCents = totalKsh * 100 - unitCents
    const due = `KSH ${(dueCents / 100).toLocaleString('en')}`
    expect((await client.get('/?stage=on-the-way')).text).toContain(`Collect ${due}`)
    expect((await client.get(`/orders/${number}`)).text).toContain(`Mark as delivered and paid, ${due}`)
    const owner = await createOfficeClient(withCatalogue)
    const returnsPage = (await owner.get(`/orders/${number}/returns`)).text
    expect(returnsPage).toContain(`Taken off the amount due: KSH ${(unitCents / 100).toLocaleString('en')}`)
    const { body } = await callOrder(ctx, shopper, 'GET', `${number}/payment`)
    expect(body.payment).toMatchObject({ dueCents })
    expect(await order.readDocuments()).toEqual([])

    const readNetSales = async () =>
      (await ctx.db.select().from(salesDays)).reduce(
        (sum, day) => sum + day.totalCents - day.refundedCents,
        0,
      )
    const salesCents = await readNetSales()
    await changeStatus('delivered', 'shipped', { collected: 'yes' })
    expect(await order.readOrder()).toMatchObject({ paidCents: dueCents, refundCents: 0 })
    expect(await readNetSales()).toBe(salesCents + dueCents)
    const [invoice] = await order.readDocuments()
    expect(invoice).toMatchObject({ kind: 'invoice', totalCents: dueCents, subtotalCents: priceCents })
    const billed = await ctx.db
      .select({ itemId: invoiceLines.itemId, qty: invoiceLines.qty, netCents: invoiceLines.netCents })
      .from(invoiceLines)
      .where(and(eq(invoiceLines.kind, 'invoice'), eq(invoiceLines.number, invoice?.number ?? 0)))
    expect(billed).toEqual([{ itemId: 1, qty: 1, netCents: priceCents }])
    expect((await client.get(`/customers/${shopper.user.id}`)).text).toContain(`<strong>${due}</strong>`)

    await order.complete(1, unitCents)
    await runHousekeeping(ctx)
    const { refunds } = (await readOrderRecord(number, ctx)) ?? { refunds: [] }
    for (const { id } of refunds)
      await changeRefund({ number, refundId: id, change: 'complete', actor }, officeContext())
    expect(await order.readDocuments()).toMatchObject([
      { totalCents: dueCents },
      { kind: 'credit_note', subtotalCents: -priceCents, totalCents: -unitCents },
    ])
  })

  it('owes nothing, and allows another order, once all its items came back', async () => {
    const order = await shipAndReturn(2, true)
    const { ctx, client, number, shopper } = order
    expect(await order.readOrder()).toMatchObject({ creditedCents: totalKsh * 100, isRefunded: true })
    const { body } = await callOrder(ctx, shopper, 'GET', `${number}/payment`)
    expect(body.payment).toMatchObject({
      dueCents: 0,
      message: 'There’s nothing left to pay for this order.',
    })
    const page = (await client.get(`/orders/${number}`)).text
    expect(page).not.toMatch(/Collect KSH|and paid, KSH/)
    const receipt = (await client.get(`/orders/${number}/invoice`)).text
    expect(receipt).toContain('There’s nothing left to pay for this order.')
    expect(receipt).not.toContain('Not paid')
    expect((await client.get('/?stage=done')).text).toContain(number)
    expect((await postOrder(ctx, shopper, orderRequest(lines, { payment: cashPayment }))).status).toBe(202)
    expect(await order.readDocuments()).toEqual([])
  })

  it('tells the operator that shipping stays due if it isn’t taken off with the returned items', async () => {
    // At KSH 250, the order is too small for free shipping.
    const small = [{ id: 36, qty: 1 }]
    const { number, changeStatus } = await placeOrder({
      lines: small,
      expectedTotal: calculateCheckoutTotalKsh(small),
    })
    await changeStatus('packed', 'placed')
    await changeStatus('shipped', 'packed')
    const returned = [{ productId: 36, unitPriceCents: 250_00, qty: 1 }]
    await createReturn(
      { number, kind: 'return', reason: 'other', note: '', lines: returned, actor },
      withCatalogue,
    )
    await receiveReturn({ number, restocked: [], actor }, officeContext())
    const { text } = await (await createOfficeClient(withCatalogue)).get(`/orders/${number}/returns`)
    expect(text).toContain(
      'Take the shipping of KSH 30 off the amount due too. Otherwise, the customer still has to pay it.',
    )
  })

  it('isn’t recorded as paid with the amount that was due before a return', async () => {
    const order = await shipAndReturn(1, true)
    let trips = 0
    const db = createSpyDatabase(async (go) => {
      const answer = await go()
      if (++trips === 1) await order.complete(1)
      return answer
    })
    const paid = { number: order.number, type: 'cash', reference: '', actor } as const
    expect(await recordManualPayment(paid, officeContext({ db }))).toMatchObject({
      ok: false,
      error: { code: 'status_changed' },
    })
    expect((await readOrderRecord(order.number, order.ctx))?.payments).toHaveLength(1)
  })

  it('refunds what a payment of the earlier amount due exceeds', async () => {
    const order = await shipAndReturn(1, false)
    const { ctx, number } = order
    const late = {
      ...{ receipt: 'LATECASH01', amountCents: totalKsh * 100, paidAtMs: NOW_MS },
      ...{ account: number, payer: null },
    }
    await Promise.all(
      recordIncomingPaymentsStatements({ provider: 'mpesa', source: 'pull', payments: [late] }, ctx),
    )
    await assignIncomingPayment({ provider: 'mpesa', receipt: late.receipt, number, actor }, ctx)
    await runHousekeeping(ctx)
    expect(await order.readOrder()).toMatchObject({ paidCents: totalKsh * 100, refundCents: unitCents })
    expect(await order.readDocuments()).toMatchObject([{ totalCents: totalKsh * 100 - unitCents }])
  })

  it('is limited to one undelivered order per account', async () => {
    const order = await placeOrder()
    const again = await postOrder(order.ctx, order.shopper, orderRequest(lines, { payment: cashPayment }))
    expect([again.status, again.body.message]).toEqual([
      402,
      expect.stringContaining('isn’t available for this order'),
    ])
    const byPhone = await postOrder(
      order.ctx,
      order.shopper,
      orderRequest(lines, { payment: createMpesaPayment() }),
    )
    expect(byPhone.status).toBe(202)
  })

  it.each([
    ['device', createDeviceCookie, {}],
    ['network', async () => ({ 'CF-Connecting-IP': '102.68.77.9' }), {}],
    ['phone', async () => ({}), { billing: { ...billing, phone: '0722 000 111' } }],
  ])('is limited to five undelivered orders of new customers per %s', async (_, share, overrides) => {
    const ctx = newContext()
    const headers = await share(ctx)
    const order = async () => {
      const account = await createAccount(ctx)
      const shopper = { ...account, bearer: { ...account.bearer, ...headers } }
      const request = orderRequest(lines, { payment: cashPayment, ...overrides })
      const card = orderRequest([{ id: 1, qty: 1 }])
      return { byCash: () => postOrder(ctx, shopper, request), byCard: () => postOrder(ctx, shopper, card) }
    }
    for (const _ of [1, 2, 3, 4, 5]) {
      expect((await (await order()).byCash()).status).toBe(202)
      await runHousekeeping(ctx)
    }
    const sixth = await order()
    const refused = await sixth.byCash()
    expect([refused.status, refused.body.message]).toEqual([
      402,
      expect.stringContaining('isn’t available for this order'),
    ])
    expect((await sixth.byCard()).status).toBe(201)
    expect((await sixth.byCash()).status).toBe(202)
  })

  it('counts towards the limit of new customers for a day after it was cancelled', async () => {
    let nowMs = NOW_MS
    const ctx = newContext({ clock: () => nowMs })
    const device = await createDeviceCookie(ctx)
    const order = async () => {
      const account = await createAccount(ctx)
      const shopper = { ...account, bearer: { ...account.bearer, ...device } }
      const { status, body } = await postOrder(ctx, shopper, orderRequest(lines, { payment: cashPayment }))
      if (status === 202) {
        const cancelled = await callOrder(ctx, shopper, 'POST', `${body.order.number}/cancel`, {})
        expect(cancelled.status).toBe(200)
      }
      await runHousekeeping(ctx)
      return status
    }
    for (const _ of [1, 2, 3, 4, 5]) expect(await order()).toBe(202)
    expect(await order()).toBe(402)
    nowMs += DAY_MS + 1
    expect(await order()).toBe(202)
  })

  it('doesn’t make a new customer a known one before it is paid', async () => {
    const order = await placeOrder()
    await setStock(order.ctx, 2, 100)
    const large = orderRequest([{ id: 2, qty: 30 }], { payment: createMpesaPayment() })
    expect((await postOrder(order.ctx, order.shopper, large)).status).toBe(202)
    const [row] = await order.ctx.db.select().from(stock).where(eq(stock.itemId, 2))
    expect(row?.reserved).toBe(0)
    await order.ctx.db.delete(stock).where(eq(stock.itemId, 2))
  })

  const postInterrupted = async () => {
    let nowMs = NOW_MS
    let isStopped = false
    const ctx = newContext({ clock: () => nowMs })
    const shopper = await createAccount(ctx)
    const read = () => ctx.db.select().from(orders).where(eq(orders.userId, shopper.user.id)).all()
    const db = createSpyDatabase(async (go) => {
      if (isStopped) throw new Error('D1_ERROR: Network connection lost.')
      const result = await go()
      isStopped = (await read()).length > 0
      return result
    })
    const failed = await postOrder({ ...ctx, db }, shopper, orderRequest(lines, { payment: cashPayment }))
    expect(failed.status).toBe(503)
    const [order] = await read()
    expect(order?.status).toBe('awaiting_payment')
    const id = order?.id ?? ''
    const readOrder = () => ctx.db.select().from(orders).where(eq(orders.id, id)).get()
    const readAttempts = () => ctx.db.select().from(payments).where(eq(payments.orderId, id))
    const runAfter = (ms: number) => {
      nowMs += ms
      return runHousekeeping(ctx)
    }
    return { ctx, id, readOrder, readAttempts, runAfter }
  }

  it('leads to a placed order on the next scheduled run if the Worker stops before placing it', async () => {
    const { readOrder, readAttempts, runAfter } = await postInterrupted()
    await runAfter(60_000)
    expect(await readOrder()).toMatchObject({ status: 'placed', isCashOnDelivery: true })
    expect(await readAttempts()).toMatchObject([{ state: 'pending', nextCheckAtMs: null }])
    await runAfter(24 * 3_600_000)
    expect(await readOrder()).toMatchObject({ status: 'placed', paidCents: 0 })
  })

  it('is declined if the Worker stops before placing an order that another payment then places', async () => {
    const { ctx, id, readAttempts, runAfter } = await postInterrupted()
    await ctx.db.update(orders).set({ status: 'placed' }).where(eq(orders.id, id))
    await runAfter(60_000)
    expect(await readAttempts()).toMatchObject([{ state: 'declined', nextCheckAtMs: null }])
  })
})
