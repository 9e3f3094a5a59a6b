import { eq, like } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { blockCustomer } from '#server/customers/block-customer.ts'
import { hashPassword } from '#server/platform/auth/passwords.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import {
  auditLog,
  contactMessages,
  customerBlocks,
  customerNotes,
  orders,
  users,
} from '#server/platform/db/schema.ts'
import { type Account, createAccount } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { createSpyDatabase } from '#test/support/database.ts'
import { HOSTILE_TEXTS, takeNextShare } from '#test/support/hostile.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import {
  billing,
  calculateCheckoutTotalKsh,
  countRows,
  countUses,
  createPromotion,
  orderRequest,
  postOrder,
  tenPercentDiscount,
} from '#test/support/orders.ts'
import { postJson } from '#test/support/posting.ts'
import { readStock, setStock } from '#test/support/stock.ts'

const shopCtx = testContext()
const ctx = officeContext()
const achieng = await createOfficeClient(ctx)
let phones = 0
const newPhone = () => `07990${String(++phones).padStart(5, '0')}`

async function createCustomer(fields: Partial<typeof billing> & { phone?: string } = {}) {
  const account = await createAccount(shopCtx)
  const placed = await postOrder(
    shopCtx,
    account,
    orderRequest(undefined, { billing: { ...billing, ...fields } }),
  )
  return { account, id: account.user.id, number: placed.body.order.number }
}
const placeOrder = (by: Account, fields: Partial<typeof billing> & { phone?: string } = {}, overrides = {}) =>
  postOrder(
    shopCtx,
    by,
    orderRequest([{ id: 2, qty: 1 }], {
      billing: { ...billing, email: by.user.email, ...fields },
      ...overrides,
    }),
  )
const readAuditActions = async (id: string) =>
  (await ctx.db.select().from(auditLog).where(eq(auditLog.subject, id))).map(
    ({ actor, action }) => `${actor} ${action}`,
  )

