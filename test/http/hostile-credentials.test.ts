import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { SESSION_TTL_SECONDS } from '#server/platform/auth/sessions.ts'
import { orders } from '#server/platform/db/schema.ts'
import { createAccount, createSession, signCookie, toCookieHeader } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { listOrders, orderRequest, postOrder } from '#test/support/orders.ts'
import { postJson } from '#test/support/posting.ts'

const ORIGIN = 'https://pamba.test'
const ctx = testContext()
const app = createApp(ctx)
const amina = await createAccount(ctx)
const wanjiru = await createAccount(ctx, { name: 'Wanjiru' })

async function fetchStatuses(headers: Record<string, string>, at = app): Promise<number[]> {
  const body = JSON.stringify(orderRequest())
  const json = { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() }
  const responses = [
    await at.request(`${ORIGIN}/api/orders`, { headers }),
    await at.request(`${ORIGIN}/api/auth/session`, { headers }),
    await at.request(`${ORIGIN}/api/orders`, { method: 'POST', headers: { ...json, ...headers }, body }),
  ]
  return responses.map(({ status }) => status)
}
const UNAUTHORIZED = [401, 401, 401]

const cookieValue = JSON.parse(
  decodeURIComponent(amina.cookie.Cookie.replace(/^[^=]+=/, '')).replace(/\.[^.]*$/, ''),
) as { id: string; secret: string; expiresAtMs: number }
const { id, secret, expiresAtMs } = cookieValue
const [signature = ''] = /[^.]+$/.exec(amina.cookie.Cookie) ?? []
const forgeCookie = (value: object) =>
  `__Host-session=${encodeURIComponent(`${JSON.stringify({ for: 'session', ...value })}.`)}${signature}`
const { email } = amina.user

describe('a forged credential', () => {
  it.each<[string, Record<string, string>]>([
    ['an unknown token', { Authorization: `Bearer ${'A'.repeat(43)}` }],
    ['a token with one letter changed', { Authorization: amina.bearer.Authorization.replace(/.$/, '!') }],
    ['a token with more behind it', { Authorization: `${amina.bearer.Authorization} x` }],
    ['a token cut short', { Authorization: amina.bearer.Authorization.slice(0, -1) }],
    ["a token's hash", { Authorization: 'Bearer '.padEnd(71, 'a') }],
    ["the cookie's secret as a token", { Authorization: `Bearer ${secret}` }],
    ["the session's id as a token", { Authorization: `Bearer ${id}` }],
    ['a token in another scheme', { Authorization: amina.bearer.Authorization.replace('Bearer', 'Basic') }],
    ['a token as the cookie', { Cookie: `__Host-session=${amina.token}` }],
    ['an unsigned JWT', { Authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.' }],
    [
      'another user’s cookie under this signature',
      { Cookie: forgeCookie({ ...cookieValue, email: wanjiru.user.email }) },
    ],
    ['a later expiry under this signature', { Cookie: forgeCookie({ ...cookieValue, expiresAtMs: 9e15 }) }],
    ['a broken header with a valid cookie', { ...amina.cookie, Authorization: 'Bearer' }],
    ['an empty header with a valid cookie', { ...amina.cookie, Authorization: '' }],
    ['a cookie for http', { Cookie: amina.cookie.Cookie.replace('__Host-', '') }],
  ])('neither reads the session nor lists or places orders: %s', async (_, headers) => {
    expect(await fetchStatuses(headers)).toEqual(UNAUTHORIZED)
  })

  it.each<[string, Partial<typeof cookieValue>]>([
    ["another session's id", { id: wanjiru.sessionId }],
    ['an empty secret', { secret: '' }],
    ['the token as the secret', { secret: amina.token }],
    ['a pattern', { id: '%', secret: '%' }],
  ])('is rejected even if correctly signed: %s', async (_, overrides) => {
    const value = { ...cookieValue, name: 'Amina', email, ...overrides }
    expect(await fetchStatuses({ Cookie: await signCookie(ctx, value) })).toEqual(UNAUTHORIZED)
  })
})

describe('a replayed credential', () => {
  it('is rejected after logging out, whether token or cookie', async () => {
    const session = await createSession(ctx, amina.user)
    const loggedOut = await app.request(`${ORIGIN}/api/auth/logout`, {
      method: 'POST',
      headers: session.bearer,
    })
    await expectStatus(loggedOut, 204)
    expect(await fetchStatuses(session.bearer)).toEqual(UNAUTHORIZED)
    expect(await fetchStatuses(session.cookie)).toEqual(UNAUTHORIZED)
  })

  it('is rejected once it has expired', async () => {
    const session = await createSession(ctx, amina.user)
    const later = createApp(testContext({ clock: () => NOW_MS + SESSION_TTL_SECONDS * 1000 + 1 }))
    expect(await fetchStatuses(session.bearer, later)).toEqual(UNAUTHORIZED)
    expect(await fetchStatuses(session.cookie, later)).toEqual(UNAUTHORIZED)
    expect(expiresAtMs).toBeLessThan(NOW_MS + SESSION_TTL_SECONDS * 1000 + 1)
  })

  it('is rejected if it is a used reset code; the reset ends open sessions', async () => {
    const person = { name: 'Njeri', email: 'njeri@shopper.test', password: 'kikoi-2026' }
    const registered = await postJson(ctx, '/api/auth/register', person)
    await postJson(ctx, '/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email: person.email })
    await ctx.backgroundDone()
    const [, oobCode] = /oobCode=([\w-]+)/.exec(ctx.emails.at(-1)?.text ?? '') ?? []
    const reset = () => postJson(ctx, '/v1/accounts:resetPassword', { oobCode, newPassword: 'shuka-2026' })
    await expectStatus(await reset(), 200)
    const again = await reset()
    expect([again.status, await again.json()]).toEqual([
      400,
      { error: { code: 400, message: 'EXPIRED_OOB_CODE' } },
    ])
    expect(await fetchStatuses({ Cookie: toCookieHeader(registered) })).toEqual(UNAUTHORIZED)
  })
})

describe('other shoppers’ orders', () => {
  it('are neither listed nor found by idempotency key or cursor', async () => {
    const key = crypto.randomUUID()
    const hers = await postOrder(ctx, amina, orderRequest(), key)
    await expectStatus(hers, 201)
    const mine = await postOrder(ctx, wanjiru, orderRequest(), key)
    await expectStatus(mine, 201)
    expect(mine.body.order.number).not.toBe(hers.body.order.number)
    for (const query of ['', `?before=${NOW_MS + 1}.${hers.body.order.number}`, `?userId=${amina.user.id}`]) {
      const { body } = await listOrders(ctx, wanjiru, query)
      expect(body.orders.map(({ number }) => number)).toEqual([mine.body.order.number])
    }
  })
})

it('an order ignores a user id, status, total, number and time sent with it', async () => {
  const overrides = {
    userId: amina.user.id,
    status: 'paid',
    totalCents: 1,
    number: 'P-222222',
    id: 'x',
    createdAtMs: 0,
  }
  const { status, body } = await postOrder(ctx, wanjiru, { ...orderRequest(), ...overrides })
  expect(status, JSON.stringify(body)).toBe(201)
  const storedOrder = (await ctx.db.select().from(orders)).find(({ number }) => number === body.order.number)
  expect(storedOrder).toMatchObject({ userId: wanjiru.user.id, status: 'placed', createdAtMs: NOW_MS })
  expect(storedOrder?.totalCents).toBe(orderRequest().expectedTotal * 100)
  expect(storedOrder?.number).not.toBe('P-222222')
})
