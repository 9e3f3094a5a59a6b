import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import type { ServiceContext } from '#server/context.ts'
import { runHousekeeping } from '#server/housekeeping.ts'
import { changeOrderStatus } from '#server/orders/change-status.ts'
import { createOrderKey } from '#server/platform/auth/signed-link.ts'
import { auditLog, orders, outbox, payments, refunds, users } from '#server/platform/db/schema.ts'
import { MINUTE_MS } from '#shared/time.ts'
import { createAccount } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { HOSTILE_TEXTS } from '#test/support/hostile.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import { orderRequest, postOrder } from '#test/support/orders.ts'
import { createMpesaPayment, testPayments } from '#test/support/payments.ts'

const ORIGIN = 'https://pamba.test'
const actor = { email: 'asha@example.com', role: 'owner' } as const
const cardPayment = { token: 'tok_simulated', card: { brand: 'Visa', lastFour: '4242' } }
const cancelled = { outcome: 'declined', problem: 'cancelled' } as const

/** Places an order whose first M-Pesa payment the shopper cancelled. */
async function placeUnpaidOrder(overrides: Partial<ServiceContext> = {}) {
  let nowMs = NOW_MS
  const clock = () => nowMs
  const started: { id: string; returnUrl: string }[] = []
  const start = async ({ id }: { id: string }, { returnUrl }: { returnUrl: string }) => {
    started.push({ id, returnUrl })
    return { outcome: 'pending', reference: `ref-${id}`, redirectTo: `https://pay.test/${id}` } as const
  }
  const placing = testContext({
    clock,
    payments: testPayments({ mpesa: { startPayment: async () => cancelled } }),
  })
  const shopper = await createAccount(placing)
  const { body } = await postOrder(
    placing,
    shopper,
    orderRequest(undefined, { payment: createMpesaPayment() }),
  )
  const ctx = testContext({
    clock,
    payments: testPayments({ mpesa: { startPayment: start }, paystack: { startPayment: start } }),
    ...overrides,
  })
  const app = createApp(ctx)
  const { number } = body.order
  const key = await createOrderKey(number, ctx)
  const page = `/order/${number}?key=${key}`
  return {
    ctx,
    number,
    key,
    page,
    started,
    advanceClock: (ms: number) => {
      nowMs += ms
    },
    async pay(payment: unknown, path = `/api/orders/${number}/payment?key=${key}`) {
      const headers = { 'Content-Type': 'application/json' }
      const response = await app.request(ORIGIN + path, {
        method: 'POST',
        headers,
        body: JSON.stringify({ payment }),
      })
      return { status: response.status, text: await response.text() }
    },
    async open() {
      return (await app.request(ORIGIN + page)).text()
    },
    async submit(fields: Record<string, string>) {
      const headers = { Origin: ORIGIN }
      const response = await app.request(ORIGIN + page, {
        method: 'POST',
        headers,
        body: new URLSearchParams(fields),
      })
      return {
        status: response.status,
        location: response.headers.get('Location'),
        text: await response.text(),
      }
    },
    readOwner: () => ctx.db.select().from(users).where(eq(users.id, shopper.user.id)).get(),
    readOrder: () => ctx.db.select().from(orders).where(eq(orders.number, number)).get(),
    async readPayments() {
      const rows = await ctx.db.select().from(payments).innerJoin(orders, eq(orders.id, payments.orderId))
      const refunded = await ctx.db.select({ paymentId: refunds.paymentId }).from(refunds)
      const isRefunded = (id: string) => refunded.some(({ paymentId }) => paymentId === id)
      return rows
        .filter((row) => row.orders.number === number)
        .map((row) => ({ ...row.payments, isRefunded: isRefunded(row.payments.id) }))
    },
  }
}

