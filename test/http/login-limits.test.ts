import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ServiceContext } from '#server/context.ts'
import { DAY_MS, MINUTE_MS } from '#shared/time.ts'
import { createAccount, toCookieHeader } from '#test/support/account.ts'
import { createCountingContext, newUserDetails, register } from '#test/support/auth-calls.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { get, postJson } from '#test/support/posting.ts'

const WRONG_PASSWORD = 'not-this-one'

type Attempt = { email: string; password: string; challenge?: string }
const addressHeader = (address: string) => ({ 'CF-Connecting-IP': address })
const logIn = (
  body: Attempt,
  ctx: ServiceContext,
  headers: Record<string, string> = addressHeader('192.0.2.7'),
) => postJson(ctx, '/api/auth/login', body, headers)

function createContextWithLimits(isFull: (key: string) => boolean = () => false) {
  const counted: string[] = []
  const count = async (key: string) => {
    counted.push(key)
    return !isFull(key)
  }
  const { ctx, counts } = createCountingContext()
  ctx.limits = { attempts: count, network: count, everyone: count, writes: count }
  return { ctx, counts, counted }
}

async function createKnownDevice() {
  const user = newUserDetails()
  const registered = await register(user)
  const device = registered.headers.getSetCookie().find((cookie) => cookie.startsWith('__Host-device='))
  return { user, device: { Cookie: device?.split(';')[0] ?? '' } }
}

async function failLogins(times: number, user: Attempt, headers?: Record<string, string>, nowMs = NOW_MS) {
  const ctx = testContext({ clock: () => nowMs })
  for (let attempt = 0; attempt < times; attempt += 1)
    await expectStatus(await logIn({ ...user, password: WRONG_PASSWORD }, ctx, headers), 401)
}

describe('login and registration attempts', () => {
  it.each(['/api/auth/login', '/api/auth/register'])(
    'at %s are limited by address, network and in total, before any work',
    async (path) => {
      for (const full of ['from 192.0.2.7', 'from 192.0.2', '']) {
        const { ctx, counts, counted } = createContextWithLimits(
          (key) => key.endsWith(full) && (full !== '' || !key.includes(' ')),
        )
        const response = await postJson(ctx, path, newUserDetails(), addressHeader('192.0.2.7'))
        await expectStatus(response, 429)
        expect(response.headers.get('Retry-After')).toBe('60')
        expect(await response.json()).toMatchObject({ code: 'too_many_requests' })
        expect(counts).toEqual({ hashes: 0, roundTrips: 0 })
        expect(counted.at(-1)).toMatch(full === '' ? /^\w+$/ : full)
      }
    },
  )

  it('from a blocked address do not use up shared limits', async () => {
    const { ctx, counted } = createContextWithLimits((key) => key === 'login from 192.0.2.7')
    await logIn(newUserDetails(), ctx)
    expect(counted).toEqual(['login from 192.0.2.7'])
  })

  it.each([
    ['2001:db8:1:2:aaaa::1', 'login from 2001:db8:1:2', 'login from 2001:db8:1'],
    ['2001:db8::7', 'login from 2001:db8:0:0', 'login from 2001:db8:0'],
    ['192.0.2.7', 'login from 192.0.2.7', 'login from 192.0.2'],
  ])('from %s count for the address, its network and in total', async (address, near, wide) => {
    const { ctx, counted } = createContextWithLimits()
    await logIn(newUserDetails(), ctx, addressHeader(address))
    expect(counted).toEqual([near, wide, 'login'])
  })

  it('on a known device count only for the device', async () => {
    const { user, device } = await createKnownDevice()
    const { ctx, counted } = createContextWithLimits((key) => !key.includes('by device'))
    await expectStatus(await logIn(user, ctx, device), 200)
    expect(counted).toEqual([expect.stringMatching(/^login by device [\w-]{22}$/)])
    // For another account, the same device counts as unknown.
    await expectStatus(
      await logIn(newUserDetails(), createContextWithLimits((key) => !key.includes('by device')).ctx, device),
      429,
    )
  })

  it('are refused before any work when the hash queue is full', async () => {
    const { ctx, counts } = createContextWithLimits()
    ctx.hashQueue = { reserve: () => undefined }
    const { user } = await createAccount(testContext())
    for (const response of [
      await logIn({ email: user.email, password: WRONG_PASSWORD }, ctx),
      await postJson(ctx, '/api/auth/register', newUserDetails()),
      await postJson(ctx, '/v1/accounts:resetPassword', { oobCode: 'x', newPassword: 'kitenge-9' }),
    ]) {
      await expectStatus(response, 503)
      expect(response.headers.get('Retry-After')).toBe('5')
      expect(await response.text()).toContain('Lots of people are logging in right now.')
    }
    expect(counts).toEqual({ hashes: 0, roundTrips: 0 })
  })
})

