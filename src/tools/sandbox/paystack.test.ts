import { afterEach, expect, it } from 'vitest'
import { createRefundRequest, newAttempt, openPaystackSandbox } from '#test/support/provider-sandboxes.ts'

const opened: { close: () => Promise<unknown> }[] = []
afterEach(async () => void (await Promise.all(opened.splice(0).map(({ close }) => close()))))

async function open() {
  const world = await openPaystackSandbox()
  opened.push(world)
  return world
}

it('a Paystack payment leads to the hosted page and back to checkout, and has a receipt', async () => {
  const { start, choose, provider, urls } = await open()
  const { attempt, started } = await start('pays')
  expect(started).toMatchObject({ redirectTo: expect.stringContaining(`/pay/${attempt.id}`) })
  expect(await choose(attempt, 'pay')).toBe(`${urls.returnUrl}&trxref=${attempt.id}&reference=${attempt.id}`)
  const settled = { outcome: 'settled', reference: attempt.id, receipt: expect.any(String) }
  expect(await provider.queryPayment(attempt)).toEqual(settled)
})

it.each([
  ['left open', 'pending', 'leave'],
  ['paid without a webhook', 'settled', 'silent'],
  ['paid with two webhooks', 'settled', 'twice'],
  ['paid in part only', 'unknown', 'less'],
] as const)('a Paystack payment that was %s is reported as %s', async (_, outcome, choice) => {
  const { start, choose, provider } = await open()
  const { attempt } = await start('pays')
  await choose(attempt, choice)
  expect((await provider.queryPayment(attempt)).outcome).toBe(outcome)
})

it('a Paystack payment needs no customer email, and its receipt then goes to the shop', async () => {
  const { provider, paystack, urls } = await open()
  const attempt = newAttempt({ email: '' })
  expect(await provider.startPayment(attempt, urls)).toMatchObject({ outcome: 'pending' })
  expect(paystack.transactions.get(attempt.id)?.email).toBe('hello@pamba.example')
})

it('starting a Paystack payment again opens no second hosted page', async () => {
  const { start, provider, urls, paystack } = await open()
  const { attempt } = await start('pays')
  await provider.startPayment(attempt, urls)
  expect(paystack.transactions.size).toBe(1)
})

it('a refunded Paystack payment is reported as declined', async () => {
  const { start, submitChoice, provider, toSettledPayment, urls } = await open()
  const { attempt } = await start('pays')
  await submitChoice(attempt)
  await provider.refund(createRefundRequest(toSettledPayment(attempt)), urls)
  expect(await provider.queryPayment(attempt)).toEqual({ outcome: 'declined', problem: 'refunded' })
})
