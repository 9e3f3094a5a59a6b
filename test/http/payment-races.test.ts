import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { pullIncomingPayments } from '#server/books/pull-incoming.ts'
import { DEFAULT_PAYMENTS } from '#server/content/default-texts.ts'
import { changeOrderStatus } from '#server/orders/change-status.ts'
import { expireOrders } from '#server/orders/release-order.ts'
import { runScheduledPayments } from '#server/orders/scheduled-payments.ts'
import type { IncomingPayment } from '#server/payments/providers/provider.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import { incomingPayments, orders, payments } from '#server/platform/db/schema.ts'
import { MINUTE_MS } from '#shared/time.ts'
import { type Account, createAccount } from '#test/support/account.ts'
import { createContentSource, NOW_MS, testContext } from '#test/support/context.ts'
import { findInvariantProblems } from '#test/support/invariants.ts'
import { orderRequest, postOrder } from '#test/support/orders.ts'
import {
  callOrder,
  createMpesaPayment,
  type ProviderOverrides,
  testPayments,
} from '#test/support/payments.ts'
import { postJson } from '#test/support/posting.ts'
import { setStock } from '#test/support/stock.ts'

const ITEM = 1
const UNITS = 100
const listed: IncomingPayment[] = []
const callbackUrls: string[] = []
let nowMs = NOW_MS

/** In this fake M-Pesa, every prompt is paid. Its callback and its list include the receipt; its query doesn't. */
const mpesa: ProviderOverrides = {
  async startPayment({ id }, { callbackUrl }) {
    callbackUrls.push(callbackUrl)
    return { outcome: 'pending', reference: id }
  },
  queryPayment: async ({ id }) => ({ outcome: 'settled', reference: id, receipt: null }),
  refund: async () => ({ outcome: 'done' }),
  incoming: {
    register: async () => ({ ok: true, data: undefined }),
    list: async () => ({ ok: true, data: [...listed] }),
    parseConfirmation: () => undefined,
    instructions: () => '',
  },
}
const ctx = testContext({
  payments: testPayments({ mpesa }),
  clock: () => nowMs,
  content: createContentSource({ payments: { ...DEFAULT_PAYMENTS, payByHand: true } }),
})

type PromptedOrder = { shopper: Account; number: string; id: string; receipt: string; amountKsh: number }

const EVENTS: Record<string, (order: PromptedOrder) => Promise<unknown>> = {
  async callback({ id, receipt, amountKsh }) {
    const Item = [
      { Name: 'Amount', Value: amountKsh },
      { Name: 'MpesaReceiptNumber', Value: receipt },
    ]
    const stkCallback = { CheckoutRequestID: id, ResultCode: 0, CallbackMetadata: { Item } }
    return postJson(ctx, new URL(callbackUrls.at(-1) ?? '').pathname, { Body: { stkCallback } })
  },
  poll: ({ shopper, number }) => callOrder(ctx, shopper, 'GET', `${number}/payment`),
  'scheduled run': () => runScheduledPayments(ctx),
  list: () => pullIncomingPayments(ctx),
  'shopper’s cancellation': ({ shopper, number }) => callOrder(ctx, shopper, 'POST', `${number}/cancel`, {}),
  'owner’s cancellation': ({ number }) =>
    changeOrderStatus({ number, to: 'cancelled', actor: COMMAND_LINE_ACTOR }, ctx),
  expiry: ({ number }) => expireOrders(eq(orders.number, number), ctx),
}
const EVENT_NAMES = Object.keys(EVENTS)
const EVENT_PAIRS = EVENT_NAMES.flatMap((name, index) =>
  EVENT_NAMES.slice(index).map((other) => [name, other] as const),
)

async function placePromptedOrder(): Promise<PromptedOrder> {
  const shopper = await createAccount(ctx)
  const request = orderRequest([{ id: ITEM, qty: 1 }], { payment: createMpesaPayment() })
  const { number, totals } = (await postOrder(ctx, shopper, request)).body.order
  const order = ctx.db.select({ id: orders.id }).from(orders).where(eq(orders.number, number))
  const attempt = await ctx.db.select().from(payments).where(eq(payments.orderId, order)).get()
  const receipt = `RCT${String(callbackUrls.length).padStart(7, '0')}`
  const { totalCents: amountCents } = totals
  listed.push({ receipt, amountCents, paidAtMs: nowMs, account: number, payer: null })
  // The next check and the next pull are due after a minute.
  nowMs += MINUTE_MS
  return { shopper, number, id: attempt?.id ?? '', receipt, amountKsh: amountCents / 100 }
}

it('a payment counts once, regardless of what reports it and of concurrent changes to its order', async () => {
  await setStock(ctx, ITEM, UNITS)
  for (const pair of EVENT_PAIRS) {
    const order = await placePromptedOrder()
    await Promise.all(pair.map((name) => EVENTS[name]?.(order)))
    await ctx.backgroundDone()
    for (let runs = 0; runs < 2; runs++) {
      nowMs += MINUTE_MS
      await runScheduledPayments(ctx)
      await pullIncomingPayments(ctx)
    }
    const { id, receipt } = order
    const settledPayments = await ctx.db.select().from(payments).where(eq(payments.receipt, receipt))
    expect(settledPayments, pair.join(' with ')).toMatchObject([{ id, state: 'settled' }])
    const incoming = await ctx.db.select().from(incomingPayments).where(eq(incomingPayments.receipt, receipt))
    expect(incoming, pair.join(' with ')).toMatchObject([{ paymentId: id }])
    expect(await findInvariantProblems(ctx.db, UNITS), pair.join(' with ')).toEqual([])
  }
})
