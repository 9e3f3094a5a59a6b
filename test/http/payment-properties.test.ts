import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { createApp } from '#server/app.ts'
import { runHousekeeping } from '#server/housekeeping.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { incomingPayments, incomingSources, orders, payments, refunds } from '#server/platform/db/schema.ts'
import { PAID_STATUSES } from '#shared/orders/order-status.ts'
import { MINUTE_MS } from '#shared/time.ts'
import { createAccount } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { createFakeProviders, type Prompt, type Transaction } from '#test/support/fake-providers.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import { orderRequest, postOrder } from '#test/support/orders.ts'
import { callOrder, createMpesaPayment } from '#test/support/payments.ts'

const ORIGIN = 'https://pamba.test'
let receipts = 0

const stepArbitrary = fc.record({
  what: fc.constantFrom(
    ...(['order', 'order', 'order', 'payAgain', 'poll', 'cancel'] as const),
    ...(['payPrompt', 'payPrompt', 'declinePrompt', 'callback', 'payPage', 'payPage', 'event'] as const),
    ...(['transfer', 'confirm', 'assign', 'verifyOther'] as const),
    ...(['markPaid', 'refund', 'markRefunded', 'later', 'muchLater'] as const),
  ),
  who: fc.nat(1),
  which: fc.nat(5),
  /** What the provider receives or claims to have received, relative to the amount due. */
  share: fc.constantFrom(1, 1, 1, 0.5, 2),
  currency: fc.constantFrom('KES', 'USD'),
  isForged: fc.boolean(),
})
type Step = typeof stepArbitrary extends fc.Arbitrary<infer Value> ? Value : never

const DEFAULTS = { who: 0, which: 0, share: 1, currency: 'KES', isForged: false } as const
const CARD = { ...DEFAULTS, what: 'order' } as const
const MPESA = { ...DEFAULTS, what: 'order', which: 1 } as const
const createStep = (what: Step['what'], overrides: Partial<Step> = {}): Step => ({
  ...DEFAULTS,
  what,
  ...overrides,
})

/** Each of these sequences fails if the check that it is named after is removed. */
const EXAMPLES: Record<string, Step[]> = {
  'the amount of a callback': [
    MPESA,
    createStep('payPrompt'),
    createStep('callback', { isForged: true, which: 1, share: 0.5 }),
  ],
  'whose prompt a callback is about': [
    MPESA,
    MPESA,
    createStep('payPrompt', { which: 1 }),
    createStep('callback', { isForged: true, which: 2 }),
  ],
  'a callback against a query': [MPESA, createStep('callback', { isForged: true, which: 1 })],
  'the amount of a page': [CARD, createStep('payPage', { share: 0.5 })],
  'the currency of a page': [CARD, createStep('payPage', { currency: 'USD' })],
  'whose page was paid': [
    CARD,
    CARD,
    createStep('payPage', { which: 1 }),
    createStep('verifyOther'),
    createStep('event', { which: 2 }),
  ],
  'the signature of an event': [CARD, createStep('event', { isForged: true, which: 1 })],
  'a transfer that is too small': [MPESA, createStep('transfer', { share: 0.5 }), createStep('confirm')],
  'a confirmation against the list': [MPESA, createStep('confirm', { isForged: true, which: 1 })],
  'the amounts of a confirmation and the list': [
    MPESA,
    createStep('transfer', { share: 0.5 }),
    createStep('confirm', { share: 2 }),
  ],
  'a prompt in the list': [
    MPESA,
    createStep('payPrompt'),
    createStep('confirm', { isForged: true, which: 1 }),
    createStep('later'),
    createStep('poll'),
  ],
  'a prompt in the list that the office assigns to another order': [
    MPESA,
    MPESA,
    createStep('payPrompt'),
    createStep('confirm', { isForged: true, which: 1 }),
    createStep('assign', { which: 1 }),
  ],
  'a confirmation that the office assigns': [
    MPESA,
    createStep('confirm', { isForged: true, which: 1 }),
    createStep('assign'),
  ],
  'too much': [MPESA, createStep('transfer', { share: 2 }), createStep('confirm'), createStep('assign')],
  'too little': [MPESA, createStep('transfer', { share: 0.5 }), createStep('confirm'), createStep('assign')],
  'a refund that is too large': [
    CARD,
    createStep('payPage'),
    createStep('refund'),
    createStep('refund', { share: 2 }),
  ],
  'whose order is paid': [MPESA, createStep('payAgain', { who: 1 }), createStep('cancel', { who: 1 })],
}
const RANDOM_RUNS = 6

