import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { darajaTimestamp } from '#server/payments/providers/mpesa/daraja.ts'
import {
  type MpesaCallback,
  mpesaProvider,
  parseMpesaCallback,
} from '#server/payments/providers/mpesa/mpesa.ts'
import type { AccessToken, Attempt } from '#server/payments/providers/provider.ts'
import { ask } from '#server/payments/providers/provider.ts'
import { DARAJA_MERCHANT, openDaraja } from './daraja.ts'
import { openStandIn } from './stand-in.ts'

const NEVER_MS = 3_600_000
const opened: { close: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()))
})

/** A stand-in whose phones answer at once, a shop that notes what it is told, and the provider between them. */
async function open() {
  const told: MpesaCallback[] = []
  const shop = await openStandIn((request) => {
    const callback = parseMpesaCallback(JSON.parse(request.text))
    if (callback) told.push(callback)
    return { status: 200, json: {} }
  }, {})
  const daraja = await openDaraja({ delays: { answerMs: 0, timeoutMs: NEVER_MS, lateMs: NEVER_MS } })
  opened.push(shop, daraja)
  const issued: AccessToken[] = []
  const tokens = {
    stored: async () => issued.at(-1) ?? null,
    store: async (token: AccessToken) => void issued.push(token),
  }
  const { initiator: name, securityCredential, ...merchant } = DARAJA_MERCHANT
  const settings = { ...merchant, base: daraja.url, till: undefined, initiator: { name, securityCredential } }
  const ctx = { clock: Date.now, tokens, background: () => {} }
  const provider = mpesaProvider(settings, ctx)
  const addresses = { callbackUrl: `${shop.url}/api/payments/0123`, returnUrl: shop.url }

  /** Prompts a phone, waits until everybody has done what they do, and asks what became of it. */
  async function pay(attempt: Attempt) {
    const begun = await provider.begin({ ...attempt, token: issued.at(-1) ?? null }, addresses)
    if (begun.outcome !== 'pending') return { begun, checked: undefined, attempt }
    const prompted = { ...attempt, reference: begun.reference, token: issued.at(-1) ?? null }
    await daraja.idle()
    return { begun, checked: await provider.check(prompted), attempt: prompted }
  }
  return { daraja, provider, settings, issued, ctx, told, addresses, pay }
}

let attempts = 0
function attemptBy(phone: string | null, more: Partial<Attempt> = {}): Attempt {
  attempts += 1
  return {
    id: `attempt-${attempts}`,
    orderNumber: 'P-7K3M9Q',
    amountCents: 125_000,
    email: 'amina@example.com',
    phone,
    reference: null,
    token: null,
    ...more,
  }
}

