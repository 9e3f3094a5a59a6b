import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createOrderKey } from '#server/platform/auth/signed-link.ts'
import { outbox } from '#server/platform/db/schema.ts'
import { ORDER_KEY_PARAM } from '#shared/orders/order-link.ts'
import {
  getSession,
  logIn,
  newUserDetails,
  register,
  type SignedIn,
  selectUser,
} from '#test/support/auth-calls.ts'
import { testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { listOrders, orderRequest, postOrder } from '#test/support/orders.ts'
import { get, postForm, postJson } from '#test/support/posting.ts'

async function registerUser() {
  const ctx = testContext()
  const user = newUserDetails()
  const { token } = (await (await register(user, ctx)).json()) as SignedIn
  await ctx.backgroundDone()
  const welcome = ctx.emails.find(({ kind }) => kind === 'welcome')
  const code = /\/verify-email\?code=(\S+)/.exec(welcome?.text ?? '')?.[1] ?? ''
  return { user, welcome, code, bearer: { Authorization: `Bearer ${token}` } }
}

async function resetTo(password: string, email: string) {
  const ctx = testContext()
  await postJson(ctx, '/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email })
  await ctx.backgroundDone()
  const oobCode = /oobCode=([\w-]+)/.exec(ctx.emails.at(-1)?.text ?? '')?.[1]
  return postJson(ctx, '/v1/accounts:resetPassword', { oobCode, newPassword: password })
}

const isVerified = async (email: string) => (await selectUser(email))?.emailVerifiedAtMs !== null
const confirm = (code: string) => postForm(testContext(), '/verify-email', { code })

describe('the welcome email', () => {
  it('contains nothing that was typed into the form', async () => {
    const { user, welcome } = await registerUser()
    expect(welcome).toMatchObject({ recipient: user.email, subject: 'Your Pamba account' })
    expect(`${welcome?.text}${welcome?.html}`).not.toContain('Amina')
  })

  it('confirms the address with a button, not by opening the link', async () => {
    const { user, code } = await registerUser()
    const page = await get(testContext(), `/verify-email?code=${code}`)
    expect(await page.text()).toContain('Confirm my email address')
    expect(await isVerified(user.email)).toBe(false)
    for (const response of [await confirm(code), await confirm(code)]) {
      await expectStatus(response, 200)
      const html = await response.text()
      expect(html).toContain('<h1>Email address confirmed</h1>')
      expect(html).toContain('Your email address is confirmed.')
    }
    expect(await isVerified(user.email)).toBe(true)
  })

  it('has its text deleted from the outbox once it is sent', async () => {
    const { welcome } = await registerUser()
    const [row] = await testContext()
      .db.select()
      .from(outbox)
      .where(eq(outbox.subjectId, welcome?.subjectId ?? ''))
    expect(row).toMatchObject({ status: 'sent', text: '', html: '' })
  })

  it.each(['', 'x', 'x.y', '.'])('confirms nothing with the code %j', async (code) => {
    const response = await confirm(code)
    await expectStatus(response, 400)
    const html = await response.text()
    expect(html).toContain('<h1>We couldn’t confirm your email address</h1>')
    expect(html).toContain('This link no longer works.')
  })

  it('confirms only its own account', async () => {
    const mine = await registerUser()
    const other = await registerUser()
    const [id] = other.code.split('.')
    const [, signature] = mine.code.split('.')
    await expectStatus(await confirm(`${id}.${signature}`), 400)
    expect(await isVerified(other.user.email)).toBe(false)
  })
})

describe('an account with an unverified address', () => {
  it('is replaced by an empty account when the owner of the address resets the password', async () => {
    const { user, bearer } = await registerUser()
    const planted = await postOrder(testContext(), { bearer }, orderRequest())
    await expectStatus(planted, 201)
    await expectStatus(await resetTo('kitenge-9', user.email), 200)

    await expectStatus(await getSession(bearer), 401)
    await expectStatus(await logIn(user), 401)
    const owner = await logIn({ ...user, password: 'kitenge-9' })
    const { token, user: loggedIn } = (await owner.json()) as SignedIn
    expect(loggedIn).toEqual({ name: '', email: user.email })
    const own = { bearer: { Authorization: `Bearer ${token}` } }
    expect((await listOrders(testContext(), own)).body.orders).toEqual([])
    expect(await isVerified(user.email)).toBe(true)
  })

  it('survives a password reset once the address is confirmed', async () => {
    const { user, code, bearer } = await registerUser()
    await postOrder(testContext(), { bearer }, orderRequest())
    await confirm(code)
    await expectStatus(await resetTo('kitenge-9', user.email), 200)
    const { token, user: loggedIn } = (await (
      await logIn({ ...user, password: 'kitenge-9' })
    ).json()) as SignedIn
    expect(loggedIn.name).toBe('Amina Wanjiru')
    const own = { bearer: { Authorization: `Bearer ${token}` } }
    expect((await listOrders(testContext(), own)).body.orders).toHaveLength(1)
  })

  it('is asked on the dashboard to confirm the address, with a new link, four per hour at most', async () => {
    const { user, bearer } = await registerUser()
    const readActivity = async () => (await get(testContext(), '/api/auth/activity', bearer)).json()
    expect(await readActivity()).toMatchObject({ isEmailVerified: false })
    const ctx = testContext()
    const send = () => postJson(ctx, '/api/auth/verification-link', undefined, bearer)
    const responses = [await send(), ...(await Promise.all([send(), send(), send()]))]
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 204, 204, 429])
    const refused = responses.find(({ status }) => status === 429)
    expect(await refused?.json()).toMatchObject({
      message: 'We’ve already sent you several emails. Please try again in an hour.',
    })
    await ctx.backgroundDone()
    const links = ctx.emails.filter(({ recipient, kind }) => recipient === user.email && kind === 'welcome')
    expect(links).toHaveLength(3)
    const [, code = ''] = /\/verify-email\?code=(\S+)/.exec(links.at(-1)?.text ?? '') ?? []
    await expectStatus(await confirm(code), 200)
    expect(await readActivity()).toMatchObject({ isEmailVerified: true })
    await expectStatus(await send(), 204)
    await ctx.backgroundDone()
    expect(ctx.emails.filter(({ kind }) => kind === 'welcome')).toHaveLength(3)
    await expectStatus(await postJson(ctx, '/api/auth/verification-link', undefined), 401)
  })

  it('is confirmed by opening an order’s emailed link while logged in, but not by others or a forged link', async () => {
    const { user, bearer } = await registerUser()
    const ctx = testContext()
    const { email } = user
    const response = await logIn(user)
    const cookie = { Cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
    const place = async (to: string) => {
      const order = orderRequest()
      const { body } = await postOrder(
        ctx,
        { bearer },
        { ...order, billing: { ...order.billing, email: to } },
      )
      const { number } = body.order
      return `/order/${number}?${ORDER_KEY_PARAM}=${await createOrderKey(number, ctx)}`
    }
    const open = async (path: string, headers = {}) => {
      await expectStatus(await get(ctx, path, headers), 200)
      await ctx.backgroundDone()
      return isVerified(email)
    }
    const elsewhere = await place('elsewhere@shopper.test')
    const link = await place(email.toUpperCase())
    expect(await open(elsewhere, cookie), 'of an order whose emails go elsewhere').toBe(false)
    expect(await open(link), 'without the session').toBe(false)
    expect(await open(`${link.split('?')[0]}?${ORDER_KEY_PARAM}=forged`, cookie), 'forged').toBe(false)
    expect(await open(link, cookie)).toBe(true)
    expect(await (await get(ctx, '/api/auth/activity', bearer)).json()).toMatchObject({
      events: [{ kind: 'email_verified' }, {}, {}],
    })
  })

  it.each([false, true])('is told about a password reset by email (confirmed: %s)', async (isConfirmed) => {
    const { user, code } = await registerUser()
    if (isConfirmed) await confirm(code)
    await expectStatus(await resetTo('kitenge-9', user.email), 200)
    const sent = await testContext().db.select().from(outbox).where(eq(outbox.recipient, user.email))
    const changed = sent.filter(({ kind }) => kind === 'password-changed')
    expect(changed).toHaveLength(1)
    expect(changed[0]?.text.replaceAll(/\s+/g, ' ')).toMatch(
      /was changed using .*All devices have been logged out\./,
    )
  })

  it('accepts one of two concurrent resets', async () => {
    const { user } = await registerUser()
    const responses = await Promise.all([resetTo('kitenge-8', user.email), resetTo('kitenge-9', user.email)])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400])
  })
})
