import { eq } from 'drizzle-orm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '#server/app.ts'
import { attemptCounts, orders, outbox, passwordResets, sessions, users } from '#server/platform/db/schema.ts'
import { RESET_LINK_PROBLEMS } from '#shared/accounts/password-reset.ts'
import { HOUR_MS } from '#shared/time.ts'
import { createAccount, toCookieHeader } from '../support/account.ts'
import { newUserDetails, register } from '../support/auth-calls.ts'
import { NOW_MS, testContext } from '../support/context.ts'
import { createCountingDatabase } from '../support/database.ts'
import { expectStatus } from '../support/expect-status.ts'
import { billing, listOrders, orderRequest, postOrder } from '../support/orders.ts'
import { createMpesaPayment } from '../support/payments.ts'
import { get, postJson } from '../support/posting.ts'

const UNKNOWN_EMAIL = 'nobody@shopper.test'

type TestContext = ReturnType<typeof testContext>
const requestReset = (email: unknown, ctx: TestContext = testContext()) =>
  postJson(ctx, '/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email, clientType: 'X' })
const reset = (oobCode: unknown, newPassword: unknown, ctx: TestContext = testContext()) =>
  postJson(ctx, '/v1/accounts:resetPassword', { oobCode, newPassword })
const logIn = (email: string, password: string) =>
  postJson(testContext(), '/api/auth/login', { email, password })
const readError = async (response: Response) =>
  ((await response.json()) as { error: { code: number; message: string } }).error

async function requestCode(email: string, clock = () => NOW_MS): Promise<string> {
  const ctx = testContext({ clock })
  await requestReset(email, ctx)
  await ctx.backgroundDone()
  const code = /\/reset-password\?oobCode=([\w-]{43})/.exec(ctx.emails.at(-1)?.text ?? '')?.[1]
  if (!code) throw new Error('No reset email was sent.')
  return code
}

describe('accounts:sendOobCode', () => {
  it('sends a link to choose a new password', async () => {
    const ctx = testContext()
    const { user } = await createAccount(ctx)
    const response = await requestReset(` ${user.email.toUpperCase()} `, ctx)
    await expectStatus(response, 200)
    expect(await response.json()).toEqual({ email: user.email.toUpperCase() })
    await ctx.backgroundDone()
    expect(ctx.emails).toMatchObject([
      {
        kind: 'password-reset',
        recipient: user.email,
        subject: 'Choose a new password',
        text: expect.stringMatching(/^https:\/\/pamba\.test\/reset-password\?oobCode=[\w-]{43}$/m),
      },
    ])
  })

  it('stores no usable code', async () => {
    const { user } = await createAccount(testContext())
    const code = await requestCode(user.email)
    const { db } = testContext()
    const storedResets = await db.select().from(passwordResets).where(eq(passwordResets.userId, user.id))
    expect(storedResets).toMatchObject([{ expiresAtMs: NOW_MS + HOUR_MS, usedAtMs: null }])
    const emails = await db.select().from(outbox).where(eq(outbox.recipient, user.email))
    expect(JSON.stringify([storedResets, emails])).not.toContain(code)
  })

  it('responds to an unknown address the same way, with the same work', async () => {
    const { user } = await createAccount(testContext())
    const attemptReset = async (email: string) => {
      const { db, count } = createCountingDatabase()
      const response = await requestReset(email, testContext({ db, waitUntil: () => {} }))
      const body = (await response.text()).replace(email, '…')
      return { status: response.status, headers: [...response.headers.keys()], body, ...count }
    }
    const known = await attemptReset(user.email)
    expect(known).toEqual(await attemptReset(UNKNOWN_EMAIL))
    await expectStatus(known, 200)

    const ctx = testContext()
    const countWrites = async () =>
      (await ctx.db.select().from(attemptCounts)).reduce((sum, { attempts }) => sum + attempts, 0)
    const before = await countWrites()
    await requestReset(UNKNOWN_EMAIL, ctx)
    await ctx.backgroundDone()
    expect(ctx.emails).toEqual([])
    expect(await countWrites(), 'a batch without writes would be faster').toBe(before + 1)
  })

  it('allows three unused links per user until they expire', async () => {
    const { user } = await createAccount(testContext())
    const links = async () =>
      (await testContext().db.select().from(passwordResets).where(eq(passwordResets.userId, user.id))).length
    for (let request = 0; request < 5; request += 1) await expectStatus(await requestReset(user.email), 200)
    expect(await links()).toBe(3)
    await requestCode(user.email, () => NOW_MS + HOUR_MS)
    expect(await links()).toBe(4)
  })

  it.each([
    ['', 'Email is required.'],
    ['   ', 'Email is required.'],
    [undefined, 'Email is required.'],
    [['a@b.co'], 'Email is required.'],
    ['a b@c.co', 'Please enter a valid email.'],
    ['nonsense', 'Please enter a valid email.'],
  ])('rejects the email %j in the identity service’s error format', async (email, message) => {
    const response = await requestReset(email)
    await expectStatus(response, 400)
    expect(await response.json()).toEqual({ error: { code: 400, message } })
  })

  it('rejects other request types', async () => {
    const body = { requestType: 'VERIFY_EMAIL', email: 'a@b.co' }
    const response = await postJson(testContext(), '/v1/accounts:sendOobCode', body)
    await expectStatus(response, 400)
    expect((await readError(response)).message).toBe('requestType must be PASSWORD_RESET.')
  })

  it('is rate limited by IP address', async () => {
    const limits = {
      ...testContext().limits,
      attempts: async (key: string) => !key.startsWith('reset email from '),
    }
    const response = await requestReset(UNKNOWN_EMAIL, testContext({ limits }))
    await expectStatus(response, 429)
    expect(response.headers.get('Retry-After')).toBe('60')
    expect((await readError(response)).message).toBe('Too many attempts. Please wait a minute and try again.')
  })
})

it('an unknown /v1 call gets a 404 in the identity service’s error format', async () => {
  const response = await postJson(testContext(), '/v1/accounts:delete', {})
  await expectStatus(response, 404)
  expect((await readError(response)).code).toBe(404)
})

describe('a configured identity service', () => {
  afterEach(() => vi.unstubAllGlobals())

  async function requestThroughService(
    respond: () => Response | Promise<Response>,
    email = ' Amina@Shopper.test ',
  ) {
    const requests: unknown[] = []
    vi.stubGlobal('fetch', async (url: URL, { method, redirect, body }: RequestInit) => {
      requests.push({ url: url.href, method, redirect, body: JSON.parse(String(body)) })
      return respond()
    })
    const service = { IDENTITY_BASE: 'https://identity.test/identity/', IDENTITY_KEY: 'a key' }
    const response = await requestReset(
      email,
      testContext({ config: { ...testContext().config, ...service } }),
    )
    return { status: response.status, body: await response.json(), requests }
  }
  const failure = (message: string) => ({ error: { code: 400, message, errors: [{ message }] } })

  it('receives the request for a reset email with its API key', async () => {
    const serviceResponse = { kind: 'identitytoolkit#GetOobConfirmationCodeResponse', email: 'x' }
    expect(await requestThroughService(() => Response.json(serviceResponse))).toEqual({
      status: 200,
      body: { email: 'Amina@Shopper.test' },
      requests: [
        {
          url: 'https://identity.test/identity/v1/accounts:sendOobCode?key=a+key',
          method: 'POST',
          redirect: 'manual',
          body: { requestType: 'PASSWORD_RESET', email: 'amina@shopper.test', clientType: 'CLIENT_TYPE_WEB' },
        },
      ],
    })
  })

  it.each<[number, unknown, number, string]>([
    [400, failure('EMAIL_NOT_FOUND'), 400, 'EMAIL_NOT_FOUND'],
    [401, failure('API key not valid.'), 503, 'API key not valid.'],
    [403, failure('Forbidden.'), 503, 'Forbidden.'],
    [429, failure('TOO_MANY_ATTEMPTS_TRY_LATER'), 429, 'TOO_MANY_ATTEMPTS_TRY_LATER'],
    [400, { error: {} }, 400, 'Reset failed. Try again.'],
  ])('has its error passed on: %i with %j', async (status, body, expected, message) => {
    const outcome = await requestThroughService(() => Response.json(body, { status }))
    expect([outcome.status, outcome.body]).toEqual([expected, { error: { code: expected, message } }])
  })

  it.each<[string, () => Response | Promise<Response>]>([
    ['responds without JSON', () => new Response('no JSON', { status: 500 })],
    ['cannot be reached', () => Promise.reject(new TypeError('Failed to fetch'))],
  ])('is reported as unavailable if it %s', async (_, respond) => {
    const { status, body } = await requestThroughService(respond)
    expect([status, body]).toEqual([503, { error: { code: 503, message: 'Reset failed. Try again.' } }])
  })

  it('is not called with an invalid email', async () => {
    const { status, requests } = await requestThroughService(() => Response.json({}), '')
    expect([status, requests]).toEqual([400, []])
  })
})

describe('accounts:resetPassword', () => {
  it('changes the password and ends all of the owner’s sessions', async () => {
    const user = await createAccount(testContext())
    const other = await createAccount(testContext())
    const response = await reset(await requestCode(user.user.email), 'kitenge-9')
    await expectStatus(response, 200)
    expect(await response.json()).toEqual({ email: user.user.email })
    await expectStatus(await logIn(user.user.email, 'kitenge-9'), 200)
    await expectStatus(await get(testContext(), '/api/auth/session', user.bearer), 401)
    await expectStatus(await get(testContext(), '/api/auth/session', user.cookie), 401)
    await expectStatus(await get(testContext(), '/api/auth/session', other.bearer), 200)
  })

  it('accepts a link once and invalidates the owner’s other links', async () => {
    const { user } = await createAccount(testContext())
    const other = await requestCode(user.email)
    const code = await requestCode(user.email)
    await expectStatus(await reset(code, 'kitenge-9'), 200)
    for (const used of [code, other]) {
      const again = await reset(used, 'another-1')
      await expectStatus(again, 400)
      expect(await readError(again)).toEqual({ code: 400, message: 'EXPIRED_OOB_CODE' })
    }
    await expectStatus(await logIn(user.email, 'kitenge-9'), 200)
  })

  it('keeps an unverified account’s orders whose emails go to its address, and no others', async () => {
    const ctx = testContext()
    const account = await createAccount(ctx, { emailVerifiedAtMs: null, name: 'Someone Else' })
    const { email } = account.user
    const order = (to: string) =>
      postOrder(ctx, account, orderRequest(undefined, { billing: { ...billing, email: to } }))
    const kept = (await order(email.toUpperCase())).body.order
    const other = (await order('other@shopper.test')).body.order
    const code = await requestCode(email)
    const moved = await reset(code, 'kitenge-9')
    expect([moved.status, await moved.json()]).toEqual([200, { email, areDetailsRemoved: true }])
    await expectStatus(await listOrders(ctx, account), 401)

    const login = await logIn(email, 'kitenge-9')
    const { token, user } = (await login.json()) as { token: string; user: { name: string } }
    const bearer = { Authorization: `Bearer ${token}` }
    expect(user.name).toBe('')
    expect((await listOrders(ctx, { bearer })).body.orders.map(({ number }) => number)).toEqual([kept.number])
    const rows = await ctx.db.select().from(orders).where(eq(orders.number, other.number))
    expect(rows).toMatchObject([{ userId: account.user.id }])
    const [owner] = await ctx.db.select().from(users).where(eq(users.email, email))
    expect(owner?.lastOrderAtMs).toBe(NOW_MS)
    await expectStatus(await reset(code, 'another-1'), 400)
    expect((await listOrders(ctx, { bearer })).body.orders).toHaveLength(1)
  })

  it('that removed an account’s details offers those of its last placed order, until details are saved', async () => {
    const ctx = testContext()
    const account = await createAccount(ctx, { emailVerifiedAtMs: null, name: 'Someone Else' })
    const { email } = account.user
    const order = (overrides: Partial<typeof billing>, payment = {}) =>
      postOrder(
        ctx,
        account,
        orderRequest(undefined, { billing: { ...billing, email, ...overrides }, ...payment }),
      )
    const { number } = (await order({})).body.order
    await order({ address: 'Never paid 1' }, { payment: createMpesaPayment() })
    await expectStatus(await reset(await requestCode(email), 'kitenge-9'), 200)
    const headers = { Cookie: toCookieHeader(await logIn(email, 'kitenge-9')) }
    const read = async () => (await get(testContext(), '/api/account/details', headers)).json()
    const readPage = async (path: string) => (await get(testContext(), path, headers)).text()

    const { email: _, ...details } = billing
    expect(await read()).toMatchObject({ user: { name: '', email }, lastOrder: { number, details } })
    const page = await readPage('/dashboard/details')
    expect(page).toContain(`We’ve filled these in from your order <span class="unbroken">${number}</span>.`)
    for (const text of [billing.firstName, billing.address, billing.zip])
      expect(page).toContain(`value="${text}"`)
    const notice = 'We removed your name and address'
    expect(await readPage('/dashboard')).toContain(notice)

    const saved = await postJson(
      ctx,
      '/api/account/details',
      { ...details, landmark: '', phone: '' },
      headers,
    )
    await expectStatus(saved, 200)
    expect(await read()).toMatchObject({ user: { name: 'Wanjiru Kamau' }, lastOrder: null })
    const dashboard = await get(testContext(), '/dashboard', { Cookie: toCookieHeader(saved) })
    expect(await dashboard.text()).not.toContain(notice)
  })

  it('keeps an unverified account, with its name, on a device that has logged in to it', async () => {
    const user = newUserDetails()
    const registered = await register(user)
    const device = registered.headers.getSetCookie().find((cookie) => cookie.startsWith('__Host-device='))
    const headers = { Cookie: device?.split(';')[0] ?? '' }
    const body = { oobCode: await requestCode(user.email), newPassword: 'kitenge-9' }
    await expectStatus(await postJson(testContext(), '/v1/accounts:resetPassword', body, headers), 200)
    const { token } = (await registered.json()) as { token: string }
    await expectStatus(await listOrders(testContext(), { bearer: { Authorization: `Bearer ${token}` } }), 401)
    const login = (await (await logIn(user.email, 'kitenge-9')).json()) as { user: { name: string } }
    expect(login.user.name).toBe(user.name)
    const [stored] = await testContext().db.select().from(users).where(eq(users.email, user.email))
    expect(stored?.emailVerifiedAtMs).toBe(NOW_MS)
    await expectStatus(await reset(body.oobCode, 'another-1'), 400)
  })

  it('succeeds once when a link is used concurrently', async () => {
    const { user } = await createAccount(testContext())
    const code = await requestCode(user.email)
    const passwords = Array.from({ length: 8 }, (_, index) => `password-${index}`)
    const responses = await Promise.all(passwords.map((password) => reset(code, password)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)])
    const winner = passwords[responses.findIndex(({ status }) => status === 200)] ?? ''
    await expectStatus(await logIn(user.email, winner), 200)
  })

  it('rejects a link after an hour', async () => {
    const { user } = await createAccount(testContext())
    const code = await requestCode(user.email)
    const later = testContext({ clock: () => NOW_MS + HOUR_MS })
    expect((await readError(await reset(code, 'kitenge-9', later))).message).toBe('EXPIRED_OOB_CODE')
    await expectStatus(
      await reset(code, 'kitenge-9', testContext({ clock: () => NOW_MS + HOUR_MS - 1 })),
      200,
    )
  })

  it.each(['', 'nonsense', 'A'.repeat(43), undefined, null, 7, ['x'], { toString: 'x' }])(
    'rejects the invalid code %j without hashing',
    async (code) => {
      const deriveKey = () => Promise.reject(new Error('Nothing was to be hashed.'))
      const response = await reset(code, 'kitenge-9', testContext({ deriveKey }))
      await expectStatus(response, 400)
      expect((await readError(response)).message).toBe('INVALID_OOB_CODE')
    },
  )

  it('keeps a link usable after an invalid password', async () => {
    const { user } = await createAccount(testContext())
    const code = await requestCode(user.email)
    const short = await readError(await reset(code, 'five5'))
    expect(short.message).toBe('WEAK_PASSWORD : Password must be at least 6 characters.')
    expect((await readError(await reset(code, 'x'.repeat(300)))).message).toContain('at most 256 characters')
    await expectStatus(await reset(code, 'kitenge-9'), 200)
  })

  it('keeps sessions and links when it fails', async () => {
    const user = await createAccount(testContext())
    const code = await requestCode(user.user.email)
    const deriveKey = () => Promise.reject(new Error('out of memory'))
    await expectStatus(await reset(code, 'kitenge-9', testContext({ deriveKey })), 500)
    expect(
      await testContext().db.select().from(sessions).where(eq(sessions.id, user.sessionId)),
    ).toHaveLength(1)
    await expectStatus(await reset(code, 'kitenge-9'), 200)
  })

  it('is rate limited by IP address', async () => {
    const limits = { ...testContext().limits, attempts: async () => false }
    const response = await reset('x', 'kitenge-9', testContext({ limits }))
    await expectStatus(response, 429)
    expect(response.headers.get('Retry-After')).toBe('60')
  })
})

