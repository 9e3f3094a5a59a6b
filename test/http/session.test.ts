import { eq } from 'drizzle-orm'
import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { createIdleSection } from '#client/ui/idle-section.tsx'
import { createApp } from '#server/app.ts'
import type { ServiceContext } from '#server/context.ts'
import { SESSION_TTL_SECONDS } from '#server/platform/auth/sessions.ts'
import { sessions } from '#server/platform/db/schema.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { requireSameOrigin } from '#server/platform/middleware/origin.ts'
import { requireUser, session } from '#server/platform/middleware/session.ts'
import { DAY_MS } from '#shared/time.ts'
import { createAccount, createSession, signCookie, toCookieHeader } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { get } from '#test/support/posting.ts'

const ORIGIN = 'https://pamba.test'

function createProtectedApp(ctx: ServiceContext) {
  return new Hono<AppEnv>()
    .use(requireSameOrigin(ctx), session(ctx))
    .all('/api/act', requireUser(ctx), (c) => c.json({ email: c.var.user.email }))
}

const callApi = (ctx: ServiceContext, headers: Record<string, string>, method = 'POST') =>
  createProtectedApp(ctx).request(`${ORIGIN}/api/act`, { method, headers })
const getDashboard = (ctx: ServiceContext, headers: Record<string, string>) => get(ctx, '/dashboard', headers)

describe('a signed-in page', () => {
  it('is rendered from the cookie alone, without the database', async () => {
    const { cookie, user } = await createAccount(testContext())
    const db = new Proxy({} as ServiceContext['db'], {
      get() {
        throw new Error('The database was used.')
      },
    })
    const response = await getDashboard(testContext({ db }), cookie)
    await expectStatus(response, 200)
    expect(await response.text()).toContain(user.email)
  })

  it('is rendered once its lazy sections have loaded, so that they are visible without JavaScript', async () => {
    const load = vi.fn(async () => () => null)
    createIdleSection(load)
    const { cookie } = await createAccount(testContext())
    await expectStatus(await get(testContext(), '/product/1', cookie), 200)
    expect(load).toHaveResolved()
  })

  it.each<[string, (cookie: string) => string]>([
    ['tampered with', (cookie) => cookie.replace(/Amina/, 'Admin')],
    ['cut short', (cookie) => cookie.slice(0, -20)],
    ['without a signature', (cookie) => cookie.split('.')[0] ?? ''],
    ['under another name', (cookie) => cookie.replace('__Host-session', 'session')],
    ['with broken encoding', () => '__Host-session=%E0%A4%A.%%%'],
    ['without a value', () => '__Host-session='],
  ])('redirects to /login if the cookie is %s', async (_, change) => {
    const { cookie } = await createAccount(testContext())
    const response = await getDashboard(testContext(), { Cookie: change(cookie.Cookie) })
    await expectStatus(response, 302)
    expect(response.headers.get('Location')).toBe('/login')
  })

  it('redirects to /login if the cookie is signed with another secret', async () => {
    const config = { ...testContext().config, COOKIE_SECRET: 'a-foreign-secret-0123456789abcdef-0123' }
    const { cookie } = await createAccount(testContext({ config }))
    await expectStatus(await getDashboard(testContext(), cookie), 302)
  })

  it('redirects to /login if the cookie has expired', async () => {
    const { cookie } = await createAccount(testContext())
    const later = testContext({ clock: () => NOW_MS + SESSION_TTL_SECONDS * 1000 })
    await expectStatus(await getDashboard(later, cookie), 302)
  })

  it('accepts a cookie signed with the previous secret', async () => {
    const { cookie } = await createAccount(testContext())
    const { config } = testContext()
    const rotated = {
      ...config,
      COOKIE_SECRET: 'the-next-secret-0123456789abcdef-01234',
      COOKIE_SECRET_PREVIOUS: config.COOKIE_SECRET,
    }
    await expectStatus(await getDashboard(testContext({ config: rotated }), cookie), 200)
  })

  it('tells the browser when to renew the session', async () => {
    const { cookie } = await createAccount(testContext())
    expect(await (await getDashboard(testContext(), cookie)).text()).not.toContain('isSessionRenewalDue')
    const later = testContext({ clock: () => NOW_MS + 2 * DAY_MS })
    expect(await (await getDashboard(later, cookie)).text()).toContain('"isSessionRenewalDue":true')
  })
})

