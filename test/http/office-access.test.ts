import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import { createOffice } from '#office/app.tsx'
import { parseOfficeConfig } from '#office/context.ts'
import { createApp } from '#server/app.ts'
import { testContext } from '#test/support/context.ts'
import { downDatabase } from '#test/support/database.ts'
import {
  AUDIENCE,
  accessKey,
  accessToken,
  CLAIMS,
  KEY_ID,
  OFFICE,
  officeContext,
  TEAM,
} from '#test/support/office.ts'

const ask = (path: string, token?: string, ctx = officeContext(), init: RequestInit = {}) =>
  createOffice(ctx).request(OFFICE + path, {
    ...init,
    headers: { ...(token === undefined ? {} : { 'Cf-Access-Jwt-Assertion': token }), ...init.headers },
  })

const signed = (
  claims: JWTPayload,
  header: { alg: string; kid?: string; jku?: string },
  key: CryptoKey | Uint8Array,
) => new SignJWT(claims).setProtectedHeader(header).sign(key)
const stranger = await generateKeyPair('RS256')
const publicKeyText = new TextEncoder().encode(await exportSPKI(accessKey.publicKey))
const good = await accessToken()
const [header = '', payload = '', signature = ''] = good.split('.')
const { exp: _exp, ...withoutEnd } = CLAIMS
const { email: _email, ...withoutEmail } = CLAIMS
const { aud: _aud, ...withoutAudience } = CLAIMS
const second = (CLAIMS.iat ?? 0) + 60
const encoded = (value: object) => btoa(JSON.stringify(value)).replace(/=+$/, '')

const FORGED: [what: string, token: string | undefined][] = [
  ['nothing', undefined],
  ['an empty token', ''],
  ['no token at all', 'x'],
  ['a token in pieces', '..'],
  ['another application’s token', await accessToken({ ...CLAIMS, aud: ['cd'.repeat(32)] })],
  ['a token for nobody', await accessToken(withoutAudience)],
  ['another team’s token', await accessToken({ ...CLAIMS, iss: 'https://other.cloudflareaccess.com' })],
  ['a token whose issuer only begins so', await accessToken({ ...CLAIMS, iss: `${CLAIMS.iss}.example` })],
  ['a token that has ended', await accessToken({ ...CLAIMS, exp: second - 1 })],
  ['a token without an end', await accessToken(withoutEnd)],
  ['a token that is not valid yet', await accessToken({ ...CLAIMS, nbf: second + 600 })],
  ['a token without an address', await accessToken(withoutEmail)],
  ['a token of a service', await accessToken({ ...withoutEmail, common_name: 'robot.access' })],
  ['a token with an empty address', await accessToken({ ...CLAIMS, email: '' })],
  ['a token that is not signed', new UnsecuredJWT(CLAIMS).encode()],
  [
    'a token that says it needs no signature',
    `${encoded({ alg: 'none', kid: KEY_ID })}.${payload}.${signature}`,
  ],
  [
    'a token signed with another key',
    await signed(CLAIMS, { alg: 'RS256', kid: KEY_ID }, stranger.privateKey),
  ],
  [
    'a token of a key nobody knows',
    await signed(CLAIMS, { alg: 'RS256', kid: 'key-2' }, stranger.privateKey),
  ],
  ['a token signed with the public key', await signed(CLAIMS, { alg: 'HS256', kid: KEY_ID }, publicKeyText)],
  [
    'a token whose claims were changed',
    `${header}.${encoded({ ...CLAIMS, email: 'x@y.test' })}.${signature}`,
  ],
  ['a token without its signature', `${header}.${payload}.`],
  ['a token of a key without a name', await signed(CLAIMS, { alg: 'RS256' }, stranger.privateKey)],
  [
    'a token of a key with an empty name',
    await signed(CLAIMS, { alg: 'RS256', kid: '' }, stranger.privateKey),
  ],
  [
    'a token whose key is elsewhere',
    await signed(
      CLAIMS,
      { alg: 'RS256', kid: KEY_ID, jku: 'https://forged.test/certs' },
      stranger.privateKey,
    ),
  ],
  ['a token whose address is a list', await accessToken({ ...CLAIMS, email: ['achieng@pamba.test'] })],
  ['a token for another audience as a text', await accessToken({ ...CLAIMS, aud: `${AUDIENCE} ` })],
  ['a token a megabyte long', `${header}.${'A'.repeat(1_000_000)}.${signature}`],
  [
    'a good token and a forged one',
    `${good}, ${await signed(CLAIMS, { alg: 'RS256', kid: KEY_ID }, stranger.privateKey)}`,
  ],
  ['a good token twice', `${good}, ${good}`],
  ['a good token as a credential', `Bearer ${good}`],
  ['a token with a key of its own', `${encoded({ alg: 'RS256', jwk: {} })}.${payload}.${signature}`],
]

