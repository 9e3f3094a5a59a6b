import { afterEach, expect, it } from 'vitest'
import { formatDarajaTimestamp } from '#server/payments/providers/mpesa/daraja.ts'
import { createMpesaProvider } from '#server/payments/providers/mpesa/mpesa.ts'
import type { PaymentAttempt } from '#server/payments/providers/provider.ts'
import {
  createRefundRequest,
  NEVER_MS,
  newAttempt,
  openMpesaSandbox,
} from '#test/support/provider-sandboxes.ts'

const opened: { close: () => Promise<unknown> }[] = []
afterEach(async () => void (await Promise.all(opened.splice(0).map(({ close }) => close()))))

async function open() {
  const world = await openMpesaSandbox()
  opened.push(world)
  async function pay(attempt: PaymentAttempt) {
    const { started, attempt: prompted } = await world.prompt(attempt)
    await world.daraja.idle()
    const queried = started.outcome === 'pending' ? await world.provider.queryPayment(prompted) : undefined
    return { started, queried, attempt: prompted }
  }
  return { ...world, pay }
}

const attemptBy = (phone: string | null, more: Partial<PaymentAttempt> = {}) => newAttempt({ phone, ...more })

it('an M-Pesa prompt carries the full amount and the order number, and only its callback has the receipt', async () => {
  const { daraja, pay, provider, webhooks } = await open()
  const { queried } = await pay(attemptBy('254700000001'))
  expect(queried).toMatchObject({ outcome: 'settled', receipt: null })
  const [payment] = daraja.payments
  expect(payment).toMatchObject({ phone: '254700000001', amountKsh: 1250, accountReference: 'P-7K3M9Q' })
  const [webhook] = webhooks
  const paid = { amountKsh: 1250, receipt: payment?.receipt }
  expect(webhook && (await provider.parseWebhook(webhook))).toMatchObject({ kind: 'payment', paid })
})

it.each([
  ['finds insufficient funds', '254700000002', 'no_funds'],
  ['is answered with a wrong PIN', '254700000004', 'wrong_pin'],
  ['can’t reach the phone', '254700000009', 'unreachable'],
  ['is cancelled, although the callback reports a payment', '254700000008', 'cancelled'],
])('an M-Pesa payment is declined when the prompt %s', async (_, phone, problem) => {
  const { daraja, pay } = await open()
  expect((await pay(attemptBy(phone))).queried).toEqual({ outcome: 'declined', problem })
  expect(daraja.payments).toEqual([])
})

it('a second M-Pesa payment of the same amount from one phone is declined within two minutes', async () => {
  const { daraja, pay } = await open()
  await pay(attemptBy('254711000001'))
  const { queried } = await pay(attemptBy('254711000001'))
  expect(queried).toMatchObject({ outcome: 'declined', problem: 'same_amount' })
  expect(daraja.payments).toHaveLength(1)
})

it.each([
  ['M-Pesa is busy', attemptBy('254700000011'), 'provider_busy'],
  ['the phone has another payment in progress', attemptBy('254700000012'), 'phone_busy'],
  ['the number isn’t registered with M-Pesa', attemptBy('254900000000'), 'invalid_phone'],
  ['the amount is above the limit', attemptBy('254700000001', { amountCents: 25_000_100 }), 'amount_limit'],
  ['there is no phone', attemptBy(null), 'invalid_phone'],
])('an M-Pesa payment doesn’t start when %s', async (_, attempt, problem) => {
  const { pay } = await open()
  expect((await pay(attempt)).started).toMatchObject({ outcome: 'declined', problem })
})

it('an M-Pesa payment settles whether its callback arrives twice, never or before the acknowledgement', async () => {
  const { pay, webhooks } = await open()
  const outcomes = []
  for (const phone of ['254700000006', '254700000010', '254700000013'])
    outcomes.push((await pay(attemptBy(phone))).queried?.outcome)
  expect(outcomes).toEqual(['settled', 'settled', 'settled'])
  expect(webhooks).toHaveLength(3)
})

