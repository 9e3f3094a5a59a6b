import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { outbox } from '#server/platform/db/schema.ts'
import { login, newcomer, register, type SignedIn, session, userRow } from '#test/support/auth-calls.ts'
import { testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { list, orderRequest, post } from '#test/support/orders.ts'
import { get, postForm, postJson } from '#test/support/posting.ts'

/** Registers somebody; what they have, and the link in their welcome mail. */
async function registered() {
  const ctx = testContext()
  const someone = newcomer()
  const { token } = (await (await register(someone, ctx)).json()) as SignedIn
  await ctx.settled()
  const mail = ctx.mails.find(({ kind }) => kind === 'welcome')
  const code = /\/verify-email\?code=(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
  return { someone, mail, code, bearer: { Authorization: `Bearer ${token}` } }
}

async function resetTo(password: string, email: string) {
  const ctx = testContext()
  await postJson(ctx, '/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email })
  await ctx.settled()
  const oobCode = /oobCode=([\w-]+)/.exec(ctx.mails.at(-1)?.text ?? '')?.[1]
  return postJson(ctx, '/v1/accounts:resetPassword', { oobCode, newPassword: password })
}

const isVerified = async (email: string) => (await userRow(email))?.emailVerifiedAtMs !== null
const confirm = (code: string) => postForm(testContext(), '/verify-email', { code })

describe('the welcome mail', () => {
  it('asks the owner of the address to confirm the account, in none of the words that were typed', async () => {
    const { someone, mail } = await registered()
    expect(mail).toMatchObject({ recipient: someone.email, subject: 'Your Pamba account' })
    expect(`${mail?.text}${mail?.html}`).not.toContain('Amina')
  })

  it('is confirmed by its button, not by opening it, and as often as it is pressed', async () => {
    const { someone, code } = await registered()
    const page = await get(testContext(), `/verify-email?code=${code}`)
    expect(await page.text()).toContain('Confirm my email address')
    expect(await isVerified(someone.email)).toBe(false)
    for (const response of [await confirm(code), await confirm(code)]) {
      await expectStatus(response, 200)
      expect(await response.text()).toContain('Your email address is confirmed.')
    }
    expect(await isVerified(someone.email)).toBe(true)
  })

  it('keeps its link out of the database once it is sent', async () => {
    const { mail } = await registered()
    const [row] = await testContext()
      .db.select()
      .from(outbox)
      .where(eq(outbox.subjectId, mail?.subjectId ?? ''))
    expect(row).toMatchObject({ status: 'sent', text: '', html: '' })
  })

  it.each(['', 'x', 'x.y', '.'])('with the code %j confirms nothing', async (code) => {
    const response = await confirm(code)
    await expectStatus(response, 400)
    expect(await response.text()).toContain('This link is not valid.')
  })

  it("confirms no other account with one account's code", async () => {
    const mine = await registered()
    const other = await registered()
    const [id] = other.code.split('.')
    const [, signature] = mine.code.split('.')
    await expectStatus(await confirm(`${id}.${signature}`), 400)
    expect(await isVerified(other.someone.email)).toBe(false)
  })
})

describe('an account that somebody opened with the address of another', () => {
  it('leaves its owner nothing of what was planted, once they choose a password', async () => {
    const { someone, bearer } = await registered()
    const planted = await post(testContext(), { bearer }, orderRequest())
    await expectStatus(planted, 201)
    await expectStatus(await resetTo('kitenge-9', someone.email), 200)

    await expectStatus(await session(bearer), 401)
    await expectStatus(await login(someone), 401)
    const owner = await login({ ...someone, password: 'kitenge-9' })
    const { token, user } = (await owner.json()) as SignedIn
    expect(user).toEqual({ name: '', email: someone.email })
    const own = { bearer: { Authorization: `Bearer ${token}` } }
    expect((await list(testContext(), own)).body.orders).toEqual([])
    expect(await isVerified(someone.email)).toBe(true)
  })

  it('is its owner’s own once they have confirmed it, whatever they forget later', async () => {
    const { someone, code, bearer } = await registered()
    await post(testContext(), { bearer }, orderRequest())
    await confirm(code)
    await expectStatus(await resetTo('kitenge-9', someone.email), 200)
    const { token, user } = (await (await login({ ...someone, password: 'kitenge-9' })).json()) as SignedIn
    expect(user.name).toBe('Amina Wanjiru')
    const own = { bearer: { Authorization: `Bearer ${token}` } }
    expect((await list(testContext(), own)).body.orders).toHaveLength(1)
  })

  it('lets one of two resets at once begin anew', async () => {
    const { someone } = await registered()
    const answers = await Promise.all([
      resetTo('kitenge-8', someone.email),
      resetTo('kitenge-9', someone.email),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  })
})
