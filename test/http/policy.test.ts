import { METHOD_NAME_ALL } from 'hono/router'
import { describe, expect, it } from 'vitest'
import { createApp, createUnconfiguredApp } from '#server/app.ts'
import { ConfigurationError } from '#server/env.ts'
import { routes } from '#shared/routes.ts'
import { createAccount } from '#test/support/account.ts'
import { catalogue, testContext } from '#test/support/context.ts'
import { createUnreachableDatabase } from '#test/support/database.ts'
import { expectStatus } from '#test/support/expect-status.ts'

const ORIGIN = 'https://pamba.test'
const IMAGE_ORIGIN = 'https://images.example'

const HEADERS: Record<string, string | RegExp> = {
  'Strict-Transport-Security': /^max-age=\d{8,}; includeSubDomains$/,
  'X-Content-Type-Options': 'nosniff',
  // An order's page sends `strict-origin`, because its URL can contain the order's key.
  'Referrer-Policy': /^strict-origin(-when-cross-origin)?$/,
  'Permissions-Policy': /^camera=\(\), geolocation=\(\), microphone=\(\), payment=\(/,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Reporting-Endpoints': 'csp="/api/reports"',
  'X-Request-Id': /^[0-9a-f]{24}$/,
}

const POLICY_SOURCES: Record<string, readonly string[]> = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:', IMAGE_ORIGIN],
  'font-src': ["'self'"],
  'connect-src': ["'self'"],
  'manifest-src': ["'self'"],
  'worker-src': ["'self'"],
  'frame-src': ["'none'"],
  'form-action': ["'self'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
  'require-trusted-types-for': ["'script'"],
  'trusted-types': ['default', 'service-worker'],
  'report-to': ['csp'],
  'report-uri': ['/api/reports'],
}

async function expectSecurityHeaders(response: Response, label: string, sources = POLICY_SOURCES) {
  for (const [name, value] of Object.entries(HEADERS))
    expect(response.headers.get(name), `${name} of ${label}`).toEqual(
      typeof value === 'string' ? value : expect.stringMatching(value),
    )
  const policy = (response.headers.get('Content-Security-Policy') ?? '').split('; ').map((directive) => {
    const [name = '', ...allowed] = directive.split(' ')
    return [name, allowed.filter((source) => !/^'nonce-[\w+/]{22}=='$/.test(source))]
  })
  expect(Object.fromEntries(policy), `the policy of ${label}`).toEqual(sources)
  const type = response.headers.get('Content-Type') ?? ''
  if (type.startsWith('text/html'))
    expect(await response.text(), `inline code in ${label}`).not.toMatch(/ style=| on\w+="|javascript:/)
  if (/\/(api|v1)\//.test(label)) expect(response.headers.get('Cache-Control'), label).toBe('no-store')
}

const ctx = testContext({ config: { ...testContext().config, IMAGE_ORIGINS: [IMAGE_ORIGIN] } })
const app = createApp(ctx)
const send = (path: string, init: RequestInit = {}) =>
  app.request(ORIGIN + path, { redirect: 'manual', ...init })
const fillParams = (path: string) => path.replace(':id', String(catalogue[0]?.id))
const pages = Object.values(routes).map(({ path }) => fillParams(path))
/** The paths are read from the router, so that new routes are included. */
const routedPaths = app.routes.filter(({ method, path }) => method !== METHOD_NAME_ALL && !path.includes('*'))
const shopper = await createAccount(ctx)

describe('the security headers', () => {
  it('are on every page, signed in or not, for every method', async () => {
    for (const page of pages)
      for (const headers of [{}, shopper.cookie])
        for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
          await expectSecurityHeaders(await send(page, { method, headers }), `${method} ${page}`)
  })

  it('are on every API call and file, with and without a session, for every method', async () => {
    expect(routedPaths.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/api/orders', '/v1/accounts:sendOobCode', '/robots.txt', '/sitemap.xml']),
    )
    for (const { path } of routedPaths)
      for (const headers of [{}, shopper.bearer])
        for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
          if (path !== '/api/auth/logout' || method !== 'POST')
            await expectSecurityHeaders(await send(path, { method, headers }), `${method} ${path}`)
  })

  it.each([
    ['an unknown page', '/nowhere', {}, 404],
    ['an unknown product', '/product/999999', {}, 404],
    ['an unknown call', '/api/nowhere', {}, 404],
    ['a redirect to /login', '/cart', {}, 302],
    ['a method that isn’t allowed', '/about', { method: 'DELETE' }, 405],
    ['a foreign form', '/contact', { method: 'POST', headers: { Origin: 'https://evil.example' } }, 403],
    ['a foreign call', '/api/contact', { method: 'POST', headers: { Origin: 'https://evil.example' } }, 403],
    ['a body that isn’t a form', '/contact', { method: 'POST', body: 'x' }, 400],
    ['a body of another type', '/api/contact', { method: 'POST', body: 'x' }, 415],
    [
      'an endless body',
      '/contact',
      { method: 'POST', body: new URLSearchParams({ a: 'x'.repeat(7e4) }) },
      413,
    ],
  ] as [string, string, RequestInit, number][])(
    'are on the response to %s',
    async (label, path, init, status) => {
      const response = await send(path, init)
      await expectStatus(response, status)
      await expectSecurityHeaders(response, label)
    },
  )

  it('are on the responses to outages and bugs, and on those of an unconfigured shop', async () => {
    const down = createApp({ ...ctx, db: createUnreachableDatabase() })
    const outage = await down.request(`${ORIGIN}/api/orders`, { headers: shopper.bearer })
    await expectStatus(outage, 503)
    await expectSecurityHeaders(outage, 'GET /api/orders')

    const bugged = createApp({
      ...ctx,
      limits: { ...ctx.limits, writes: () => Promise.reject(new Error()) },
    })
    const bug = await bugged.request(`${ORIGIN}/contact`, {
      method: 'POST',
      body: new URLSearchParams({
        name: 'Amina',
        email: 'a@shopper.test',
        message: 'Do you ship to Kisumu?',
      }),
    })
    await expectStatus(bug, 500)
    await expectSecurityHeaders(bug, 'POST /contact')

    const closed = await createUnconfiguredApp(new ConfigurationError(['all of it']), ctx).request(
      `${ORIGIN}/`,
    )
    await expectStatus(closed, 503)
    await expectSecurityHeaders(closed, 'GET /', { ...POLICY_SOURCES, 'img-src': ["'self'", 'data:'] })
  })

  it('have a new nonce in each response of a streamed page', async () => {
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const response = await send('/dashboard', { headers: shopper.cookie })
        return /'nonce-([^']+)'/.exec(response.headers.get('Content-Security-Policy') ?? '')?.[1]
      }),
    )
    expect(nonces[0]).toMatch(/\S{24}/)
    expect(nonces[1]).not.toBe(nonces[0])
  })

  it('allow the configured origins of the chat, on Home only, and of the API', async () => {
    const config = {
      ...ctx.config,
      CHAT_SCRIPT_URL: 'https://chat.example/a/widget.js?x=1',
      API_BASE: 'https://api.example/v2',
    }
    const fetchPolicy = async (path: string) =>
      (await createApp({ ...ctx, config }).request(ORIGIN + path)).headers.get('Content-Security-Policy')
    expect(await fetchPolicy('/about')).toContain("connect-src 'self' https://api.example;")
    expect(await fetchPolicy('/about')).not.toContain('chat.example')
    expect(await fetchPolicy('/')).toContain("script-src 'self' https://chat.example;")
    expect(await fetchPolicy('/about')).toContain('trusted-types')
    expect(await fetchPolicy('/')).not.toContain('trusted-types')
  })
})

