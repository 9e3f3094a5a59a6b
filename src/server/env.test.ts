import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createUnconfiguredApp } from './app.ts'
import { type Bindings, ConfigurationError, parseConfig, parseEnv } from './env.ts'
import worker from './worker.ts'

const SECRET = 'kR2vX9qLm4Tz8WcY1nBf6HsJ3pDg7uEa5QoVxZiC0tM='
const production = {
  ENVIRONMENT: 'production',
  COOKIE_SECRET: SECRET,
  SITE_ORIGIN: 'https://pamba.example/shop',
  PAYMENTS: 'simulated',
}

describe('the configuration', () => {
  it('is valid in production with a secret, a public origin and a payment setting', () => {
    expect(parseConfig(production)).toMatchObject({
      ENVIRONMENT: 'production',
      SITE_ORIGIN: 'https://pamba.example',
    })
  })

  it('defaults to production', () => {
    expect(parseConfig({ ...production, ENVIRONMENT: undefined }).ENVIRONMENT).toBe('production')
  })

  it('needs no public origin locally', () => {
    expect(parseConfig({ ENVIRONMENT: 'local', COOKIE_SECRET: SECRET }).SITE_ORIGIN).toBeUndefined()
  })

  it.each([
    [{ ENVIRONMENT: 'staging' }, 'ENVIRONMENT must be local or production'],
    [{ COOKIE_SECRET: undefined }, 'COOKIE_SECRET is missing'],
    [{ COOKIE_SECRET: '' }, 'COOKIE_SECRET is missing'],
    [{ COOKIE_SECRET: 'short' }, 'COOKIE_SECRET must have at least 32 characters'],
    [{ COOKIE_SECRET_PREVIOUS: 'short' }, 'COOKIE_SECRET_PREVIOUS must have at least 32 characters'],
    [{ SITE_ORIGIN: '' }, 'SITE_ORIGIN must be set in production'],
    [{ SITE_ORIGIN: 'pamba' }, 'SITE_ORIGIN must be an https address'],
    [{ SITE_ORIGIN: 'javascript:alert(1)' }, 'SITE_ORIGIN must be an https address'],
    [{ CHAT_SCRIPT_URL: '//chat' }, 'CHAT_SCRIPT_URL must be an https address'],
    [{ IMAGE_ORIGINS: 'https://a.example, b' }, 'IMAGE_ORIGINS.1 must be an https address'],
    [{ SITE_ORIGIN: 'http://pamba.example' }, 'SITE_ORIGIN must be an https address'],
    [{ API_BASE: 'http://localhost:5000/api' }, 'API_BASE must be an https address'],
    [{ IMAGE_ORIGINS: 'https://a.example, http://localhost:5000' }, 'IMAGE_ORIGINS must be an https address'],
    [{ TURNSTILE_SITE_KEY: 'key' }, 'set both TURNSTILE_SITE_KEY and TURNSTILE_SECRET_KEY, or neither'],
    [{ LOG_CACHED_PAGES: '2' }, 'LOG_CACHED_PAGES must be a number from 0 to 1'],
    [{ LOG_CACHED_PAGES: 'all' }, 'LOG_CACHED_PAGES must be a number from 0 to 1'],
    [{ PAYMENTS: '' }, 'PAYMENTS must be set in production'],
    [{ PAYMENTS: 'cash' }, 'PAYMENTS.0 must be one or more of simulated, mpesa, paystack'],
    [{ PAYMENTS: 'mpesa' }, 'MPESA_CONSUMER_KEY is missing but PAYMENTS includes mpesa'],
    [{ PAYMENTS: 'paystack' }, 'PAYSTACK_SECRET_KEY is missing but PAYMENTS includes paystack'],
    [
      { PAYMENTS: 'simulated,paystack', PAYSTACK_SECRET_KEY: 'sk' },
      'PAYMENTS mixes simulated with payment methods',
    ],
    [{ MPESA_SHORTCODE: 'till' }, 'MPESA_SHORTCODE must have 5 to 7 digits'],
    [{ MPESA_DISBURSEMENT_SHORTCODE: '600999' }, 'MPESA_DISBURSEMENT_SHORTCODE also needs MPESA_INITIATOR'],
    [{ MAIL_FROM: 'nobody' }, 'MAIL_FROM must be an email address'],
    [{ ALLOW_SANDBOX_PAYMENTS: 'yes' }, 'ALLOW_SANDBOX_PAYMENTS must be true or false'],
  ])('is rejected with %o, naming the setting', (change, sentence) => {
    expect(() => parseConfig({ ...production, ...change })).toThrow(`The shop isn’t configured: ${sentence}`)
  })

  it('may use http in local development, but only for localhost', () => {
    const local = { ENVIRONMENT: 'local', COOKIE_SECRET: SECRET }
    expect(parseConfig({ ...local, API_BASE: 'http://localhost:5100/api' }).API_BASE).toContain('http:')
    expect(() => parseConfig({ ...local, API_BASE: 'http://shop.example/api' })).toThrow('an https address')
  })

  it('is rejected with a list of every missing binding and setting', () => {
    expect(() => parseEnv({})).toThrow(
      /binding ASSETS is missing from wrangler.toml; the binding DB .*; COOKIE_SECRET is missing.*; SITE_ORIGIN must/,
    )
  })
})

describe('a shop with an incomplete configuration', () => {
  const get = (path: string, ctx = testContext()) =>
    createUnconfiguredApp(new ConfigurationError(['COOKIE_SECRET is missing']), ctx).request(path)

  it.each(['/', '/products', '/checkout'])(
    'responds to the page %s with 503 without giving the reason',
    async (path) => {
      const response = await get(path)
      await expectStatus(response, 503)
      expect(response.headers.get('Retry-After')).toBe('60')
      expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
      const html = await response.text()
      expect(html).toContain('temporarily closed')
      expect(html).not.toContain('COOKIE_SECRET')
    },
  )

  it.each([
    ['/api/orders', { code: 'closed' }],
    ['/api/health', { code: 'closed' }],
    ['/v1/accounts:sendOobCode', { error: { code: 503 } }],
  ])('responds to the call %s with 503 as JSON', async (path, body) => {
    const response = await get(path)
    await expectStatus(response, 503)
    expect(await response.json()).toMatchObject(body)
  })

  it('is closed by the Worker, which logs the missing setting and how to add it', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const bindings = { ...(env as unknown as Bindings), COOKIE_SECRET: '' }
    const response = await worker.fetch(
      new Request('https://pamba.test/') as Parameters<typeof worker.fetch>[0],
      bindings,
      createExecutionContext(),
    )
    await expectStatus(response, 503)
    const [line] = logged.mock.calls.flat()
    logged.mockRestore()
    expect(JSON.parse(String(line)).failures[0]).toMatch(
      /^The shop isn’t configured: .*COOKIE_SECRET is missing. Add it to .dev.vars/,
    )
  })

  it('logs what is missing with each request', async () => {
    const ctx = testContext()
    await get('/', ctx)
    expect(ctx.lines).toMatchObject([
      { level: 'error', status: 503, failures: ['The shop isn’t configured: COOKIE_SECRET is missing.'] },
    ])
  })
})