it('the M-Pesa client fetches one token for many calls, and a new one once it is invalidated', async () => {
  const { daraja, pay, issued } = await open()
  await pay(attemptBy('254722000001'))
  expect(issued).toHaveLength(1)
  daraja.invalidateToken()
  expect((await pay(attemptBy('254722000002'))).queried).toMatchObject({ outcome: 'settled' })
  expect(issued).toHaveLength(2)
})

it('the M-Pesa client fetches one token for concurrent prompts', async () => {
  const { prompt, issued } = await open()
  const prompts = Array.from({ length: 6 }, (_, n) => prompt(attemptBy(`25472200002${n}`)))
  expect((await Promise.all(prompts)).map(({ started }) => started.outcome)).toEqual(Array(6).fill('pending'))
  expect(issued).toHaveLength(1)
})

it('the M-Pesa client uses a token that another isolate stored in the meantime', async () => {
  const { provider, issued, urls } = await open()
  await provider.startPayment(attemptBy('254722000003'), urls)
  const token = { value: 'ended', expiresAtMs: Date.now() + NEVER_MS }
  expect(await provider.startPayment(attemptBy('254722000004', { token }), urls)).toMatchObject({
    outcome: 'pending',
  })
  expect(issued).toHaveLength(1)
})

it('the M-Pesa client reports that M-Pesa is busy when it gets no token', async () => {
  const { urls, settings, ctx } = await open()
  const wrong = createMpesaProvider({ ...settings, consumerSecret: 'wrong' }, ctx)
  expect(await wrong.startPayment(attemptBy('254700000001'), urls)).toMatchObject({
    problem: 'provider_busy',
  })
})

it('an M-Pesa payment doesn’t start when fetching the token times out, and the next one uses that token', async () => {
  const { provider, daraja, urls, issued } = await open()
  await daraja.fail('silent')
  expect(await provider.startPayment(attemptBy('254722000007'), urls)).toMatchObject({
    outcome: 'declined',
    problem: 'provider_busy',
  })
  await daraja.fail()
  await provider.startPayment(attemptBy('254722000007'), urls)
  expect(issued).toHaveLength(1)
})

it('an M-Pesa payment counts as declined when a gateway rejects its prompt', async () => {
  const { prompt, daraja } = await open()
  await prompt(attemptBy('254722000008'))
  await daraja.fail('unavailable')
  expect((await prompt(attemptBy('254722000009'))).started).toMatchObject({
    outcome: 'declined',
    problem: 'provider_busy',
  })
})

it('an M-Pesa refund must be made manually when the receipt is missing or unknown to M-Pesa', async () => {
  const { provider, pay, urls, daraja, webhooks } = await open()
  const { attempt } = await pay(attemptBy('254733000001'))
  expect(await provider.refund(createRefundRequest({ ...attempt, receipt: null }), urls)).toMatchObject({
    outcome: 'by_hand',
  })
  webhooks.length = 0
  await provider.refund(createRefundRequest({ ...attempt, receipt: 'SIM9999999' }), urls)
  await daraja.idle()
  const [webhook] = webhooks
  expect(webhook && (await provider.parseWebhook(webhook))).toMatchObject({
    kind: 'refund',
    result: { outcome: 'by_hand' },
  })
})

it('an M-Pesa refund is carried out once per reference, and is paid under a new one after a failure', async () => {
  const { provider, pay, toSettledPayment, urls, daraja, webhooks } = await open()
  const { attempt } = await pay(attemptBy('254700000015'))
  const refund = createRefundRequest(toSettledPayment(attempt), 500_00)
  webhooks.length = 0
  for (const isRetry of [false, true])
    expect(await provider.refund({ ...refund, isRetry }, urls)).toEqual({ outcome: 'requested' })
  await daraja.idle()
  const [failed] = webhooks
  expect(webhooks).toHaveLength(1)
  expect(failed && (await provider.parseWebhook(failed))).toMatchObject({
    result: { outcome: 'failed', error: expect.stringContaining('insufficient'), isFinal: true },
  })
  await provider.refund({ ...refund, reference: 'another' }, urls)
  await daraja.idle()
  expect(daraja.payouts.map(({ isPaid }) => isPaid)).toEqual([false, true])
})

