import { eq } from 'drizzle-orm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '#server/app.ts'
import { outbox, passwordResets, sessions } from '#server/platform/db/schema.ts'
import { RESET_LINK_PROBLEMS } from '#shared/accounts/password-reset.ts'
import { account } from '../support/account.ts'
import { NOW_MS, testContext } from '../support/context.ts'
import { countedDatabase } from '../support/database.ts'
import { expectStatus } from '../support/expect-status.ts'
import { get, postJson } from '../support/posting.ts'

const HOUR_MS = 3_600_000
const UNKNOWN = 'nobody@shopper.test'

type TestContext = ReturnType<typeof testContext>
const ask = (email: unknown, ctx: TestContext = testContext()) =>
  postJson(ctx, '/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email, clientType: 'X' })
const reset = (oobCode: unknown, newPassword: unknown, ctx: TestContext = testContext()) =>
  postJson(ctx, '/v1/accounts:resetPassword', { oobCode, newPassword })
const login = (email: string, password: string) =>
  postJson(testContext(), '/api/auth/login', { email, password })
const messageOf = async (response: Response) =>
  ((await response.json()) as { error: { code: number; message: string } }).error

/** Asks for a reset mail and takes the code out of it, as its reader would. */
async function codeFor(email: string, clock = () => NOW_MS): Promise<string> {
  const ctx = testContext({ clock })
  await ask(email, ctx)
  await ctx.settled()
  const code = /\/reset-password\?oobCode=([\w-]{43})/.exec(ctx.mails.at(-1)?.text ?? '')?.[1]
  if (!code) throw new Error('No reset mail came.')
  return code
}

describe('accounts:sendOobCode', () => {
  it('sends a link to choose a new password', async () => {
    const ctx = testContext()
    const { user } = await account(ctx)
    const response = await ask(` ${user.email.toUpperCase()} `, ctx)
    await expectStatus(response, 200)
    expect(await response.json()).toEqual({ email: user.email.toUpperCase() })
    await ctx.settled()
    expect(ctx.mails).toMatchObject([
      {
        kind: 'password-reset',
        recipient: user.email,
        subject: 'Choose a new password',
        text: expect.stringMatching(/^https:\/\/pamba\.test\/reset-password\?oobCode=[\w-]{43}$/m),
      },
    ])
  })

  it('keeps no usable code', async () => {
    const { user } = await account(testContext())
    const code = await codeFor(user.email)
    const { db } = testContext()
    const kept = await db.select().from(passwordResets).where(eq(passwordResets.userId, user.id))
    expect(kept).toMatchObject([{ expiresAtMs: NOW_MS + HOUR_MS, usedAtMs: null }])
    const mails = await db.select().from(outbox).where(eq(outbox.recipient, user.email))
    expect(JSON.stringify([kept, mails])).not.toContain(code)
  })

  it('answers and works alike when nobody has the address', async () => {
    const { user } = await account(testContext())
    const attempt = async (email: string) => {
      const { db, count } = countedDatabase()
      const response = await ask(email, testContext({ db, background: () => {} }))
      const body = (await response.text()).replace(email, '…')
      return { status: response.status, headers: [...response.headers.keys()], body, ...count }
    }
    const known = await attempt(user.email)
    expect(known).toEqual(await attempt(UNKNOWN))
    await expectStatus(known, 200)

    const ctx = testContext()
    await ask(UNKNOWN, ctx)
    await ctx.settled()
    expect(ctx.mails).toEqual([])
  })

  it('lets a person have a few unused links at most, and others once those have expired', async () => {
    const { user } = await account(testContext())
    const links = async () =>
      (await testContext().db.select().from(passwordResets).where(eq(passwordResets.userId, user.id))).length
    for (let request = 0; request < 5; request += 1) await expectStatus(await ask(user.email), 200)
    expect(await links()).toBe(3)
    await codeFor(user.email, () => NOW_MS + HOUR_MS)
    expect(await links()).toBe(4)
  })

  it.each([
    ['', 'Email is required.'],
    ['   ', 'Email is required.'],
    [undefined, 'Email is required.'],
    [['a@b.co'], 'Email is required.'],
    ['a b@c.co', 'Please enter a valid email.'],
    ['nonsense', 'Please enter a valid email.'],
  ])('refuses %j in its own shape', async (email, message) => {
    const response = await ask(email)
    await expectStatus(response, 400)
    expect(await response.json()).toEqual({ error: { code: 400, message } })
  })

  it('refuses another kind of mail', async () => {
    const body = { requestType: 'VERIFY_EMAIL', email: 'a@b.co' }
    const response = await postJson(testContext(), '/v1/accounts:sendOobCode', body)
    await expectStatus(response, 400)
    expect((await messageOf(response)).message).toBe('requestType must be PASSWORD_RESET.')
  })

  it('is limited by address', async () => {
    const limits = {
      ...testContext().limits,
      attempts: async (key: string) => !key.startsWith('reset mail from '),
    }
    const response = await ask(UNKNOWN, testContext({ limits }))
    await expectStatus(response, 429)
    expect(response.headers.get('Retry-After')).toBe('60')
    expect((await messageOf(response)).message).toBe('Too many attempts. Please wait a minute and try again.')
  })

  it('knows no other call', async () => {
    const response = await postJson(testContext(), '/v1/accounts:delete', {})
    await expectStatus(response, 404)
    expect((await messageOf(response)).code).toBe(404)
  })
})

describe('a configured identity service', () => {
  afterEach(() => vi.unstubAllGlobals())

  /** A third-party service that answers as the test gives; what the shop asks it is written down. */
  async function askThrough(respond: () => Response | Promise<Response>, email = ' Amina@Shopper.test ') {
    const asked: unknown[] = []
    vi.stubGlobal('fetch', async (url: URL, { method, body }: RequestInit) => {
      asked.push({ url: url.href, method, body: JSON.parse(String(body)) })
      return respond()
    })
    const service = { IDENTITY_BASE: 'https://identity.test/identity/', IDENTITY_KEY: 'a key' }
    const response = await ask(email, testContext({ config: { ...testContext().config, ...service } }))
    return { status: response.status, body: await response.json(), asked }
  }
  const failure = (message: string) => ({ error: { code: 400, message, errors: [{ message }] } })

  it('is asked for the reset mail, with its key, by its own contract', async () => {
    const answer = { kind: 'identitytoolkit#GetOobConfirmationCodeResponse', email: 'x' }
    expect(await askThrough(() => Response.json(answer))).toEqual({
      status: 200,
      body: { email: 'Amina@Shopper.test' },
      asked: [
        {
          url: 'https://identity.test/identity/v1/accounts:sendOobCode?key=a+key',
          method: 'POST',
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
  ])('has its message handed on: %i with %j', async (status, body, expected, message) => {
    const outcome = await askThrough(() => Response.json(body, { status }))
    expect([outcome.status, outcome.body]).toEqual([expected, { error: { code: expected, message } }])
  })

  it.each<[string, () => Response | Promise<Response>]>([
    ['fails without JSON', () => new Response('no JSON', { status: 500 })],
    ['is out of reach', () => Promise.reject(new TypeError('Failed to fetch'))],
  ])('that %s is unavailable', async (_, respond) => {
    const { status, body } = await askThrough(respond)
    expect([status, body]).toEqual([503, { error: { code: 503, message: 'Reset failed. Try again.' } }])
  })

  it('is not asked about what breaks a rule', async () => {
    const { status, asked } = await askThrough(() => Response.json({}), '')
    expect([status, asked]).toEqual([400, []])
  })
})

describe('accounts:resetPassword', () => {
  it('gives the owner the new password and ends all of their sessions', async () => {
    const someone = await account(testContext())
    const other = await account(testContext())
    const response = await reset(await codeFor(someone.user.email), 'kitenge-9')
    await expectStatus(response, 200)
    expect(await response.json()).toEqual({ email: someone.user.email })
    await expectStatus(await login(someone.user.email, 'kitenge-9'), 200)
    await expectStatus(await get(testContext(), '/api/auth/session', someone.bearer), 401)
    await expectStatus(await get(testContext(), '/api/auth/session', someone.cookie), 401)
    await expectStatus(await get(testContext(), '/api/auth/session', other.bearer), 200)
  })

  it('works once, and uses up the other links too', async () => {
    const { user } = await account(testContext())
    const other = await codeFor(user.email)
    const code = await codeFor(user.email)
    await expectStatus(await reset(code, 'kitenge-9'), 200)
    for (const used of [code, other]) {
      const again = await reset(used, 'another-1')
      await expectStatus(again, 400)
      expect(await messageOf(again)).toEqual({ code: 400, message: 'EXPIRED_OOB_CODE' })
    }
    await expectStatus(await login(user.email, 'kitenge-9'), 200)
  })

  it('lets one of many uses at once succeed', async () => {
    const { user } = await account(testContext())
    const code = await codeFor(user.email)
    const passwords = Array.from({ length: 8 }, (_, index) => `password-${index}`)
    const answers = await Promise.all(passwords.map((password) => reset(code, password)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)])
    const winner = passwords[answers.findIndex(({ status }) => status === 200)] ?? ''
    await expectStatus(await login(user.email, winner), 200)
  })

  it('refuses a link after an hour', async () => {
    const { user } = await account(testContext())
    const code = await codeFor(user.email)
    const later = testContext({ clock: () => NOW_MS + HOUR_MS })
    expect((await messageOf(await reset(code, 'kitenge-9', later))).message).toBe('EXPIRED_OOB_CODE')
    await expectStatus(
      await reset(code, 'kitenge-9', testContext({ clock: () => NOW_MS + HOUR_MS - 1 })),
      200,
    )
  })

  it.each(['', 'nonsense', 'A'.repeat(43), undefined, null, 7, ['x'], { toString: 'x' }])(
    'refuses the code %j as invalid, without hashing',
    async (code) => {
      const deriveKey = () => Promise.reject(new Error('Nothing was to be hashed.'))
      const response = await reset(code, 'kitenge-9', testContext({ deriveKey }))
      await expectStatus(response, 400)
      expect((await messageOf(response)).message).toBe('INVALID_OOB_CODE')
    },
  )

  it('leaves a link usable when the password breaks a rule', async () => {
    const { user } = await account(testContext())
    const code = await codeFor(user.email)
    const short = await messageOf(await reset(code, 'five5'))
    expect(short.message).toBe('WEAK_PASSWORD : Password must be at least 6 characters.')
    expect((await messageOf(await reset(code, 'x'.repeat(300)))).message).toContain('at most 256 bytes')
    await expectStatus(await reset(code, 'kitenge-9'), 200)
  })

  it('ends no session and uses no link when it fails', async () => {
    const someone = await account(testContext())
    const code = await codeFor(someone.user.email)
    const deriveKey = () => Promise.reject(new Error('out of memory'))
    await expectStatus(await reset(code, 'kitenge-9', testContext({ deriveKey })), 500)
    expect(
      await testContext().db.select().from(sessions).where(eq(sessions.id, someone.sessionId)),
    ).toHaveLength(1)
    await expectStatus(await reset(code, 'kitenge-9'), 200)
  })

  it('is limited by address', async () => {
    const limits = { ...testContext().limits, attempts: async () => false }
    const response = await reset('x', 'kitenge-9', testContext({ limits }))
    await expectStatus(response, 429)
    expect(response.headers.get('Retry-After')).toBe('60')
  })
})

describe('a reset link that is opened', () => {
  const open = async (code: string, ctx = testContext()) => {
    const response = await createApp(ctx).request(`https://pamba.test/reset-password?oobCode=${code}`)
    expect(response.status).toBe(200)
    return await response.text()
  }

  it('shows the form, as often as it is opened, and reports it once it was used', async () => {
    const { user } = await account(testContext())
    const code = await codeFor(user.email)
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

  it('reports it when it has expired, or was never made', async () => {
    const { user } = await account(testContext())
    const code = await codeFor(user.email)
    const later = testContext({ clock: () => NOW_MS + HOUR_MS })
    expect(await open(code, later)).toContain(RESET_LINK_PROBLEMS.expired)
    expect(await open('nonsense')).toContain(RESET_LINK_PROBLEMS.invalid)
  })

  it('is not looked up beyond the limit, nor reported while the database is out', async () => {
    const refusing = { ...testContext().limits, attempts: async () => false }
    expect(await open('nonsense', testContext({ limits: refusing }))).toContain('Set New Password')
    const broken = testContext()
    broken.db = new Proxy(broken.db, {
      get() {
        throw new Error('out')
      },
    })
    expect(await open('nonsense', broken)).toContain('Set New Password')
  })
})
