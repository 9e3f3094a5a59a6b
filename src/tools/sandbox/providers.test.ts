import { afterEach, describe, expect, it } from 'vitest'
import { getProblemMessage, getWaitingMessage } from '#server/payments/providers/registry.ts'
import { PAYMENT_PROBLEMS } from '#shared/payments/payment.ts'
import { type PaymentProviderName, PROVIDER_NAMES } from '#shared/payments/providers.ts'
import {
  createRefundRequest,
  type PaymentChoice,
  PROVIDER_SANDBOXES,
  type ProviderSandbox,
} from '#test/support/provider-sandboxes.ts'

/** The expected results that differ between providers. */
const LOCAL_PROVIDERS = {
  simulated: { start: 'settled', startAgain: 'settled', refund: 'done', refundAgain: 'done' },
  'cash-on-delivery': {
    ...{ start: 'on_delivery', startAgain: 'on_delivery', query: 'on_delivery' },
    ...{ refund: 'by_hand', refundAgain: 'by_hand' },
  },
  manual: { start: 'unknown', startAgain: 'unknown', refund: 'by_hand', refundAgain: 'by_hand' },
} as const
const REMOTE_PROVIDERS = {
  mpesa: {
    ...{ start: 'pending', startAgain: 'pending', refund: 'requested', refundAgain: 'requested' },
    startUnreachable: 'unknown',
    problem: 'cancelled',
    /** Daraja signs nothing, so a forged callback is an unverified claim, which the query contradicts. */
    forgedWebhook: 'payment',
  },
  paystack: {
    ...{ start: 'pending', startAgain: 'declined', refund: 'requested', refundAgain: 'done' },
    startUnreachable: 'declined',
    problem: 'declined',
    forgedWebhook: 'invalid',
  },
} as const
const PROVIDERS = { ...LOCAL_PROVIDERS, ...REMOTE_PROVIDERS } satisfies Record<PaymentProviderName, object>

const remoteNames = Object.keys(REMOTE_PROVIDERS) as (keyof typeof REMOTE_PROVIDERS)[]
const isRemote = (name: PaymentProviderName) => remoteNames.some((remote) => remote === name)

const opened: ProviderSandbox[] = []
afterEach(async () => void (await Promise.all(opened.splice(0).map(({ close }) => close()))))

async function open(name: PaymentProviderName): Promise<ProviderSandbox> {
  const world = await PROVIDER_SANDBOXES[name]()
  opened.push(world)
  return world
}

async function openWithPaymentChoice(name: PaymentProviderName, shopper: PaymentChoice) {
  const world = await open(name)
  const { attempt } = await world.start(shopper)
  await world.submitChoice(attempt)
  return { ...world, attempt }
}

function requireFirst<Value>([value]: readonly Value[]): Value {
  if (value === undefined) throw new Error('No webhook was sent.')
  return value
}

describe.each(PROVIDER_NAMES)('the payment provider %s', (name) => {
  const expected = PROVIDERS[name]

  it('reports the state of a payment before and after the shopper pays', async () => {
    const { provider, start, submitChoice, countPayments } = await open(name)
    const { attempt, started } = await start('pays')
    expect([provider.name, started.outcome]).toEqual([name, expected.start])
    if (isRemote(name)) expect(await provider.queryPayment(attempt)).toEqual({ outcome: 'pending' })
    await submitChoice(attempt)
    expect(await provider.queryPayment(attempt)).toMatchObject({
      outcome: 'query' in expected ? expected.query : 'settled',
    })
    expect(countPayments()).toBe(isRemote(name) ? 1 : 0)
  })

  it('is repeatable if, and only if, starting a payment again returns the same result', async () => {
    const { provider, start, urls } = await open(name)
    const { attempt, started } = await start('pays')
    const again = await provider.startPayment(attempt, urls)
    expect(again.outcome).toBe(expected.startAgain)
    if (provider.isRepeatable) expect(again).toEqual(started)
    else expect(again).not.toEqual(started)
  })

  it('refunds a payment at most once, even if the refund is requested again', async () => {
    const { provider, attempt, toSettledPayment, urls, countPayments } = await openWithPaymentChoice(
      name,
      'pays',
    )
    const refund = createRefundRequest(toSettledPayment(attempt))
    expect((await provider.refund(refund, urls)).outcome).toBe(expected.refund)
    expect((await provider.refund(refund, urls)).outcome).toBe(expected.refundAgain)
    expect(countPayments()).toBe(0)
  })

  it('refunds each part of a payment at most once, even if the refund is requested again', async () => {
    const { provider, attempt, toSettledPayment, urls, idle, refundedKsh } = await openWithPaymentChoice(
      name,
      'pays',
    )
    for (const [ksh, reference] of [
      [300, 'first'],
      [200, 'second'],
    ] as const) {
      const refund = { ...createRefundRequest(toSettledPayment(attempt), ksh * 100), reference }
      expect((await provider.refund(refund, urls)).outcome).toBe(expected.refund)
      await idle()
      const again = (await provider.refund({ ...refund, isRetry: true }, urls)).outcome
      expect([expected.refund, 'done']).toContain(again)
    }
    expect(refundedKsh()).toBe(isRemote(name) ? 500 : 0)
  })

  it('rejects a malformed webhook', async () => {
    const { provider } = await open(name)
    for (const body of [undefined, null, 'paid', [], {}, { event: 'charge.success' }]) {
      const rawBody = JSON.stringify(body) ?? '<html>'
      for (const signature of ['', 'x', '0'.repeat(128), 'f'.repeat(127)])
        expect(
          await provider.parseWebhook({ rawBody, body, header: () => signature, isTimeout: false }),
        ).toEqual({
          kind: 'invalid',
        })
    }
  })

  it('says for every problem that the shopper wasn’t charged or was refunded', () => {
    for (const problem of PAYMENT_PROBLEMS)
      expect(getProblemMessage(name, problem)).toMatch(/You haven’t been charged|has been refunded/)
    const attempt = { amount: 'KSH 1,250', phone: '254700000001', redirectTo: 'https://pay.test', ageMs: 0 }
    expect(getWaitingMessage(name, { ...attempt, isUnknown: false })).toMatch(
      /KSH 1,250|processing your payment/,
    )
  })
})

