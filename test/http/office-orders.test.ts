import { eq, inArray } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { cancelOrder } from '#server/orders/cancel-order.ts'
import { readOrderDetails } from '#server/orders/office-order.ts'
import { recordManualPayment } from '#server/orders/record-manual-payment.ts'
import { runScheduledPayments } from '#server/orders/scheduled-payments.ts'
import { STATUS_EMAIL_DELAY_MS } from '#server/orders/undo-window.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import { auditLog, orders, payments, refunds } from '#server/platform/db/schema.ts'
import { deliverAllDueEmails } from '#server/platform/email/outbox.ts'
import { formatMoney } from '#shared/format.ts'
import { MINUTE_MS } from '#shared/time.ts'
import { createAccount } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { createSpyDatabase } from '#test/support/database.ts'
import { HOSTILE_TEXTS, takeNextShare } from '#test/support/hostile.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import { billing, orderRequest, postOrder } from '#test/support/orders.ts'
import { createMpesaPayment, testPayments } from '#test/support/payments.ts'

const shopCtx = testContext()
const ctx = officeContext({ runHousekeeping: () => runScheduledPayments(shopCtx) })
const owner = await createOfficeClient(ctx, 'achieng@pamba.test')
const barasa = await createOfficeClient(ctx, 'barasa@pamba.test')

const placeOrder = async (overrides: Parameters<typeof orderRequest>[1] = {}, by = shopCtx) =>
  (await postOrder(by, await createAccount(by), orderRequest([{ id: 1, qty: 2 }], overrides))).body.order
    .number
const changeStatus = (number: string, from: string, to: string, who = owner) =>
  who.post(`/orders/${number}/status`, { from, to })
const readStatus = async (number: string) =>
  (await ctx.db.select().from(orders).where(eq(orders.number, number)).get())?.status
const selectPayments = (number: string) =>
  ctx.db
    .select({
      id: payments.id,
      amountCents: payments.amountCents,
      state: payments.state,
      refundId: refunds.id,
      refundState: refunds.state,
      refundedCents: refunds.amountCents,
    })
    .from(payments)
    .innerJoin(orders, eq(orders.id, payments.orderId))
    .leftJoin(refunds, eq(refunds.paymentId, payments.id))
    .where(eq(orders.number, number))
const readPaidCents = async (number: string) => (await selectPayments(number))[0]?.amountCents ?? 0
/** By default, refunds the whole payment. */
const postRefund = async (
  number: string,
  { who = owner, ...overrides }: { who?: typeof owner } & Record<string, unknown> = {},
) => {
  const cents = await readPaidCents(number)
  return who.post(`/orders/${number}/refund`, {
    amount: String(cents / 100),
    reason: 'other',
    seen: String(cents),
    ...overrides,
  })
}
const readAudit = async (number: string) =>
  (await ctx.db.select().from(auditLog).where(eq(auditLog.subject, number))).map(
    ({ actor, action, from, to }) => [actor, action, from, to].join(' '),
  )

const visitLater = (ms: number, who: string) => createOfficeClient({ ...ctx, clock: () => NOW_MS + ms }, who)

async function listTimeline(number: string, client = owner) {
  const { text } = await client.get(`/orders/${number}`)
  return [...text.matchAll(/<li><time[^>]*>([^<]*)<\/time>: (.*?)<\/li>/g)]
    .map(([, time, entry = '']) => `${time} ${entry.replaceAll(/<[^>]+>/g, ' ').trim()}`)
    .filter((entry) => !entry.includes('rder confirmation') && !entry.includes('notice'))
}

