import { describe, expect, it } from 'vitest'
import { createAccount, toCookieHeader } from '#test/support/account.ts'
import { testContext } from '#test/support/context.ts'
import { createUnreachableDatabase } from '#test/support/database.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { get, postForm, postJson } from '#test/support/posting.ts'

const PASSWORD = 'kikoi-6'
let count = 0

async function registerUser() {
  count += 1
  const email = `grace${count}@shopper.test`
  await postJson(testContext(), '/api/auth/register', { name: 'Grace', email, password: PASSWORD })
  return email
}

const parseResult = (html: string): unknown =>
  JSON.parse(/id="page-data"[^>]*>(.*?)<\/script>/s.exec(html)?.[1] ?? 'null')

describe('the account forms without JavaScript', () => {
  it('log the user in and redirect to Home', async () => {
    const email = await registerUser()
    const response = await postForm(testContext(), '/login', { email, password: PASSWORD })
    await expectStatus(response, 303)
    expect(response.headers.get('Location')).toBe('/')
    const dashboard = await get(testContext(), '/dashboard', { Cookie: toCookieHeader(response) })
    await expectStatus(dashboard, 200)
  })

  it('register an account and redirect to /login, which shows the address that is logged in', async () => {
    const fields = { name: 'Grace', email: 'new@shopper.test', password: PASSWORD, confirmPassword: PASSWORD }
    const response = await postForm(testContext(), '/register', fields)
    await expectStatus(response, 303)
    expect(response.headers.get('Location')).toBe('/login')
    const login = await get(testContext(), '/login', { Cookie: toCookieHeader(response) })
    expect(await login.text()).toContain('You’re logged in as new<wbr/>@shopper.test.')
  })

  it.each<[string, string, Record<string, string>, number, string]>([
    ['login', '/login', {}, 400, 'All fields are required.'],
    ['login', '/login', { email: 'a@b', password: PASSWORD }, 400, 'Please enter a valid email.'],
    ['login', '/login', { email: 'a@b.co', password: 'x' }, 400, 'Password must be at least 6 characters.'],
    ['login', '/login', { email: 'a@b.co', password: PASSWORD }, 401, 'Email or password is incorrect.'],
    ['registration', '/register', {}, 400, 'All fields are required.'],
    [
      'registration',
      '/register',
      { name: 'G', email: 'a@b', password: PASSWORD, confirmPassword: 'other' },
      400,
      'Passwords do not match.',
    ],
    ['reset request', '/forgot-password', { email: ' ' }, 400, 'Email is required.'],
    ['reset request', '/forgot-password', { email: 'a@b' }, 400, 'Please enter a valid email.'],
    ['new password', '/reset-password', { oobCode: 'x' }, 400, 'All fields are required.'],
    [
      'new password',
      '/reset-password',
      { oobCode: 'x', password: PASSWORD, confirmPassword: PASSWORD },
      400,
      'This link is invalid. Please request a new one.',
    ],
  ])('explain what is wrong with a $0: $4', async (_, path, fields, status, message) => {
    const response = await postForm(testContext(), path, fields)
    await expectStatus(response, status)
    const html = await response.text()
    expect(html).toContain(`>${message}</div>`)
    expect(parseResult(html)).toMatchObject({ outcome: { kind: 'failed', message } })
  })

  it('keep the submitted values, except passwords', async () => {
    const fields = {
      name: 'Grace "G" <b>',
      email: 'g@shopper',
      password: 's3cret-word',
      confirmPassword: 's3cret-word',
    }
    const html = await (await postForm(testContext(), '/register', fields)).text()
    expect(html).toContain('value="Grace &quot;G&quot; &lt;b&gt;"')
    expect(html).toContain('value="g@shopper"')
    expect(html).not.toContain('s3cret-word')
  })

  it('refuse a registered address with 409 and too many attempts with 429', async () => {
    const email = await registerUser()
    const fields = { name: 'Grace', email, password: PASSWORD, confirmPassword: PASSWORD }
    await expectStatus(await postForm(testContext(), '/register', fields), 409)
    const limits = { ...testContext().limits, attempts: async () => false }
    const limited = await postForm(testContext({ limits }), '/login', { email, password: PASSWORD })
    await expectStatus(limited, 429)
    expect(limited.headers.get('Retry-After')).toBe('60')
    expect(await limited.text()).toContain('Too many attempts. Please wait a minute and try again.')
  })

  it('keep the submitted values when the database is down', async () => {
    const response = await postForm(testContext({ db: createUnreachableDatabase() }), '/login', {
      email: 'a@b.co',
      password: PASSWORD,
    })
    await expectStatus(response, 503)
    const html = await response.text()
    expect(html).toContain('The shop is temporarily unavailable.')
    expect(html).toContain('value="a@b.co"')
  })

  it('send a reset email whose link leads to a new password', async () => {
    const ctx = testContext()
    const { user } = await createAccount(ctx)
    const requested = await postForm(ctx, '/forgot-password', { email: user.email })
    await expectStatus(requested, 200)
    expect(requested.headers.get('Refresh')).toBe('2; url=/login')
    expect(await requested.text()).toContain('Reset email sent! Check your inbox and redirecting...')
    await ctx.backgroundDone()
    const link = /https:\/\/pamba\.test(\/reset-password\?oobCode=([\w-]+))/.exec(ctx.emails[0]?.text ?? '')
    const [, path = '', oobCode = ''] = link ?? []
    const page = await (await get(ctx, path)).text()
    expect(page).toContain(`<input type="hidden" name="oobCode" value="${oobCode}"/>`)

    const fields = { oobCode, password: 'kitenge-9', confirmPassword: 'kitenge-9' }
    const mismatch = await postForm(ctx, '/reset-password', { ...fields, confirmPassword: 'x' })
    expect(await mismatch.text()).toContain(`name="oobCode" value="${oobCode}"`)
    const done = await postForm(ctx, '/reset-password', fields)
    await expectStatus(done, 200)
    expect(await done.text()).toContain('Your new password has been set.')
    const again = await postForm(ctx, '/reset-password', fields)
    expect(await again.text()).toContain(
      'This link has expired or has already been used. Please request a new one.',
    )
    const login = await postForm(ctx, '/login', { email: user.email, password: 'kitenge-9' })
    await expectStatus(login, 303)
  })
})

