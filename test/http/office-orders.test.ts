import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { cancelOrder } from '#server/orders/cancel.ts'
import { STATUS_EMAIL_DELAY_MS } from '#server/orders/change-status.ts'
import { readOrderDetails } from '#server/orders/details.ts'
import { runPayments } from '#server/orders/run-payments.ts'
import { auditLog, orders, payments } from '#server/platform/db/schema.ts'
import { deliverAllDue } from '#server/platform/email/outbox.ts'
import { account } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { spiedDatabase } from '#test/support/database.ts'
import { HOSTILE_TEXTS, nextShare } from '#test/support/hostile.ts'
import { officeContext, officeVisitor } from '#test/support/office.ts'
import { billing, orderRequest, post } from '#test/support/orders.ts'
import { byMpesa, testPayments } from '#test/support/payments.ts'

const shop = testContext()
const ctx = officeContext({ runHousekeeping: () => runPayments(shop) })
const achieng = await officeVisitor(ctx, 'achieng@pamba.test')
const barasa = await officeVisitor(ctx, 'barasa@pamba.test')

const placed = async (more: Parameters<typeof orderRequest>[1] = {}, by = shop) =>
  (await post(by, await account(by), orderRequest([{ id: 1, qty: 2 }], more))).body.order.number
const step = (number: string, from: string, to: string, who = achieng) =>
  who.post(`/orders/${number}/status`, { from, to })
const statusOf = async (number: string) =>
  (await ctx.db.select().from(orders).where(eq(orders.number, number)).get())?.status
const paymentsOf = (number: string) =>
  ctx.db
    .select({ state: payments.state, provider: payments.provider, refundState: payments.refundState })
    .from(payments)
    .innerJoin(orders, eq(orders.id, payments.orderId))
    .where(eq(orders.number, number))
const auditOf = async (number: string) =>
  (await ctx.db.select().from(auditLog).where(eq(auditLog.subject, number))).map(({ actor, act, from, to }) =>
    [actor, act, from, to].join(' '),
  )