describe('a payment link', () => {
  it('lets anyone pay without an account, and reveals no key or phone number', async () => {
    const order = await placeUnpaidOrder()
    const before = await order.open()
    const owner = await order.readOwner()
    expect(before).toMatch(/Pay with.*Card.*M-Pesa.*Pay KSH /s)
    expect(before).not.toContain('Log in to pay')
    const prompted = await order.pay(createMpesaPayment('0799 000 678'))
    expect(prompted.status).toBe(202)
    expect(prompted.text).toContain('sent a prompt to ••••\u00a0•••\u00a0678.')
    expect(await order.readOwner(), 'the owner’s own M-Pesa number').toEqual(owner)
    expect(prompted.text + (await order.open())).not.toMatch(/799.?000|"key":"\w/)
    const paid = await order.pay(cardPayment)
    expect(paid.status).toBe(200)
    expect(await order.readOrder()).toMatchObject({ status: 'placed' })
    expect(await order.open()).toContain('We’ve received your order')
  })

  it('is the return URL of the provider’s page', async () => {
    const order = await placeUnpaidOrder()
    expect((await order.pay({ provider: 'paystack' })).text).toContain('https://pay.test/')
    expect(order.started[0]?.returnUrl).toBe(ORIGIN + order.page)
  })

  it('is paid once when several people pay at the same time: any other payment is refunded', async () => {
    const settled = async ({ id }: { id: string }) =>
      ({ outcome: 'settled', reference: `ref-${id}`, receipt: `R-${id}` }) as const
    const order = await placeUnpaidOrder({ payments: testPayments({ mpesa: { startPayment: settled } }) })
    const results = await Promise.all(Array.from({ length: 4 }, () => order.pay(createMpesaPayment())))
    for (const { status } of results) expect([200, 202, 402, 409]).toContain(status)
    await order.ctx.backgroundDone()
    const rows = await order.readPayments()
    const settledPayments = rows.filter(({ state }) => state === 'settled')
    expect(settledPayments.filter(({ isRefunded }) => !isRefunded)).toHaveLength(1)
    expect(rows.every(({ state, isRefunded }) => state !== 'declined' || !isRefunded)).toBe(true)
  })

  it('has one of two payments refunded if both were started before either arrived', async () => {
    const order = await placeUnpaidOrder()
    await order.pay(createMpesaPayment())
    await order.pay(createMpesaPayment())
    order.advanceClock(2 * MINUTE_MS)
    const query = async ({ id }: { id: string }) =>
      ({ outcome: 'settled', reference: `ref-${id}`, receipt: `R-${id}` }) as const
    await runHousekeeping({ ...order.ctx, payments: testPayments({ mpesa: { queryPayment: query } }) })
    const settled = (await order.readPayments()).filter(({ state }) => state === 'settled')
    expect(settled.map(({ isRefunded }) => isRefunded).toSorted()).toEqual([false, true])
  })

  it.each([
    [
      'paid',
      (order: Awaited<ReturnType<typeof placeUnpaidOrder>>) => order.pay(cardPayment),
      'We’ve received your order',
      200,
    ],
    [
      'cancelled',
      ({ number, ctx }: Awaited<ReturnType<typeof placeUnpaidOrder>>) =>
        changeOrderStatus({ number, to: 'cancelled', actor }, ctx),
      'This order was cancelled. You haven’t been charged.',
      409,
    ],
    [
      'expired',
      async ({ advanceClock, ctx }: Awaited<ReturnType<typeof placeUnpaidOrder>>) => {
        advanceClock(31 * MINUTE_MS)
        await runHousekeeping(ctx)
      },
      'This order has expired. It wasn’t paid for in time.',
      409,
    ],
  ] as const)('says that its order is %s and starts no payment', async (_, change, sentence, status) => {
    const order = await placeUnpaidOrder()
    await change(order)
    const attempts = (await order.readPayments()).length
    const page = await order.open()
    expect(page).toContain(sentence)
    expect(page).not.toContain('Pay KSH')
    expect((await order.pay(createMpesaPayment())).status).toBe(status)
    expect(await order.readPayments()).toHaveLength(attempts)
  })

  it('needs no JavaScript: it prompts the phone, or explains what is wrong and keeps the number', async () => {
    const order = await placeUnpaidOrder()
    const wrong = await order.submit({ payWith: 'mpesa', mpesaPhone: '0812 345 678' })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('Please enter a valid M-Pesa phone number')
    expect(wrong.text).toContain('value="0812 345 678"')
    const card = await order.submit({ payWith: 'simulated', mpesaPhone: '' })
    expect(card.text).toContain('Card payments need JavaScript.')
    const paid = await order.submit({ payWith: 'mpesa', mpesaPhone: '0712 345 678' })
    expect([paid.status, paid.location]).toEqual([303, order.page])
    expect(await order.open()).toMatch(/sent a prompt to ••••\u00a0•••\u00a0678\..*Check again/s)
  })

  it('can neither cancel the order nor pay it with another order’s key', async () => {
    const order = await placeUnpaidOrder()
    const other = await placeUnpaidOrder()
    await order.submit({})
    expect(await order.readOrder()).toMatchObject({ status: 'awaiting_payment' })
    for (const key of [other.key, '', `${order.key}x`, ...HOSTILE_TEXTS.slice(0, 30)]) {
      const path = `/api/orders/${order.number}/payment?key=${encodeURIComponent(key.toWellFormed())}`
      expect((await order.pay(cardPayment, path)).status, key).toBe(404)
    }
    expect((await order.pay(cardPayment, `/api/orders/${order.number}/payment`)).status).toBe(401)
    expect(await order.readPayments()).toHaveLength(1)
  })

  it('starts no payment above the rate limit', async () => {
    const { limits } = testContext()
    const order = await placeUnpaidOrder({ limits: { ...limits, attempts: async () => false } })
    expect((await order.pay(createMpesaPayment())).status).toBe(429)
    expect((await order.submit({ payWith: 'mpesa', mpesaPhone: '0712 345 678' })).status).toBe(429)
    expect(order.started).toEqual([])
  })
})

describe('sharing a payment link from the office', () => {
  it('shows the link to copy and send, and emails it', async () => {
    const order = await placeUnpaidOrder()
    const client = await createOfficeClient(officeContext())
    const path = `/orders/${order.number}/payment-link`
    expect((await client.get(`/orders/${order.number}`)).text).toContain(`href="${path}"`)
    const { text } = await client.get(path)
    expect(text).toMatch(new RegExp(`value="https://pamba.test/order/${order.number}\\?key=`))
    for (const scheme of ['https://wa.me/', 'sms:', 'mailto:']) expect(text).toContain(`href="${scheme}`)
    expect((await client.post(path, {})).location).toBe(`/orders/${order.number}?done=link`)
    const email = await order.ctx.db.select().from(outbox).where(eq(outbox.kind, 'payment-link')).get()
    expect(email).toMatchObject({ recipient: 'wanjiru@example.com', orderUrl: `/order/${order.number}` })
    expect(email?.text).toMatch(/KSH [\d,]+ is due for your order.*Please pay by/s)
    await runHousekeeping(order.ctx)
    const sentEmail = order.ctx.emails.find(({ subject }) => subject.startsWith('Pay for'))
    expect(sentEmail?.text).toMatch(new RegExp(`/order/${order.number}\\?key=`))
    const audit = await order.ctx.db.select().from(auditLog).where(eq(auditLog.subject, order.number))
    expect(audit).toMatchObject([{ action: 'order.link', to: 'wanjiru@example.com' }])
  })

  it('is refused for an order that awaits no payment', async () => {
    const order = await placeUnpaidOrder()
    await order.pay(cardPayment)
    const client = await createOfficeClient(officeContext())
    const path = `/orders/${order.number}/payment-link`
    expect((await client.get(path)).status).toBe(409)
    expect((await client.post(path, {})).status).toBe(409)
    expect((await client.get('/orders/P-222222/payment-link')).status).toBe(404)
  })
})
