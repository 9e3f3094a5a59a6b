import { METHOD_NAME_ALL } from 'hono/router'
import { describe, expect, it } from 'vitest'
import { createApp, unconfiguredApp } from '#server/app.ts'
import { ConfigurationError } from '#server/env.ts'
import { routes } from '#shared/routes.ts'
import { account } from '#test/support/account.ts'
import { catalogue, testContext } from '#test/support/context.ts'
import { downDatabase } from '#test/support/database.ts'
import { expectStatus } from '#test/support/expect-status.ts'

const ORIGIN = 'https://pamba.test'
const IMAGES = 'https://images.example'

/** Every answer's headers, whatever it answers. */
const HEADERS: Record<string, string | RegExp> = {
  'Strict-Transport-Security': /^max-age=\d{8,}; includeSubDomains$/,
  'X-Content-Type-Options': 'nosniff',
  // Of an order's page the origin alone: its address can hold a signature.
  'Referrer-Policy': /^strict-origin(-when-cross-origin)?$/,
  'Permissions-Policy': /^camera=\(\), geolocation=\(\), microphone=\(\), payment=\(/,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Reporting-Endpoints': 'csp="/api/reports"',
  'X-Request-Id': /^[0-9a-f]{24}$/,
}

/** The whole policy; a source that is not here is let in nowhere. */
const SOURCES: Record<string, readonly string[]> = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:', IMAGES],
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

/** Asserts what every answer must carry. */
async function audit(response: Response, what: string, sources = SOURCES) {
  for (const [name, value] of Object.entries(HEADERS))
    expect(response.headers.get(name), `${name} of ${what}`).toEqual(
      typeof value === 'string' ? value : expect.stringMatching(value),
    )
  const policy = (response.headers.get('Content-Security-Policy') ?? '').split('; ').map((directive) => {
    const [name = '', ...allowed] = directive.split(' ')
    return [name, allowed.filter((source) => !/^'nonce-[\w+/]{22}=='$/.test(source))]
  })
  expect(Object.fromEntries(policy), `the policy of ${what}`).toEqual(sources)
  const type = response.headers.get('Content-Type') ?? ''
  if (type.startsWith('text/html'))
    expect(await response.text(), `inline code in ${what}`).not.toMatch(/ style=| on\w+="|javascript:/)
  if (/\/(api|v1)\//.test(what)) expect(response.headers.get('Cache-Control'), what).toBe('no-store')
}

const ctx = testContext({ config: { ...testContext().config, IMAGE_ORIGINS: [IMAGES] } })
const app = createApp(ctx)
const ask = (path: string, init: RequestInit = {}) =>
  app.request(ORIGIN + path, { redirect: 'manual', ...init })
const plain = (path: string) => path.replace(':id', String(catalogue[0]?.id))
const pages = Object.values(routes).map(({ path }) => plain(path))
/** What the Worker itself says that it answers: a new call or web file is in it without being added here. */
const registered = app.routes.filter(({ method, path }) => method !== METHOD_NAME_ALL && !path.includes('*'))
const shopper = await account(ctx)

describe('the security headers', () => {
  it('stand on every page of the route table, signed in or not, and with every method', async () => {
    for (const page of pages)
      for (const headers of [{}, shopper.cookie])
        for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
          await audit(await ask(page, { method, headers }), `${method} ${page}`)
  })

  it('stand on every call and web file, with and without a session, and with methods they do not answer', async () => {
    expect(registered.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/api/orders', '/v1/accounts:sendOobCode', '/robots.txt', '/sitemap.xml']),
    )
    for (const { path } of registered)
      for (const headers of [{}, shopper.bearer])
        for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
          if (path !== '/api/auth/logout' || method !== 'POST')
            await audit(await ask(path, { method, headers }), `${method} ${path}`)
  })

  it.each([
    ['an unknown page', '/nowhere', {}, 404],
    ['an unknown product', '/product/999999', {}, 404],
    ['an unknown call', '/api/nowhere', {}, 404],
    ['a redirect to /login', '/cart', {}, 302],
    ['another method', '/about', { method: 'DELETE' }, 405],
    ['a foreign form', '/contact', { method: 'POST', headers: { Origin: 'https://evil.example' } }, 403],
    ['a foreign call', '/api/contact', { method: 'POST', headers: { Origin: 'https://evil.example' } }, 403],
    ['no form at all', '/contact', { method: 'POST', body: 'x' }, 400],
    ['a body of another type', '/api/contact', { method: 'POST', body: 'x' }, 415],
    [
      'an endless body',
      '/contact',
      { method: 'POST', body: new URLSearchParams({ a: 'x'.repeat(7e4) }) },
      413,
    ],
  ] as [string, string, RequestInit, number][])(
    'stand on the refusal of %s',
    async (what, path, init, status) => {
      const response = await ask(path, init)
      await expectStatus(response, status)
      await audit(response, what)
    },
  )

  it('stand on an outage, on a bug, and while the shop is closed', async () => {
    const down = createApp({ ...ctx, db: downDatabase() })
    const outage = await down.request(`${ORIGIN}/api/orders`, { headers: shopper.bearer })
    await expectStatus(outage, 503)
    await audit(outage, 'GET /api/orders')

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
    await audit(bug, 'POST /contact')

    const closed = await unconfiguredApp(new ConfigurationError(['all of it']), ctx).request(`${ORIGIN}/`)
    await expectStatus(closed, 503)
    await audit(closed, 'GET /', { ...SOURCES, 'img-src': ["'self'", 'data:'] })
  })

  it('let a streamed page run its own inline scripts by a nonce, a new one each time', async () => {
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const response = await ask('/dashboard', { headers: shopper.cookie })
        return /'nonce-([^']+)'/.exec(response.headers.get('Content-Security-Policy') ?? '')?.[1]
      }),
    )
    expect(nonces[0]).toMatch(/\S{24}/)
    expect(nonces[1]).not.toBe(nonces[0])
  })

  it('admit the chat and the API where they are configured, by their origins alone', async () => {
    const config = {
      ...ctx.config,
      CHAT_SCRIPT_URL: 'https://chat.example/a/widget.js?x=1',
      API_BASE: 'https://api.example/v2',
    }
    const policyOf = async (path: string) =>
      (await createApp({ ...ctx, config }).request(ORIGIN + path)).headers.get('Content-Security-Policy')
    expect(await policyOf('/about')).toContain("connect-src 'self' https://api.example;")
    expect(await policyOf('/about')).not.toContain('chat.example')
    expect(await policyOf('/')).toContain("script-src 'self' https://chat.example;")
    expect(await policyOf('/about')).toContain('trusted-types')
    expect(await policyOf('/')).not.toContain('trusted-types')
  })
})

describe('cookies', () => {
  it('are for this host alone, out of the reach of scripts, and not sent by other sites', async () => {
    const json = { 'Content-Type': 'application/json' }
    const email = 'cookies@shopper.test'
    const body = JSON.stringify({ name: 'Amina', email, password: 'kikoi-2026' })
    const answers = [
      await ask('/api/auth/register', { method: 'POST', headers: json, body }),
      await ask('/api/auth/login', { method: 'POST', headers: json, body }),
      await ask('/api/auth/logout', { method: 'POST' }),
      await ask('/login', { method: 'POST', body: new URLSearchParams({ email, password: 'kikoi-2026' }) }),
      await ask('/api/auth/session', { headers: (await account(ctx)).bearer }),
    ]
    for (const answer of answers) {
      const cookies = answer.headers.getSetCookie()
      expect(cookies.length, answer.url + answer.status + (await answer.text())).toBeGreaterThan(0)
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

  it('are set by no page', async () => {
    for (const page of pages) expect((await ask(page)).headers.getSetCookie(), page).toEqual([])
  })
})
