import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { sessions, users } from '#server/platform/db/schema.ts'
import { createAccount } from '#test/support/account.ts'
import {
  createCountingContext,
  getSession,
  logIn,
  newUserDetails,
  register,
  type SignedIn,
  selectUser,
} from '#test/support/auth-calls.ts'
import { testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { postJson } from '#test/support/posting.ts'

describe('POST /api/auth/login', () => {
  it('ignores the case of the email address', async () => {
    const user = newUserDetails()
    await register(user)
    const response = await logIn({ email: user.email.toUpperCase(), password: user.password })
    await expectStatus(response, 200)
    const body = (await response.json()) as SignedIn
    expect(body.user.email).toBe(user.email)
    await expectStatus(await getSession({ Authorization: `Bearer ${body.token}` }), 200)
  })

  it('accepts a password in any Unicode normalization form', async () => {
    const user = newUserDetails()
    await register({ ...user, password: 'crème-brûlée' })
    const password = 'crème-brûlée'.normalize('NFD')
    await expectStatus(await logIn({ email: user.email, password }), 200)
  })

  it('responds to a wrong password and an unknown address in the same way, with the same work', async () => {
    const user = newUserDetails()
    await register(user)
    const attemptLogin = async (body: object) => {
      const { ctx, counts } = createCountingContext()
      const response = await logIn(body, ctx)
      return { status: response.status, body: await response.text(), counts }
    }
    const wrong = await attemptLogin({ email: user.email, password: 'not-this-one' })
    const unknown = await attemptLogin({ email: newUserDetails().email, password: 'not-this-one' })
    expect(wrong).toEqual(unknown)
    expect(wrong).toMatchObject({ status: 401, counts: { hashes: 1, roundTrips: 2 } })
    expect(wrong.body).toContain('Email or password is incorrect.')
  })

  it('rejects an unknown address even if its placeholder hash matches', async () => {
    const zeros = testContext({ deriveKey: async () => new Uint8Array(32) })
    await expectStatus(await logIn({ email: newUserDetails().email, password: 'anything' }, zeros), 401)
  })

  it.each([
    [{}, 'All fields are required.'],
    [{ email: '   ', password: 'kikoi-6' }, 'All fields are required.'],
    [{ email: 'a@b.co', password: '      ' }, 'All fields are required.'],
    [{ email: 'a b@c.co', password: 'kikoi-6' }, 'Please enter a valid email.'],
    [{ email: 'a@b.co', password: 'five5' }, 'Password must be at least 6 characters.'],
    [
      { email: 'a@b.co', password: 'x'.repeat(257) },
      'Password must be at most 256 characters (fewer with accents or emoji).',
    ],
  ])('rejects %o with a message', async (body, message) => {
    const response = await logIn(body)
    await expectStatus(response, 400)
    expect(await response.json()).toMatchObject({ message, code: 'invalid_fields' })
  })

  it('rehashes the password when the hash cost has changed', async () => {
    const ctx = testContext()
    const user = newUserDetails()
    await register(user, ctx)
    const old = (await selectUser(user.email))?.passwordHash.replace('ln=14', 'ln=12') ?? ''
    await ctx.db.update(users).set({ passwordHash: old }).where(eq(users.email, user.email))
    await expectStatus(await logIn(user), 200)
    expect((await selectUser(user.email))?.passwordHash).toMatch(/^\$scrypt\$ln=14,/)
    await expectStatus(await logIn(user), 200)
  })

  it('rejects every password if the stored hash cannot be parsed', async () => {
    const { user } = await createAccount(testContext(), { passwordHash: '$argon2id$v=19$whatever' })
    await expectStatus(await logIn({ email: user.email, password: 'kikoi-6' }), 401)
  })

  it('starts no session if the password changes during verification', async () => {
    const user = newUserDetails()
    await register(user)
    const { deriveKey } = testContext()
    const changed = { passwordHash: '$scrypt$ln=1,r=8,p=1$bmV3$bmV3' }
    const racing = testContext({
      async deriveKey(...input) {
        const key = await deriveKey(...input)
        await testContext().db.update(users).set(changed).where(eq(users.email, user.email))
        return key
      },
    })
    // The stored hash has an outdated cost, so that the login would also replace it.
    const old = (await selectUser(user.email))?.passwordHash.replace('ln=14', 'ln=12') ?? ''
    await racing.db.update(users).set({ passwordHash: old }).where(eq(users.email, user.email))
    const response = await logIn(user, racing)
    await expectStatus(response, 401)
    const row = await selectUser(user.email)
    expect(row).toMatchObject(changed)
    const rows = await racing.db
      .select()
      .from(sessions)
      .where(eq(sessions.userId, row?.id ?? ''))
    // The only session is that of the registration.
    expect(rows).toHaveLength(1)
  })

  it('ends the browser’s previous sessions', async () => {
    const user = newUserDetails()
    const old = (await (await register(user)).json()) as SignedIn
    const other = await createAccount(testContext())
    const headers = { Authorization: `Bearer ${old.token}`, ...other.cookie }
    await expectStatus(await postJson(testContext(), '/api/auth/login', user, headers), 200)
    await expectStatus(await getSession({ Authorization: `Bearer ${old.token}` }), 401)
    await expectStatus(await getSession(other.bearer), 401)
    await expectStatus(await logIn({ ...user, password: 'not-this-one' }), 401)
  })

  it('makes two database round trips; registration and the session call make one each', async () => {
    const user = newUserDetails()
    const first = createCountingContext()
    await register(user, first.ctx)
    expect(first.counts).toEqual({ hashes: 1, roundTrips: 1 })
    const second = createCountingContext()
    await logIn(user, second.ctx)
    expect(second.counts).toEqual({ hashes: 1, roundTrips: 2 })
    const third = createCountingContext()
    const { bearer } = await createAccount(testContext())
    await getSession(bearer, third.ctx)
    expect(third.counts).toEqual({ hashes: 0, roundTrips: 1 })
  })
})