describe('cookies', () => {
  it('are HttpOnly, SameSite=Lax and limited to this host', async () => {
    const json = { 'Content-Type': 'application/json' }
    const email = 'cookies@shopper.test'
    const body = JSON.stringify({ name: 'Amina', email, password: 'kikoi-2026' })
    const responses = [
      await send('/api/auth/register', { method: 'POST', headers: json, body }),
      await send('/api/auth/login', { method: 'POST', headers: json, body }),
      await send('/api/auth/logout', { method: 'POST' }),
      await send('/login', { method: 'POST', body: new URLSearchParams({ email, password: 'kikoi-2026' }) }),
      await send('/api/auth/session', { headers: (await createAccount(ctx)).bearer }),
    ]
    for (const response of responses) {
      const cookies = response.headers.getSetCookie()
      expect(cookies.length, response.url + response.status + (await response.text())).toBeGreaterThan(0)
      for (const cookie of cookies) {
        const [pair = '', ...attributes] = cookie.split('; ')
        expect(pair).toMatch(/^__Host-(session|device)=/)
        expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'Secure']))
        expect(attributes.join()).not.toMatch(/Domain/i)
        if (pair !== '__Host-session=')
          expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Lax']))
      }
    }
  })

  it('are not set by pages, except the one that tells Login which page was requested', async () => {
    for (const page of pages) {
      const response = await send(page)
      const expected =
        response.headers.get('Location') === '/login'
          ? [expect.stringMatching(/^__Host-requested=.*; Secure/)]
          : []
      expect(response.headers.getSetCookie(), page).toEqual(expected)
    }
  })
})
