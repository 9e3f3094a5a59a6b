import { desc, eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import {
  auditLog,
  contactMessages,
  orders,
  outbox,
  payments,
  promotions,
  stock,
} from '#server/platform/db/schema.ts'
import { account } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { spiedDatabase } from '#test/support/database.ts'
import { HOSTILE_TEXTS } from '#test/support/hostile.ts'
import { officeContext, officeVisitor } from '#test/support/office.ts'
import { orderRequest, post } from '#test/support/orders.ts'
import { byMpesa } from '#test/support/payments.ts'
import items from '../../public/Items.json'

const DAY_MS = 86_400_000
const ctx = officeContext({
  shop: { fetch: async () => Response.json(items) },
})
const visitor = await officeVisitor(ctx)
const lastActs = async (rows = 1) =>
  (await ctx.db.select().from(auditLog).orderBy(desc(auditLog.atMs)).limit(100))
    .slice(-rows)
    .map(({ actor, act, subject, from, to }) => [actor, act, subject, from, to])

describe('promotions in the office', () => {
  it('are made, shown with their use, and ended', async () => {
    const form = {
      code: 'jamhuri',
      kind: 'percent',
      value: '15',
      minimum: '1500',
      uses: '40',
      until: '2026-12-12',
    }
    expect((await visitor.post('/promotions', form)).location).toBe('/promotions?made=JAMHURI')
    const row = await ctx.db.select().from(promotions).where(eq(promotions.code, 'JAMHURI')).get()
    expect(row).toMatchObject({ value: 15, minimumSubtotalCents: 150_000, maxUses: 40 })
    const { text } = await visitor.get('/promotions')
    expect(text).toMatch(/JAMHURI<\/strong> takes 15% from KSH 1500 on.*running.*Used 0 of 40/)
    expect((await visitor.post('/promotions', form)).text).toContain('The code JAMHURI exists already.')
    await visitor.post('/promotions/end', { code: 'JAMHURI' })
    expect((await visitor.get('/promotions')).text).toContain('ended')
    expect((await visitor.post('/promotions/end', { code: 'JAMHURI' })).status).toBe(409)
    const acts = await ctx.db.select().from(auditLog).where(eq(auditLog.subject, 'JAMHURI'))
    expect(acts.map(({ act, to }) => [act, to])).toEqual([
      ['promotion.create', '15%'],
      ['promotion.end', null],
    ])
  })

  it.each([
    [{ code: 'x' }, 'cannot be a code'],
    [{ value: '101' }, 'Percent is a whole number'],
    [{ value: '' }, 'Percent is a whole number'],
    [{ kind: 'fixed', value: '0' }, 'Amount must be above 0.'],
    [{ uses: '0' }, 'a whole number from 1'],
    [{ until: '2026-11-20' }, 'would end before it starts'],
    [{ from: '2026-02-30' }, 'Please enter a date.'],
  ])('are refused in words: %j', async (wrong, sentence) => {
    const { status, text } = await visitor.post('/promotions', {
      code: 'GOOD',
      kind: 'percent',
      value: '10',
      ...wrong,
    })
    expect(status).toBe(409)
    expect(text).toContain(sentence)
  })
})

describe('messages in the office', () => {
  it('wait to be read, and are answered with their words quoted', async () => {
    const id = 'message-1'
    await ctx.db.insert(contactMessages).values({
      ...{ id, name: 'Otieno', email: 'otieno@shop.test', message: 'Habari\nDo you ship?' },
      createdAtMs: NOW_MS,
    })
    const { text } = await visitor.get('/messages')
    expect(text).toMatch(/Messages<span class="badge">1</)
    expect(text).toContain(
      `mailto:otieno%40shop.test?subject=Your%20message%20to%20Pamba&amp;body=Hello%20Otieno`,
    )
    expect(text).toContain(encodeURIComponent('\r\n> Habari\r\n> Do you ship?'))
    await visitor.post('/messages', { id, as: 'answered' })
    const after = (await visitor.get('/messages')).text
    expect(after).toContain(', answered 21 Nov 2026')
    expect(after).not.toContain('class="badge"')
    expect((await visitor.post('/messages', { id: 'nowhere', as: 'read' })).status).toBe(404)
  })
})

describe('mails in the office', () => {
  it('say why they are stuck, and are sent again unless their text is gone', async () => {
    const mail = (id: string, text: string) => ({
      ...{
        id,
        kind: 'order-confirmation' as const,
        subjectId: id,
        recipient: `${id}@shop.test`,
        subject: `About ${id}`,
      },
      ...{ text, html: text, status: 'failed' as const, attempts: 10, lastError: 'E_NO_MAILBOX' },
      ...{ nextAttemptAtMs: NOW_MS, createdAtMs: NOW_MS },
    })
    await ctx.db.insert(outbox).values([mail('lost', 'Asante'), mail('secret', '')])
    expect((await visitor.get('/mails')).text).toMatch(/About lost.*given up.*10 attempts: E_NO_MAILBOX/)
    expect((await visitor.get('/more')).text).toMatch(/Mails <span class="badge">2</)
    expect((await visitor.post('/mails', { id: 'lost' })).status).toBe(303)
    expect(await ctx.db.select().from(outbox).where(eq(outbox.id, 'lost')).get()).toMatchObject({
      status: 'pending',
      attempts: 0,
    })
    expect(ctx.housekeepings()).toBe(1)
    expect((await visitor.post('/mails', { id: 'secret' })).text).toContain('was deleted')
    expect((await visitor.post('/mails', { id: 'nowhere' })).status).toBe(404)
  })
})

describe('figures in the office', () => {
  it('compare a period with the one before', async () => {
    const order = async (agoMs: number, status: 'placed' | 'cancelled' = 'placed') => {
      const by = testContext({ clock: () => NOW_MS - agoMs })
      const { number } = (await post(by, await account(by), orderRequest([{ id: 1, qty: 1 }]))).body.order
      await ctx.db.update(orders).set({ status }).where(eq(orders.number, number))
      return number
    }
    await order(0)
    await order(60_000)
    await order(DAY_MS)
    await order(0, 'cancelled')
    await order(40 * DAY_MS)
    await ctx.db.insert(stock).values({ itemId: 1, onHand: 2 })
    const { text } = await visitor.get('/figures')
    expect(text).toMatch(
      /Orders<\/dt><dd><strong>2<\/strong><span class="note">100% more than yesterday \(1\)/,
    )
    expect((await visitor.get('/figures?period=yesterday')).text).toMatch(/Orders<\/dt><dd><strong>1</)
    expect((await visitor.get('/figures?period=month')).text).toMatch(
      /<strong>3<\/strong>.*200% more than the 30 days before/,
    )
    expect(text).toMatch(/Best sellers.*<strong>2 ×<\/strong> Organic Cotton Snap Romper/)
    expect(text).toMatch(/Running out.*2 left:<\/strong> Organic Cotton Snap Romper/)
    expect(text).toMatch(/<svg class="chart" [^>]*role="img" aria-label="The best day was 2\d Nov with KSH/)
  })

  it('are empty without orders', async () => {
    await ctx.db.delete(stock)
    expect((await visitor.get('/figures?period=nonsense')).status).toBe(200)
  })
})

describe('payments in the office', () => {
  it('are listed by day, and while they need somebody', async () => {
    const { number } = (await post(testContext(), await account(testContext()), orderRequest())).body.order
    expect((await visitor.get('/payments?day=2026-11-21')).text).toContain(number)
    expect((await visitor.get('/payments')).text).not.toContain(number)
    await ctx.db.update(payments).set({ refundState: 'by_hand', refundError: 'No operator.' })
    expect((await visitor.get('/payments')).text).toMatch(
      new RegExp(`${number}.*refund by hand.*No operator\\.`),
    )
  })
})

describe('stock in the office', () => {
  it('is counted in place, low items first, and shows who counted', async () => {
    await visitor.post('/stock', { item: '1', seen: '', units: '40' })
    await visitor.post('/stock', { item: '2', seen: '', units: '2' })
    const { text } = await visitor.get('/stock')
    expect(text.indexOf('value="2"')).toBeLessThan(text.indexOf('value="40"'))
    expect(text).toContain('2 left')
    await visitor.post('/stock', { item: '2', seen: '2', units: '' })
    expect(await ctx.db.select().from(stock)).toMatchObject([{ itemId: 1, onHand: 40 }])
    const acts = await ctx.db.select().from(auditLog).where(eq(auditLog.act, 'stock.count'))
    expect(acts.map(({ from, to }) => [from, to])).toEqual([
      ['made to order', '40'],
      ['made to order', '2'],
      ['2', 'made to order'],
    ])
    for (const form of [
      { item: '1', seen: '40', units: '-1' },
      { item: '1', seen: '40', units: '1.5' },
      { item: '999999', seen: '', units: '1' },
    ])
      expect((await visitor.post('/stock', form)).status).toBe(409)
    expect((await visitor.post('/stock', { item: 'x', seen: '', units: '1' })).status).toBe(400)
  })
})

describe('a count of stock', () => {
  const countOf = async (itemId: number) =>
    (await ctx.db.select().from(stock).where(eq(stock.itemId, itemId))).at(0)?.onHand
  const counts = async (itemId: number) =>
    (
      await ctx.db
        .select()
        .from(auditLog)
        .where(eq(auditLog.subject, String(itemId)))
    ).length

  it('undoes no sale that it did not know of, before it is sent or while it is written', async () => {
    await ctx.db.insert(stock).values({ itemId: 5, onHand: 8 })
    const late = await visitor.post('/stock', { item: '5', seen: '9', units: '12' })
    expect(late.status).toBe(409)
    expect(late.text).toContain('it was sold or counted meanwhile, and there are 8 of it now')
    for (const units of ['12', '']) {
      let trips = 0
      const db = spiedDatabase(async (go) => {
        const answer = await go()
        if (++trips === 1) await ctx.db.update(stock).set({ onHand: 7 }).where(eq(stock.itemId, 5))
        return answer
      })
      const slow = await officeVisitor({ ...ctx, db })
      expect((await slow.post('/stock', { item: '5', seen: '8', units })).text).toContain('there are 7 of it')
      await ctx.db.update(stock).set({ onHand: 8 }).where(eq(stock.itemId, 5))
    }
    expect([await countOf(5), await counts(5)]).toEqual([8, 0])
  })

  it('is not below what unpaid orders hold, and writes no line then', async () => {
    await ctx.db.insert(stock).values({ itemId: 6, onHand: 5 })
    const shop = testContext()
    await post(shop, await account(shop), orderRequest([{ id: 6, qty: 2 }], { payment: byMpesa() }))
    const refused = await visitor.post('/stock', { item: '6', seen: '5', units: '1' })
    expect(refused.text).toContain('Unpaid orders hold 2 of it')
    expect([await countOf(6), await counts(6)]).toEqual([5, 0])
    expect((await visitor.post('/stock', { item: '6', seen: '5', units: '2' })).status).toBe(303)
    expect([await countOf(6), await counts(6)]).toEqual([2, 1])
  })
})

describe('the audit log', () => {
  it('is filtered by what was done to, and by day', async () => {
    const { text } = await visitor.get('/audit?subject=jamhuri')
    expect(text).toContain('Promo code created')
    expect(text).not.toContain('Stock counted')
    expect((await visitor.get('/audit?day=2026-11-21')).text).toContain('Stock counted')
    expect((await visitor.get('/audit?day=2026-11-20')).text).toContain('No actions found.')
    expect((await lastActs()).flat()).toContain('achieng@pamba.test')
  })
})

it('leads from /favicon.ico, which browsers ask for by themselves, to the real icon', async () => {
  expect(await visitor.get('/favicon.ico')).toMatchObject({ status: 301, location: '/favicon.svg' })
})

it('survives hostile texts in its forms and addresses', async () => {
  const forms: [path: string, good: Record<string, string>][] = [
    ['/promotions', { code: 'FINE', kind: 'percent', value: '1000' }],
    ['/promotions/end', { code: 'FINE' }],
    ['/messages', { id: 'x', as: 'read' }],
    ['/mails', { id: 'x' }],
    ['/stock', { item: '1', seen: '', units: 'x' }],
  ]
  const addresses = [
    '/audit?subject=',
    '/audit?day=',
    '/payments?day=',
    '/figures?period=',
    '/messages?before=',
    '/stock?q=',
  ]
  for (const [index, text] of HOSTILE_TEXTS.entries()) {
    const [path, good] = forms[index % forms.length] ?? ['/mails', {}]
    for (const field of Object.keys(good)) {
      const { status } = await visitor.post(path, { ...good, [field]: text })
      expect([303, 400, 404, 409], `${path} ${field} ${text.slice(0, 30)}`).toContain(status)
    }
    const address = addresses[index % addresses.length] + encodeURIComponent(text.toWellFormed())
    const answer = await visitor.get(address)
    expect(answer.status, address.slice(0, 60)).toBe(200)
    expect(answer.text).not.toMatch(/<script>|<img src=x|<svg onload/)
  }
})
