import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { users } from '#server/db/schema.ts'
import { account } from '#test/support/account.ts'
import {
  countingDeps,
  login,
  newcomer,
  register,
  type SignedIn,
  session,
  userRow,
} from '#test/support/auth-calls.ts'
import { testDeps } from '#test/support/deps.ts'
import { postJson } from '#test/support/posting.ts'

describe('POST /api/auth/login', () => {
  it('signs in, whatever the case of the address', async () => {
    const someone = newcomer()
    await register(someone)
    const response = await login({ email: someone.email.toUpperCase(), password: someone.password })
    expect(response.status).toBe(200)
    const { token, user } = (await response.json()) as SignedIn
    expect(user.email).toBe(someone.email)
    expect((await session({ Authorization: `Bearer ${token}` })).status).toBe(200)
  })

  it('knows a password however its letters were put together', async () => {
    const someone = newcomer()
    await register({ ...someone, password: 'crème-brûlée' })
    const password = 'crème-brûlée'.normalize('NFD')
    expect((await login({ email: someone.email, password })).status).toBe(200)
  })

  it('refuses a wrong password and an unknown address alike, with the same work', async () => {
    const someone = newcomer()
    await register(someone)
    const attempt = async (body: object) => {
      const { deps, work } = countingDeps()
      const response = await login(body, deps)
      return { status: response.status, body: await response.text(), work }
    }
    const wrong = await attempt({ email: someone.email, password: 'not-this-one' })
    const unknown = await attempt({ email: newcomer().email, password: 'not-this-one' })
    expect(wrong).toEqual(unknown)
    expect(wrong).toMatchObject({ status: 401, work: { hashes: 1, roundTrips: 1 } })
    expect(wrong.body).toContain('The email or the password is not right.')
  })

  it('never takes the stand-in for an unknown address to be right', async () => {
    const zeros = testDeps({ deriveKey: async () => new Uint8Array(32) })
    expect((await login({ email: newcomer().email, password: 'anything' }, zeros)).status).toBe(401)
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
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ message, code: 'invalid_fields' })
  })

  it('makes the hash anew when its cost is no longer the current one', async () => {
    const deps = testDeps()
    const someone = newcomer()
    await register(someone, deps)
    const old = (await userRow(someone.email))?.passwordHash.replace('ln=14', 'ln=12') ?? ''
    await deps.db.update(users).set({ passwordHash: old }).where(eq(users.email, someone.email))
    expect((await login(someone)).status).toBe(200)
    expect((await userRow(someone.email))?.passwordHash).toMatch(/^\$scrypt\$ln=14,/)
    expect((await login(someone)).status).toBe(200)
  })

  it('takes a hash it cannot read for no password at all', async () => {
    const { user } = await account(testDeps(), { passwordHash: '$argon2id$v=19$whatever' })
    expect((await login({ email: user.email, password: 'kikoi-6' })).status).toBe(401)
  })

  it('asks the database twice at most', async () => {
    const someone = newcomer()
    const first = countingDeps()
    await register(someone, first.deps)
    expect(first.work).toEqual({ hashes: 1, roundTrips: 1 })
    const second = countingDeps()
    await login(someone, second.deps)
    expect(second.work).toEqual({ hashes: 1, roundTrips: 2 })
    const third = countingDeps()
    const { bearer } = await account(testDeps())
    await session(bearer, third.deps)
    expect(third.work).toEqual({ hashes: 0, roundTrips: 1 })
  })
})

describe('limits', () => {
  it.each(['/api/auth/login', '/api/auth/register'])(
    'refuse %s by address and by account, before any hashing',
    async (path) => {
      const someone = newcomer()
      for (const full of ['from', 'for']) {
        const { deps, work } = countingDeps()
        const keys: string[] = []
        deps.limits.attempts = async (key) => {
          keys.push(key)
          return !key.includes(` ${full} `)
        }
        const headers = { 'CF-Connecting-IP': '192.0.2.7' }
        const response = await postJson(
          deps,
          path,
          { ...someone, email: someone.email.toUpperCase() },
          headers,
        )
        expect(response.status).toBe(429)
        expect(response.headers.get('Retry-After')).toBe('60')
        expect(await response.json()).toEqual({
          message: 'Too many attempts. Please wait a minute and try again.',
          code: 'too_many_requests',
        })
        expect(work).toEqual({ hashes: 0, roundTrips: 0 })
        expect(keys.join()).toContain('192.0.2.7')
        expect(keys.join()).toContain(someone.email)
      }
    },
  )
})

describe('an address of version 6', () => {
  it.each([
    ['2001:db8:1:2:aaaa::1', '2001:db8:1:2'],
    ['2001:db8::7', '2001:db8:0:0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['::1', ':0:0:0'],
  ])('counts %s as its network', async (address, network) => {
    const keys: string[] = []
    const limits = { attempts: async (key: string) => keys.push(key) > 0, writes: async () => true }
    const headers = { 'CF-Connecting-IP': address }
    await postJson(testDeps({ limits }), '/api/auth/login', newcomer(), headers)
    expect(keys[0]).toBe(`login from ${network}`)
  })
})
