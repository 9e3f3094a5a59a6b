import { afterEach, expect, it } from 'vitest'
import { newAttempt, openPaystackSandbox, refundOf } from '#test/support/provider-sandboxes.ts'

const opened: { close: () => Promise<unknown> }[] = []
afterEach(async () => void (await Promise.all(opened.splice(0).map(({ close }) => close()))))

async function open() {
  const world = await openPaystackSandbox()
  opened.push(world)
  return world
}

it('sends the shopper to the hosted page and back to checkout, and reports the receipt', async () => {
  const { start, choose, provider, urls } = await open()
  const { attempt, started } = await start('pays')
  expect(started).toMatchObject({ redirectTo: expect.stringContaining(`/pay/${attempt.id}`) })
  expect(await choose(attempt, 'pay')).toBe(`${urls.returnUrl}&trxref=${attempt.id}&reference=${attempt.id}`)
  const settled = { outcome: 'settled', reference: attempt.id, receipt: expect.any(String) }
  expect(await provider.queryPayment(attempt)).toEqual(settled)
})

it.each([
  ['left open', 'leave', 'pending'],
  ['paid without a webhook', 'silent', 'settled'],
  ['paid with two webhooks', 'twice', 'settled'],
  ['paid in part only', 'less', 'unknown'],
] as const)('reports the state of a payment that was %s', async (_, choice, outcome) => {
  const { start, choose, provider } = await open()
  const { attempt } = await start('pays')
  await choose(attempt, choice)
  expect((await provider.queryPayment(attempt)).outcome).toBe(outcome)
})

it('takes a payment from a customer without an email address, whose receipt goes to the shop', async () => {
  const { provider, paystack, urls } = await open()
  const attempt = newAttempt({ email: '' })
  expect(await provider.startPayment(attempt, urls)).toMatchObject({ outcome: 'pending' })
  expect(paystack.transactions.get(attempt.id)?.email).toBe('hello@pamba.example')
})

it('opens one hosted page per attempt', async () => {
  const { start, provider, urls, paystack } = await open()
  const { attempt } = await start('pays')
  await provider.startPayment(attempt, urls)
  expect(paystack.transactions.size).toBe(1)
})

it('reports a payment that was refunded', async () => {
  const { start, submitChoice, provider, toSettledPayment, urls } = await open()
  const { attempt } = await start('pays')
  await submitChoice(attempt)
  await provider.refund(refundOf(toSettledPayment(attempt)), urls)
  expect(await provider.queryPayment(attempt)).toEqual({ outcome: 'declined', problem: 'refunded' })
})
