import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { hashPassword } from '#server/platform/auth/passwords.ts'
import { createOrderKey } from '#server/platform/auth/signed-link.ts'
import { orders } from '#server/platform/db/schema.ts'
import { createAccount } from '#test/support/account.ts'
import { testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { billing, orderRequest, postOrder } from '#test/support/orders.ts'
import { readText } from '#test/support/pdf.ts'
import { get, postJson } from '#test/support/posting.ts'

const ctx = testContext()
const owner = await createAccount(ctx)

const placeOrder = (giftNote: string, by = owner, key?: string) =>
  postOrder(ctx, by, orderRequest(undefined, { billing: { ...billing, giftNote } }), key)
const readNote = async (number: string) =>
  (await ctx.db.select().from(orders).where(eq(orders.number, number)).get())?.giftNote

describe('a gift note', () => {
  it.each([
    ['spaces only', '  ', null],
    ['two lines', 'Happy birthday, Amina!\r\nLove, Wanjiru', 'Happy birthday, Amina!\nLove, Wanjiru'],
    ['control characters', 'Asante\u0000\u0007\u001b sana', 'Asante sana'],
    ['200 characters', 'x'.repeat(200), 'x'.repeat(200)],
    ['an emoji as its 200th character', `${'x'.repeat(199)}🎁`, `${'x'.repeat(199)}🎁`],
    ['markup', '<b>Amina</b> & "Otieno"', '<b>Amina</b> & "Otieno"'],
  ])('is stored as it will be printed: %s', async (_what, entered, stored) => {
    const { status, body } = await placeOrder(entered)
    expect(status).toBe(201)
    expect(await readNote(body.order.number)).toBe(stored)
  })

  it.each([
    ['201 characters', 'x'.repeat(201)],
    ['an emoji as its 201st character', `${'x'.repeat(200)}🎁`],
  ])('is refused with %s, without placing the order', async (_what, entered) => {
    const before = await ctx.db.$count(orders)
    const { status, body } = await placeOrder(entered)
    expect([status, body.errors]).toEqual([400, { 'billing.giftNote': 'Please use at most 200 characters' }])
    expect(await ctx.db.$count(orders)).toBe(before)
  })

  it('is hidden from the holder of a signed link', async () => {
    const { body } = await placeOrder('For your eyes only')
    const { number } = body.order
    const key = await createOrderKey(number, ctx)
    for (const path of [`/order/${number}`, `/order/${number}/receipt`, `/api/orders/${number}`]) {
      const response = await get(ctx, `${path}?key=${key}`)
      await expectStatus(response, 200)
      expect(await readText(response), path).not.toContain('For your eyes only')
    }
  })

  it('can’t be added to an order under the same idempotency key, unless it is empty', async () => {
    const key = crypto.randomUUID()
    expect((await postOrder(ctx, owner, orderRequest(), key)).status).toBe(201)
    expect((await placeOrder('', owner, key)).status).toBe(200)
    expect(await placeOrder('Another', owner, key)).toMatchObject({
      status: 409,
      body: { code: 'key_reused' },
    })
  })

  it('is erased when the account is deleted', async () => {
    const password = 'kikoi-6'
    const person = await createAccount(ctx, { passwordHash: await hashPassword(password, ctx) })
    const { number } = (await placeOrder('Happy birthday, Amina!', person)).body.order
    await ctx.db.update(orders).set({ status: 'delivered' }).where(eq(orders.number, number))
    await expectStatus(await postJson(ctx, '/api/account/delete', { password }, person.bearer), 204)
    expect(await readNote(number)).toBeNull()
  })
})