describe('opening a reset link', () => {
  const open = async (code: string, ctx = testContext()) => {
    const response = await createApp(ctx).request(`https://pamba.test/reset-password?oobCode=${code}`)
    expect(response.status).toBe(200)
    return await response.text()
  }

  it('shows the form until the link is used, then an error', async () => {
    const { user } = await createAccount(testContext())
    const code = await requestCode(user.email)
    for (const html of [await open(code), await open(code)]) {
      expect(html).toContain('Set New Password')
      expect(html).not.toContain(RESET_LINK_PROBLEMS.expired)
      expect(html).not.toContain(user.email)
    }
    expect((await reset(code, 'kitenge-9')).status).toBe(200)
    const used = await open(code)
    expect(used).toContain(RESET_LINK_PROBLEMS.expired)
    expect(used).not.toContain('Set New Password')
    expect(used).not.toContain(user.email)
  })

  it('shows an error for an expired or unknown link', async () => {
    const { user } = await createAccount(testContext())
    const code = await requestCode(user.email)
    const later = testContext({ clock: () => NOW_MS + HOUR_MS })
    expect(await open(code, later)).toContain(RESET_LINK_PROBLEMS.expired)
    expect(await open('nonsense')).toContain(RESET_LINK_PROBLEMS.invalid)
  })

  it('shows the form when the rate limit is reached or the database is down', async () => {
    const refusing = { ...testContext().limits, attempts: async () => false }
    expect(await open('nonsense', testContext({ limits: refusing }))).toContain('Set New Password')
    const broken = testContext()
    broken.db = new Proxy(broken.db, {
      get() {
        throw new Error('down')
      },
    })
    expect(await open('nonsense', broken)).toContain('Set New Password')
  })
})
