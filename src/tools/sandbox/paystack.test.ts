import { afterEach, expect, it } from 'vitest'
import {
  isPaystackSignature,
  type PaystackEvent,
  parsePaystackEvent,
  paystackProvider,
} from '#server/payments/providers/paystack/paystack.ts'
import type { Attempt } from '#server/payments/providers/provider.ts'
import { openPaystack, PAYSTACK_SECRET_KEY, type PaystackChoice } from './paystack.ts'
import { openStandIn } from './stand-in.ts'

const opened: { close: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()))
})

const RETURN_URL = 'http://localhost:5000/checkout?order=P-7K3M9Q'

/** A stand-in, a shop that notes which signed events it gets, and the provider between them. */
async function open() {
  const told: (PaystackEvent | undefined)[] = []
  const shop = await openStandIn(async ({ text, header }) => {
    if (await isPaystackSignature(header('x-paystack-signature'), text, PAYSTACK_SECRET_KEY))
      told.push(parsePaystackEvent(JSON.parse(text)))
    return { status: 200, json: {} }
  }, {})
  const paystack = await openPaystack({ webhookUrl: `${shop.url}/api/payments/paystack` })
  opened.push(shop, paystack)
  const provider = paystackProvider({ base: paystack.url, secretKey: PAYSTACK_SECRET_KEY })

  /** Does on the hosted page what a shopper does; returns where the shopper is led. */
  async function choose(url: string, choice: PaystackChoice) {
    const body = new URLSearchParams({ choice })
    const response = await fetch(url, { method: 'POST', body, redirect: 'manual' })
    await paystack.idle()
    return response.headers.get('Location')
  }
  async function pay(choice: PaystackChoice, attempt = newAttempt()) {
    const begun = await provider.begin(attempt, { callbackUrl: '', returnUrl: RETURN_URL })
    const url = begun.outcome === 'pending' ? (begun.redirectTo ?? '') : ''
    return { attempt, back: await choose(url, choice), checked: await provider.check(attempt) }
  }
  return { paystack, provider, told, pay }
}

function newAttempt(): Attempt {
  return {
    id: crypto.randomUUID(),
    orderNumber: 'P-7K3M9Q',
    amountCents: 125_000,
    email: 'amina@example.com',
    phone: null,
    reference: null,
    token: null,
  }
}

it('sends the shopper to a page to pay, and finds the payment there', async () => {
  const { pay, told } = await open()
  const { attempt, back, checked } = await pay('pay')
  expect(back).toBe(`${RETURN_URL}&trxref=${attempt.id}&reference=${attempt.id}`)
  expect(checked).toEqual({ outcome: 'settled', reference: attempt.id, receipt: expect.any(String) })
  expect(told).toEqual([{ event: 'charge', reference: attempt.id }])
})

it.each([
  ['declined', 'decline', 'declined'],
  ['left open', 'leave', 'pending'],
  ['paid without a word', 'silent', 'settled'],
  ['paid and told twice', 'twice', 'settled'],
  ['paid by half, which is no payment of this order', 'less', 'unknown'],
] as const)('finds a payment that was %s', async (_, choice, outcome) => {
  const { pay } = await open()
  expect((await pay(choice)).checked.outcome).toBe(outcome)
})

it('asks for no money under one name twice', async () => {
  const { provider, paystack } = await open()
  const attempt = newAttempt()
  const addresses = { callbackUrl: '', returnUrl: RETURN_URL }
  await provider.begin(attempt, addresses)
  expect(await provider.begin(attempt, addresses)).toMatchObject({ outcome: 'declined' })
  expect(paystack.transactions.size).toBe(1)
})

it('gives a payment back once, and reports it by a signed event', async () => {
  const { pay, provider, told } = await open()
  const { attempt } = await pay('silent')
  const payment = { ...attempt, receipt: '1' }
  expect(await provider.refund(payment, { callbackUrl: '' })).toEqual({ outcome: 'requested' })
  expect(await provider.refund(payment, { callbackUrl: '' })).toEqual({ outcome: 'done' })
  await expect.poll(() => told).toEqual([{ event: 'refund_done', reference: attempt.id }])
  expect(await provider.check(attempt)).toMatchObject({ outcome: 'declined' })
})

it('charges nobody when Paystack is out of reach, and takes no unknown answer for a payment', async () => {
  const { provider, paystack } = await open()
  await paystack.close()
  expect(await provider.begin(newAttempt(), { callbackUrl: '', returnUrl: RETURN_URL })).toMatchObject({
    problem: 'provider_busy',
  })
  expect(await provider.check(newAttempt())).toMatchObject({ outcome: 'unknown' })
  expect(await provider.refund({ ...newAttempt(), receipt: '1' }, { callbackUrl: '' })).toMatchObject({
    outcome: 'failed',
  })
})

it('takes no event whose signature is another one, or none', async () => {
  const body = '{"event":"charge.success"}'
  for (const signature of ['', 'x', '0'.repeat(128), 'f'.repeat(127)])
    expect(await isPaystackSignature(signature, body, PAYSTACK_SECRET_KEY)).toBe(false)
})
