import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { passwordResets, sessions } from '#server/platform/db/schema.ts'
import { MINUTE_MS } from '#shared/time.ts'
import { toCookieHeader } from '#test/support/account.ts'
import {
  createCountingContext,
  getSession,
  logIn,
  newUserDetails,
  register,
  type SignedIn,
  selectUser,
} from '#test/support/auth-calls.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { get, postForm, postJson } from '#test/support/posting.ts'

const NEW_PASSWORD = 'kitenge-9'

const toBearer = ({ token }: SignedIn) => ({ Authorization: `Bearer ${token}` })

async function registerUser() {
  const user = newUserDetails()
  const response = await register(user)
  const cookie = { Cookie: toCookieHeader(response) }
  const here = toBearer((await response.json()) as SignedIn)
  const there = toBearer((await (await logIn(user)).json()) as SignedIn)
  return { ...user, here, cookie, there }
}

const change = (
  oldPassword: string,
  headers: Record<string, string>,
  { newPassword = NEW_PASSWORD, ctx = testContext() } = {},
) => postJson(ctx, '/api/account/password', { oldPassword, newPassword }, headers)

describe('changing the password', () => {
  it('ends all other sessions and gives this one new secrets', async () => {
    const { email, password, here, cookie, there } = await registerUser()
    const response = await change(password, here)
    await expectStatus(response, 200)
    for (const old of [here, cookie, there]) await expectStatus(await getSession(old), 401)
    await expectStatus(await getSession({ Cookie: toCookieHeader(response) }), 200)
    const body = (await response.json()) as SignedIn
    await expectStatus(await getSession(toBearer(body)), 200)
    expect(body.user.email).toBe(email)
    await expectStatus(await logIn({ email, password }), 401)
    await expectStatus(await logIn({ email, password: NEW_PASSWORD }), 200)
  })

  it('emails the owner, appears in the activity and invalidates reset links', async () => {
    const { email, password, cookie } = await registerUser()
    const ctx = testContext()
    await postJson(ctx, '/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email })
    const { headers } = await change(password, cookie, { ctx })
    await ctx.backgroundDone()
    const changedEmail = ctx.emails.find(({ kind }) => kind === 'password-changed')
    expect(changedEmail).toMatchObject({ recipient: email, subject: 'Your Pamba password was changed' })
    expect(changedEmail?.text).toContain('https://pamba.test/forgot-password')
    expect(changedEmail?.text).toContain('Your Pamba password was changed using an unknown browser.')
    const { id = '' } = (await selectUser(email)) ?? {}
    const resets = await ctx.db.select().from(passwordResets).where(eq(passwordResets.userId, id))
    expect(resets.map(({ usedAtMs }) => usedAtMs)).toEqual([NOW_MS])
    const Cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const activity = await (await get(testContext(), '/api/auth/activity', { Cookie })).text()
    expect(activity).toContain('"password_changed"')
  })

  it('requires the current password, and is paused after ten wrong ones', async () => {
    const { password, here, cookie } = await registerUser()
    const wrong = await change('not-this-one', here)
    await expectStatus(wrong, 400)
    expect(await wrong.json()).toMatchObject({
      message: 'Password is incorrect.',
      errors: { oldPassword: 'Password is incorrect.' },
    })
    await expectStatus(await getSession(here), 200)
    // Attempts with the cookie and with the token must share one count.
    for (let attempt = 1; attempt < 10; attempt += 1) await change('not-this-one', cookie)
    const { ctx, counts } = createCountingContext()
    const paused = await change(password, here, { ctx })
    await expectStatus(paused, 429)
    expect(paused.headers.get('Retry-After')).toBe('60')
    expect(counts).toEqual({ hashes: 0, roundTrips: 1 })
    const later = testContext({ clock: () => NOW_MS + MINUTE_MS })
    await expectStatus(await change(password, here, { ctx: later }), 200)
  })

  it('is refused without a session, when the hash queue is full or the rate limit is reached', async () => {
    const { password, here } = await registerUser()
    const full = testContext({ hashQueue: { reserve: () => undefined } })
    await expectStatus(await change(password, here, { ctx: full }), 503)
    const limits = { ...testContext().limits, attempts: async (key: string) => !key.startsWith('login ') }
    await expectStatus(await change(password, here, { ctx: testContext({ limits }) }), 429)
    await expectStatus(await change(password, {}), 401)
  })

  it.each([
    ['five5', 'Password must be at least 6 characters.'],
    ['      ', 'All fields are required.'],
    [
      'iloveyou',
      'This password is easy to guess or has appeared in a data breach. Please choose another one.',
    ],
    [
      'Pamba2026!',
      'This password is easy to guess or has appeared in a data breach. Please choose another one.',
    ],
    [
      'Password123',
      'This password is easy to guess or has appeared in a data breach. Please choose another one.',
    ],
  ])('is refused for the new password %j, with a message', async (newPassword, message) => {
    const { password, here } = await registerUser()
    const response = await change(password, here, { newPassword })
    await expectStatus(response, 400)
    expect(await response.json()).toMatchObject({ message, errors: { newPassword: message } })
  })

  it('leaves no session from a concurrent login with the old password', async () => {
    const user = await registerUser()
    const { deriveKey } = testContext()
    let changed: Promise<Response> | undefined
    const racing = testContext({
      async deriveKey(...input) {
        const key = await deriveKey(...input)
        changed ??= Promise.resolve(change(user.password, user.here))
        await changed
        return key
      },
    })
    await expectStatus(await logIn(user, racing), 401)
    await expectStatus((await changed) ?? new Response(null), 200)
    const { id = '' } = (await selectUser(user.email)) ?? {}
    expect(await racing.db.$count(sessions, eq(sessions.userId, id))).toBe(1)
  })

  it('succeeds once when two devices do it at the same time', async () => {
    const { email, password, here, there } = await registerUser()
    const responses = await Promise.all([
      change(password, here, { newPassword: 'kitenge-1' }),
      change(password, there, { newPassword: 'kitenge-2' }),
    ])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401])
    const winner = responses[0]?.status === 200 ? 'kitenge-1' : 'kitenge-2'
    await expectStatus(await logIn({ email, password: winner }), 200)
  })

  it('is possible with a form without JavaScript, which shows errors', async () => {
    const { password, cookie } = await registerUser()
    const fields = { oldPassword: password, password: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
    const post = (differing: object) =>
      postForm(testContext(), '/dashboard/password', { ...fields, ...differing }, cookie)
    for (const [differing, message] of [
      [{ oldPassword: '' }, 'All fields are required.'],
      [{ confirmPassword: 'other' }, 'Passwords do not match.'],
      [{ oldPassword: 'not-this-one' }, 'Password is incorrect.'],
      [
        { password: '123456', confirmPassword: '123456' },
        'This password is easy to guess or has appeared in a data breach. Please choose another one.',
      ],
    ] as const) {
      const html = await (await post(differing)).text()
      expect(html).toContain(`>${message}</div>`)
      expect(html).not.toContain(NEW_PASSWORD)
    }
    const done = await post({})
    await expectStatus(done, 200)
    expect(await done.text()).toContain('Your password has been changed.')
    await expectStatus(await getSession({ Cookie: toCookieHeader(done) }), 200)
  })
})