describe('API calls', () => {
  it('identify the user by token or by cookie', async () => {
    const { bearer, cookie, user } = await createAccount(testContext())
    for (const headers of [bearer, cookie]) {
      const response = await callApi(testContext(), headers)
      await expectStatus(response, 200)
      expect(await response.json()).toEqual({ email: user.email })
    }
  })

  it('ignore the cookie if there is an Authorization header', async () => {
    const { cookie } = await createAccount(testContext())
    for (const Authorization of [
      '',
      'Bearer ',
      'Bearer nonsense',
      'Basic YTpi',
      `Bearer ${'A'.repeat(43)}`,
    ]) {
      await expectStatus(await callApi(testContext(), { ...cookie, Authorization }), 401)
    }
  })

  it('reject the cookie’s secret as a token and the token as a secret', async () => {
    const { cookie, token, user, sessionId } = await createAccount(testContext())
    const secret = /"secret":"([^"]+)"/.exec(decodeURIComponent(cookie.Cookie))?.[1]
    expect(secret).toBeTruthy()
    await expectStatus(await callApi(testContext(), { Authorization: `Bearer ${secret}` }), 401)
    const { name, email } = user
    const crossed = { id: sessionId, secret: token, name, email, expiresAtMs: NOW_MS + DAY_MS }
    const Cookie = await signCookie(testContext(), crossed)
    await expectStatus(await callApi(testContext(), { Cookie }), 401)
  })

  it('reject the token and cookie of an ended session, and clear the cookie', async () => {
    const ctx = testContext()
    const { bearer, cookie, sessionId } = await createAccount(ctx)
    await ctx.db.delete(sessions).where(eq(sessions.id, sessionId))
    await expectStatus(await callApi(ctx, bearer), 401)
    const response = await callApi(ctx, cookie)
    await expectStatus(response, 401)
    expect(response.headers.get('Set-Cookie')).toMatch(/^__Host-session=; Max-Age=0; Path=\/; Secure$/)
  })

  it('reject an expired session', async () => {
    const { bearer, user } = await createAccount(testContext())
    const later = testContext({ clock: () => NOW_MS + SESSION_TTL_SECONDS * 1000 })
    await expectStatus(await callApi(later, bearer), 401)
    await expectStatus(await callApi(later, (await createSession(later, user)).bearer), 200)
  })

  it('renew the session at most once a day', async () => {
    const { bearer, sessionId } = await createAccount(testContext())
    const expiry = async () =>
      (await testContext().db.select().from(sessions).where(eq(sessions.id, sessionId)).get())?.expiresAtMs
    const use = async (nowMs: number) => {
      const ctx = testContext({ clock: () => nowMs })
      const response = await callApi(ctx, bearer)
      await ctx.backgroundDone()
      return { expiresAtMs: await expiry(), cookie: toCookieHeader(response) }
    }
    const first = NOW_MS + SESSION_TTL_SECONDS * 1000
    expect(await use(NOW_MS + DAY_MS / 2)).toEqual({ expiresAtMs: first, cookie: '' })
    const renewed = await use(NOW_MS + 2 * DAY_MS)
    expect(renewed.expiresAtMs).toBe(first + 2 * DAY_MS)
    expect(renewed.cookie).toContain('__Host-session=')
    await expectStatus(await getDashboard(testContext(), { Cookie: renewed.cookie }), 200)
  })
})

it('a session ends after 90 days even if it is used', async () => {
  const { bearer, sessionId } = await createAccount(testContext())
  const expiry = async () =>
    (await testContext().db.select().from(sessions).where(eq(sessions.id, sessionId)).get())?.expiresAtMs ?? 0
  let statuses: number[] = []
  for (let day = 10; day <= 100; day += 10) {
    const ctx = testContext({ clock: () => NOW_MS + day * DAY_MS })
    statuses = [...statuses, (await callApi(ctx, bearer)).status]
    await ctx.backgroundDone()
  }
  expect(statuses).toEqual([...Array(8).fill(200), 401, 401])
  expect(await expiry()).toBe(NOW_MS + 90 * DAY_MS)
})

describe('the protection against cross-site requests', () => {
  it.each([
    [{ Origin: 'https://elsewhere.test' }, 403],
    [{ Origin: 'null' }, 403],
    [{ 'Sec-Fetch-Site': 'cross-site', Origin: ORIGIN }, 403],
    [{ 'Sec-Fetch-Site': 'same-site' }, 403],
    [{ 'Sec-Fetch-Site': 'same-origin', Origin: 'null' }, 200],
    [{ 'Sec-Fetch-Site': 'none' }, 200],
    [{ Origin: ORIGIN }, 200],
    [{}, 200],
  ])('responds to a POST with a cookie and %o with %i', async (headers, status) => {
    const { cookie } = await createAccount(testContext())
    await expectStatus(
      await callApi(testContext(), { ...cookie, ...headers } as Record<string, string>),
      status,
    )
  })

  it('allows safe methods and requests with a token', async () => {
    const { cookie, bearer } = await createAccount(testContext())
    const foreign = { Origin: 'https://elsewhere.test', 'Sec-Fetch-Site': 'cross-site' }
    await expectStatus(await callApi(testContext(), { ...cookie, ...foreign }, 'GET'), 200)
    await expectStatus(await callApi(testContext(), { ...bearer, ...foreign }), 200)
  })

  it('accepts the public origin if the Worker runs under another', async () => {
    const config = { ...testContext().config, SITE_ORIGIN: 'https://shop.example' }
    const { cookie } = await createAccount(testContext())
    await expectStatus(
      await callApi(testContext({ config }), { ...cookie, Origin: 'https://shop.example' }),
      200,
    )
  })

  it('rejects a form from another site with an error page', async () => {
    const response = await createApp(testContext()).request(`${ORIGIN}/login`, {
      method: 'POST',
      headers: { Origin: 'https://elsewhere.test', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'email=a%40b.co&password=secret',
    })
    await expectStatus(response, 403)
    expect(await response.text()).toContain('This request came from another site, so we blocked it.')
  })
})
