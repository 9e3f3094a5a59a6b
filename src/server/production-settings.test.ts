import { describe, expect, it } from 'vitest'
import { type Bindings, ConfigurationError, parseEnv } from './env.ts'
import { findProductionProblems } from './production-settings.ts'

const COMPLETE = {
  ...{ ASSETS: {}, DB: {}, CATALOGUE: {}, PHOTOS: {}, MAIL: {} },
  ...{ LIMIT_ATTEMPTS: {}, LIMIT_NETWORK: {}, LIMIT_EVERYONE: {}, LIMIT_WRITES: {} },
  ENVIRONMENT: 'production',
  SITE_ORIGIN: 'https://pamba.co.ke',
  PAYMENTS: 'mpesa,paystack',
  COOKIE_SECRET: 'kR2vX9qLm4Tz8WcY1nBf6HsJ3pDg7uEa5QoVxZiC0tM=',
  MPESA_CONSUMER_KEY: 'Gk3Rw8',
  MPESA_CONSUMER_SECRET: 'p9Lx2T',
  MPESA_PASSKEY: '5f1c0a',
  MPESA_SHORTCODE: '600123',
  PAYSTACK_SECRET_KEY: 'sk_live_2b9f',
}

const REFUSED: Record<string, readonly string[]> = {
  ENVIRONMENT: ['local', 'staging'],
  COOKIE_SECRET: [
    'short',
    'change-me-change-me-change-me-change-me',
    'a-secret-for-tests-alone-0123456789abcdef',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    'abababababababababababababababababababab',
    'abcdefghijklmnopqrstuvwxyz0123456789',
    'a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4',
  ],
  COOKIE_SECRET_PREVIOUS: ['change-me-change-me-change-me-change-me'],
  SITE_ORIGIN: ['http://pamba.co.ke', 'https://localhost:5000'],
  API_BASE: ['https://127.0.0.1/api', 'https://[::1]/api'],
  MPESA_BASE: ['http://127.0.0.1:5002', 'https://shop.localhost', 'https://sandbox.safaricom.co.ke'],
  MPESA_SHORTCODE: ['174379'],
  MPESA_CONSUMER_KEY: ['sandbox-key'],
  MPESA_CONSUMER_SECRET: ['sandbox-secret'],
  MPESA_PASSKEY: ['sandbox-passkey'],
  MPESA_INITIATOR: ['sandbox-initiator'],
  MPESA_SECURITY_CREDENTIAL: ['c2FuZGJveA=='],
  PAYSTACK_BASE: ['http://localhost:5003'],
  PAYSTACK_SECRET_KEY: ['sk_test_sandbox', 'sk_test_4f2a'],
  TURNSTILE_SITE_KEY: ['1x00000000000000000000AA', '2x00000000000000000000AB'],
  TURNSTILE_SECRET_KEY: ['1x0000000000000000000000000000000AA', '3x0000000000000000000000000000000AA'],
}
/** ALLOW_SANDBOX_PAYMENTS permits these values. */
const SANDBOXES = ['https://sandbox.safaricom.co.ke', '174379', 'sk_test_4f2a']

function start(settings: Record<string, unknown>): string {
  const both = { TURNSTILE_SITE_KEY: '0x4AAA', TURNSTILE_SECRET_KEY: '0x4BBB', ...settings }
  try {
    parseEnv({ ...COMPLETE, ...both } as unknown as Partial<Bindings>, { isDeployed: true })
    return 'started'
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return error.message
  }
}

const singles = Object.entries(REFUSED).flatMap(([name, values]) =>
  values.map((value) => ({ name, value, permitted: SANDBOXES.includes(value) })),
)

describe('production', () => {
  it('starts with live settings, and with sandbox settings that are allowed', () => {
    expect(start({})).toBe('started')
    for (const { name, value } of singles.filter(({ permitted }) => permitted))
      expect(start({ [name]: value, ALLOW_SANDBOX_PAYMENTS: 'true' })).toBe('started')
  })

  it.each(singles)('refuses $name = $value and names it', ({ name, value, permitted }) => {
    expect(start({ [name]: value })).toContain(`${name} `)
    if (!permitted) expect(start({ [name]: value, ALLOW_SANDBOX_PAYMENTS: 'true' })).toContain(`${name} `)
  })

  it('names every refused setting, whether two or all of them are wrong', () => {
    let combinations = 0
    for (const first of singles)
      for (const second of singles) {
        if (first.name === second.name) continue
        const message = start({ [first.name]: first.value, [second.name]: second.value })
        combinations += 1
        for (const { name } of [first, second])
          expect(message, `${first.value}, ${second.value}`).toContain(`${name} `)
      }
    expect(combinations).toBeGreaterThan(400)
    const all = start(Object.fromEntries(singles.map(({ name, value }) => [name, value])))
    for (const name of Object.keys(REFUSED)) expect(all).toContain(`${name} `)
  })

  it.each([
    'lTbL0d1kq5eS0mG9yYf3c2n8p4aVxZrW6uHj7QoIiE0=',
    '9f86d081884c7d659a2feaa0c55ad015',
    'Zq3w-8Kd_xP0vB7nR2yT5hJ9mC4gL6sF',
  ])('accepts the random secret %s', (COOKIE_SECRET) => {
    expect(findProductionProblems({ COOKIE_SECRET })).toEqual([])
  })
})