describe('an order in the office', () => {
  it('shows the address, the payment, the emails and how to reach the customer', async () => {
    const number = await placeOrder({ billing: { ...billing, phone: '0712 345 678' } })
    const { status, text } = await owner.get(`/orders/${number.toLowerCase()}`)
    expect(status).toBe(200)
    for (const part of [
      `<h1>${number}</h1>`,
      'Wanjiru Kamau',
      'href="tel:+254712345678"',
      'href="https://wa.me/254712345678?text=',
      'https://www.google.com/maps/search/?api=1&amp;query=Ngong%20Road%2012',
      'Visa ending in 4242',
      'Order confirmation waiting to be sent',
    ])
      expect(text.includes(part), part).toBe(true)
    expect((await owner.get('/orders/P-NOWHERE')).status).toBe(404)
  })

  it('shows the phone that the order was paid from, also on its slip, only if there is none for the rider', async () => {
    const showsPayer = async (phone: string) => {
      const number = await placeOrder({ billing: { ...billing, phone } })
      const order = ctx.db.select({ id: orders.id }).from(orders).where(eq(orders.number, number))
      await ctx.db.update(payments).set({ phone: '254711222333' }).where(inArray(payments.orderId, order))
      const page = (await owner.get(`/orders/${number}`)).text
      const slip = (await owner.get(`/packing-slips?orders=${number}`)).text
      return [
        page.includes('Paid from 0711 222 333'),
        page.includes('href="tel:+254711222333"'),
        slip.includes('Paid from 0711 222 333'),
      ]
    }
    expect(await showsPayer('')).toEqual([true, true, true])
    expect(await showsPayer('0712 345 678')).toEqual([false, false, false])
  })

  it('moves one status at a time, and back until the customer is emailed', async () => {
    const number = await placeOrder()
    expect((await changeStatus(number, 'placed', 'packed')).location).toBe(`/orders/${number}`)
    expect((await changeStatus(number, 'packed', 'placed')).status).toBe(303)
    await changeStatus(number, 'placed', 'packed')
    await deliverAllDueEmails(testContext({ clock: () => NOW_MS + STATUS_EMAIL_DELAY_MS }))
    const afterwards = (await owner.get(`/orders/${number}`)).text
    expect(afterwards).not.toContain('Undo packing')
    expect(afterwards).toMatch(/You can’t undo this step because we emailed the customer about it <time/)
    const refused = await changeStatus(number, 'packed', 'placed')
    expect(refused.status).toBe(409)
    expect(refused.text).toContain('You can’t undo this step because more than a minute has passed')
    await changeStatus(number, 'packed', 'shipped')
    await changeStatus(number, 'shipped', 'delivered')
    expect(await readStatus(number)).toBe('delivered')
    expect(await readAudit(number)).toEqual([
      'achieng@pamba.test order.status placed packed',
      'achieng@pamba.test order.status packed placed',
      'achieng@pamba.test order.status placed packed',
      'achieng@pamba.test order.status packed shipped',
      'achieng@pamba.test order.status shipped delivered',
    ])
  })

  it('shows how long a step can be undone, and has the note field above the button', async () => {
    const number = await placeOrder()
    await changeStatus(number, 'placed', 'packed')
    const { text } = await owner.get(`/orders/${number}`)
    expect(text).toMatch(/You can undo this until <time[^>]*>09:06:07<\/time>\. Then/)
    expect(text).toMatch(/name="note".*name="trackingUrl".*Mark as sent/s)
    expect(text).not.toContain('Mark as ready for pickup')
  })

  it('has one timeline, sorted by time, with each step once', async () => {
    const number = await placeOrder()
    await changeStatus(number, 'placed', 'packed', await visitLater(MINUTE_MS, 'barasa@pamba.test'))
    await (await visitLater(2 * MINUTE_MS, 'achieng@pamba.test')).post(`/orders/${number}/notes`, {
      note: 'Call first',
    })
    await changeStatus(number, 'packed', 'shipped', await visitLater(3 * MINUTE_MS, 'achieng@pamba.test'))
    expect(await listTimeline(number, await visitLater(4 * MINUTE_MS, 'achieng@pamba.test'))).toEqual([
      expect.stringMatching(/^Today, 09:05 Ordered by /),
      expect.stringMatching(/^Today, 09:05 Payment of KSH [\d,]+ received: Visa ending in 4242$/),
      'Today, 09:06 Packed barasa@pamba.test',
      'Today, 09:07 Note added: “Call first” achieng@pamba.test',
      'Today, 09:08 On its way achieng@pamba.test',
      'Today, 09:08 “On its way” email waiting to be sent',
    ])
  })

  it('lists an undone step and its undoing in the timeline, each with who did it', async () => {
    const number = await placeOrder()
    await changeStatus(number, 'placed', 'packed', await visitLater(MINUTE_MS, 'barasa@pamba.test'))
    await changeStatus(number, 'packed', 'shipped', await visitLater(2 * MINUTE_MS, 'barasa@pamba.test'))
    await changeStatus(number, 'shipped', 'packed', await visitLater(2.5 * MINUTE_MS, 'achieng@pamba.test'))
    expect((await listTimeline(number)).slice(2)).toEqual([
      'Today, 09:06 Packed barasa@pamba.test',
      expect.stringMatching(/^Today, 09:07 Status changed: Packed\s→\sOn its way barasa@/),
      expect.stringMatching(/^Today, 09:07 Status changed: On its way\s→\sPacked achieng@/),
      expect.stringContaining('“Packed” email'),
    ])
  })

  it('shows a refund and its manual completion once each, with who recorded them', async () => {
    let nowMs = NOW_MS
    const owner = await createOfficeClient({ ...ctx, clock: () => nowMs++ }, 'achieng@pamba.test')
    const number = await placeOrder()
    const leaves = String((await readOrderDetails(number, ctx))?.row.paidCents)
    await owner.post(`/orders/${number}/refund`, { amount: '700', reason: 'other', seen: leaves })
    const order = await readOrderDetails(number, ctx)
    const asked = await owner.get(`/orders/${number}/refunded?refund=${order?.refunds[0]?.id}`)
    expect(asked.text).toContain('Do this only once you’ve sent KSH 700 to Wanjiru Kamau yourself.')
    await owner.post(`/orders/${number}/refunded`, { refund: order?.refunds[0]?.id ?? '', seen: 'due' })
    const { text } = await owner.get(`/orders/${number}`)
    const timeline = text.slice(text.indexOf('Timeline'))
    expect(timeline.match(/refund/gi)).toHaveLength(3)
    expect(timeline).toMatch(/Refund of KSH 700 started: Other<span class="note">achieng@/)
    expect(timeline).toMatch(/Refund of KSH 700 complete<span class="note">achieng@/)
    const again = await owner.get(`/orders/${number}/refunded?refund=${order?.refunds[0]?.id}`)
    expect(again.status).toBe(404)
  })

  it('says that only the operator can refund cash, and doesn’t offer to retry it', async () => {
    const number = await placeOrder({ payment: createMpesaPayment() })
    const client = await createOfficeClient(
      officeContext({ runHousekeeping: () => runScheduledPayments(testContext()) }),
    )
    await client.post(`/orders/${number}/paid`, { type: 'cash', reference: '' })
    expect((await client.get(`/orders/${number}/refund`)).text).toContain(
      'You’ll need to make the refund yourself.',
    )
    await postRefund(number, { who: client })
    const { text } = await client.get(`/orders/${number}`)
    expect(text).toContain('Refund manually')
    expect(text).not.toContain('Retry refund')
  })

  it('changes status from the board, which offers to undo it', async () => {
    const number = await placeOrder()
    const { location } = await owner.post(`/orders/${number}/status`, {
      from: 'placed',
      to: 'packed',
      stage: 'pack',
    })
    expect(location).toBe(`/?stage=pack&changed=${number}`)
    expect((await owner.get(location ?? '')).text).toMatch(/is now “Packed”\..*Undo/)
  })

  it('rejects a change based on an outdated status and names who changed it', async () => {
    const number = await placeOrder()
    await changeStatus(number, 'placed', 'packed', barasa)
    const late = await changeStatus(number, 'placed', 'cancelled', owner)
    expect(late.status).toBe(409)
    expect(late.text).toMatch(
      /This order has changed since you opened it\. It’s now “Packed” \(barasa@pamba\.test, /,
    )
    expect(await readStatus(number)).toBe('packed')
    expect(await readAudit(number)).toHaveLength(1)
    const both = await Promise.all([
      changeStatus(number, 'packed', 'shipped'),
      changeStatus(number, 'packed', 'placed', barasa),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([303, 409])
    expect(await readAudit(number)).toHaveLength(2)
  })

  /** Calls `change` after the first round trip, so that the order changes between the read and the write. */
  const createClientWithRace = (change: () => Promise<unknown>) => {
    let trips = 0
    const db = createSpyDatabase(async (go) => {
      const answer = await go()
      if (++trips === 1) await change()
      return answer
    })
    return createOfficeClient({ ...ctx, db })
  }

  it('is not cancelled when someone packs it at the same moment', async () => {
    const number = await placeOrder()
    const slow = await createClientWithRace(() => changeStatus(number, 'placed', 'packed', barasa))
    const late = await changeStatus(number, 'placed', 'cancelled', slow)
    expect(late.status).toBe(409)
    expect(late.text).toMatch(/It’s now “Packed” \(barasa@pamba\.test, /)
    expect([await readStatus(number), (await readAudit(number)).length]).toEqual(['packed', 1])
  })

  it('keeps the note of a rejected change, even if the new status takes none', async () => {
    const number = await placeOrder()
    for (const [from, to] of [
      ['placed', 'packed'],
      ['packed', 'shipped'],
      ['shipped', 'delivered'],
    ] as const)
      await changeStatus(number, from, to, barasa)
    const late = await owner.post(`/orders/${number}/status`, {
      from: 'packed',
      to: 'shipped',
      note: 'Rider Juma',
    })
    expect(late.text).toContain('Your note was: “Rider Juma”')
  })

  it('is not packed when the shopper cancels it at the same moment', async () => {
    const number = await placeOrder()
    const slow = await createClientWithRace(async () => {
      const record = await readOrderDetails(number, ctx)
      if (record) await cancelOrder({ record, by: 'shopper' }, ctx)
    })
    const late = await changeStatus(number, 'placed', 'packed', slow)
    expect(late.status).toBe(409)
    expect(late.text).toMatch(/It’s now “Cancelled” \(\d/)
    expect([await readStatus(number), (await readAudit(number)).length]).toEqual(['cancelled', 0])
  })

  it('is refunded once when two people refund it at the same moment, and names the first', async () => {
    const number = await placeOrder()
    const slow = await createClientWithRace(() => postRefund(number, { who: barasa }))
    const late = await postRefund(number, { who: slow })
    expect(late.status).toBe(409)
    expect(late.text).toMatch(/Last change: Refund started \(barasa@pamba\.test, /)
    expect(await readAudit(number)).toHaveLength(1)
  })

  it('keeps the rider’s note and tracking link, and rejects an invalid link without losing what was typed', async () => {
    const number = await placeOrder()
    await changeStatus(number, 'placed', 'packed')
    const form = { from: 'packed', to: 'shipped', note: 'Rider Juma, 15:00' }
    const refused = await owner.post(`/orders/${number}/status`, {
      ...form,
      trackingUrl: 'javascript:x',
    })
    expect(refused.status).toBe(409)
    expect(refused.text).toContain('Tracking link must start with https://')
    const tooLong = { ...form, trackingUrl: `https://rider.example/${'7'.repeat(500)}` }
    expect((await owner.post(`/orders/${number}/status`, tooLong)).text).toContain(
      'Tracking link must be at most 500 characters',
    )
    expect(refused.text).toMatch(/<details open="">.*Rider Juma, 15:00.*value="javascript:x"/s)
    await owner.post(`/orders/${number}/status`, { ...form, trackingUrl: 'https://rider.example/7' })
    const { text } = await owner.get(`/orders/${number}`)
    expect(text).toContain('Rider Juma, 15:00')
    expect(text).toContain('https://rider.example/7')
  })

  it('is cancelled after a confirmation that names the refund, and refunded at once', async () => {
    const number = await placeOrder()
    const confirmation = (await owner.get(`/orders/${number}/cancel`)).text
    expect(confirmation).toMatch(/Cancel and refund KSH \d,\d{3}</)
    const [, seen = ''] = /name="seen" value="(\d+)"/.exec(confirmation) ?? []
    const cancel = { from: 'placed', to: 'cancelled', seen }
    const outdated = await owner.post(`/orders/${number}/status`, {
      ...cancel,
      seen: `${Number(seen) - 100}`,
    })
    expect([outdated.status, outdated.text.includes('Your change wasn’t saved')]).toEqual([409, true])
    const { location } = await owner.post(`/orders/${number}/status`, cancel)
    expect(await selectPayments(number)).toMatchObject([{ state: 'settled', refundState: 'done' }])
    const refund = `Refund of ${formatMoney(Number(seen))} complete.`
    expect((await owner.get(location ?? '')).text).toContain(`Order cancelled. ${refund}`)
    const again = await owner.get(`/orders/${number}/cancel`)
    expect([again.status, again.text.includes('It’s “Cancelled”.')]).toEqual([404, true])
    expect(await readAudit(number)).toEqual(['achieng@pamba.test order.cancel placed cancelled'])
  })

  it('is refunded once, even if the first attempt fails', async () => {
    let fails = true
    const broken = testContext({
      payments: testPayments({
        simulated: {
          refund: async () => (fails ? { outcome: 'failed', error: 'Out of reach.' } : { outcome: 'done' }),
        },
      }),
    })
    const client = await createOfficeClient(
      officeContext({ runHousekeeping: () => runScheduledPayments(broken) }),
    )
    const number = await placeOrder()
    expect((await client.get(`/orders/${number}/refund`)).text).toMatch(/refund up to KSH \d,\d{3} to/)
    const started = await postRefund(number, { who: client })
    expect(started.status).toBe(303)
    const { text } = await client.get(started.location ?? '')
    expect(text).toContain('Out of reach.')
    expect(text).toMatch(/Refund of KSH \d,\d{3} started\./)
    expect((await postRefund(number, { who: client })).status).toBe(409)
    fails = false
    const { refundId = '' } = (await selectPayments(number))[0] ?? {}
    const retryRefund = (seen: string) =>
      client.post(`/orders/${number}/refund/retry`, { refund: refundId ?? '', seen })
    await retryRefund('due')
    expect(await selectPayments(number)).toMatchObject([{ refundState: 'done' }])
    const again = await retryRefund('done')
    expect(again.status).toBe(409)
    expect(again.text).toContain('already been refunded')
    expect(await readAudit(number)).toHaveLength(2)
  })

  it('reports a refund as complete once it has settled', async () => {
    const number = await placeOrder()
    const { location = '' } = await postRefund(number)
    const { text } = await owner.get(location ?? '')
    expect(text).toMatch(/Refund of KSH \d,\d{3} complete\./)
  })

  it('leaves “To pack” once it is refunded, and is packed only after a confirmation', async () => {
    const number = await placeOrder()
    await postRefund(number)
    expect((await owner.get('/?stage=pack')).text).not.toContain(number)
    expect((await owner.get('/?stage=done')).text).toMatch(
      new RegExp(`${number}.*Placed</span><span class="mark mark--due">Refunded`),
    )
    expect((await owner.get(`/?q=${number}`)).text).toContain('<span class="mark mark--due">Refunded')
    expect((await owner.get(`/packing-slips?orders=${number}`)).text).toContain('Refunded')
    const asked = await changeStatus(number, 'placed', 'packed')
    expect([asked.status, await readStatus(number)]).toEqual([409, 'placed'])
    expect(asked.text).toMatch(/KSH \d,\d{3} of this order has been refunded\./)
    const confirmed = { from: 'placed', to: 'packed', confirmed: 'yes' }
    expect((await owner.post(`/orders/${number}/status`, confirmed)).status).toBe(303)
    expect(await readStatus(number)).toBe('packed')
  })

  it('is not packed when it is refunded at the same moment', async () => {
    const number = await placeOrder()
    const slow = await createClientWithRace(() => postRefund(number, { who: barasa }))
    expect((await changeStatus(number, 'placed', 'packed', slow)).status).toBe(409)
    expect(await readStatus(number)).toBe('placed')
  })

  it('is placed when a manual payment is recorded, with a reference that works only once', async () => {
    const placeUnpaidOrder = () => placeOrder({ payment: createMpesaPayment() })
    const [number, other] = [await placeUnpaidOrder(), await placeUnpaidOrder()]
    expect(await readStatus(number)).toBe('awaiting_payment')
    const pay = (which: string, reference: string) =>
      owner.post(`/orders/${which}/paid`, { type: 'till', reference })
    expect((await pay(number, ' skl1a2b3c4 ')).location).toBe(`/orders/${number}?done=paid`)
    expect(await readStatus(number)).toBe('placed')
    expect((await owner.get(`/orders/${number}?done=paid`)).text).toMatch(
      /Payment recorded: KSH \d,\d{3}, M-Pesa till or paybill, reference SKL1A2B3C4\./,
    )
    expect((await pay(number, 'SKL9')).text).toContain('This order isn’t awaiting payment.')
    expect((await pay(other, 'SKL1A2B3C4')).text).toContain('already recorded')
    const refused = await pay(other, 'not a receipt')
    expect(refused.text).toContain('Reference must be 3 to 40')
    expect(refused.text).toMatch(/name="reference"[^>]*value="not a receipt"/)
    expect(refused.text).toMatch(/<input type="radio" name="type" checked="" value="till"\/>/)
    const { text } = await owner.get(`/orders/${number}`)
    expect(text).toMatch(
      /Payment of KSH \d,\d{3} received: M-Pesa till or paybill, reference SKL1A2B3C4<span class="note">achieng@/,
    )
    expect(text).toContain('M-Pesa till or paybill, reference SKL1A2B3C4')
  })

  it('says only once that it isn’t paid', async () => {
    const number = await placeOrder({ payment: createMpesaPayment() })
    for (const path of [`/orders/${number}`, `/?q=${number}`]) {
      const { text } = await owner.get(path)
      expect(text.match(/<span class="mark[^>]*>Not paid/g), path).toHaveLength(1)
    }
  })

  it('is placed when cash is recorded, without a reference', async () => {
    for (let times = 0; times < 2; times++) {
      const number = await placeOrder({ payment: createMpesaPayment() })
      await owner.post(`/orders/${number}/paid`, { type: 'cash', reference: ' ' })
      expect(await readStatus(number)).toBe('placed')
    }
  })

  it('has one payment when the operator records cash twice before it is settled', async () => {
    const number = await placeOrder({ payment: createMpesaPayment() })
    const recordCash = () =>
      recordManualPayment({ number, type: 'cash', reference: '', actor: COMMAND_LINE_ACTOR }, ctx)
    expect([(await recordCash()).ok, await recordCash()]).toMatchObject([
      true,
      { ok: false, error: { message: expect.stringContaining('A payment is already recorded') } },
    ])
    await runScheduledPayments(shopCtx)
    const { text } = await owner.get(`/orders/${number}`)
    expect(text).not.toContain('Refund manually')
    expect(await readStatus(number)).toBe('placed')
  })

  it('records no payment if the amount due has changed since the page was opened', async () => {
    const number = await placeOrder()
    const [paidCents = 0] = (await selectPayments(number)).map(({ amountCents }) => amountCents)
    const setTotal = (totalCents: number) =>
      ctx.db.update(orders).set({ totalCents }).where(eq(orders.number, number))
    await setTotal(paidCents + 500_00)
    const { text } = await owner.get(`/orders/${number}`)
    const [, seen = ''] = /name="seen" value="(\d+)"\/><button[^>]*>Mark KSH 500 as paid/.exec(text) ?? []
    await setTotal(paidCents + 700_00)
    const outdated = await owner.post(`/orders/${number}/paid`, { type: 'cash', reference: '', seen })
    expect([outdated.status, await selectPayments(number)]).toMatchObject([409, { length: 1 }])
    expect(outdated.text).toContain('KSH 700 is due for this order now. Nothing was recorded.')
    await setTotal(paidCents + 500_00)
    const recorded = await owner.post(`/orders/${number}/paid`, { type: 'cash', reference: '', seen })
    expect(recorded.location).toBe(`/orders/${number}?done=paid`)
    expect((await selectPayments(number)).map(({ amountCents }) => amountCents)).toContain(500_00)
  })

  it('shows each note with its author, and takes no empty one', async () => {
    const number = await placeOrder()
    await barasa.post(`/orders/${number}/notes`, { note: 'Gate code 7, call first' })
    const { text } = await owner.get(`/orders/${number}`)
    expect(text).toContain('Gate code 7, call first')
    expect(text).toContain('barasa@pamba.test')
    expect((await owner.post(`/orders/${number}/notes`, { note: ' ' })).status).toBe(409)
  })

  it('has a packing slip without internal notes, which can be printed with others', async () => {
    const [first, second] = [await placeOrder(), await placeOrder()]
    await barasa.post(`/orders/${first}/notes`, { note: 'Bargains a lot' })
    const { text } = await owner.get(`/packing-slips?orders=${first}&orders=${second}&orders=P-NOWHERE`)
    expect(text.match(/class="slip"/g)).toHaveLength(2)
    expect(text).toContain('Print 2 slips')
    expect(text).not.toContain('Bargains a lot')
    expect((await owner.get('/packing-slips?orders=P-NOWHERE')).status).toBe(404)
    expect((await owner.get('/packing-slips?stage=pack')).status).toBe(200)
  })

  it.each([
    ['0722 111 222', '0722 111'],
    ['+254 733-000-111', '0733 0'],
    ['0744000111', '+254 744'],
    ['0755 (000) 111', '254755000111'],
    ['0766000111', '00254 766'],
  ])('is found by a phone number in any format: %s by “%s”', async (phone, query) => {
    const number = await placeOrder({ billing: { ...billing, phone } })
    expect((await owner.get(`/?q=${encodeURIComponent(query)}`)).text).toContain(number)
  })

  it('is found by its email address, even in part and in another case', async () => {
    const number = await placeOrder({ billing: { ...billing, email: 'Nafula.W@Example.com' } })
    for (const query of ['nafula.w@example.com', 'NAFULA', 'nafula.w@'])
      expect((await owner.get(`/?q=${encodeURIComponent(query)}`)).text, query).toContain(number)
  })

  it('escapes hostile notes, and never fails on hostile texts in forms and addresses', async () => {
    const [number, noted] = [await placeOrder(), await placeOrder()]
    const fields = ['from', 'to', 'note', 'trackingUrl', 'stage']
    const pages = ['/?q=', '/?stage=', '/?after=', '/?changed=', '/orders/', '/packing-slips?orders=']
    const order = `/orders/${number}`
    const forms: [path: string, fields: (text: string) => Record<string, string>][] = [
      ...fields.map((field): (typeof forms)[number] => [
        `${order}/status`,
        (text) => ({ from: 'placed', to: 'shipped', [field]: text }),
      ]),
      [`${order}/paid`, (reference) => ({ type: 'till', reference })],
      [`${order}/refund`, (amount) => ({ amount, reason: 'other', seen: '1' })],
      [`${order}/refunded`, (seen) => ({ refund: seen, seen })],
    ]
    // Each text is posted in a note, in some of the other forms, and in some of the URLs.
    for (const text of HOSTILE_TEXTS) {
      const expectAnswer = ({ status }: { status: number }, label: string) =>
        expect([200, 303, 400, 404, 409], `${label} ${text.slice(0, 40)}`).toContain(status)
      expectAnswer(await owner.post(`/orders/${noted}/notes`, { note: text }), 'note')
      for (const [path, fieldsWith] of takeNextShare(forms, 8))
        expectAnswer(await owner.post(path, fieldsWith(text)), JSON.stringify([path, fieldsWith('…')]))
      for (const page of takeNextShare(pages))
        expectAnswer(await owner.get(page + encodeURIComponent(text.toWellFormed())), page)
    }
    const { text } = await owner.get(`/orders/${noted}`)
    expect(text).not.toMatch(/<script>|<img src=x|<svg onload/)
    expect(await readStatus(number)).toBe('placed')
  })
})