describe('the logout button without JavaScript', () => {
  const logOut = (cookie: string, from: string, ctx = testContext()) =>
    postForm(ctx, '/logout', {}, { Cookie: cookie, Referer: `https://pamba.test${from}` })

  it.each([
    ['a public page', '/product/1', '/'],
    ['a protected page', '/cart', '/login'],
  ])('ends the session and redirects from %s (%s) to %s', async (_, from, to) => {
    const { cookie, bearer } = await createAccount(testContext())
    const response = await logOut(cookie.Cookie, from)
    await expectStatus(response, 303)
    expect(response.headers.get('Location')).toBe(to)
    expect(response.headers.get('Set-Cookie')).toContain('Max-Age=0')
    await expectStatus(await get(testContext(), '/api/auth/session', bearer), 401)
  })

  it('redirects even without a session, and is refused from another site', async () => {
    await expectStatus(await postForm(testContext(), '/logout', {}), 303)
    const { cookie } = await createAccount(testContext())
    const foreign = await postForm(
      testContext(),
      '/logout',
      {},
      { ...cookie, Origin: 'https://evil.example' },
    )
    await expectStatus(foreign, 403)
    await expectStatus(await get(testContext(), '/api/auth/session', cookie), 200)
  })

  it('responds with 503 and keeps the session cookie while the database is down', async () => {
    const { cookie } = await createAccount(testContext())
    const response = await logOut(cookie.Cookie, '/', testContext({ db: createUnreachableDatabase() }))
    await expectStatus(response, 503)
    expect(response.headers.get('Set-Cookie')).toBeNull()
  })
})