describe('M-Pesa', () => {
  it('takes the money of a phone that pays, and tells the receipt by its callback', async () => {
    const { daraja, pay, told } = await open()
    const { begun, checked } = await pay(attemptBy('254700000001'))
    expect(begun).toMatchObject({ outcome: 'pending' })
    expect(checked).toMatchObject({ outcome: 'settled', receipt: null })
    const [payment] = daraja.payments
    expect(payment).toMatchObject({ phone: '254700000001', amountKsh: 1250, accountReference: 'P-7K3M9Q' })
    expect(told).toMatchObject([{ isPaid: true, amountKsh: 1250, receipt: payment?.receipt }])
  })

  it.each([
    ['has no funds', '254700000002', 'no_funds', 'balance is too low'],
    ['is cancelled on the phone', '254700000003', 'cancelled', 'cancelled on the phone'],
    ['is answered with a wrong PIN', '254700000004', 'wrong_pin', 'PIN was not right'],
    ['finds no phone', '254700000009', 'unreachable', 'did not answer'],
  ])('declines in a sentence when a prompt %s', async (_, phone, problem, words) => {
    const { daraja, pay } = await open()
    const { checked } = await pay(attemptBy(phone))
    expect(checked).toMatchObject({ outcome: 'declined', problem })
    expect(checked).toMatchObject({ message: expect.stringContaining(words) })
    expect(checked).toMatchObject({ message: expect.stringContaining('Nothing was charged') })
    expect(daraja.payments).toEqual([])
  })

  it('declines the same amount from one phone within two minutes', async () => {
    const { daraja, pay } = await open()
    await pay(attemptBy('254711000001'))
    const { checked } = await pay(attemptBy('254711000001'))
    expect(checked).toMatchObject({ outcome: 'declined', problem: 'same_amount' })
    expect(daraja.payments).toHaveLength(1)
  })

  it.each([
    ['M-Pesa is busy', attemptBy('254700000011'), 'provider_busy'],
    ['the phone is in another payment', attemptBy('254700000012'), 'phone_busy'],
    ['the number is none of M-Pesa', attemptBy('254900000000'), 'invalid_phone'],
    ['the amount is above the limit', attemptBy('254700000001', { amountCents: 25_000_100 }), 'amount_limit'],
    ['there is no phone', attemptBy(null), 'invalid_phone'],
  ])('sends no prompt when %s', async (_, attempt, problem) => {
    const { pay } = await open()
    expect((await pay(attempt)).begun).toMatchObject({ outcome: 'declined', problem })
  })

  it('waits for a phone that does not answer', async () => {
    const { provider, addresses } = await open()
    const attempt = attemptBy('254700000005')
    const begun = await provider.begin(attempt, addresses)
    const reference = begun.outcome === 'pending' ? begun.reference : ''
    expect(await provider.check({ ...attempt, reference })).toEqual({ outcome: 'pending' })
  })

  it('believes the query, not the callback', async () => {
    const { pay, told } = await open()
    const { checked } = await pay(attemptBy('254700000008'))
    expect(told).toMatchObject([{ isPaid: true }])
    expect(checked).toMatchObject({ outcome: 'declined', problem: 'cancelled' })
  })

  it('hears of a payment twice, never, or before its prompt is acknowledged', async () => {
    const { pay, told } = await open()
    const outcomes = []
    for (const phone of ['254700000006', '254700000010', '254700000013'])
      outcomes.push((await pay(attemptBy(phone))).checked?.outcome)
    expect(outcomes).toEqual(['settled', 'settled', 'settled'])
    expect(told).toHaveLength(3)
  })

  it('fetches one token for many calls, and another when somebody else has ended it', async () => {
    const { daraja, pay, issued } = await open()
    await pay(attemptBy('254722000001'))
    expect(issued).toHaveLength(1)
    daraja.endToken()
    expect((await pay(attemptBy('254722000002'))).checked).toMatchObject({ outcome: 'settled' })
    expect(issued).toHaveLength(2)
  })

  it('fetches one token for prompts at the same moment', async () => {
    const { provider, addresses, issued } = await open()
    const begun = await Promise.all(
      Array.from({ length: 6 }, (_, n) => provider.begin(attemptBy(`25472200002${n}`), addresses)),
    )
    expect(begun.map(({ outcome }) => outcome)).toEqual(Array(6).fill('pending'))
    expect(issued).toHaveLength(1)
  })

  it('uses the token that another isolate has stored since', async () => {
    const { provider, issued, addresses } = await open()
    await provider.begin(attemptBy('254722000003'), addresses)
    const token = { value: 'ended', expiresAtMs: Date.now() + NEVER_MS }
    expect(await provider.begin(attemptBy('254722000004', { token }), addresses)).toMatchObject({
      outcome: 'pending',
    })
    expect(issued).toHaveLength(1)
  })

  it('reports that M-Pesa is busy when it gives no token, and that nobody knows when a prompt gets no answer', async () => {
    const { provider, daraja, addresses, settings, ctx, issued } = await open()
    const wrong = mpesaProvider({ ...settings, consumerSecret: 'wrong' }, ctx)
    expect(await wrong.begin(attemptBy('254700000001'), addresses)).toMatchObject({
      problem: 'provider_busy',
    })
    await provider.begin(attemptBy('254722000005'), addresses)
    await daraja.close()
    const token = issued.at(-1) ?? null
    expect(await provider.begin(attemptBy('254722000006', { token }), addresses)).toMatchObject({
      outcome: 'unknown',
    })
    expect(await provider.check(attemptBy('254722000006', { token, reference: 'ws_CO_1' }))).toMatchObject({
      outcome: 'unknown',
    })
  })

  it('prompts nobody when the token does not come in time, and has it for the next attempt', async () => {
    const { provider, daraja, addresses, issued } = await open()
    await daraja.fail('silent')
    expect(await provider.begin(attemptBy('254722000007'), addresses)).toMatchObject({
      outcome: 'declined',
      problem: 'provider_busy',
    })
    await daraja.fail()
    await provider.begin(attemptBy('254722000007'), addresses)
    expect(issued).toHaveLength(1)
  })

  it('reports that nothing was charged when a gateway turns the prompt away', async () => {
    const { provider, daraja, addresses, issued } = await open()
    await provider.begin(attemptBy('254722000008'), addresses)
    const prompted = attemptBy('254722000009', { token: issued.at(-1) ?? null })
    for (const [how, answer] of [
      ['unavailable', { outcome: 'declined', problem: 'provider_busy' }],
      ['broken', { outcome: 'unknown' }],
      ['down', { outcome: 'unknown' }],
    ] as const) {
      await daraja.fail(how)
      expect(await provider.begin(prompted, addresses)).toMatchObject(answer)
    }
    expect(await provider.check({ ...prompted, reference: 'ws_CO_1' })).toMatchObject({ outcome: 'unknown' })
  })

  it('gives a payment back once, however often it is asked to', async () => {
    const { daraja, pay, provider, told, addresses } = await open()
    const { attempt } = await pay(attemptBy('254733000001'))
    const payment = { ...attempt, receipt: daraja.payments[0]?.receipt ?? null }
    expect(await provider.refund(payment, addresses)).toEqual({ outcome: 'requested' })
    expect(await provider.refund(payment, addresses)).toEqual({ outcome: 'requested' })
    await provider.refund({ ...payment, receipt: 'SIM9999999' }, addresses)
    await daraja.idle()
    expect(daraja.payments).toMatchObject([{ isReversed: true }])
    expect(told.slice(1)).toMatchObject([
      { about: 'reversal', outcome: 'done' },
      { about: 'reversal', outcome: 'done' },
      { about: 'reversal', outcome: 'unknown_payment' },
    ])
    expect(await provider.refund({ ...payment, receipt: null }, addresses)).toMatchObject({
      outcome: 'by_hand',
    })
  })

  it('writes its timestamps in East African time', () => {
    expect(darajaTimestamp(Date.UTC(2026, 10, 21, 22, 5, 7))).toBe('20261122010507')
  })
})

describe('calls to a provider', () => {
  it('give up on one that does not answer, and have no body of what is no JSON', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/html') response.end('<html>Bad gateway</html>')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}`
    expect(await ask({ url, json: {}, timeoutMs: 20 })).toEqual({
      failure: expect.stringContaining('TimeoutError'),
    })
    const html = await ask({ url: `${url}/html`, json: {}, timeoutMs: 5000 })
    expect(html).toEqual({ status: 200, body: undefined })
    server.closeAllConnections()
    server.close()
  })
})