describe('the office', () => {
  it('lets in whom Cloudflare Access has signed in', async () => {
    const response = await ask('/', good)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain(String(CLAIMS.email))
  })

  it.each(FORGED)('lets nobody in with %s', async (_what, token) => {
    for (const path of ['/', '/orders/P-7K3M9Q', '/favicon.svg', '/nowhere']) {
      const response = await ask(path, token)
      expect(response.status, path).toBe(403)
      expect(await response.text()).not.toContain('nav')
    }
    const form = { method: 'POST', headers: { Origin: OFFICE }, body: '' }
    expect((await ask('/orders/P-7K3M9Q/status', token, officeContext(), form)).status).toBe(403)
  })

  it.each([
    ['the cookie of Access', { Cookie: `CF_Authorization=${good}` }],
    ['an Authorization header', { Authorization: `Bearer ${good}` }],
    ['the address of somebody who is let in', { 'Cf-Access-Authenticated-User-Email': 'achieng@pamba.test' }],
    ['a token in another header', { 'X-Cf-Access-Jwt-Assertion': good }],
  ])('lets nobody in with %s alone', async (_what, headers) => {
    expect((await ask('/', undefined, officeContext(), { headers })).status).toBe(403)
    expect((await ask(`/?${new URLSearchParams(headers)}`)).status).toBe(403)
  })

  it('takes a new key of Access for good once it signs with it, and one that is gone no longer', async () => {
    const next = await generateKeyPair('RS256', { extractable: true })
    const named = async (key: CryptoKey, kid: string) => [{ ...(await exportJWK(key)), kid, alg: 'RS256' }]
    let keys = await named(accessKey.publicKey, KEY_ID)
    const office = createOffice(officeContext({ fetch: async () => Response.json({ keys }) }))
    const statusWith = async (token: string) =>
      (await office.request(OFFICE, { headers: { 'Cf-Access-Jwt-Assertion': token } })).status
    const renewed = await signed(CLAIMS, { alg: 'RS256', kid: 'key-2' }, next.privateKey)
    expect([await statusWith(good), await statusWith(renewed)]).toEqual([200, 403])
    keys = await named(next.publicKey, 'key-2')
    vi.useFakeTimers({ now: Date.now() + 31_000, toFake: ['Date'] })
    expect([await statusWith(renewed), await statusWith(good)]).toEqual([200, 403])
    vi.useRealTimers()
  })

  it.each([
    ['a team', { ACCESS_AUDIENCE: AUDIENCE }],
    ['an audience', { ACCESS_TEAM: TEAM }],
    ['any setting', {}],
  ])('lets nobody in without %s', async (_what, settings) => {
    const ctx = officeContext({ config: parseOfficeConfig(settings) })
    expect((await ask('/', good, ctx)).status).toBe(403)
  })

  it('lets the operator in on the operator’s own machine alone', async () => {
    const office = createOffice(officeContext({ config: parseOfficeConfig({ ENVIRONMENT: 'local' }) }))
    expect((await office.request('http://localhost:5001/')).status).toBe(200)
    for (const host of ['office.pamba.example', 'localhost.example', '192.168.0.7:5001'])
      expect((await office.request(`http://${host}/`)).status, host).toBe(403)
  })

  it('lets nobody in while the keys of Access cannot be had', async () => {
    const failures: (() => Promise<Response>)[] = [
      () => Promise.reject(new TypeError('No connection.')),
      async () => new Response('', { status: 500 }),
      async () => new Response('no keys'),
    ]
    for (const fetch of failures) expect((await ask('/', good, officeContext({ fetch }))).status).toBe(503)
  })

  it('fetches the keys once for many visits', async () => {
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
      await office.request(OFFICE, { headers: { 'Cf-Access-Jwt-Assertion': good } })
    expect(fetched).toBe(1)
  })

  it('takes forms from its own pages alone', async () => {
    const post = (headers: Record<string, string>) =>
      ask('/nowhere', good, officeContext(), { method: 'POST', headers, body: '' })
    expect((await post({ Origin: OFFICE })).status).toBe(404)
    expect((await post({ Origin: OFFICE, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(404)
    for (const headers of [
      {},
      { Origin: 'null' },
      { Origin: 'https://pamba.test' },
      { Origin: `${OFFICE}.example` },
      { 'Sec-Fetch-Site': 'same-origin' },
      { Origin: OFFICE, 'Sec-Fetch-Site': 'same-site' },
      { Origin: OFFICE, 'Sec-Fetch-Site': 'cross-site' },
    ])
      expect((await post(headers)).status, JSON.stringify(headers)).toBe(403)
  })

  it('answers over https only', async () => {
    const token = { 'Cf-Access-Jwt-Assertion': good }
    const response = await createOffice(officeContext()).request('http://office.pamba.test/', {
      headers: token,
    })
    expect(response.status).toBe(403)
  })

  it('has its own strict policy on every answer, and nothing is stored or indexed', async () => {
    const answers = [
      await ask('/', good),
      await ask('/'),
      await ask('/nowhere', good),
      await ask('/', good, officeContext({ db: downDatabase() })),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 404, 503])
    for (const { headers } of answers) {
      expect(headers.get('Content-Security-Policy')).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self' https://${TEAM}.cloudflareaccess.com; base-uri 'none'; frame-ancestors 'none'`,
      )
      expect(headers.get('Cache-Control')).toBe('no-store')
      expect(headers.get('X-Robots-Tag')).toBe('noindex, nofollow')
      expect(headers.get('Strict-Transport-Security')).toMatch(/^max-age=\d{8,}; includeSubDomains$/)
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    }
  })

  it('shows pictures of the shop, and no other file of it', async () => {
    const asked: string[] = []
    const shop: Pick<Fetcher, 'fetch'> = {
      fetch: async (address) => {
        asked.push(String(address))
        return new Response('<svg/>', { headers: { 'Content-Type': 'image/svg+xml' } })
      },
    }
    const ctx = officeContext({ shop })
    const shown = ['/images/products/romper.svg', '/p/k44anq/200.webp']
    for (const path of shown) expect((await ask(path, good, ctx)).status, path).toBe(200)
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
      expect((await ask(path, good, ctx)).status, path).toBe(404)
    expect(asked).toEqual(shown.map((path) => `https://pamba.test${path}`))
  })

  it('has no page on the shop’s hostname', async () => {
    const app = createApp(testContext())
    for (const path of [
      '/orders/P-7K3M9Q',
      '/figures',
      '/promotions',
      '/messages',
      '/mails',
      '/audit',
      '/stock',
      '/packing-slips',
      '/payments',
      '/more',
    ]) {
      const headers = { 'Cf-Access-Jwt-Assertion': good, Origin: 'https://pamba.test' }
      const address = `https://pamba.test${path}`
      expect((await app.request(address, { headers })).status, path).toBe(404)
      // The shop knows of no form at such an address either.
      const { status } = await app.request(address, { method: 'POST', headers })
      expect([404, 405], path).toContain(status)
    }
  })
})
