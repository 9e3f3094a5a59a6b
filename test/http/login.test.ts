import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { sessions, users } from '#server/platform/db/schema.ts'
import { account } from '#test/support/account.ts'
import {
  countingContext,
  login,
  newcomer,
  register,
  type SignedIn,
  session,
  userRow,
} from '#test/support/auth-calls.ts'
import { testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { postJson } from '#test/support/posting.ts'

describe('POST /api/auth/login', () => {
  it('signs in, whatever the case of the address', async () => {
    const someone = newcomer()
    await register(someone)
    const response = await login({ email: someone.email.toUpperCase(), password: someone.password })
    await expectStatus(response, 200)
    const { token, user } = (await response.json()) as SignedIn
    expect(user.email).toBe(someone.email)
    await expectStatus(await session({ Authorization: `Bearer ${token}` }), 200)
  })

  it('knows a password however its letters were put together', async () => {
    const someone = newcomer()
    await register({ ...someone, password: 'crème-brûlée' })
    const password = 'crème-brûlée'.normalize('NFD')
    await expectStatus(await login({ email: someone.email, password }), 200)
  })

  it('refuses a wrong password and an unknown address alike, with the same work', async () => {
    const someone = newcomer()
    await register(someone)
    const attempt = async (body: object) => {
      const { ctx, work } = countingContext()
      const response = await login(body, ctx)
      return { status: response.status, body: await response.text(), work }
    }
    const wrong = await attempt({ email: someone.email, password: 'not-this-one' })
    const unknown = await attempt({ email: newcomer().email, password: 'not-this-one' })
    expect(wrong).toEqual(unknown)
    expect(wrong).toMatchObject({ status: 401, work: { hashes: 1, roundTrips: 2 } })
    expect(wrong.body).toContain('Email or password is incorrect.')
  })

  it('never takes the stand-in for an unknown address to be right', async () => {
    const zeros = testContext({ deriveKey: async () => new Uint8Array(32) })
    await expectStatus(await login({ email: newcomer().email, password: 'anything' }, zeros), 401)
  })

  it.each([
    [{}, 'All fields are required.'],
    [{ email: '   ', password: 'kikoi-6' }, 'All fields are required.'],
    [{ email: 'a@b.co', password: '      ' }, 'All fields are required.'],
    [{ email: 'a b@c.co', password: 'kikoi-6' }, 'Please enter a valid email.'],
    [{ email: 'a@b.co', password: 'five5' }, 'Password must be at least 6 characters.'],
    [
      { email: 'a@b.co', password: 'x'.repeat(257) },
      'Password must be at most 256 bytes long (256 plain letters).',
    ],
  ])('refuses %o with its message', async (body, message) => {
    const response = await login(body)
    await expectStatus(response, 400)
    expect(await response.json()).toMatchObject({ message, code: 'invalid_fields' })
  })

  it('makes the hash anew when its cost is no longer the current one', async () => {
    const ctx = testContext()
    const someone = newcomer()
    await register(someone, ctx)
    const old = (await userRow(someone.email))?.passwordHash.replace('ln=14', 'ln=12') ?? ''
    await ctx.db.update(users).set({ passwordHash: old }).where(eq(users.email, someone.email))
    await expectStatus(await login(someone), 200)
    expect((await userRow(someone.email))?.passwordHash).toMatch(/^\$scrypt\$ln=14,/)
    await expectStatus(await login(someone), 200)
  })

  it('takes a hash it cannot read for no password at all', async () => {
    const { user } = await account(testContext(), { passwordHash: '$argon2id$v=19$whatever' })
    await expectStatus(await login({ email: user.email, password: 'kikoi-6' }), 401)
  })

  it('starts no session with a password that is changed while it is verified', async () => {
    const someone = newcomer()
    await register(someone)
    const { deriveKey } = testContext()
    const changed = { passwordHash: '$scrypt$ln=1,r=8,p=1$bmV3$bmV3' }
    const racing = testContext({
      async deriveKey(...input) {
        const key = await deriveKey(...input)
        await testContext().db.update(users).set(changed).where(eq(users.email, someone.email))
        return key
      },
    })
    // An older cost, so that the hash would be made anew as well.
    const old = (await userRow(someone.email))?.passwordHash.replace('ln=14', 'ln=12') ?? ''
    await racing.db.update(users).set({ passwordHash: old }).where(eq(users.email, someone.email))
    const response = await login(someone, racing)
    await expectStatus(response, 401)
    const row = await userRow(someone.email)
    expect(row).toMatchObject(changed)
    const rows = await racing.db
      .select()
      .from(sessions)
      .where(eq(sessions.userId, row?.id ?? ''))
    // The registration's, and no other.
    expect(rows).toHaveLength(1)
  })

  it('ends the sessions that the browser had', async () => {
    const someone = newcomer()
    const old = (await (await register(someone)).json()) as SignedIn
    const other = await account(testContext())
    const headers = { Authorization: `Bearer ${old.token}`, ...other.cookie }
    await expectStatus(await postJson(testContext(), '/api/auth/login', someone, headers), 200)
    await expectStatus(await session({ Authorization: `Bearer ${old.token}` }), 401)
    await expectStatus(await session(other.bearer), 401)
    await expectStatus(await login({ ...someone, password: 'not-this-one' }), 401)
  })

  it('asks the database twice at most', async () => {
    const someone = newcomer()
    const first = countingContext()
    await register(someone, first.ctx)
    expect(first.work).toEqual({ hashes: 1, roundTrips: 1 })
    const second = countingContext()
    await login(someone, second.ctx)
    expect(second.work).toEqual({ hashes: 1, roundTrips: 2 })
    const third = countingContext()
    const { bearer } = await account(testContext())
    await session(bearer, third.ctx)
    expect(third.work).toEqual({ hashes: 0, roundTrips: 1 })
  })
})