it('an M-Pesa refund isn’t treated as failed, or paid twice, when M-Pesa’s queue times out or never answers', async () => {
  const { provider, pay, toSettledPayment, urls, daraja, webhooks } = await open()
  for (const phone of ['254700000016', '254700000017']) {
    const { attempt } = await pay(attemptBy(phone))
    webhooks.length = 0
    const refund = createRefundRequest({ ...toSettledPayment(attempt), phone }, 500_00)
    expect(await provider.refund(refund, urls)).toEqual({ outcome: 'requested' })
    await daraja.idle()
    const [timeout] = webhooks
    const event = timeout && (await provider.parseWebhook(timeout))
    if (event?.kind === 'refund') expect(event.result).not.toHaveProperty('isFinal')
    expect(webhooks).toHaveLength(phone.endsWith('6') ? 1 : 0)
    expect(await provider.refund({ ...refund, isRetry: true }, urls)).toEqual({ outcome: 'requested' })
  }
  expect(daraja.payouts).toHaveLength(2)
})

it('a partial M-Pesa refund must be made manually without a disbursement short code, a phone or a valid amount', async () => {
  const { provider, settings, ctx, pay, toSettledPayment, urls } = await open()
  const { attempt } = await pay(attemptBy('254733000002'))
  const payment = toSettledPayment(attempt)
  const without = createMpesaProvider({ ...settings, disbursementShortcode: undefined }, ctx)
  const results = [
    await without.refund(createRefundRequest(payment, 500_00), urls),
    await provider.refund(createRefundRequest({ ...payment, phone: null }, 500_00), urls),
    await provider.refund(createRefundRequest(payment, 9_00), urls),
  ]
  expect(results.map(({ outcome }) => outcome)).toEqual(Array(3).fill('by_hand'))
})

it('Daraja timestamps are in East African time', () => {
  expect(formatDarajaTimestamp(Date.UTC(2026, 10, 21, 22, 5, 7))).toBe('20261122010507')
})

it('payments from the M-Pesa menu are confirmed with masked numbers, and are listed for a period, across pages', async () => {
  const { daraja, provider, webhooks, urls, issued } = await open()
  const { incoming } = provider
  if (!incoming) throw new Error('Paying by hand is off.')
  const confirmationUrl = `${new URL(urls.callbackUrl).origin}/api/incoming/0123`
  const registered = await incoming.register(
    { confirmationUrl, validationUrl: `${confirmationUrl}/check` },
    null,
  )
  expect(registered).toEqual({ ok: true, data: undefined })

  const atMs = Date.UTC(2026, 10, 21, 6, 5, 7)
  const receipt = await daraja.c2b.pay({
    amountKsh: 1250.5,
    account: 'P-7K3M9Q',
    phone: '254712345678',
    confirmations: 2,
    atMs,
  })
  expect(webhooks).toHaveLength(2)
  const payment = { receipt, amountCents: 125_050, paidAtMs: atMs, account: 'P-7K3M9Q' }
  expect(incoming.parseConfirmation(webhooks[0]?.body)).toEqual({ ...payment, payer: 'AMINA 25471****678' })
  expect(
    incoming.parseConfirmation({ ...Object(webhooks[0]?.body), BusinessShortCode: '600000' }),
  ).toBeUndefined()

  for (let more = 0; more < 24; more++) await daraja.c2b.pay({ amountKsh: 1, confirmations: 0, atMs })
  await daraja.c2b.pay({ amountKsh: 2, confirmations: 0, atMs: atMs - 3_600_000 })
  const listed = await incoming.list({ startMs: atMs - 60_000, endMs: atMs + 60_000 }, issued.at(-1) ?? null)
  expect(listed).toMatchObject({
    ok: true,
    data: [payment, ...Array(24).fill({ amountCents: 100, account: null })],
  })

  await daraja.fail('unavailable')
  expect(await incoming.list({ startMs: 0, endMs: 1 }, issued.at(-1) ?? null)).toMatchObject({ ok: false })
})
