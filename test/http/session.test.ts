import { eq } from 'drizzle-orm'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import type { Deps } from '#server/context.ts'
import { SESSION_TTL_SECONDS } from '#server/platform/auth/sessions.ts'
import { sessions } from '#server/platform/db/schema.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { sameOrigin } from '#server/platform/middleware/origin.ts'
import { requireUser, session } from '#server/platform/middleware/session.ts'
import { account, cookieOf, signedCookie, signedIn } from '#test/support/account.ts'
import { NOW_MS, testDeps } from '#test/support/deps.ts'
import { expectStatus } from '#test/support/expect-status.ts'

const DAY_MS = 86_400_000
const ORIGIN = 'https://pamba.test'

/** A call that acts for the signed-in person, behind the real middleware. */
function actingApp(deps: Deps) {
  return new Hono<AppEnv>()
    .use(sameOrigin(deps), session(deps))
    .all('/api/act', requireUser(deps), (c) => c.json({ email: c.var.user.email }))
}

const act = (deps: Deps, headers: Record<string, string>, method = 'POST') =>
  actingApp(deps).request(`${ORIGIN}/api/act`, { method, headers })
const dashboard = (deps: Deps, headers: Record<string, string>) =>
  createApp(deps).request(`${ORIGIN}/dashboard`, { headers })

describe('showing pages', () => {
  it('renders a signed-in page from the cookie alone, without the database', async () => {
    const { cookie, user } = await account(testDeps())
    const db = new Proxy({} as Deps['db'], {
      get() {
        throw new Error('The database was touched.')
      },
    })
    const response = await dashboard(testDeps({ db }), cookie)
    await expectStatus(response, 200)
    expect(await response.text()).toContain(user.email)
  })

  it.each<[string, (cookie: string) => string]>([
    ['tampered with', (cookie) => cookie.replace(/Amina/, 'Admin')],
    ['cut short', (cookie) => cookie.slice(0, -20)],
    ['without a signature', (cookie) => cookie.split('.')[0] ?? ''],
    ['under another name', (cookie) => cookie.replace('__Host-session', 'session')],
    ['of broken encoding', () => '__Host-session=%E0%A4%A.%%%'],
    ['of nothing', () => '__Host-session='],
  ])('takes a cookie %s for no session at all', async (_, change) => {
    const { cookie } = await account(testDeps())
    const response = await dashboard(testDeps(), { Cookie: change(cookie.Cookie) })
    await expectStatus(response, 302)
    expect(response.headers.get('Location')).toBe('/login')
  })

  it('takes a cookie signed with a foreign secret for no session', async () => {
    const config = { ...testDeps().config, COOKIE_SECRET: 'a-foreign-secret-0123456789abcdef-0123' }
    const { cookie } = await account(testDeps({ config }))
    await expectStatus(await dashboard(testDeps(), cookie), 302)
  })

  it('takes an expired cookie for no session', async () => {
    const { cookie } = await account(testDeps())
    const later = testDeps({ clock: () => NOW_MS + SESSION_TTL_SECONDS * 1000 })
    await expectStatus(await dashboard(later, cookie), 302)
  })

  it('still accepts cookies signed with the previous secret', async () => {
    const { cookie } = await account(testDeps())
    const { config } = testDeps()
    const rotated = {
      ...config,
      COOKIE_SECRET: 'the-next-secret-0123456789abcdef-01234',
      COOKIE_SECRET_PREVIOUS: config.COOKIE_SECRET,
    }
    await expectStatus(await dashboard(testDeps({ config: rotated }), cookie), 200)
  })

  it('tells the browser when the session wants renewing', async () => {
    const { cookie } = await account(testDeps())
    expect(await (await dashboard(testDeps(), cookie)).text()).not.toContain('isSessionAging')
    const later = testDeps({ clock: () => NOW_MS + 2 * DAY_MS })
    expect(await (await dashboard(later, cookie)).text()).toContain('"isSessionAging":true')
  })
})

