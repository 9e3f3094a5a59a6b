import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { SESSION_TTL_SECONDS } from '#server/auth/sessions.ts'
import { sessions, users } from '#server/db/schema.ts'
import type { Deps } from '#server/deps.ts'
import { account, cookieOf } from '#test/support/account.ts'
import { countedDatabase, downDatabase } from '#test/support/database.ts'
import { NOW_MS, testDeps } from '#test/support/deps.ts'
import { get, postJson } from '#test/support/posting.ts'

let count = 0
/** Somebody nobody else in these tests is. */
function newcomer() {
  count += 1
  return { name: 'Amina Wanjiru', email: `amina${count}@shopper.test`, password: 'kikoi-6' }
}
type SignedIn = { token: string; user: { name: string; email: string } }

const register = (body: unknown, deps: Deps = testDeps()) => postJson(deps, '/api/auth/register', body)
const login = (body: unknown, deps: Deps = testDeps()) => postJson(deps, '/api/auth/login', body)
const logout = (headers: Record<string, string>, deps: Deps = testDeps()) =>
  postJson(deps, '/api/auth/logout', {}, headers)
const session = (headers: Record<string, string>, deps: Deps = testDeps()) =>
  get(deps, '/api/auth/session', headers)
const userRow = (email: string) => testDeps().db.select().from(users).where(eq(users.email, email)).get()

/** Deps that count what a call costs. */
function countingDeps() {
  const { db, count } = countedDatabase()
  const work = Object.assign(count, { hashes: 0 })
  const { deriveKey } = testDeps()
  const deps = testDeps({
    db,
    deriveKey(...input) {
      work.hashes += 1
      return deriveKey(...input)
    },
  })
  return { deps, work }
}

describe('POST /api/auth/register', () => {
  it('creates an account and signs it in, by token and by cookie', async () => {
    const { name, email, password } = newcomer()
    const response = await register({ name: `  ${name} `, email: ` ${email.toUpperCase()} `, password })
    expect(response.status).toBe(201)
    const { token, user } = (await response.json()) as SignedIn
    expect(user).toEqual({ name, email, firstName: 'Amina', lastName: 'Wanjiru' })
    expect(response.headers.get('Set-Cookie')).toMatch(
      /^__Host-session=[^;]+; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect((await session({ Authorization: `Bearer ${token}` })).status).toBe(200)
    expect((await session({ Cookie: cookieOf(response) })).status).toBe(200)
  })

  it('keeps neither the password nor a secret', async () => {
    const someone = newcomer()
    const response = await register(someone)
    const { token } = (await response.json()) as SignedIn
    const row = await userRow(someone.email)
    expect(row?.passwordHash).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$[\w+/]{22}\$[\w+/]{43}$/)
    const [kept] = await testDeps()
      .db.select()
      .from(sessions)
      .where(eq(sessions.userId, row?.id ?? ''))
    expect(JSON.stringify(kept)).not.toContain(token)
    expect(kept?.tokenHash).toMatch(/^[0-9a-f]{64}$/)
  })

  it.each<[string, object, string, string[]]>([
    ['nothing', {}, 'All fields are required.', ['name', 'email', 'password']],
    ['a blank name', { name: '  ' }, 'All fields are required.', ['name']],
    ['a name that is no text', { name: 7 }, 'All fields are required.', ['name']],
    ['a null', { password: null }, 'All fields are required.', ['password']],
    ['an address without @', { email: 'amina' }, 'Please enter a valid email.', ['email']],
    ['an address without a dot', { email: 'a@b' }, 'Please enter a valid email.', ['email']],
    ['two @', { email: 'a@b@c.co' }, 'Please enter a valid email.', ['email']],
    ['a bad address and password', { email: 'a', password: 'x' }, 'Please enter a valid email.', ['email']],
    ['five characters', { password: 'five5' }, 'Password must be at least 6 characters.', ['password']],
    ['three emoji', { password: '🧵🧵🧵' }, 'Password must be at least 6 characters.', ['password']],
    [
      '257 bytes',
      { password: 'é'.repeat(129) },
      'Password must be at most 256 bytes long (256 plain letters).',
      ['password'],
    ],
    ['a long name', { name: 'n'.repeat(101) }, 'Name must be at most 100 characters.', ['name']],
  ])('refuses %s before any hashing', async (what, part, message, fields) => {
    const { deps, work } = countingDeps()
    const response = await register(what === 'nothing' ? {} : { ...newcomer(), ...part }, deps)
    expect(response.status).toBe(400)
    const body = (await response.json()) as { message: string; code: string; errors: object }
    expect(body).toMatchObject({ message, code: 'invalid_fields' })
    expect(Object.keys(body.errors)).toEqual(fields)
    expect(work).toEqual({ hashes: 0, roundTrips: 0 })
  })

  it('takes an address as one identity, whatever its case and space', async () => {
    const someone = newcomer()
    await register(someone)
    const response = await register({ ...someone, email: ` ${someone.email.toUpperCase()}` })
    expect(response.status).toBe(409)
    expect(await response.json()).toEqual({
      message: 'An account with this email already exists. Log in instead.',
      code: 'email_taken',
    })
  })

  it('lets one of many registrations of one address at once succeed', async () => {
    const someone = newcomer()
    const answers = await Promise.all(Array.from({ length: 12 }, () => register(someone)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array(11).fill(409)])
    const kept = await testDeps().db.select().from(users).where(eq(users.email, someone.email))
    expect(kept).toHaveLength(1)
    const rows = await testDeps()
      .db.select()
      .from(sessions)
      .where(eq(sessions.userId, kept[0]?.id ?? ''))
    expect(rows).toHaveLength(1)
  })

  it('survives names made of quotes, markup, half characters and other scripts', async () => {
    for (const name of [
      `'; drop table users; --`,
      '<script>alert(1)</script>',
      'a\ud800b',
      'ذكرى 🧵',
      '\u0000',
    ]) {
      const response = await register({ ...newcomer(), name })
      expect([201, 400]).toContain(response.status)
      if (response.status === 201) expect((await session({ Cookie: cookieOf(response) })).status).toBe(200)
    }
  })
})

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
        deps.limits.tries = async (key) => {
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
          message: 'Too many tries. Please wait a minute and try again.',
          code: 'too_many_requests',
        })
        expect(work).toEqual({ hashes: 0, roundTrips: 0 })
        expect(keys.join()).toContain('192.0.2.7')
        expect(keys.join()).toContain(someone.email)
      }
    },
  )
})