describe.each(remoteNames)('the payment provider %s, over the network', (name) => {
  const expected = REMOTE_PROVIDERS[name]

  it('reports the problem when the shopper doesn’t pay', async () => {
    const { provider, attempt, countPayments } = await openWithPaymentChoice(name, 'declines')
    expect(await provider.queryPayment(attempt)).toEqual({ outcome: 'declined', problem: expected.problem })
    expect(countPayments()).toBe(0)
  })

  it('issues no receipt of an earlier run of its sandbox again', async () => {
    const receipts = []
    for (let run = 0; run < 2; run++) {
      const { toSettledPayment, attempt } = await openWithPaymentChoice(name, 'pays')
      receipts.push(toSettledPayment(attempt).receipt)
    }
    expect(new Set(receipts).size).toBe(2)
  })

  it.each(['down', 'broken'] as const)(
    'reports an unknown payment state while it is %s, and the real one afterwards',
    async (how) => {
      const { provider, start, submitChoice, fail, urls } = await open(name)
      const { attempt } = await start('pays')
      await fail(how)
      expect((await provider.startPayment(attempt, urls)).outcome).toBe(expected.startUnreachable)
      expect((await provider.queryPayment(attempt)).outcome).toBe('unknown')
      expect(
        (await provider.refund(createRefundRequest({ ...attempt, receipt: 'SIM0000001' }), urls)).outcome,
      ).toBe('failed')
      await fail()
      await submitChoice(attempt)
      expect((await provider.queryPayment(attempt)).outcome).toBe('settled')
    },
  )

  it('reports a payment by webhook, identically if the webhook is sent twice', async () => {
    const { provider, attempt, webhooks } = await openWithPaymentChoice(name, 'pays')
    const webhook = requireFirst(webhooks)
    const event = await provider.parseWebhook(webhook)
    expect(event).toMatchObject({
      kind: 'payment',
      ...(provider.webhook?.url === 'provider'
        ? { attemptId: attempt.id }
        : { reference: attempt.reference, paid: { amountKsh: 1250 } }),
    })
    expect(await provider.parseWebhook(webhook)).toEqual(event)
  })

  it.each([
    ['a full refund', undefined],
    ['a partial refund', 500_00],
  ])('reports %s by webhook, or the payment to query', async (_, cents) => {
    const { provider, attempt, toSettledPayment, urls, webhooks, idle } = await openWithPaymentChoice(
      name,
      'pays',
    )
    webhooks.length = 0
    const refund = createRefundRequest(toSettledPayment(attempt), cents)
    await provider.refund(refund, urls)
    await idle()
    const event = await provider.parseWebhook(requireFirst(webhooks))
    const done = { outcome: 'done' }
    if (provider.webhook?.url === 'provider') {
      expect(event).toEqual({ kind: 'refund_changed', attemptId: attempt.id })
      expect(await provider.refund({ ...refund, isRetry: true }, urls)).toEqual(done)
      expect(await provider.queryRefund?.(refund)).toEqual(done)
    } else expect(event).toMatchObject({ kind: 'refund', amountCents: cents ?? null, result: done })
  })

  it('doesn’t settle a payment on a forged webhook', async () => {
    const paid = await openWithPaymentChoice(name, 'pays')
    const { provider, attempt } = await openWithPaymentChoice(name, 'declines')
    const genuine = requireFirst(paid.webhooks)
    const rawBody = genuine.rawBody.replaceAll(paid.attempt.reference ?? '', attempt.reference ?? '')
    const forged = await provider.parseWebhook({ ...genuine, rawBody, body: JSON.parse(rawBody) })
    expect(forged.kind).toBe(expected.forgedWebhook)
    expect(await provider.queryPayment(attempt)).toMatchObject({ outcome: 'declined' })
  })
})