describe('acting', () => {
  it('knows the person by the token, and by the cookie', async () => {
    const { bearer, cookie, user } = await account(testDeps())
    for (const headers of [bearer, cookie]) {
      const response = await act(testDeps(), headers)
      await expectStatus(response, 200)
      expect(await response.json()).toEqual({ email: user.email })
    }
  })

  it('ignores the cookie when there is an Authorization header', async () => {
    const { cookie } = await account(testDeps())
    for (const Authorization of [
      '',
      'Bearer ',
      'Bearer nonsense',
      'Basic YTpi',
      `Bearer ${'A'.repeat(43)}`,
    ]) {
      await expectStatus(await act(testDeps(), { ...cookie, Authorization }), 401)
    }
  })

  it('accepts neither secret in place of the other', async () => {
    const { cookie, token, user, sessionId } = await account(testDeps())
    const secret = /"secret":"([^"]+)"/.exec(decodeURIComponent(cookie.Cookie))?.[1]
    expect(secret).toBeTruthy()
    await expectStatus(await act(testDeps(), { Authorization: `Bearer ${secret}` }), 401)
    const { name, email } = user
    const crossed = { id: sessionId, secret: token, name, email, expiresAtMs: NOW_MS + DAY_MS }
    const Cookie = await signedCookie(testDeps(), crossed)
    await expectStatus(await act(testDeps(), { Cookie }), 401)
  })

  it('refuses a token and a cookie replayed after their session has ended, and takes the cookie away', async () => {
    const deps = testDeps()
    const { bearer, cookie, sessionId } = await account(deps)
    await deps.db.delete(sessions).where(eq(sessions.id, sessionId))
    await expectStatus(await act(deps, bearer), 401)
    const response = await act(deps, cookie)
    await expectStatus(response, 401)
    expect(response.headers.get('Set-Cookie')).toMatch(/^__Host-session=; Max-Age=0; Path=\/; Secure$/)
  })

  it('refuses an expired session whatever its cookie says', async () => {
    const { bearer, user } = await account(testDeps())
    const later = testDeps({ clock: () => NOW_MS + SESSION_TTL_SECONDS * 1000 })
    await expectStatus(await act(later, bearer), 401)
    await expectStatus(await act(later, (await signedIn(later, user)).bearer), 200)
  })

  it('renews a session that is used, at most once a day', async () => {
    const { bearer, sessionId } = await account(testDeps())
    const expiry = async () =>
      (await testDeps().db.select().from(sessions).where(eq(sessions.id, sessionId)).get())?.expiresAtMs
    const use = async (nowMs: number) => {
      const deps = testDeps({ clock: () => nowMs })
      const response = await act(deps, bearer)
      await deps.settled()
      return { expiresAtMs: await expiry(), cookie: cookieOf(response) }
    }
    const first = NOW_MS + SESSION_TTL_SECONDS * 1000
    expect(await use(NOW_MS + DAY_MS / 2)).toEqual({ expiresAtMs: first, cookie: '' })
    const renewed = await use(NOW_MS + 2 * DAY_MS)
    expect(renewed.expiresAtMs).toBe(first + 2 * DAY_MS)
    expect(renewed.cookie).toContain('__Host-session=')
    await expectStatus(await dashboard(testDeps(), { Cookie: renewed.cookie }), 200)
  })
})

it('renews no session beyond 90 days', async () => {
  const { bearer, sessionId } = await account(testDeps())
  const expiry = async () =>
    (await testDeps().db.select().from(sessions).where(eq(sessions.id, sessionId)).get())?.expiresAtMs ?? 0
  let statuses: number[] = []
  for (let day = 10; day <= 100; day += 10) {
    const deps = testDeps({ clock: () => NOW_MS + day * DAY_MS })
    statuses = [...statuses, (await act(deps, bearer)).status]
    await deps.settled()
  }
  expect(statuses).toEqual([...Array(8).fill(200), 401, 401])
  expect(await expiry()).toBe(NOW_MS + 90 * DAY_MS)
})

describe('requests from elsewhere', () => {
  it.each([
    [{ Origin: 'https://elsewhere.test' }, 403],
    [{ Origin: 'null' }, 403],
    [{ 'Sec-Fetch-Site': 'cross-site', Origin: ORIGIN }, 403],
    [{ 'Sec-Fetch-Site': 'same-site' }, 403],
    [{ 'Sec-Fetch-Site': 'same-origin', Origin: 'null' }, 200],
    [{ 'Sec-Fetch-Site': 'none' }, 200],
    [{ Origin: ORIGIN }, 200],
    [{}, 200],
  ])('answers an unsafe request by cookie with %o by %i', async (headers, status) => {
    const { cookie } = await account(testDeps())
    await expectStatus(await act(testDeps(), { ...cookie, ...headers } as Record<string, string>), status)
  })

  it('lets safe requests and those with a token through', async () => {
    const { cookie, bearer } = await account(testDeps())
    const foreign = { Origin: 'https://elsewhere.test', 'Sec-Fetch-Site': 'cross-site' }
    await expectStatus(await act(testDeps(), { ...cookie, ...foreign }, 'GET'), 200)
    await expectStatus(await act(testDeps(), { ...bearer, ...foreign }), 200)
  })

  it('accepts the public origin where the Worker answers under another', async () => {
    const config = { ...testDeps().config, SITE_ORIGIN: 'https://shop.example' }
    const { cookie } = await account(testDeps())
    await expectStatus(await act(testDeps({ config }), { ...cookie, Origin: 'https://shop.example' }), 200)
  })

  it('refuses a form posted to a page with a page', async () => {
    const response = await createApp(testDeps()).request(`${ORIGIN}/login`, {
      method: 'POST',
      headers: { Origin: 'https://elsewhere.test', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'email=a%40b.co&password=secret',
    })
    await expectStatus(response, 403)
    expect(await response.text()).toContain('This request came from another site and was refused.')
  })
})