describe('a request that hashes nothing', () => {
  const requests: [
    string,
    (...args: [ServiceContext, Record<string, string>]) => Response | Promise<Response>,
  ][] = [
    [
      'reset email',
      (ctx, headers) =>
        postJson(
          ctx,
          '/v1/accounts:sendOobCode',
          { requestType: 'PASSWORD_RESET', email: 'a@shopper.test', clientType: 'CLIENT_TYPE_WEB' },
          headers,
        ),
    ],
    [
      'reset',
      (ctx, headers) =>
        postJson(
          ctx,
          '/v1/accounts:resetPassword',
          { oobCode: 'x'.repeat(43), newPassword: 'kitenge-9' },
          headers,
        ),
    ],
    [
      'order link',
      (ctx, headers) =>
        postJson(ctx, '/api/orders/link', { number: 'P-234567', contact: 'a@shopper.test' }, headers),
    ],
    ['reset link', (ctx, headers) => get(ctx, '/reset-password?oobCode=x', headers)],
  ]

  it.each(requests)(
    '(%s) isn’t blocked by more than a hundred requests from two other networks',
    async (_, send) => {
      const counts = new Map<string, number>()
      const limit = (most: number) => async (key: string) => {
        counts.set(key, (counts.get(key) ?? 0) + 1)
        return (counts.get(key) ?? 0) <= most
      }
      const limits = { attempts: limit(10), network: limit(60), everyone: limit(120), writes: limit(20) }
      const ctx = testContext({ limits })
      for (let request = 0; request < 130; request++)
        await send(ctx, addressHeader(`198.51.${request % 2}.${request % 12}`))
      const other = await send(ctx, addressHeader('203.0.113.9'))
      expect(other.status === 429 || (await other.text()).includes('Too many attempts')).toBe(false)
    },
  )

  it.each(requests.slice(1))('(%s) has a limit of its own on a known device', async (_, send) => {
    const { device } = await createKnownDevice()
    const { ctx, counted } = createContextWithLimits((key) => !key.includes('by device'))
    await send(ctx, device)
    expect(counted).toEqual([expect.stringContaining('by device')])
  })

  it('(reset email) has a limit of its own on a device that knows the account, regardless of its network', async () => {
    const { user, device } = await createKnownDevice()
    const full = createContextWithLimits((key) => !key.includes('by device'))
    const body = { requestType: 'PASSWORD_RESET', email: user.email, clientType: 'CLIENT_TYPE_WEB' }
    await expectStatus(await postJson(full.ctx, '/v1/accounts:sendOobCode', body, device), 200)
    await expectStatus(await postJson(full.ctx, '/v1/accounts:sendOobCode', body), 429)
  })
})

describe('wrong passwords', () => {
  it('lead to growing pauses for known and unknown addresses', async () => {
    const known = newUserDetails()
    await register(known)
    for (const user of [known, newUserDetails()]) {
      await failLogins(5, user)
      const { ctx, counts } = createCountingContext()
      const paused = await logIn(user, ctx)
      await expectStatus(paused, 429)
      expect(paused.headers.get('Retry-After')).toBe('60')
      expect(await paused.json()).toEqual({
        code: 'login_paused',
        message:
          'Too many incorrect passwords. Please wait a minute and try again, or reset your password by email.',
      })
      expect(counts.hashes).toBe(0)

      await failLogins(1, user, undefined, NOW_MS + MINUTE_MS)
      const later = testContext({ clock: () => NOW_MS + MINUTE_MS })
      expect((await logIn(user, later)).headers.get('Retry-After')).toBe('120')
    }
    const nextDay = testContext({ clock: () => NOW_MS + MINUTE_MS + DAY_MS + 1 })
    await expectStatus(await logIn(known, nextDay), 200)
  })

  it('from one network do not block the owner elsewhere', async () => {
    const user = newUserDetails()
    await register(user)
    await failLogins(5, user, addressHeader('198.51.100.1'))
    await expectStatus(await logIn(user, testContext(), addressHeader('198.51.100.2')), 429)
    await expectStatus(await logIn(user, testContext(), addressHeader('203.0.113.5')), 200)
  })

  it('from many networks pause the account except on known devices', async () => {
    const { user, device } = await createKnownDevice()
    for (let network = 0; network < 30; network += 1)
      await failLogins(1, user, addressHeader(`10.0.${network}.1`))
    await expectStatus(await logIn(user, testContext(), addressHeader('10.1.0.1')), 429)
    await expectStatus(await logIn(user, testContext(), { ...device, ...addressHeader('10.1.0.1') }), 200)
    // A login on a known device must not clear the failures on other devices.
    await expectStatus(await logIn(user, testContext(), addressHeader('10.1.0.1')), 429)
  })

  it('on a known device pause only that device', async () => {
    const { user, device } = await createKnownDevice()
    await failLogins(10, user, device)
    await expectStatus(await logIn(user, testContext(), device), 429)
    await expectStatus(await logIn(user, testContext()), 200)
  })

  it('are cleared for a network after a successful login', async () => {
    const user = newUserDetails()
    await register(user)
    await failLogins(4, user)
    await expectStatus(await logIn(user, testContext()), 200)
    await failLogins(4, user)
    await expectStatus(await logIn(user, testContext()), 200)
  })

  it.each([
    [
      'forged',
      '__Host-device=%7B%22for%22%3A%22device%22%2C%22id%22%3A%22x%22%2C%22accounts%22%3A%5B%5D%7D.x',
    ],
    ['a session cookie', ''],
  ])('count for the network if the device cookie is %s', async (_, forged) => {
    const { cookie, user } = await createAccount(testContext())
    const { ctx, counted } = createContextWithLimits()
    const session = cookie.Cookie.replace('__Host-session', '__Host-device')
    await logIn({ email: user.email, password: WRONG_PASSWORD }, ctx, { Cookie: forged || session })
    expect(counted[0]).toBe('login from local')
  })
})

