import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { SESSION_TTL_SECONDS } from '#server/platform/auth/sessions.ts'
import { account, cookieOf } from '#test/support/account.ts'
import { login, logout, newcomer, register, type SignedIn, session } from '#test/support/auth-calls.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { downDatabase } from '#test/support/database.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { get, postJson } from '#test/support/posting.ts'

describe('POST /api/auth/logout', () => {
  it.each(['bearer', 'cookie'] as const)('ends token and cookie at once, asked by %s', async (how) => {
    const someone = await account(testContext())
    const response = await logout(someone[how])
    await expectStatus(response, 204)
    expect(response.headers.get('Set-Cookie')).toMatch(/^__Host-session=; Max-Age=0/)
    await expectStatus(await session(someone.bearer), 401)
    await expectStatus(await session(someone.cookie), 401)
  })

  it('ends every session that it is sent, the token’s and the cookie’s', async () => {
    const [one, other] = [await account(testContext()), await account(testContext())]
    await expectStatus(await logout({ ...one.bearer, ...other.cookie }), 204)
    for (const headers of [one.bearer, one.cookie, other.bearer, other.cookie])
      await expectStatus(await session(headers), 401)
  })

  it('answers alike without a session', async () => {
    for (const headers of [{}, { Authorization: 'Bearer nonsense' }, { Cookie: '__Host-session=x' }]) {
      await expectStatus(await logout(headers), 204)
    }
  })

  it('leaves the other sessions of the person alone', async () => {
    const someone = newcomer()
    const first = (await (await register(someone)).json()) as SignedIn
    const second = (await (await login(someone)).json()) as SignedIn
    await logout({ Authorization: `Bearer ${first.token}` })
    await expectStatus(await session({ Authorization: `Bearer ${second.token}` }), 200)
  })
})

describe('GET /api/auth/session', () => {
  it('makes a new cookie from a token', async () => {
    const { bearer, user } = await account(testContext())
    const response = await session(bearer)
    expect(await response.json()).toEqual({
      user: { name: user.name, email: user.email, firstName: 'Amina', lastName: 'Wanjiru' },
    })
    const Cookie = cookieOf(response)
    expect(Cookie).toContain('__Host-session=')
    await expectStatus(await session({ Cookie }), 200)
    await expectStatus(await get(testContext(), '/dashboard', { Cookie }), 200)
  })

  it('tells the remembered billing address', async () => {
    const profile = { firstName: 'Grace', lastName: 'Otieno', address: 'Moi Avenue 1', address2: 'Flat 2' }
    const { bearer } = await account(testContext(), { ...profile, state: 'Nairobi', zip: '00100' })
    expect(await (await session(bearer)).json()).toMatchObject({
      user: { ...profile, state: 'Nairobi', zip: '00100' },
    })
  })

  it('refuses what has expired, and takes its cookie away', async () => {
    const { cookie } = await account(testContext())
    const later = testContext({ clock: () => NOW_MS + SESSION_TTL_SECONDS * 1000 })
    const response = await session(cookie, later)
    await expectStatus(response, 401)
    expect(await response.json()).toEqual({ message: 'Please log in to continue.', code: 'unauthorized' })
    expect(response.headers.get('Set-Cookie')).toMatch(/^__Host-session=; Max-Age=0/)
  })

  it('uses a cookie without prefix over plain http, where browsers refuse the prefix', async () => {
    const ctx = testContext()
    const response = await createApp(ctx).request('http://localhost:5000/api/auth/register', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(newcomer()),
    })
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^session=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
    )
  })
})

describe('without the database', () => {
  it('calls say so', async () => {
    const ctx = testContext({ db: downDatabase() })
    const bearer = { Authorization: `Bearer ${'A'.repeat(43)}` }
    const answers = [
      await login(newcomer(), ctx),
      await register(newcomer(), ctx),
      await session(bearer, ctx),
      await logout(bearer, ctx),
    ]
    for (const response of answers) {
      await expectStatus(response, 503)
      expect(await response.json()).toMatchObject({ code: 'unavailable' })
    }
  })
})

describe('bad requests', () => {
  const paths = [
    '/api/auth/register',
    '/api/auth/login',
    '/v1/accounts:sendOobCode',
    '/v1/accounts:resetPassword',
  ]
  it.each(paths)('get their own status at %s', async (path) => {
    const ctx = testContext()
    const typed = (type: string) => postJson(ctx, path, '{}', { 'Content-Type': type })
    await expectStatus(await typed('text/plain'), 415)
    await expectStatus(await typed('application/x-www-form-urlencoded'), 415)
    await expectStatus(await postJson(ctx, path, '{"email":'), 400)
    for (const body of ['[]', 'null', '"text"', '7']) await expectStatus(await postJson(ctx, path, body), 400)
    const large = { email: 'x'.repeat(65 * 1024), password: 'x' }
    await expectStatus(await postJson(ctx, path, large), 413)
  })
})
