import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ServiceContext } from '#server/context.ts'
import { account, cookieOf } from '#test/support/account.ts'
import { countingContext, newcomer, register } from '#test/support/auth-calls.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { get, postJson } from '#test/support/posting.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const WRONG = 'not-this-one'

type Attempt = { email: string; password: string; challenge?: string }
const from = (address: string) => ({ 'CF-Connecting-IP': address })
const logIn = (body: Attempt, ctx: ServiceContext, headers: Record<string, string> = from('192.0.2.7')) =>
  postJson(ctx, '/api/auth/login', body, headers)

/** ServiceContext whose limiters write down what they count, and refuse the keys that `isFull` names. */
function limited(isFull: (key: string) => boolean = () => false) {
  const counted: string[] = []
  const count = async (key: string) => {
    counted.push(key)
    return !isFull(key)
  }
  const { ctx, work } = countingContext()
  ctx.limits = { attempts: count, network: count, everyone: count, writes: count }
  return { ctx, work, counted }
}

/** Signs somebody new in; the cookies of their device. */
async function knownDevice() {
  const someone = newcomer()
  const registered = await register(someone)
  const device = registered.headers.getSetCookie().find((cookie) => cookie.startsWith('__Host-device='))
  return { someone, device: { Cookie: device?.split(';')[0] ?? '' } }
}

async function fail(times: number, someone: Attempt, headers?: Record<string, string>, nowMs = NOW_MS) {
  const ctx = testContext({ clock: () => nowMs })
  for (let attempt = 0; attempt < times; attempt += 1)
    await expectStatus(await logIn({ ...someone, password: WRONG }, ctx, headers), 401)
}

describe('attempts', () => {
  it.each(['/api/auth/login', '/api/auth/register'])(
    'at %s are counted by address, network and over all, and refused before any work',
    async (path) => {
      for (const full of ['from 192.0.2.7', 'from 192.0.2', '']) {
        const { ctx, work, counted } = limited(
          (key) => key.endsWith(full) && (full !== '' || !key.includes(' ')),
        )
        const response = await postJson(ctx, path, newcomer(), from('192.0.2.7'))
        await expectStatus(response, 429)
        expect(response.headers.get('Retry-After')).toBe('60')
        expect(await response.json()).toMatchObject({ code: 'too_many_requests' })
        expect(work).toEqual({ hashes: 0, roundTrips: 0 })
        expect(counted.at(-1)).toMatch(full === '' ? /^\w+$/ : full)
      }
    },
  )

  it('from an address that is refused use up nothing that others share', async () => {
    const { ctx, counted } = limited((key) => key === 'login from 192.0.2.7')
    await logIn(newcomer(), ctx)
    expect(counted).toEqual(['login from 192.0.2.7'])
  })

  it.each([
    ['2001:db8:1:2:aaaa::1', 'login from 2001:db8:1:2', 'login from 2001:db8:1'],
    ['2001:db8::7', 'login from 2001:db8:0:0', 'login from 2001:db8:0'],
    ['192.0.2.7', 'login from 192.0.2.7', 'login from 192.0.2'],
  ])('from %s are those of its network', async (address, near, wide) => {
    const { ctx, counted } = limited()
    await logIn(newcomer(), ctx, from(address))
    expect(counted).toEqual([near, wide, 'login'])
  })

  it('on a device that signed in before are counted for the device alone', async () => {
    const { someone, device } = await knownDevice()
    const { ctx, counted } = limited((key) => !key.includes('by device'))
    await expectStatus(await logIn(someone, ctx, device), 200)
    expect(counted).toEqual([expect.stringMatching(/^login by device [\w-]{22}$/)])
    // Another account's sign-in on the same device is a stranger's.
    await expectStatus(await logIn(newcomer(), limited((key) => !key.includes('by device')).ctx, device), 429)
  })

  it('that would have to queue for hashing are sent away before any work', async () => {
    const { ctx, work } = limited()
    ctx.hashQueue = { reserve: () => undefined }
    const { user } = await account(testContext())
    for (const response of [
      await logIn({ email: user.email, password: WRONG }, ctx),
      await postJson(ctx, '/api/auth/register', newcomer()),
      await postJson(ctx, '/v1/accounts:resetPassword', { oobCode: 'x', newPassword: 'kitenge-9' }),
    ]) {
      await expectStatus(response, 503)
      expect(response.headers.get('Retry-After')).toBe('5')
      expect(await response.text()).toContain('Many people are signing in just now.')
    }
    expect(work).toEqual({ hashes: 0, roundTrips: 0 })
  })
})