describe('a challenge', () => {
  afterEach(() => vi.unstubAllGlobals())

  function turnstile(respond: () => Response | Promise<Response>) {
    const requests: unknown[] = []
    vi.stubGlobal('fetch', async (_url: string, { body, redirect }: RequestInit) => {
      requests.push({ ...JSON.parse(String(body)), redirect })
      return respond()
    })
    const keys = { TURNSTILE_SITE_KEY: 'site-key', TURNSTILE_SECRET_KEY: 'secret-key' }
    return { ctx: testContext({ config: { ...testContext().config, ...keys } }), requests }
  }

  it('is offered with the pause and bypasses it when solved', async () => {
    const user = newUserDetails()
    await register(user)
    await failLogins(5, user)
    const { ctx, requests } = turnstile(() => Response.json({ success: true, action: 'login' }))
    const paused = await logIn(user, ctx)
    expect(await paused.json()).toMatchObject({ code: 'login_paused', challenge: { siteKey: 'site-key' } })
    expect(requests).toEqual([])
    await expectStatus(await logIn({ ...user, challenge: 'token' }, ctx), 200)
    expect(requests).toEqual([
      { secret: 'secret-key', response: 'token', remoteip: '192.0.2.7', redirect: 'manual' },
    ])
  })

  it.each<[string, () => Response]>([
    ['is not solved', () => Response.json({ success: false, 'error-codes': ['invalid-input-response'] })],
    ['was solved for something else', () => Response.json({ success: true, action: 'contact' })],
    ['cannot be verified', () => new Response('Bad gateway', { status: 502 })],
  ])('does not bypass the pause if it %s', async (_, respond) => {
    const user = newUserDetails()
    await register(user)
    await failLogins(5, user)
    const response = await logIn({ ...user, challenge: 'token' }, turnstile(respond).ctx)
    await expectStatus(response, 429)
    expect(await response.json()).toMatchObject({
      message: expect.stringMatching(/^The security check failed\. Please wait a minute/),
      challenge: { siteKey: 'site-key' },
    })
  })

  it('does not bypass the pause if it is not configured', async () => {
    const user = newUserDetails()
    await register(user)
    await failLogins(5, user)
    await expectStatus(await logIn({ ...user, challenge: 'token' }, testContext()), 429)
  })

  it('is allowed by the policy only if it is configured', async () => {
    const { ctx } = turnstile(() => Response.json({}))
    const policy = async (at: ServiceContext) =>
      (await get(at, '/login')).headers.get('Content-Security-Policy')
    expect(await policy(ctx)).toContain("script-src 'self' https://challenges.cloudflare.com")
    expect(await policy(ctx)).toContain('frame-src https://challenges.cloudflare.com')
    expect(await policy(testContext())).not.toContain('challenges.cloudflare.com')
  })
})

it('the device cookie survives a logout, and doesn’t contain the email address', async () => {
  const { user, device } = await createKnownDevice()
  expect(decodeURIComponent(device.Cookie)).not.toContain(user.email)
  const loggedOut = await postJson(testContext(), '/api/auth/logout', {}, device)
  expect(toCookieHeader(loggedOut)).not.toContain('__Host-device')
})
