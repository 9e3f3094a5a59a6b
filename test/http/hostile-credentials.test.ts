import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { SESSION_TTL_SECONDS } from '#server/platform/auth/sessions.ts'
import { orders } from '#server/platform/db/schema.ts'
import { account, cookieOf, signedCookie, signedIn } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { list, orderRequest, post } from '#test/support/orders.ts'
import { postJson } from '#test/support/posting.ts'

const ORIGIN = 'https://pamba.test'
const ctx = testContext()
const app = createApp(ctx)
const amina = await account(ctx)
const wanjiru = await account(ctx, { name: 'Wanjiru' })

/** What each call that acts for a person answers to these headers. */
async function statusesFor(headers: Record<string, string>, at = app): Promise<number[]> {
  const body = JSON.stringify(orderRequest())
  const json = { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() }
  const answers = [
    await at.request(`${ORIGIN}/api/orders`, { headers }),
    await at.request(`${ORIGIN}/api/auth/session`, { headers }),
    await at.request(`${ORIGIN}/api/orders`, { method: 'POST', headers: { ...json, ...headers }, body }),
  ]
  return answers.map(({ status }) => status)
}
const REFUSED = [401, 401, 401]

const cookieValue = JSON.parse(
  decodeURIComponent(amina.cookie.Cookie.replace(/^[^=]+=/, '')).replace(/\.[^.]*$/, ''),
) as { id: string; secret: string; expiresAtMs: number }
const { id, secret, expiresAtMs } = cookieValue
const [signature = ''] = /[^.]+$/.exec(amina.cookie.Cookie) ?? []
const made = (value: object) =>
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
    ['an unsigned token for none', { Authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.' }],
    [
      'a cookie of another person under this signature',
      { Cookie: made({ ...cookieValue, email: wanjiru.user.email }) },
    ],
    [
      'a cookie that lasts longer under this signature',
      { Cookie: made({ ...cookieValue, expiresAtMs: 9e15 }) },
    ],
    ['a broken header beside a good cookie', { ...amina.cookie, Authorization: 'Bearer' }],
    ['an empty header beside a good cookie', { ...amina.cookie, Authorization: '' }],
    ['a cookie for http', { Cookie: amina.cookie.Cookie.replace('__Host-', '') }],
  ])('such as %s is refused everywhere', async (_, headers) => {
    expect(await statusesFor(headers)).toEqual(REFUSED)
  })

  it.each<[string, Partial<typeof cookieValue>]>([
    ["another session's id", { id: wanjiru.sessionId }],
    ['an empty secret', { secret: '' }],
    ["the token's place", { secret: amina.token }],
    ['a pattern', { id: '%', secret: '%' }],
  ])('is refused even if it were signed, with %s', async (_, more) => {
    const value = { ...cookieValue, name: 'Amina', email, ...more }
    expect(await statusesFor({ Cookie: await signedCookie(ctx, value) })).toEqual(REFUSED)
  })
})

describe('a replayed credential', () => {
  it('is refused after logging out, token and cookie alike', async () => {
    const session = await signedIn(ctx, amina.user)
    const out = await app.request(`${ORIGIN}/api/auth/logout`, { method: 'POST', headers: session.bearer })
    await expectStatus(out, 204)
    expect(await statusesFor(session.bearer)).toEqual(REFUSED)
    expect(await statusesFor(session.cookie)).toEqual(REFUSED)
  })

  it('is refused once it has expired, however often it was used before', async () => {
    const session = await signedIn(ctx, amina.user)
    const later = createApp(testContext({ clock: () => NOW_MS + SESSION_TTL_SECONDS * 1000 + 1 }))
    expect(await statusesFor(session.bearer, later)).toEqual(REFUSED)
    expect(await statusesFor(session.cookie, later)).toEqual(REFUSED)
    expect(expiresAtMs).toBeLessThan(NOW_MS + SESSION_TTL_SECONDS * 1000 + 1)
  })

  it('of a reset works once, and ends the open sessions', async () => {
    const person = { name: 'Njeri', email: 'njeri@shopper.test', password: 'kikoi-2026' }
    const registered = await postJson(ctx, '/api/auth/register', person)
    await postJson(ctx, '/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email: person.email })
    await ctx.settled()
    const [, oobCode] = /oobCode=([\w-]+)/.exec(ctx.mails.at(-1)?.text ?? '') ?? []
    const reset = () => postJson(ctx, '/v1/accounts:resetPassword', { oobCode, newPassword: 'shuka-2026' })
    await expectStatus(await reset(), 200)
    const again = await reset()
    expect([again.status, await again.json()]).toEqual([
      400,
      { error: { code: 400, message: 'EXPIRED_OOB_CODE' } },
    ])
    expect(await statusesFor({ Cookie: cookieOf(registered) })).toEqual(REFUSED)
  })
})

describe("other people's orders", () => {
  it('are neither listed, nor found by their key, nor by their place in the list', async () => {
    const key = crypto.randomUUID()
    const hers = await post(ctx, amina, orderRequest(), key)
    await expectStatus(hers, 201)
    const mine = await post(ctx, wanjiru, orderRequest(), key)
    await expectStatus(mine, 201)
    expect(mine.body.order.number).not.toBe(hers.body.order.number)
    for (const query of ['', `?before=${NOW_MS + 1}.${hers.body.order.number}`, `?userId=${amina.user.id}`]) {
      const { body } = await list(ctx, wanjiru, query)
      expect(body.orders.map(({ number }) => number)).toEqual([mine.body.order.number])
    }
  })

  it('are not placed by naming their owner, nor priced, paid or numbered by the request', async () => {
    const more = {
      userId: amina.user.id,
      status: 'paid',
      totalCents: 1,
      number: 'P-222222',
      id: 'x',
      createdAtMs: 0,
    }
    const { status, body } = await post(ctx, wanjiru, { ...orderRequest(), ...more })
    expect(status, JSON.stringify(body)).toBe(201)
    const stored = (await ctx.db.select().from(orders)).find(({ number }) => number === body.order.number)
    expect(stored).toMatchObject({ userId: wanjiru.user.id, status: 'placed', createdAtMs: NOW_MS })
    expect(stored?.totalCents).toBe(orderRequest().expectedTotal * 100)
    expect(stored?.number).not.toBe('P-222222')
  })
})
