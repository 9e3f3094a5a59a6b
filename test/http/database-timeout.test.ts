import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { connectDatabase, withDatabaseTimeout } from '#server/platform/db/client.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '../support/account.ts'
import { testContext } from '../support/context.ts'
import { orderRequest, postOrder, readRecords } from '../support/orders.ts'

const { DB } = env as unknown as { DB: D1Database }
const SHORT_MS = 20

const hanging = new Proxy(DB, {
  get: (target, name) =>
    name === 'batch'
      ? () => new Promise(() => {})
      : name === 'prepare'
        ? prepareHanging
        : Reflect.get(target, name),
})

function prepareHanging(text: string): D1PreparedStatement {
  return new Proxy(DB.prepare(text), {
    get: (target, name) =>
      name === 'bind'
        ? () => prepareHanging(text)
        : () => (name in target ? new Promise(() => {}) : undefined),
  })
}

const createHangingContext = () =>
  testContext({ db: connectDatabase(withDatabaseTimeout(hanging, SHORT_MS)) })

it.each([
  ['/api/auth/login', { email: 'wanjiru@example.com', password: 'kikoi-2026' }],
  ['/api/auth/register', { name: 'Wanjiru', email: 'wanjiru@example.com', password: 'kikoi-2026' }],
  ['/api/contact', { name: 'Wanjiru', email: 'wanjiru@example.com', message: 'Is the romper sold out?' }],
  ['/api/promotions/check', { code: 'KARIBU10', lines: [{ id: 1, qty: 1 }] }],
  ['/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email: 'wanjiru@example.com' }],
])('%s responds with 503 and a message when the database times out', async (path, body) => {
  const response = await createApp(createHangingContext()).request(`https://pamba.test${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  await expectStatus(response, 503)
  expect(await response.text()).toContain('is temporarily unavailable')
})

it('an order gets a 503 when the database times out', async () => {
  const shopper = await createAccount(testContext())
  expect(await postOrder(createHangingContext(), shopper, orderRequest())).toMatchObject({
    status: 503,
    body: { code: 'unavailable' },
  })
})

it('the health check reports a database timeout', async () => {
  const response = await createApp(createHangingContext()).request('https://pamba.test/api/health')
  await expectStatus(response, 503)
  expect(await response.json()).toMatchObject({ status: 'degraded', database: 'unavailable' })
})

it('a slow statement is awaited while the database responds to others', async () => {
  let isBusy = true
  const slow = new Proxy(DB, {
    get(target, name) {
      if (name === 'prepare') return (text: string) => target.prepare(text)
      return async (statements: D1PreparedStatement[]) => {
        for (let turn = 0; turn < 3; turn++) {
          await new Promise((resolve) => setTimeout(resolve, SHORT_MS))
          await timed.prepare('select 1').run()
        }
        isBusy = false
        return target.batch(statements)
      }
    },
  })
  const timed = withDatabaseTimeout(slow, 2 * SHORT_MS)
  const [result] = await timed.batch([DB.prepare('select 7 as seven')])
  expect(isBusy).toBe(false)
  expect(result?.results).toEqual([{ seven: 7 }])
})

it('an order is stored as usual while the database responds', async () => {
  const ctx = testContext({ db: connectDatabase(withDatabaseTimeout(DB)) })
  const shopper = await createAccount(ctx)
  expect(await postOrder(ctx, shopper, orderRequest())).toMatchObject({ status: 201 })
  expect((await readRecords(ctx, shopper.user.id)).orders).toHaveLength(1)
})
