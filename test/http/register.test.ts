import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { sessions, users } from '#server/platform/db/schema.ts'
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
import { testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'

describe('POST /api/auth/register', () => {
  it('creates an account and returns a token and a cookie', async () => {
    const { name, email, password } = newUserDetails()
    const response = await register({ name: `  ${name} `, email: ` ${email.toUpperCase()} `, password })
    await expectStatus(response, 201)
    const { token, user } = (await response.json()) as SignedIn
    expect(user).toEqual({ name, email, firstName: 'Amina', lastName: 'Wanjiru' })
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^__Host-session=[^;]+; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    await expectStatus(await getSession({ Authorization: `Bearer ${token}` }), 200)
    await expectStatus(await getSession({ Cookie: toCookieHeader(response) }), 200)
  })

  it('stores neither the password nor the session’s secrets', async () => {
    const person = newUserDetails()
    const response = await register(person)
    const { token } = (await response.json()) as SignedIn
    const row = await selectUser(person.email)
    expect(row?.passwordHash).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$[\w+/]{22}\$[\w+/]{43}$/)
    const [stored] = await testContext()
      .db.select()
      .from(sessions)
      .where(eq(sessions.userId, row?.id ?? ''))
    expect(JSON.stringify(stored)).not.toContain(token)
    expect(stored?.tokenHash).toMatch(/^[0-9a-f]{64}$/)
  })

  it.each<[string, object, string, string[]]>([
    ['nothing', {}, 'All fields are required.', ['name', 'email', 'password']],
    ['a blank name', { name: '  ' }, 'All fields are required.', ['name']],
    ['a name that is no text', { name: 7 }, 'All fields are required.', ['name']],
    ['a null password', { password: null }, 'All fields are required.', ['password']],
    ['an address without @', { email: 'amina' }, 'Please enter a valid email.', ['email']],
    ['an address without a dot', { email: 'a@b' }, 'Please enter a valid email.', ['email']],
    ['two @', { email: 'a@b@c.co' }, 'Please enter a valid email.', ['email']],
    ['a bad address and password', { email: 'a', password: 'x' }, 'Please enter a valid email.', ['email']],
    ['five characters', { password: 'five5' }, 'Password must be at least 6 characters.', ['password']],
    ['three emoji', { password: '🧵🧵🧵' }, 'Password must be at least 6 characters.', ['password']],
    [
      '257 bytes',
      { password: 'é'.repeat(129) },
      'Password must be at most 256 characters (fewer with accents or emoji).',
      ['password'],
    ],
    ['a long name', { name: 'n'.repeat(101) }, 'Name must be at most 100 characters.', ['name']],
  ])('rejects %s before hashing', async (what, part, message, fields) => {
    const { ctx, counts } = createCountingContext()
    const response = await register(what === 'nothing' ? {} : { ...newUserDetails(), ...part }, ctx)
    await expectStatus(response, 400)
    const body = (await response.json()) as { message: string; code: string; errors: object }
    expect(body).toMatchObject({ message, code: 'invalid_fields' })
    expect(Object.keys(body.errors)).toEqual(fields)
    expect(counts).toEqual({ hashes: 0, roundTrips: 0 })
  })

  it('ignores case and surrounding spaces in the email address', async () => {
    const person = newUserDetails()
    await register(person)
    const response = await register({ ...person, email: ` ${person.email.toUpperCase()}` })
    await expectStatus(response, 409)
    expect(await response.json()).toEqual({
      message: 'An account with this email already exists. Log in instead.',
      code: 'email_taken',
    })
  })

  it.each([
    ['decomposed letters', 'caf\u00e9@shopper.test', 'cafe\u0301@shopper.test'],
    ['a zero-width space', 'zahra@shopper.test', 'zah\u200bra@shopper.test'],
    ['direction marks', 'makena@shopper.test', '\u202amakena@shopper.test\u202c'],
    ['a Kelvin sign', 'kevin@shopper.test', '\u212aevin@shopper.test'],
  ])('treats look-alike addresses as one: %s', async (_what, email, alike) => {
    const person = { ...newUserDetails(), email }
    await expectStatus(await register(person), 201)
    await expectStatus(await register({ ...person, email: alike }), 409)
    await expectStatus(await logIn({ email: alike, password: person.password }), 200)
  })

  it('rejects an address whose name is invisible', async () => {
    const response = await register({ ...newUserDetails(), email: '\u200b@shopper.test' })
    expect(await response.json()).toMatchObject({ message: 'Please enter a valid email.' })
  })

  it('succeeds once when an address is registered concurrently', async () => {
    const person = newUserDetails()
    const responses = await Promise.all(Array.from({ length: 12 }, () => register(person)))
    const statuses = responses.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array(11).fill(409)])
    const userRows = await testContext().db.select().from(users).where(eq(users.email, person.email))
    expect(userRows).toHaveLength(1)
    const rows = await testContext()
      .db.select()
      .from(sessions)
      .where(eq(sessions.userId, userRows[0]?.id ?? ''))
    expect(rows).toHaveLength(1)
  })

  it('accepts or rejects names with quotes, markup, lone surrogates and other scripts without failing', async () => {
    for (const name of [
      `'; drop table users; --`,
      '<script>alert(1)</script>',
      'a\ud800b',
      'ذكرى 🧵',
      '\u0000',
    ]) {
      const response = await register({ ...newUserDetails(), name })
      expect([201, 400]).toContain(response.status)
      if (response.status === 201)
        await expectStatus(await getSession({ Cookie: toCookieHeader(response) }), 200)
    }
  })
})