describe('POST /api/auth/logout', () => {
  it.each(['bearer', 'cookie'] as const)('ends token and cookie at once, asked by %s', async (how) => {
    const someone = await account(testDeps())
    const response = await logout(someone[how])
    expect(response.status).toBe(204)
    expect(response.headers.get('Set-Cookie')).toMatch(/^__Host-session=; Max-Age=0/)
    expect((await session(someone.bearer)).status).toBe(401)
    expect((await session(someone.cookie)).status).toBe(401)
  })

  it('answers alike without a session', async () => {
    for (const headers of [{}, { Authorization: 'Bearer nonsense' }, { Cookie: '__Host-session=x' }]) {
      expect((await logout(headers)).status).toBe(204)
    }
  })

  it('leaves the other sessions of the person alone', async () => {
    const someone = newcomer()
    const first = (await (await register(someone)).json()) as SignedIn
    const second = (await (await login(someone)).json()) as SignedIn
    await logout({ Authorization: `Bearer ${first.token}` })
    expect((await session({ Authorization: `Bearer ${second.token}` })).status).toBe(200)
  })
})

describe('GET /api/auth/session', () => {
  it('makes a new cookie from a token', async () => {
    const { bearer, user } = await account(testDeps())
    const response = await session(bearer)
    expect(await response.json()).toEqual({
      user: { name: user.name, email: user.email, firstName: 'Amina', lastName: 'Wanjiru' },
    })
    const Cookie = cookieOf(response)
    expect(Cookie).toContain('__Host-session=')
    expect((await session({ Cookie })).status).toBe(200)
    expect((await get(testDeps(), '/dashboard', { Cookie })).status).toBe(200)
  })

  it('tells the remembered billing address', async () => {
    const profile = { firstName: 'Grace', lastName: 'Otieno', address: 'Moi Avenue 1', country: 'Kenya' }
    const { bearer } = await account(testDeps(), { ...profile, state: 'Nairobi', zip: '00100' })
    expect(await (await session(bearer)).json()).toMatchObject({
      user: { ...profile, state: 'Nairobi', zip: '00100' },
    })
  })

  it('refuses what has expired, and takes its cookie away', async () => {
    const { cookie } = await account(testDeps())
    const later = testDeps({ clock: () => NOW_MS + SESSION_TTL_SECONDS * 1000 })
    const response = await session(cookie, later)
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ message: 'Please log in to continue.', code: 'unauthorized' })
    expect(response.headers.get('Set-Cookie')).toMatch(/^__Host-session=; Max-Age=0/)
  })

  it('uses a cookie without prefix over plain http, where browsers refuse the prefix', async () => {
    const deps = testDeps()
    const { createApp } = await import('#server/app.ts')
    const response = await createApp(deps).request('http://localhost:5000/api/auth/register', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(newcomer()),
    })
    expect(response.headers.get('Set-Cookie')).toMatch(
      /^session=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
    )
  })
})

describe('without the database', () => {
  it('calls say so', async () => {
    const deps = testDeps({ db: downDatabase() })
    const bearer = { Authorization: `Bearer ${'A'.repeat(43)}` }
    const answers = [
      await login(newcomer(), deps),
      await register(newcomer(), deps),
      await session(bearer, deps),
      await logout(bearer, deps),
    ]
    for (const response of answers) {
      expect(response.status).toBe(503)
      expect(await response.json()).toMatchObject({ code: 'unavailable' })
    }
  })
})

describe('an address of version 6', () => {
  it.each([
    ['2001:db8:1:2:aaaa::1', '2001:db8:1:2'],
    ['2001:db8::7', '2001:db8:0:0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['::1', ':0:0:0'],
  ])('counts %s as its network', async (address, network) => {
    const keys: string[] = []
    const limits = { tries: async (key: string) => keys.push(key) > 0, writes: async () => true }
    const headers = { 'CF-Connecting-IP': address }
    await postJson(testDeps({ limits }), '/api/auth/login', newcomer(), headers)
    expect(keys[0]).toBe(`login from ${network}`)
  })
})

describe('bad requests', () => {
  const paths = [
    '/api/auth/register',
    '/api/auth/login',
    '/v1/accounts:sendOobCode',
    '/v1/accounts:resetPassword',
  ]
  it.each(paths)('get their own status at %s', async (path) => {
    const deps = testDeps()
    const typed = (type: string) => postJson(deps, path, '{}', { 'Content-Type': type })
    expect((await typed('text/plain')).status).toBe(415)
    expect((await typed('application/x-www-form-urlencoded')).status).toBe(415)
    expect((await postJson(deps, path, '{"email":')).status).toBe(400)
    for (const body of ['[]', 'null', '"text"', '7'])
      expect((await postJson(deps, path, body)).status).toBe(400)
    const large = { email: 'x'.repeat(65 * 1024), password: 'x' }
    expect((await postJson(deps, path, large)).status).toBe(413)
  })
})