async function openShop() {
  const providers = createFakeProviders()
  let nowMs = NOW_MS
  const base = testContext({ clock: () => nowMs })
  const ctx = { ...base, payments: providers.paymentsFor(base) }
  const confirmationToken = ctx.randomBytes(32).toHex()
  const source = {
    tokenHash: await sha256Hex(confirmationToken),
    registeredAtMs: 0,
    pulledToMs: 0,
    nextPullAtMs: 0,
  }
  await ctx.db.batch([
    ctx.db.delete(incomingPayments),
    ctx.db
      .insert(incomingSources)
      .values({ provider: 'mpesa', ...source })
      .onConflictDoUpdate({ target: incomingSources.provider, set: source }),
  ])
  return {
    ctx,
    providers,
    confirmationToken,
    app: createApp(ctx),
    shoppers: [await createAccount(ctx), await createAccount(ctx)],
    office: await createOfficeClient(officeContext()),
    /** Maps an M-Pesa receipt to the number of the order that the office assigned it to. */
    assigned: new Map<string, string>(),
    /** Maps the reference of a payment that the office recorded to its order's number. */
    recorded: new Map<string, string>(),
    checkedPrompts: new Set<Prompt>(),
    later: (ms: number) => {
      nowMs += ms
    },
  }
}
type Shop = Awaited<ReturnType<typeof openShop>>

