import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { SESSION_TTL_SECONDS } from '#server/platform/auth/sessions.ts'
import { createAccount, toCookieHeader } from '#test/support/account.ts'
import {
  getSession,
  logIn,
  logOut,
  newUserDetails,
  register,
  type SignedIn,
} from '#test/support/auth-calls.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { createUnreachableDatabase } from '#test/support/database.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { get, postJson } from '#test/support/posting.ts'

describe('POST /api/auth/logout', () => {
  it.each(['bearer', 'cookie'] as const)(
    'invalidates both the token and the cookie of a session, whichever it receives: %s',
    async (how) => {
      const user = await createAccount(testContext())
      const response = await logOut(user[how])
      await expectStatus(response, 204)
      expect(response.headers.get('Set-Cookie')).toMatch(/^__Host-session=; Max-Age=0/)
      await expectStatus(await getSession(user.bearer), 401)
      await expectStatus(await getSession(user.cookie), 401)
    },
  )

  it('ends the sessions of both the token and the cookie it receives', async () => {
    const [account, otherAccount] = [await createAccount(testContext()), await createAccount(testContext())]
    await expectStatus(await logOut({ ...account.bearer, ...otherAccount.cookie }), 204)
    for (const headers of [account.bearer, account.cookie, otherAccount.bearer, otherAccount.cookie])
      await expectStatus(await getSession(headers), 401)
  })

  it('responds with 204 even without a session', async () => {
    for (const headers of [{}, { Authorization: 'Bearer nonsense' }, { Cookie: '__Host-session=x' }]) {
      await expectStatus(await logOut(headers), 204)
    }
  })

  it('keeps the user’s other sessions', async () => {
    const user = newUserDetails()
    const first = (await (await register(user)).json()) as SignedIn
    const second = (await (await logIn(user)).json()) as SignedIn
    await logOut({ Authorization: `Bearer ${first.token}` })
    await expectStatus(await getSession({ Authorization: `Bearer ${second.token}` }), 200)
  })
})

describe('GET /api/auth/session', () => {
  it('sets a new cookie for a token', async () => {
    const { bearer, user } = await createAccount(testContext())
    const response = await getSession(bearer)
    expect(await response.json()).toEqual({
      user: { name: user.name, email: user.email, firstName: 'Amina', lastName: 'Wanjiru' },
    })
    const Cookie = toCookieHeader(response)
    expect(Cookie).toContain('__Host-session=')
    await expectStatus(await getSession({ Cookie }), 200)
    await expectStatus(await get(testContext(), '/dashboard', { Cookie }), 200)
  })

  it('returns the stored billing address', async () => {
    const profile = { firstName: 'Grace', lastName: 'Otieno', address: 'Moi Avenue 1', address2: 'Flat 2' }
    const { bearer } = await createAccount(testContext(), { ...profile, state: 'Nairobi', zip: '00100' })
    expect(await (await getSession(bearer)).json()).toMatchObject({
      user: { ...profile, state: 'Nairobi', zip: '00100' },
    })
  })

  it('rejects an expired session and clears its cookie', async () => {
    const { cookie } = await createAccount(testContext())
    const later = testContext({ clock: () => NOW_MS + SESSION_TTL_SECONDS * 1000 })
    const response = await getSession(cookie, later)
    await expectStatus(response, 401)
    expect(await response.json()).toEqual({ message: 'Please log in to continue.', code: 'unauthorized' })
    expect(response.headers.get('Set-Cookie')).toMatch(/^__Host-session=; Max-Age=0/)
  })
})

it('a cookie set over http has no __Host- prefix, which browsers reject there', async () => {
  const ctx = testContext()
  const response = await createApp(ctx).request('http://localhost:5000/api/auth/register', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(newUserDetails()),
  })
  expect(response.headers.getSetCookie()[0]).toMatch(
    /^session=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
  )
})

describe('without the database', () => {
  it('login, registration, logout and the session call respond with 503', async () => {
    const ctx = testContext({ db: createUnreachableDatabase() })
    const bearer = { Authorization: `Bearer ${'A'.repeat(43)}` }
    const responses = [
      await logIn(newUserDetails(), ctx),
      await register(newUserDetails(), ctx),
      await getSession(bearer, ctx),
      await logOut(bearer, ctx),
    ]
    for (const response of responses) {
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
  it.each(paths)('get 415, 413 or 400 at %s', async (path) => {
    const ctx = testContext()
    const postAsType = (type: string) => postJson(ctx, path, '{}', { 'Content-Type': type })
    await expectStatus(await postAsType('text/plain'), 415)
    await expectStatus(await postAsType('application/x-www-form-urlencoded'), 415)
    await expectStatus(await postJson(ctx, path, '{"email":'), 400)
    for (const body of ['[]', 'null', '"text"', '7']) await expectStatus(await postJson(ctx, path, body), 400)
    const large = { email: 'x'.repeat(65 * 1024), password: 'x' }
    await expectStatus(await postJson(ctx, path, large), 413)
  })
})
