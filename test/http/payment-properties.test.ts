import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { createApp } from '#server/app.ts'
import { runHousekeeping } from '#server/housekeeping.ts'
import { orders, payments, refunds } from '#server/platform/db/schema.ts'
import { PAID_STATUSES } from '#shared/orders/order-status.ts'
import { createAccount } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { officeContext, officeVisitor } from '#test/support/office.ts'
import { orderRequest, post } from '#test/support/orders.ts'
import { byMpesa, callOrder } from '#test/support/payments.ts'
import { openProviderWorld, type Prompt, type Transaction } from '#test/support/provider-world.ts'

const ORIGIN = 'https://pamba.test'
const MINUTE_MS = 60_000
let receipts = 0

const step = fc.record({
  what: fc.constantFrom(
    ...(['order', 'order', 'order', 'payAgain', 'poll', 'cancel'] as const),
    ...(['payPrompt', 'payPrompt', 'declinePrompt', 'callback', 'payPage', 'payPage', 'event'] as const),
    ...(['markPaid', 'refund', 'markRefunded', 'later', 'muchLater'] as const),
  ),
  who: fc.nat(1),
  which: fc.nat(5),
  /** How much the provider receives or claims, and in which currency. */
  share: fc.constantFrom(1, 1, 1, 0.5, 2),
  currency: fc.constantFrom('KES', 'USD'),
  isForged: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

function openShop() {
  const world = openProviderWorld()
  let nowMs = NOW_MS
  const base = testContext({ clock: () => nowMs })
  const ctx = { ...base, payments: world.paymentsFor(base) }
  return {
    ...{ ctx, world, app: createApp(ctx) },
    later: (ms: number) => {
      nowMs += ms
    },
  }
}
type Shop = ReturnType<typeof openShop> & {
  shoppers: Awaited<ReturnType<typeof createAccount>>[]
  office: Awaited<ReturnType<typeof officeVisitor>>
}

const sendJson = (shop: Shop, url: string, body: unknown, headers: Record<string, string> = {}) =>
  shop.app.request(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/**
 * Safaricom's callback about a prompt. A forged one goes to a guessed address, claims a payment that was never made, or
 * is another prompt's.
 */
async function sendCallback(shop: Shop, prompt: Prompt, { isForged, share, which }: Step) {
  const { prompts } = shop.world
  const about = (isForged && prompts[(which + 1) % prompts.length]) || prompt
  const receipt = about.receipt ?? `FORGED${++receipts}`
  const isPaid = about.receipt !== null || isForged
  const Item = [
    { Name: 'Amount', Value: about.amountKsh * share },
    { Name: 'MpesaReceiptNumber', Value: receipt },
  ]
  const stkCallback = {
    CheckoutRequestID: about.id,
    ResultCode: isPaid ? 0 : 1032,
    ...(isPaid ? { CallbackMetadata: { Item } } : {}),
  }
  const isGuess = isForged && which % 3 === 0
  const url = isGuess ? `${ORIGIN}/api/payments/${'0a'.repeat(32)}` : prompt.callbackUrl
  const { status } = await sendJson(shop, url, { Body: { stkCallback } })
  expect(status).toBe(isGuess ? 404 : 200)
}

async function sendEvent(shop: Shop, { reference }: Transaction, { isForged, which }: Step) {
  const event = which % 4 === 0 ? 'refund.processed' : 'charge.success'
  // Only a forged event claims a refund that nobody requested.
  if (
    event === 'refund.processed' &&
    !isForged &&
    !shop.world.refunds.some(({ receipt }) => receipt === reference)
  )
    return
  const body = JSON.stringify({ event, data: { reference, transaction_reference: reference } })
  const signature = await shop.world.sign(body, isForged ? 'another key' : undefined)
  const { status } = await sendJson(shop, `${ORIGIN}/api/payments/paystack`, body, {
    'x-paystack-signature': signature,
  })
  expect(status).toBe(isForged ? 400 : 200)
}

async function take(shop: Shop, action: Step): Promise<void> {
  const { ctx, world, shoppers, later, office } = shop
  const { what, who, which, share, currency } = action
  const rows = await ctx.db.select().from(orders)
  const own = rows.filter(({ userId }) => shoppers.some(({ user }) => user.id === userId))
  const order = own[which % Math.max(own.length, 1)]
  const shopper = shoppers[who]
  const prompt = world.prompts[which % Math.max(world.prompts.length, 1)]
  const page = world.transactions[which % Math.max(world.transactions.length, 1)]
  if (!shopper) return
  if (what === 'order') {
    const lines = [{ id: 1, qty: 1 + (which % 2) }]
    const payment = which % 2 === 0 ? ({ provider: 'paystack' } as const) : byMpesa()
    await post(ctx, shopper, orderRequest(lines, { payment }))
  } else if (what === 'later') later(3 * MINUTE_MS)
  else if (what === 'muchLater') {
    later(31 * MINUTE_MS)
    await runHousekeeping(ctx)
  } else if (what === 'payPrompt' && prompt && !prompt.isDeclined)
    prompt.receipt ??= `SK${String(++receipts).padStart(8, '0')}`
  else if (what === 'declinePrompt' && prompt && !prompt.receipt) prompt.isDeclined = true
  else if (what === 'callback' && prompt) await sendCallback(shop, prompt, action)
  else if (what === 'payPage' && page) {
    page.paid ??= { amount: page.amount * share, currency }
    await sendEvent(shop, page, { ...action, isForged: false, which: 1 })
  } else if (what === 'event' && page) await sendEvent(shop, page, action)
  else if (order) {
    const isOwner = order.userId === shopper.user.id
    const path = `${order.number}/${what === 'cancel' ? 'cancel' : 'payment'}`
    const before = JSON.stringify(await ctx.db.select().from(payments))
    if (what === 'poll' || what === 'payAgain' || what === 'cancel') {
      const body = what === 'poll' ? undefined : what === 'cancel' ? {} : { payment: byMpesa() }
      const { status } = await callOrder(ctx, shopper, what === 'poll' ? 'GET' : 'POST', path, body)
      if (!isOwner) {
        expect(status).toBe(404)
        expect(JSON.stringify(await ctx.db.select().from(payments))).toBe(before)
      }
    } else if (what === 'markPaid') {
      await office.post(`/orders/${order.number}/paid`, { receipt: `CASH-${++receipts}` })
      await runHousekeeping(ctx)
    } else if (what === 'refund') {
      await office.post(`/orders/${order.number}/refund`, { seen: 'kept' })
      await runHousekeeping(ctx)
    } else if (what === 'markRefunded')
      await office.post(`/orders/${order.number}/refunded`, { seen: 'by_hand' })
  }
  await ctx.settled()
}

async function check({ ctx, world, shoppers }: Shop): Promise<void> {
  const all = await ctx.db.select().from(orders)
  const rows = all.filter(({ userId }) => shoppers.some(({ user }) => user.id === userId))
  const attempts = await ctx.db.select().from(payments)
  for (const { account, amountKsh, phone } of world.prompts) {
    const order = rows.find(({ number }) => number === account)
    expect(amountKsh * 100, 'the amount of a prompt').toBe(order?.totalCents)
    expect(attempts.some((one) => one.orderId === order?.id && one.phone === phone)).toBe(true)
  }
  for (const { reference, amount, currency } of world.transactions) {
    const order = rows.find(({ id }) => attempts.some((one) => one.id === reference && one.orderId === id))
    expect([amount, currency], 'the amount of a page').toEqual([order?.totalCents, 'KES'])
  }
  for (const order of rows) {
    const settled = attempts.filter(({ orderId, state }) => orderId === order.id && state === 'settled')
    for (const { id, provider, reference, receipt, amountCents } of settled) {
      expect(amountCents).toBe(order.totalCents)
      if (provider === 'mpesa') {
        const prompt = world.prompts.find((one) => one.id === reference)
        expect([prompt?.account, prompt?.receipt !== null], 'whose prompt was paid').toEqual([
          order.number,
          true,
        ])
        if (receipt !== null) expect(receipt).toBe(prompt?.receipt)
      }
      if (provider === 'paystack') {
        const page = world.transactions.find((one) => one.reference === id)
        expect(page?.paid).toEqual({ amount: order.totalCents, currency: 'KES' })
      }
    }
    const isPaid = PAID_STATUSES.some((status) => status === order.status)
    if (isPaid) expect(settled.length, 'payments of a placed order').toBeGreaterThanOrEqual(1)
  }
  const requested = await ctx.db.select().from(refunds)
  for (const { id, amountCents, orderId } of attempts) {
    const own = requested.filter(({ paymentId }) => paymentId === id)
    const sum = own.reduce((cents, refund) => cents + refund.amountCents, 0)
    expect(sum, 'refunds of a payment').toBeLessThanOrEqual(amountCents)
    for (const refund of own) expect(refund.orderId).toBe(orderId)
  }
  // The scheduled run also sends refunds of earlier sequences.
  const ownPayments = attempts.filter(({ orderId }) => rows.some(({ id }) => id === orderId))
  for (const { receipt, cents } of world.refunds) {
    const payment = ownPayments.find((one) => one.receipt === receipt || one.id === receipt)
    const prompt = world.prompts.find((one) => one.receipt === receipt)
    const page = world.transactions.find(({ reference }) => reference === receipt)
    expect(Boolean(payment), 'whose payment is refunded').toBe(Boolean(prompt ?? page))
    if (payment)
      expect(cents).toBeLessThanOrEqual((prompt?.amountKsh ?? 0) * 100 || (page?.paid?.amount ?? 0))
  }
}

afterEach(() => vi.unstubAllGlobals())

it('compares amount, currency and owner at every step of any sequence of payments, callbacks and office actions', async () => {
  const office = await officeVisitor(officeContext())
  const property = fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24 }), async (steps) => {
    const opened = openShop()
    const shoppers = [await createAccount(opened.ctx), await createAccount(opened.ctx)]
    const shop = { ...opened, shoppers, office }
    for (const action of steps) {
      await take(shop, action)
      await check(shop)
    }
  })
  await fc.assert(property, { numRuns: 12, endOnFailure: true })
})
