import { expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { type Call, withParams } from '#shared/api-call.ts'
import { getPaymentCall } from '#shared/orders/contract.ts'
import { testContext } from '#test/support/context.ts'
import { createUnreachableDatabase } from '#test/support/database.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { getApp } from '#test/support/posting.ts'

const defaultContext = testContext()
const request = (method: string, path: string, ctx = defaultContext) =>
  getApp(ctx).request(`https://pamba.test${path}`, { method })

it('the app routes every call of the contracts in src/shared', () => {
  const contracts = import.meta.glob<Record<string, Partial<Call>>>('/src/shared/*/*contract.ts', {
    eager: true,
  })
  const calls = Object.values(contracts)
    .flatMap((contract) => Object.values(contract))
    .flatMap(({ method, path }) =>
      method && path ? [`${method} ${path.startsWith('/v1/') ? '' : '/api'}${path}`] : [],
    )
  const mounted = createApp(testContext()).routes.map(({ method, path }) => `${method} ${path}`)
  expect(calls.length, 'calls of the API').toBeGreaterThan(9)
  expect(new Set(calls).difference(new Set(mounted)), 'not mounted in src/server/app.ts').toEqual(new Set())
})

it('a call’s parameters are inserted into its path', async () => {
  const { method, path } = withParams(getPaymentCall, { number: 'P-7K3M9Q' })
  expect(path).toBe('/orders/P-7K3M9Q/payment')
  expect((await request(method, `/api${path}`)).status).toBe(401)
})

it.each([
  ['DELETE', '/api/orders', 'POST, GET'],
  ['PUT', '/api/orders', 'POST, GET'],
  ['GET', '/api/promotions/check', 'POST'],
  ['GET', '/api/contact', 'POST'],
  ['POST', '/api/health', 'GET'],
  ['GET', '/api/auth/login', 'POST'],
  ['DELETE', '/api/auth/session', 'GET'],
  ['PUT', '/api/orders/P-7K3M9Q', 'GET'],
  ['GET', '/api/orders/P-7K3M9Q/cancel', 'POST'],
  ['DELETE', '/api/orders/P-7K3M9Q/payment', 'GET, POST'],
  ['GET', '/api/payments/paystack', 'POST'],
])('the API responds to %s %s with 405 and the allowed methods', async (method, path, allowed) => {
  const response = await request(method, path)
  await expectStatus(response, 405)
  expect(response.headers.get('Allow')).toBe(allowed)
  expect(await response.json()).toMatchObject({ code: 'method_not_allowed' })
})

it.each(['/api', '/api/', '/api/order', '/api/orders/', '/api/orders/P-222222/', '/api/*'])(
  'the app responds to the unknown path %s with a 404, which is JSON below /api',
  async (path) => {
    for (const method of ['GET', 'POST']) {
      const response = await request(method, path)
      await expectStatus(response, 404)
      if (path !== '/api') expect(await response.json()).toMatchObject({ code: 'not_found' })
    }
  },
)

it('a failed statement is logged without its values', async () => {
  const ctx = testContext({ db: createUnreachableDatabase() })
  const response = await createApp(ctx).request('https://pamba.test/api/promotions/check', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code: 'SECRETCODE', lines: [{ id: 1, qty: 1 }] }),
  })
  await expectStatus(response, 503)
  expect(ctx.lines[0]?.failures?.[0]).toContain('Failed query: select')
  expect(ctx.lines[0]?.failures?.[0]).toContain('Network connection lost')
  expect(JSON.stringify(ctx.lines)).not.toContain('SECRETCODE')
})