describe('an order in the office', () => {
  it('shows what to pack, where it goes and how to reach the shopper', async () => {
    const number = await placed({ billing: { ...billing, phone: '0712 345 678' } })
    const { status, text } = await achieng.get(`/orders/${number.toLowerCase()}`)
    expect(status).toBe(200)
    for (const part of [
      `<h1>${number}</h1>`,
      'Wanjiru Kamau',
      'href="tel:+254712345678"',
      'href="https://wa.me/254712345678?text=',
      'https://www.google.com/maps/search/?api=1&amp;query=Ngong%20Road%2012',
      'Visa ending in 4242',
      'mail confirmation',
    ])
      expect(text.includes(part), part).toBe(true)
    expect((await achieng.get('/orders/P-NOWHERE')).status).toBe(404)
  })

  it('is taken step by step, and back while the shopper was not told', async () => {
    const number = await placed()
    expect((await step(number, 'placed', 'packed')).location).toBe(`/orders/${number}`)
    expect((await step(number, 'packed', 'placed')).status).toBe(303)
    await step(number, 'placed', 'packed')
    await deliverAllDue(testContext({ clock: () => NOW_MS + STATUS_EMAIL_DELAY_MS }))
    expect((await achieng.get(`/orders/${number}`)).text).not.toContain('Undo')
    const refused = await step(number, 'packed', 'placed')
    expect(refused.status).toBe(409)
    expect(refused.text).toContain('We’ve already emailed the customer about this step.')
    await step(number, 'packed', 'shipped')
    await step(number, 'shipped', 'delivered')
    expect(await statusOf(number)).toBe('delivered')
    expect(await auditOf(number)).toEqual([
      'achieng@pamba.test order.status placed packed',
      'achieng@pamba.test order.status packed placed',
      'achieng@pamba.test order.status placed packed',
      'achieng@pamba.test order.status packed shipped',
      'achieng@pamba.test order.status shipped delivered',
    ])
  })

  it('goes on from the board, which offers to undo it', async () => {
    const number = await placed()
    const { location } = await achieng.post(`/orders/${number}/status`, {
      from: 'placed',
      to: 'packed',
      stage: 'pack',
    })
    expect(location).toBe(`/?stage=pack&changed=${number}`)
    expect((await achieng.get(location ?? '')).text).toMatch(/“Packed” now\..*Undo/)
  })

  it('is not changed on an older state, and shows what happened meanwhile', async () => {
    const number = await placed()
    await step(number, 'placed', 'packed', barasa)
    const late = await step(number, 'placed', 'cancelled', achieng)
    expect(late.status).toBe(409)
    expect(late.text).toMatch(/It is “Packed” now \(barasa@pamba\.test, /)
    expect(await statusOf(number)).toBe('packed')
    expect(await auditOf(number)).toHaveLength(1)
    const both = await Promise.all([
      step(number, 'packed', 'shipped'),
      step(number, 'packed', 'ready', barasa),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([303, 409])
    expect(await auditOf(number)).toHaveLength(2)
  })

  /** An operator whose order changes between reading it and writing to it. */
  const overtakenBy = (act: () => Promise<unknown>) => {
    let trips = 0
    const db = spiedDatabase(async (go) => {
      const answer = await go()
      if (++trips === 1) await act()
      return answer
    })
    return officeVisitor({ ...ctx, db })
  }

  it('is not cancelled when somebody packs it at the same moment', async () => {
    const number = await placed()
    const slow = await overtakenBy(() => step(number, 'placed', 'packed', barasa))
    const late = await step(number, 'placed', 'cancelled', slow)
    expect(late.status).toBe(409)
    expect(late.text).toMatch(/It is “Packed” now \(barasa@pamba\.test, /)
    expect([await statusOf(number), (await auditOf(number)).length]).toEqual(['packed', 1])
  })

  it('is not packed when its shopper cancels it at the same moment', async () => {
    const number = await placed()
    const slow = await overtakenBy(async () => {
      const record = await readOrderDetails(number, ctx)
      if (record) await cancelOrder({ record, by: 'shopper' }, ctx)
    })
    const late = await step(number, 'placed', 'packed', slow)
    expect(late.status).toBe(409)
    expect(late.text).toMatch(/It is “Cancelled” now \(\d/)
    expect([await statusOf(number), (await auditOf(number)).length]).toEqual(['cancelled', 0])
  })

  it('has its refunded once when two ask at the same moment, and shows who was first', async () => {
    const number = await placed()
    const slow = await overtakenBy(() => barasa.post(`/orders/${number}/refund`, { seen: 'kept' }))
    const late = await slow.post(`/orders/${number}/refund`, { seen: 'kept' })
    expect(late.status).toBe(409)
    expect(late.text).toMatch(/The last: Refund \(barasa@pamba\.test, /)
    expect(await auditOf(number)).toHaveLength(1)
  })

  it('carries the rider’s note and the tracking link to the shopper, and refuses what is no link', async () => {
    const number = await placed()
    await step(number, 'placed', 'packed')
    const form = { from: 'packed', to: 'shipped', note: 'Rider Juma, 15:00' }
    const refused = await achieng.post(`/orders/${number}/status`, {
      ...form,
      trackingAddress: 'javascript:x',
    })
    expect(refused.status).toBe(409)
    expect(refused.text).toContain('Tracking link must start with https://')
    await achieng.post(`/orders/${number}/status`, { ...form, trackingAddress: 'https://rider.example/7' })
    const { text } = await achieng.get(`/orders/${number}`)
    expect(text).toContain('Rider Juma, 15:00')
    expect(text).toContain('https://rider.example/7')
  })

  it('is cancelled after a question that names the sum, which is given back at once', async () => {
    const number = await placed()
    const total = 'KSH 3434'
    const question = await achieng.get(`/orders/${number}/cancel`)
    const [, sum = ''] = /Cancel and give back (KSH [\d.]+)/.exec(question.text) ?? []
    expect(sum, total).toMatch(/^KSH \d+/)
    const { location } = await step(number, 'placed', 'cancelled')
    expect(await paymentsOf(number)).toMatchObject([{ state: 'settled', refundState: 'done' }])
    expect((await achieng.get(location ?? '')).text).toContain('Refunded')
    expect(await auditOf(number)).toEqual(['achieng@pamba.test order.cancel placed cancelled'])
  })

  it('has its refunded once, also when that fails the first time', async () => {
    let fails = true
    const broken = testContext({
      payments: testPayments({
        simulated: {
          refund: async () => (fails ? { outcome: 'failed', error: 'Out of reach.' } : { outcome: 'done' }),
        },
      }),
    })
    const visitor = await officeVisitor(officeContext({ runHousekeeping: () => runPayments(broken) }))
    const number = await placed()
    expect((await visitor.get(`/orders/${number}/refund`)).text).toMatch(/Give back KSH \d+\?/)
    const give = (seen: string) => visitor.post(`/orders/${number}/refund`, { seen })
    expect((await give('kept')).status).toBe(303)
    expect((await visitor.get(`/orders/${number}`)).text).toContain('It failed: Out of reach.')
    expect((await give('kept')).status).toBe(409)
    fails = false
    await give('due')
    expect(await paymentsOf(number)).toMatchObject([{ refundState: 'done' }])
    const again = await give('done')
    expect(again.status).toBe(409)
    expect(again.text).toContain('was given back already')
    expect(await auditOf(number)).toHaveLength(2)
  })

  it('is placed when its money came another way, by a receipt that counts once', async () => {
    const awaiting = () => placed({ payment: byMpesa() })
    const [number, other] = [await awaiting(), await awaiting()]
    expect(await statusOf(number)).toBe('awaiting_payment')
    const pay = (which: string, receipt: string) => achieng.post(`/orders/${which}/paid`, { receipt })
    expect((await pay(number, ' skl1a2b3c4 ')).location).toBe(`/orders/${number}?done=paid`)
    expect(await statusOf(number)).toBe('placed')
    expect((await pay(number, 'SKL9')).text).toContain('This order isn’t awaiting payment.')
    expect((await pay(other, 'SKL1A2B3C4')).text).toContain('recorded already')
    expect((await pay(other, '?')).text).toContain('Name the receipt')
    expect(await auditOf(number)).toEqual(['achieng@pamba.test order.paid awaiting_payment SKL1A2B3C4'])
  })

  it('has notes that name their author', async () => {
    const number = await placed()
    await barasa.post(`/orders/${number}/notes`, { note: 'Gate code 7, call first' })
    const { text } = await achieng.get(`/orders/${number}`)
    expect(text).toContain('Gate code 7, call first')
    expect(text).toContain('barasa@pamba.test')
    expect((await achieng.post(`/orders/${number}/notes`, { note: ' ' })).status).toBe(409)
  })

  it('has a packing slip, alone or with others, without the notes that shoppers never see', async () => {
    const [one, two] = [await placed(), await placed()]
    await barasa.post(`/orders/${one}/notes`, { note: 'Bargains a lot' })
    const { text } = await achieng.get(`/packing-slips?orders=${one}&orders=${two}&orders=P-NOWHERE`)
    expect(text.match(/class="slip"/g)).toHaveLength(2)
    expect(text).toContain('Print 2 pages')
    expect(text).not.toContain('Bargains a lot')
    expect((await achieng.get('/packing-slips?orders=P-NOWHERE')).status).toBe(404)
    expect((await achieng.get('/packing-slips?stage=pack')).status).toBe(200)
  })

  it('survives hostile texts in every field, and shows them as texts', async () => {
    const [number, noted] = [await placed(), await placed()]
    const fields = ['from', 'to', 'note', 'trackingAddress', 'stage']
    const pages = ['/?q=', '/?stage=', '/?after=', '/?changed=', '/orders/', '/packing-slips?orders=']
    const order = `/orders/${number}`
    const forms: [path: string, fields: (text: string) => Record<string, string>][] = [
      ...fields.map((field): (typeof forms)[number] => [
        `${order}/status`,
        (text) => ({ from: 'placed', to: 'shipped', [field]: text }),
      ]),
      [`${order}/paid`, (receipt) => ({ receipt })],
      [`${order}/refund`, (seen) => ({ seen })],
    ]
    // Each text in a note, which is shown, and in some of the other forms and addresses in turn.
    for (const text of HOSTILE_TEXTS) {
      const expectAnswer = ({ status }: { status: number }, what: string) =>
        expect([200, 303, 400, 404, 409], `${what} ${text.slice(0, 40)}`).toContain(status)
      expectAnswer(await achieng.post(`/orders/${noted}/notes`, { note: text }), 'note')
      for (const [path, fieldsWith] of nextShare(forms, 7))
        expectAnswer(await achieng.post(path, fieldsWith(text)), JSON.stringify([path, fieldsWith('…')]))
      for (const page of nextShare(pages))
        expectAnswer(await achieng.get(page + encodeURIComponent(text.toWellFormed())), page)
    }
    const { text } = await achieng.get(`/orders/${noted}`)
    expect(text).not.toMatch(/<script>|<img src=x|<svg onload/)
    expect(await statusOf(number)).toBe('placed')
  })
})