const sendJson = (shop: Shop, url: string, body: unknown, headers: Record<string, string> = {}) =>
  shop.app.request(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/**
 * A forged callback goes to a guessed URL, claims another amount with a receipt that doesn't exist, or belongs to
 * another prompt.
 */
async function sendCallback(shop: Shop, prompt: Prompt, { isForged, share, which }: Step) {
  const { prompts } = shop.providers
  const target = (isForged && prompts[(which + 1) % prompts.length]) || prompt
  const isInvented = isForged && target === prompt
  const receipt = (isInvented ? null : target.receipt) ?? `FORGED${++receipts}`
  const isPaid = target.receipt !== null || isForged
  const Item = [
    { Name: 'Amount', Value: target.amountKsh * (isInvented && share === 1 ? 3 : share) },
    { Name: 'MpesaReceiptNumber', Value: receipt },
  ]
  const stkCallback = {
    CheckoutRequestID: target.id,
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
  // Only forged events report a refund that nobody requested.
  if (
    event === 'refund.processed' &&
    !isForged &&
    !shop.providers.refunds.some(({ receipt }) => receipt === reference)
  )
    return
  const body = JSON.stringify({ event, data: { reference, transaction_reference: reference } })
  const signature = await shop.providers.sign(body, isForged ? 'another key' : undefined)
  const { status } = await sendJson(shop, `${ORIGIN}/api/payments/paystack`, body, {
    'x-paystack-signature': signature,
  })
  expect(status).toBe(isForged ? 400 : 200)
}

/** Confirms a transfer. If the confirmation is forged, or if there is no transfer, the payment was never made. */
async function postConfirmation(shop: Shop, order: OrderRow, { isForged, share, which }: Step) {
  const { transfers } = shop.providers
  const transfer = isForged ? undefined : transfers[which % Math.max(transfers.length, 1)]
  const about = transfer ?? {
    receipt: `FAKE${++receipts}XX`,
    amountKsh: order.totalCents / 100,
    account: order.number,
  }
  const body = {
    TransID: about.receipt,
    TransTime: '20261121090507',
    TransAmount: String(about.amountKsh * share),
    BusinessShortCode: '174379',
    BillRefNumber: order.number,
    MSISDN: '254712***678',
  }
  const token = isForged && which % 3 === 0 ? '0a'.repeat(32) : shop.confirmationToken
  const { status } = await sendJson(shop, `${ORIGIN}/api/incoming/${token}`, body)
  expect([200, 400, 404]).toContain(status)
}

async function actInOffice(shop: Shop, order: OrderRow, { what, which, share, isForged }: Step) {
  const { ctx, office, providers, assigned, recorded } = shop
  const { number } = order
  const ofOrder = eq(refunds.orderId, order.id)
  const requested = await ctx.db.select().from(refunds).where(ofOrder)
  if (what === 'assign') {
    const incoming = await ctx.db.select().from(incomingPayments)
    const receipt =
      incoming[which % Math.max(incoming.length, 1)]?.receipt ?? providers.prompts[0]?.receipt ?? 'NOTHING1'
    const { status } = await office.post('/incoming/assign', { provider: 'mpesa', receipt, number })
    if (status === 303) assigned.set(receipt, number)
  } else if (what === 'markPaid') {
    const reference = `CASH-${++receipts}`
    const { status } = await office.post(`/orders/${number}/paid`, { type: 'cash', reference })
    if (status === 303) recorded.set(reference, number)
  } else if (what === 'refund') {
    const leftCents = order.paidCents - order.refundCents
    const amount = String(Math.floor((leftCents * share) / 100))
    const seen = String(isForged ? leftCents + 100 : leftCents)
    const { status } = await office.post(`/orders/${number}/refund`, { amount, reason: 'other', seen })
    if (isForged || share > 1 || leftCents === 0)
      expect(status, 'a refund that is too large or outdated').toBe(409)
  } else {
    const refund = requested[which % Math.max(requested.length, 1)]
    await office.post(`/orders/${number}/refunded`, {
      refund: refund?.id ?? 'x',
      seen: refund?.state ?? 'due',
    })
  }
  await runHousekeeping(ctx)
}

async function performStep(shop: Shop, action: Step): Promise<void> {
  const { ctx, providers, shoppers, later } = shop
  const { what, who, which, share, currency, isForged } = action
  const rows = await ctx.db.select().from(orders)
  const own = rows.filter(({ userId }) => shoppers.some(({ user }) => user.id === userId))
  const order = own[which % Math.max(own.length, 1)]
  const shopper = shoppers[who]
  const prompt = providers.prompts[which % Math.max(providers.prompts.length, 1)]
  const page = providers.transactions[which % Math.max(providers.transactions.length, 1)]
  if (!shopper) return
  if (what === 'order') {
    const lines = [{ id: 1, qty: 1 + (which % 2) }]
    const payment = which % 2 === 0 ? ({ provider: 'paystack' } as const) : createMpesaPayment()
    await postOrder(ctx, shopper, orderRequest(lines, { payment }))
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
  else if (what === 'verifyOther' && page)
    page.confusedWith ??= providers.transactions[(which + 1) % providers.transactions.length] ?? null
  else if (what === 'transfer' && order) {
    const account = isForged ? 'Amina' : order.number
    const amountKsh = Math.round((order.totalCents * share) / 100)
    providers.transfers.push({ receipt: `TR${String(++receipts).padStart(8, '0')}`, amountKsh, account })
  } else if (what === 'confirm' && order) await postConfirmation(shop, order, action)
  else if (order) {
    const isOwner = order.userId === shopper.user.id
    const path = `${order.number}/${what === 'cancel' ? 'cancel' : 'payment'}`
    const before = JSON.stringify(await ctx.db.select().from(payments))
    if (what === 'poll' || what === 'payAgain' || what === 'cancel') {
      const body = what === 'poll' ? undefined : what === 'cancel' ? {} : { payment: createMpesaPayment() }
      const { status } = await callOrder(ctx, shopper, what === 'poll' ? 'GET' : 'POST', path, body)
      if (!isOwner) {
        expect(status).toBe(404)
        expect(JSON.stringify(await ctx.db.select().from(payments))).toBe(before)
      }
    } else await actInOffice(shop, order, action)
  }
  await ctx.backgroundDone()
}

type PaymentRow = typeof payments.$inferSelect
type OrderRow = typeof orders.$inferSelect

const sumOf = (rows: readonly { amountCents: number }[]) =>
  rows.reduce((cents, { amountCents }) => cents + amountCents, 0)

function expectReceived(
  payment: PaymentRow,
  { number, status }: OrderRow,
  { providers, assigned, recorded }: Shop,
) {
  const { id, provider, manualType, reference, receipt, amountCents } = payment
  if (provider === 'mpesa') {
    const prompt = providers.prompts.find((one) => one.id === reference)
    const received = prompt?.receipt ? prompt.amountKsh * 100 : 0
    expect([prompt?.account, received], 'whose prompt was paid').toEqual([number, amountCents])
    // M-Pesa's list doesn't distinguish payments with the same amount for the same order.
    const similar = [...providers.transfers, ...providers.prompts].filter(
      (one) => one.account === number && one.amountKsh === prompt?.amountKsh,
    )
    const possible = [null, prompt?.receipt, ...similar.map((one) => one.receipt)]
    expect(possible, 'whose receipt it is').toContain(receipt)
  } else if (provider === 'paystack') {
    const page = providers.transactions.find((one) => one.reference === id)
    expect(page?.paid).toEqual({ amount: amountCents, currency: 'KES' })
  } else if (manualType === 'till') {
    const transfer = providers.transfers.find((one) => one.receipt === receipt)
    const prompt = providers.prompts.find((one) => one.receipt === receipt)
    const received = transfer ?? prompt
    expect((received?.amountKsh ?? 0) * 100, 'a transfer’s amount').toBe(amountCents)
    expect([received?.account, assigned.get(receipt ?? '')], 'whose transfer it is').toContain(number)
    if (!assigned.has(receipt ?? ''))
      expect(status, 'only the amount due is matched').not.toBe('awaiting_payment')
  } else expect(recorded.get(receipt ?? ''), 'who recorded it').toBe(number)
}

async function checkInvariants(shop: Shop): Promise<void> {
  const { ctx, providers, shoppers, checkedPrompts } = shop
  const all = await ctx.db.select().from(orders)
  const rows = all.filter(({ userId }) => shoppers.some(({ user }) => user.id === userId))
  const attempts = await ctx.db.select().from(payments)
  for (const prompt of providers.prompts) {
    const { account, amountKsh, phone } = prompt
    const order = rows.find(({ number }) => number === account)
    if (!checkedPrompts.has(prompt)) {
      const dueCents = (order?.totalCents ?? 0) - (order?.paidCents ?? 0) + (order?.refundCents ?? 0)
      expect(amountKsh * 100, 'the amount of a prompt').toBe(dueCents)
      checkedPrompts.add(prompt)
    }
    expect(attempts.some((one) => one.orderId === order?.id && one.phone === phone)).toBe(true)
  }
  for (const { reference, amount, currency } of providers.transactions) {
    const attempt = attempts.find(({ id }) => id === reference)
    expect([amount, currency], 'the amount of a page').toEqual([attempt?.amountCents, 'KES'])
  }
  for (const order of rows) {
    const settled = attempts.filter(({ orderId, state }) => orderId === order.id && state === 'settled')
    for (const payment of settled) expectReceived(payment, order, shop)
    const isPaid = PAID_STATUSES.some((status) => status === order.status)
    if (isPaid) expect(sumOf(settled), 'payments of a placed order').toBeGreaterThanOrEqual(order.totalCents)
    expect(order.paidCents, 'the sum of payments').toBe(sumOf(settled))
    const keptCents = order.paidCents - order.refundCents
    expect(keptCents, 'what is kept').toBeLessThanOrEqual(order.status === 'cancelled' ? 0 : order.totalCents)
  }
  const settledAttempts = attempts.filter(
    (one) => one.state === 'settled' && rows.some(({ id }) => id === one.orderId),
  )
  const sources = settledAttempts.map(({ provider, reference, receipt, id }) =>
    provider === 'mpesa'
      ? (receipt ?? providers.prompts.find((one) => one.id === reference)?.receipt)
      : (receipt ?? id),
  )
  expect(new Set(sources).size, 'each sum counts once').toBe(sources.length)
  const requested = await ctx.db.select().from(refunds)
  for (const { id, amountCents, orderId } of attempts) {
    const own = requested.filter(({ paymentId }) => paymentId === id)
    expect(sumOf(own), 'refunds of a payment').toBeLessThanOrEqual(amountCents)
    for (const refund of own) expect(refund.orderId).toBe(orderId)
  }
  // The scheduled run also sends refunds from earlier sequences.
  const ownPayments = attempts.filter(({ orderId }) => rows.some(({ id }) => id === orderId))
  for (const { receipt, cents } of providers.refunds) {
    const payment = ownPayments.find((one) => one.receipt === receipt || one.id === receipt)
    const byPhone = [...providers.prompts, ...providers.transfers].find((one) => one.receipt === receipt)
    const page = providers.transactions.find(({ reference }) => reference === receipt)
    expect(Boolean(payment), 'whose payment is refunded').toBe(Boolean(byPhone ?? page))
    if (payment)
      expect(cents).toBeLessThanOrEqual((byPhone?.amountKsh ?? 0) * 100 || (page?.paid?.amount ?? 0))
  }
}

afterEach(() => vi.unstubAllGlobals())

it('only payments of the right amount, currency and order settle, in any sequence of events', async () => {
  const property = fc.asyncProperty(
    fc.array(stepArbitrary, { minLength: 8, maxLength: 24 }),
    async (steps) => {
      const shop = await openShop()
      for (const action of steps) {
        await performStep(shop, action)
        await checkInvariants(shop)
      }
    },
  )
  const examples = Object.values(EXAMPLES).map((steps): [Step[]] => [steps])
  await fc.assert(property, { examples, numRuns: examples.length + RANDOM_RUNS, endOnFailure: true })
})