describe('customers in the office', () => {
  it('are listed, and found by name, phone number in any format and email', async () => {
    const { id, account } = await createCustomer({ lastName: 'Nyokabi', phone: '0798 111 222' })
    expect((await achieng.get('/customers')).text).toContain(`href="/customers/${id}"`)
    for (const query of ['nyokabi', 'wanjiru nyo', '0798 111', '+254798', '798111222', account.user.email])
      expect((await achieng.get(`/customers?q=${encodeURIComponent(query)}`)).text, query).toContain(
        `href="/customers/${id}"`,
      )
    expect((await achieng.get('/customers?q=nobody+at+all')).text).toContain('No customers match')
  })

  it('whose last orders are of the same time are all listed, on two pages', async () => {
    const ids = Array.from({ length: 25 }, (_, index) => `listed-${index + 10}`)
    const ordered = { name: '', passwordHash: '', createdAtMs: NOW_MS, lastOrderAtMs: NOW_MS + 1 }
    const [insert, ...others] = ids.map((id) =>
      ctx.db.insert(users).values({ id, email: `${id}@shop.test`, ...ordered }),
    )
    if (insert) await ctx.db.batch([insert, ...others])
    const first = (await achieng.get('/customers')).text
    const rest = (await achieng.get(/\/customers\?before=[^"]+/.exec(first)?.[0] ?? '')).text
    const shown = [first, rest].map((text) => text.match(/(?<=\/customers\/)listed-\d+/g) ?? [])
    expect(shown.map(({ length }) => length)).toEqual([20, 5])
    expect(shown.flat()).toEqual(ids.toReversed())
    await ctx.db.delete(users).where(like(users.id, 'listed-%'))
  })

  it('each have a page, linked from orders, with orders, net spending, addresses, messages and notes', async () => {
    const { id, account, number } = await createCustomer({ phone: newPhone() })
    const { email } = account.user
    await ctx.db.insert(contactMessages).values({
      id: `m-${id}`,
      name: 'Wanjiru',
      email: email.toUpperCase(),
      message: 'Do you ship to Kisumu?',
      createdAtMs: NOW_MS,
    })
    expect((await achieng.get(`/orders/${number}`)).text).toContain(`href="/customers/${id}"`)
    await achieng.post(`/customers/${id}/notes`, { note: 'Prefers evening delivery' })
    const { text } = await achieng.get(`/customers/${id}`)
    for (const part of [number, 'Ngong Road 12', 'Do you ship to Kisumu?', 'Prefers evening delivery', email])
      expect(text, part).toContain(part)
    const total = (await ctx.db.select().from(orders).where(eq(orders.number, number)).get())?.totalCents ?? 0
    expect(text).toContain(`<strong>KSH ${(total / 100).toLocaleString('en')}</strong>`)
    expect((await achieng.get('/customers/nobody')).status).toBe(404)
    const empty = await achieng.post(`/customers/${id}/notes`, { note: ' ' })
    expect([empty.status, empty.text.includes('Please enter a note')]).toEqual([409, true])
  })

  it('are erased on request, with their notes, once no order is open', async () => {
    const { id, number } = await createCustomer()
    await achieng.post(`/customers/${id}/notes`, { note: 'Call first' })
    await achieng.post(`/customers/${id}/block`, { reason: '' })
    const early = await achieng.post(`/customers/${id}/erase`, {})
    expect(early.text).toContain(
      `Nothing was deleted: order ${number} hasn’t been delivered or picked up yet.`,
    )
    await ctx.db.update(orders).set({ status: 'delivered' }).where(eq(orders.number, number))
    expect((await achieng.get(`/customers/${id}/erase`)).text).toContain('Delete Amina Wanjiru?')
    expect((await achieng.post(`/customers/${id}/erase`, {})).location).toBe('/customers?done=erased')
    expect((await achieng.get(`/customers/${id}`)).status).toBe(404)
    for (const table of [customerNotes, customerBlocks])
      expect(await ctx.db.$count(table, eq(table.userId, id))).toBe(0)
    expect(await readAuditActions(id)).toContain('achieng@pamba.test account.erase')
    expect((await achieng.get(`/orders/${number}`)).text).not.toContain('/customers/')
    expect((await achieng.get(`/orders/${number}/refund`)).text).toContain('to the customer.')
  })
})

describe('a customer’s page', () => {
  it('escapes hostile text', async () => {
    const { id } = await createCustomer()
    const forms: [string, (text: string) => Record<string, string>][] = [
      [`/customers/${id}/notes`, (note) => ({ note })],
      [`/customers/${id}/block`, (reason) => ({ reason })],
      [`/customers/${id}/unblock`, () => ({})],
    ]
    for (const text of HOSTILE_TEXTS) {
      for (const [path, fields] of takeNextShare(forms, 2))
        expect([303, 409], path).toContain((await achieng.post(path, fields(text))).status)
      const found = await achieng.get(`/customers?q=${encodeURIComponent(text.toWellFormed())}`)
      expect(found.status).toBe(200)
    }
    expect((await achieng.get(`/customers/${id}`)).text).not.toMatch(/<script>|<img src=x|<svg onload/)
  })
})

describe('a blocked customer', () => {
  const createBlockedCustomer = async (phone = newPhone()) => {
    const { account, id } = await createCustomer({ phone })
    await achieng.post(`/customers/${id}/block`, { reason: 'Refused three parcels' })
    return { account, id, phone }
  }

  it('can’t order and gets a neutral message, and can order again once unblocked', async () => {
    const { account, id } = await createBlockedCustomer()
    await setStock(shopCtx, 2, 5)
    const code = await createPromotion(shopCtx)
    const before = await countRows(shopCtx)
    const { status, body } = await placeOrder(
      account,
      {},
      { promoCode: code, expectedTotal: calculateCheckoutTotalKsh([{ id: 2, qty: 1 }], tenPercentDiscount) },
    )
    expect([status, body.code, body.message]).toEqual([
      403,
      'order_refused',
      'We can’t take this order online. You haven’t been charged. Please contact us.',
    ])
    expect([await countRows(shopCtx), await countUses(shopCtx, code)]).toEqual([before, 0])
    expect(await readStock(shopCtx, 2)).toMatchObject({ onHand: 5, reserved: 0, reservations: [] })
    const { text } = await achieng.get(`/customers/${id}`)
    expect(text).toMatch(/Blocked by achieng@pamba\.test .*“Refused three parcels”/)
    await achieng.post(`/customers/${id}/unblock`, {})
    expect((await placeOrder(account)).status).toBe(201)
    expect(await readAuditActions(id)).toEqual([
      'achieng@pamba.test customer.block',
      'achieng@pamba.test customer.unblock',
    ])
  })

  it('can’t order from another account with the same email or phone number', async () => {
    const { account, phone } = await createBlockedCustomer()
    const other = await createAccount(shopCtx)
    const local = `${phone.slice(1, 4)}-${phone.slice(4)}`
    for (const international of [`+254 ${local}`, `+254 (0)${local}`, `00254 ${local}`])
      expect((await placeOrder(other, { phone: international })).body.code).toBe('order_refused')
    expect((await placeOrder(other, { email: account.user.email.toUpperCase() })).body.code).toBe(
      'order_refused',
    )
    expect((await placeOrder(other, { phone: newPhone() })).status).toBe(201)
  })

  it.each([
    ['deleting their own account', true],
    ['being deleted in the office', false],
  ])(
    'can’t order from a new account with the same email or phone number after %s',
    async (_, isByShopper) => {
      const { account, id, phone } = await createBlockedCustomer()
      await setStock(shopCtx, 2, 9)
      const { email } = account.user
      await ctx.db.update(orders).set({ status: 'delivered' }).where(eq(orders.userId, id))
      if (isByShopper) {
        const password = 'a good password'
        const passwordHash = await hashPassword(password, shopCtx)
        await ctx.db.update(users).set({ passwordHash }).where(eq(users.id, id))
        const deleted = await postJson(shopCtx, '/api/account/delete', { password }, account.bearer)
        expect(deleted.status).toBe(204)
      } else {
        expect((await achieng.get(`/customers/${id}/erase`)).text).toContain(
          'Their email address and phone number stay blocked.',
        )
        await achieng.post(`/customers/${id}/erase`, {})
      }
      await shopCtx.backgroundDone()
      const kept = await ctx.db.select().from(customerBlocks).where(eq(customerBlocks.userId, 'deleted'))
      const stored = JSON.stringify(kept)
      for (const text of [email, id, phone.slice(1), 'Refused three parcels'])
        expect(stored).not.toContain(text)

      const again = await createAccount(shopCtx, { email })
      const elsewhere = { email: 'elsewhere@shop.test' }
      expect((await placeOrder(again, elsewhere)).body.code, 'with the same account email').toBe(
        'order_refused',
      )
      const other = await createAccount(shopCtx)
      expect((await placeOrder(other, { phone })).body.code, 'with the same phone number').toBe(
        'order_refused',
      )
      expect((await placeOrder(other)).status).toBe(201)
      const path = `/customers/${again.user.id}`
      expect((await achieng.get(path)).text).toContain('Blocked by achieng@pamba.test')
      await achieng.post(`${path}/unblock`, {})
      expect((await achieng.get(path)).text).not.toContain('Blocked by')
      expect((await placeOrder(again, { phone })).status).toBe(201)
    },
  )

  it('is refused if blocked while the order is being placed', async () => {
    const { account, id } = await createCustomer()
    let trips = 0
    const db = createSpyDatabase(async (go) => {
      const answer = await go()
      if (++trips === 1) await blockCustomer({ id, reason: '', actor: COMMAND_LINE_ACTOR }, ctx)
      return answer
    })
    const { body } = await postOrder(testContext({ db }), account, orderRequest())
    expect(body.code).toBe('order_refused')
    expect(await ctx.db.$count(orders, eq(orders.userId, id))).toBe(1)
  })

  it('is blocked only once if two people do it at the same moment', async () => {
    const { id } = await createCustomer()
    const both = await Promise.all([1, 2].map(() => achieng.post(`/customers/${id}/block`, { reason: 'x' })))
    expect(both.map(({ status }) => status).toSorted()).toEqual([303, 409])
    expect(await ctx.db.$count(customerBlocks, eq(customerBlocks.userId, id))).toBe(1)
    const [user] = await ctx.db.select().from(users).where(eq(users.id, id))
    expect(user?.lastOrderAtMs).toBe(NOW_MS)
  })
})