describe('wrong passwords', () => {
  it('lead to pauses that grow, for known and unknown addresses alike', async () => {
    const known = newcomer()
    await register(known)
    for (const someone of [known, newcomer()]) {
      await fail(5, someone)
      const { ctx, work } = countingContext()
      const paused = await logIn(someone, ctx)
      await expectStatus(paused, 429)
      expect(paused.headers.get('Retry-After')).toBe('60')
      expect(await paused.json()).toEqual({
        code: 'sign_in_paused',
        message:
          'Too many wrong passwords. Please wait a minute and try again, or choose a new password by e-mail.',
      })
      expect(work.hashes).toBe(0)

      await fail(1, someone, undefined, NOW_MS + MINUTE_MS)
      const later = testContext({ clock: () => NOW_MS + MINUTE_MS })
      expect((await logIn(someone, later)).headers.get('Retry-After')).toBe('120')
    }
    const nextDay = testContext({ clock: () => NOW_MS + MINUTE_MS + DAY_MS + 1 })
    await expectStatus(await logIn(known, nextDay), 200)
  })

  it('from one network do not keep the owner out elsewhere', async () => {
    const someone = newcomer()
    await register(someone)
    await fail(5, someone, from('198.51.100.1'))
    await expectStatus(await logIn(someone, testContext(), from('198.51.100.2')), 429)
    await expectStatus(await logIn(someone, testContext(), from('203.0.113.5')), 200)
  })

  it('from many networks pause the account for all but the devices that signed in before', async () => {
    const { someone, device } = await knownDevice()
    for (let network = 0; network < 30; network += 1) await fail(1, someone, from(`10.0.${network}.1`))
    await expectStatus(await logIn(someone, testContext(), from('10.1.0.1')), 429)
    await expectStatus(await logIn(someone, testContext(), { ...device, ...from('10.1.0.1') }), 200)
    // What others did is not forgotten for it.
    await expectStatus(await logIn(someone, testContext(), from('10.1.0.1')), 429)
  })

  it('on a device that signed in before pause the device', async () => {
    const { someone, device } = await knownDevice()
    await fail(10, someone, device)
    await expectStatus(await logIn(someone, testContext(), device), 429)
    await expectStatus(await logIn(someone, testContext()), 200)
  })

  it('are forgotten for a network that then knows the right one', async () => {
    const someone = newcomer()
    await register(someone)
    await fail(4, someone)
    await expectStatus(await logIn(someone, testContext()), 200)
    await fail(4, someone)
    await expectStatus(await logIn(someone, testContext()), 200)
  })

  it.each([
    [
      'forged',
      '__Host-device=%7B%22for%22%3A%22device%22%2C%22id%22%3A%22x%22%2C%22accounts%22%3A%5B%5D%7D.x',
    ],
    ['a session’s', ''],
  ])('count for the network where the device cookie is %s', async (_, forged) => {
    const { cookie, user } = await account(testContext())
    const { ctx, counted } = limited()
    const session = cookie.Cookie.replace('__Host-session', '__Host-device')
    await logIn({ email: user.email, password: WRONG }, ctx, { Cookie: forged || session })
    expect(counted[0]).toBe('login from local')
  })
})

describe('a challenge', () => {
  afterEach(() => vi.unstubAllGlobals())

  /** Turnstile, which answers as the test says and writes down what it was asked. */
  function turnstile(answer: () => Response | Promise<Response>) {
    const asked: unknown[] = []
    vi.stubGlobal('fetch', async (_url: string, { body }: RequestInit) => {
      asked.push(JSON.parse(String(body)))
      return answer()
    })
    const keys = { TURNSTILE_SITE_KEY: 'site-key', TURNSTILE_SECRET_KEY: 'secret-key' }
    return { ctx: testContext({ config: { ...testContext().config, ...keys } }), asked }
  }

  it('is offered with the pause, and passes it once it is solved', async () => {
    const someone = newcomer()
    await register(someone)
    await fail(5, someone)
    const { ctx, asked } = turnstile(() => Response.json({ success: true, action: 'login' }))
    const paused = await logIn(someone, ctx)
    expect(await paused.json()).toMatchObject({ code: 'sign_in_paused', challenge: { siteKey: 'site-key' } })
    expect(asked).toEqual([])
    await expectStatus(await logIn({ ...someone, challenge: 'token' }, ctx), 200)
    expect(asked).toEqual([{ secret: 'secret-key', response: 'token', remoteip: '192.0.2.7' }])
  })

  it.each<[string, () => Response]>([
    ['is not solved', () => Response.json({ success: false, 'error-codes': ['invalid-input-response'] })],
    ['was solved for something else', () => Response.json({ success: true, action: 'contact' })],
    ['cannot be verified', () => new Response('Bad gateway', { status: 502 })],
  ])('that %s passes nothing', async (_, answer) => {
    const someone = newcomer()
    await register(someone)
    await fail(5, someone)
    const response = await logIn({ ...someone, challenge: 'token' }, turnstile(answer).ctx)
    await expectStatus(response, 429)
    expect(await response.json()).toMatchObject({
      message: expect.stringMatching(/^The check was not passed\. Please wait a minute/),
      challenge: { siteKey: 'site-key' },
    })
  })

  it('that is not configured passes nothing', async () => {
    const someone = newcomer()
    await register(someone)
    await fail(5, someone)
    await expectStatus(await logIn({ ...someone, challenge: 'token' }, testContext()), 429)
  })

  it('is admitted by the policy only where it is configured', async () => {
    const { ctx } = turnstile(() => Response.json({}))
    const policy = async (at: ServiceContext) =>
      (await get(at, '/login')).headers.get('Content-Security-Policy')
    expect(await policy(ctx)).toContain("script-src 'self' https://challenges.cloudflare.com")
    expect(await policy(ctx)).toContain('frame-src https://challenges.cloudflare.com')
    expect(await policy(testContext())).not.toContain('challenges.cloudflare.com')
  })
})

it('remembers a device across sign-outs, and never by the name of an account', async () => {
  const { someone, device } = await knownDevice()
  expect(decodeURIComponent(device.Cookie)).not.toContain(someone.email)
  const out = await postJson(testContext(), '/api/auth/logout', {}, device)
  expect(cookieOf(out)).not.toContain('__Host-device')
})
