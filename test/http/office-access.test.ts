import {
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose'
import { describe, expect, it, vi } from 'vitest'
import { createOffice } from '#office/app.tsx'
import { parseOfficeConfig } from '#office/context.ts'
import { createApp } from '#server/app.ts'
import { testContext } from '#test/support/context.ts'
import { createUnreachableDatabase } from '#test/support/database.ts'
import {
  ACCESS_AUDIENCE,
  ACCESS_CLAIMS,
  ACCESS_KEY_ID,
  ACCESS_TEAM,
  accessKey,
  OFFICE_ORIGIN,
  officeContext,
  signAccessToken,
} from '#test/support/office.ts'

const request = (path: string, token?: string, ctx = officeContext(), init: RequestInit = {}) =>
  createOffice(ctx).request(OFFICE_ORIGIN + path, {
    ...init,
    headers: { ...(token === undefined ? {} : { 'Cf-Access-Jwt-Assertion': token }), ...init.headers },
  })

const signToken = (
  claims: JWTPayload,
  header: { alg: string; kid?: string; jku?: string },
  key: CryptoKey | Uint8Array,
) => new SignJWT(claims).setProtectedHeader(header).sign(key)
const stranger = await generateKeyPair('RS256')
const publicKeyText = new TextEncoder().encode(await exportSPKI(accessKey.publicKey))
const validToken = await signAccessToken()
const [header = '', payload = '', signature = ''] = validToken.split('.')
const { exp: _exp, ...withoutEnd } = ACCESS_CLAIMS
const { email: _email, ...withoutEmail } = ACCESS_CLAIMS
const { aud: _aud, ...withoutAudience } = ACCESS_CLAIMS
const nowSeconds = (ACCESS_CLAIMS.iat ?? 0) + 60
const encodePart = (value: object) => btoa(JSON.stringify(value)).replace(/=+$/, '')

const FORGED_TOKENS: [what: string, token: string | undefined][] = [
  ['a missing token', undefined],
  ['an empty token', ''],
  ['a token without dots', 'x'],
  ['a token of dots only', '..'],
  ['another application’s token', await signAccessToken({ ...ACCESS_CLAIMS, aud: ['cd'.repeat(32)] })],
  ['a token without an audience', await signAccessToken(withoutAudience)],
  [
    'another team’s token',
    await signAccessToken({ ...ACCESS_CLAIMS, iss: 'https://other.cloudflareaccess.com' }),
  ],
  [
    'a token whose issuer starts with ours',
    await signAccessToken({ ...ACCESS_CLAIMS, iss: `${ACCESS_CLAIMS.iss}.example` }),
  ],
  ['an expired token', await signAccessToken({ ...ACCESS_CLAIMS, exp: nowSeconds - 1 })],
  ['a token without an expiry', await signAccessToken(withoutEnd)],
  ['a token that is not valid yet', await signAccessToken({ ...ACCESS_CLAIMS, nbf: nowSeconds + 600 })],
  ['a token without an email', await signAccessToken(withoutEmail)],
  ['a service token', await signAccessToken({ ...withoutEmail, common_name: 'robot.access' })],
  ['a token with an empty email', await signAccessToken({ ...ACCESS_CLAIMS, email: '' })],
  ['an unsigned token', new UnsecuredJWT(ACCESS_CLAIMS).encode()],
  [
    'a token with the algorithm “none”',
    `${encodePart({ alg: 'none', kid: ACCESS_KEY_ID })}.${payload}.${signature}`,
  ],
  [
    'a token signed with another key',
    await signToken(ACCESS_CLAIMS, { alg: 'RS256', kid: ACCESS_KEY_ID }, stranger.privateKey),
  ],
  [
    'a token with an unknown key id',
    await signToken(ACCESS_CLAIMS, { alg: 'RS256', kid: 'key-2' }, stranger.privateKey),
  ],
  [
    'a token signed with the public key',
    await signToken(ACCESS_CLAIMS, { alg: 'HS256', kid: ACCESS_KEY_ID }, publicKeyText),
  ],
  [
    'a token whose claims were changed',
    `${header}.${encodePart({ ...ACCESS_CLAIMS, email: 'x@y.test' })}.${signature}`,
  ],
  ['a token without its signature', `${header}.${payload}.`],
  ['a token without a key id', await signToken(ACCESS_CLAIMS, { alg: 'RS256' }, stranger.privateKey)],
  [
    'a token with an empty key id',
    await signToken(ACCESS_CLAIMS, { alg: 'RS256', kid: '' }, stranger.privateKey),
  ],
  [
    'a token with a jku header',
    await signToken(
      ACCESS_CLAIMS,
      { alg: 'RS256', kid: ACCESS_KEY_ID, jku: 'https://forged.test/certs' },
      stranger.privateKey,
    ),
  ],
  [
    'a token whose email is a list',
    await signAccessToken({ ...ACCESS_CLAIMS, email: ['achieng@pamba.test'] }),
  ],
  ['a token with a padded audience', await signAccessToken({ ...ACCESS_CLAIMS, aud: `${ACCESS_AUDIENCE} ` })],
  ['a token of one megabyte', `${header}.${'A'.repeat(1_000_000)}.${signature}`],
  [
    'a valid token followed by a forged one',
    `${validToken}, ${await signToken(ACCESS_CLAIMS, { alg: 'RS256', kid: ACCESS_KEY_ID }, stranger.privateKey)}`,
  ],
  ['a valid token twice', `${validToken}, ${validToken}`],
  ['a valid token with a Bearer prefix', `Bearer ${validToken}`],
  ['a token with a jwk header', `${encodePart({ alg: 'RS256', jwk: {} })}.${payload}.${signature}`],
]

describe('the office', () => {
  it('admits users that Cloudflare Access has signed in', async () => {
    const response = await request('/', validToken)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain(String(ACCESS_CLAIMS.email))
  })

  it.each(FORGED_TOKENS)('rejects %s', async (_what, token) => {
    for (const path of ['/', '/orders/P-7K3M9Q', '/favicon.svg', '/nowhere']) {
      const response = await request(path, token)
      expect(response.status, path).toBe(403)
      expect(await response.text()).not.toContain('nav')
    }
    const form = { method: 'POST', headers: { Origin: OFFICE_ORIGIN }, body: '' }
    expect((await request('/orders/P-7K3M9Q/status', token, officeContext(), form)).status).toBe(403)
  })

  it.each([
    ['the cookie of Access', { Cookie: `CF_Authorization=${validToken}` }],
    ['an Authorization header', { Authorization: `Bearer ${validToken}` }],
    ['the email header', { 'Cf-Access-Authenticated-User-Email': 'achieng@pamba.test' }],
    ['a token in another header', { 'X-Cf-Access-Jwt-Assertion': validToken }],
  ])('rejects %s without the Access header', async (_what, headers) => {
    expect((await request('/', undefined, officeContext(), { headers })).status).toBe(403)
    expect((await request(`/?${new URLSearchParams(headers)}`)).status).toBe(403)
  })

  it('accepts RS256 only, even with a key that names no algorithm', async () => {
    const other = await generateKeyPair('PS256', { extractable: true })
    const sameKey = await importJWK(await exportJWK(other.privateKey), 'RS256')
    const keys = [{ ...(await exportJWK(other.publicKey)), kid: ACCESS_KEY_ID }]
    const office = officeContext({ fetch: async () => Response.json({ keys }) })
    for (const [alg, key, status] of [
      ['PS256', other.privateKey, 403],
      ['RS256', sameKey, 200],
    ] as const)
      expect(
        (await request('/', await signToken(ACCESS_CLAIMS, { alg, kid: ACCESS_KEY_ID }, key), office)).status,
      ).toBe(status)
  })

  it('accepts only the new key of Access after a key rotation', async () => {
    const next = await generateKeyPair('RS256', { extractable: true })
    const createKeySet = async (key: CryptoKey, kid: string) => [
      { ...(await exportJWK(key)), kid, alg: 'RS256' },
    ]
    let keys = await createKeySet(accessKey.publicKey, ACCESS_KEY_ID)
    const office = createOffice(officeContext({ fetch: async () => Response.json({ keys }) }))
    const statusWith = async (token: string) =>
      (await office.request(OFFICE_ORIGIN, { headers: { 'Cf-Access-Jwt-Assertion': token } })).status
    const renewed = await signToken(ACCESS_CLAIMS, { alg: 'RS256', kid: 'key-2' }, next.privateKey)
    expect([await statusWith(validToken), await statusWith(renewed)]).toEqual([200, 403])
    keys = await createKeySet(next.publicKey, 'key-2')
    vi.useFakeTimers({ now: Date.now() + 31_000, toFake: ['Date'] })
    expect([await statusWith(renewed), await statusWith(validToken)]).toEqual([200, 403])
    vi.useRealTimers()
  })

  it.each([
    ['a team', { ACCESS_AUDIENCE: ACCESS_AUDIENCE }],
    ['an audience', { ACCESS_TEAM: ACCESS_TEAM }],
    ['any setting', {}],
  ])('rejects everyone when configured without %s', async (_what, settings) => {
    const ctx = officeContext({ config: parseOfficeConfig(settings) })
    expect((await request('/', validToken, ctx)).status).toBe(403)
  })

  it.each([
    ['SITE_ORIGIN', 'http://localhost:5000'],
    ['PUSH_SANDBOX', 'http://127.0.0.1:5004'],
    ['IMAGE_ORIGINS', 'https://a.ke,https://127.0.0.1'],
    ['ENVIRONMENT', 'local'],
    ['ENVIRONMENT', 'staging'],
    ['OWNER_EMAIL', 'achieng'],
  ])('refuses to start on Cloudflare with %s = %s', (name, value) => {
    const settings = {
      SITE_ORIGIN: 'https://pamba.co.ke',
      ACCESS_TEAM: ACCESS_TEAM,
      ACCESS_AUDIENCE: ACCESS_AUDIENCE,
    }
    expect(parseOfficeConfig(settings, { isDeployed: true })).toMatchObject(settings)
    expect(() => parseOfficeConfig({ ...settings, [name]: value }, { isDeployed: true })).toThrow(`${name} `)
  })

  it('skips the Access check only on localhost in local mode', async () => {
    const office = createOffice(officeContext({ config: parseOfficeConfig({ ENVIRONMENT: 'local' }) }))
    expect((await office.request('http://localhost:5001/')).status).toBe(200)
    const helper = await office.request('http://amina.localhost:5001/')
    expect(await helper.text()).toContain('Ask the shop’s owner to add amina@localhost.example.')
    for (const host of ['office.pamba.example', 'localhost.example', '192.168.0.7:5001'])
      expect((await office.request(`http://${host}/`)).status, host).toBe(403)
  })

  it('responds with 503 while the Access keys can’t be fetched', async () => {
    const failures: (() => Promise<Response>)[] = [
      () => Promise.reject(new TypeError('No connection.')),
      async () => new Response('', { status: 500 }),
      async () => new Response('no keys'),
    ]
    for (const fetch of failures)
      expect((await request('/', validToken, officeContext({ fetch }))).status).toBe(503)
  })

  it('fetches the Access keys once for many requests', async () => {
    let fetched = 0
    const { fetch } = officeContext()
    const office = createOffice(
      officeContext({
        fetch: (...request) => {
          fetched += 1
          return fetch(...request)
        },
      }),
    )
    for (let visits = 0; visits < 3; visits++)
      await office.request(OFFICE_ORIGIN, { headers: { 'Cf-Access-Jwt-Assertion': validToken } })
    expect(fetched).toBe(1)
  })

  it('accepts forms only from its own pages', async () => {
    const post = (headers: Record<string, string>) =>
      request('/nowhere', validToken, officeContext(), { method: 'POST', headers, body: '' })
    expect((await post({ Origin: OFFICE_ORIGIN })).status).toBe(404)
    expect((await post({ Origin: OFFICE_ORIGIN, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(404)
    for (const headers of [
      {},
      { Origin: 'null' },
      { Origin: 'https://pamba.test' },
      { Origin: `${OFFICE_ORIGIN}.example` },
      { 'Sec-Fetch-Site': 'same-origin' },
      { Origin: OFFICE_ORIGIN, 'Sec-Fetch-Site': 'same-site' },
      { Origin: OFFICE_ORIGIN, 'Sec-Fetch-Site': 'cross-site' },
    ])
      expect((await post(headers)).status, JSON.stringify(headers)).toBe(403)
  })

  it('rejects plain HTTP', async () => {
    const token = { 'Cf-Access-Jwt-Assertion': validToken }
    const response = await createOffice(officeContext()).request('http://office.pamba.test/', {
      headers: token,
    })
    expect(response.status).toBe(403)
  })

  it('sends its security headers with every response', async () => {
    const responses = [
      await request('/', validToken),
      await request('/'),
      await request('/nowhere', validToken),
      await request('/', validToken, officeContext({ db: createUnreachableDatabase() })),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 403, 404, 503])
    for (const { headers } of responses) {
      expect(headers.get('Content-Security-Policy')).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self' https://${ACCESS_TEAM}.cloudflareaccess.com; base-uri 'none'; frame-ancestors 'none'`,
      )
      expect(headers.get('Cache-Control')).toBe('no-store')
      expect(headers.get('X-Robots-Tag')).toBe('noindex, nofollow')
      expect(headers.get('Strict-Transport-Security')).toMatch(/^max-age=\d{8,}; includeSubDomains$/)
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    }
  })

  it('serves the shop’s pictures and none of its other files', async () => {
    const fetched: string[] = []
    const shop: Pick<Fetcher, 'fetch'> = {
      fetch: async (url) => {
        fetched.push(String(url))
        return new Response('<svg/>', { headers: { 'Content-Type': 'image/svg+xml' } })
      },
    }
    const ctx = officeContext({ shop })
    const served = ['/images/products/romper.svg', '/p/k44anq/200.webp']
    for (const path of served) expect((await request(path, validToken, ctx)).status, path).toBe(200)
    for (const path of [
      '/Items.json',
      '/products',
      '/api/health',
      '/images/../api/orders.svg',
      '/robots.txt',
      '/login',
      '/checkout',
      '/order/P-7K3M9Q',
      '/sitemap.xml',
    ])
      expect((await request(path, validToken, ctx)).status, path).toBe(404)
    expect(fetched).toEqual(served.map((path) => `https://pamba.test${path}`))
  })

  it('has no pages on the shop’s hostname', async () => {
    const app = createApp(testContext())
    for (const path of [
      '/orders/P-7K3M9Q',
      '/figures',
      '/promotions',
      '/messages',
      '/emails',
      '/audit',
      '/stock',
      '/packing-slips',
      '/payments',
      '/exports',
      '/incoming',
      '/reconciliation',
      '/invoice-details',
      '/more',
    ]) {
      const headers = { 'Cf-Access-Jwt-Assertion': validToken, Origin: 'https://pamba.test' }
      const url = `https://pamba.test${path}`
      expect((await app.request(url, { headers })).status, path).toBe(404)
      const { status } = await app.request(url, { method: 'POST', headers })
      expect([404, 405], path).toContain(status)
    }
  })
})
