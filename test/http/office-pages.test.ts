import { desc, eq, getTableColumns } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { PERMISSIONS } from '#office/platform/permissions.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import {
  auditLog,
  contactMessages,
  orders,
  outbox,
  payments,
  promotions,
  salesDays,
  stock,
} from '#server/platform/db/schema.ts'
import { DAY_MS, listShopDaysUntil } from '#shared/time.ts'
import { createAccount } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { createSpyDatabase } from '#test/support/database.ts'
import { HOSTILE_TEXTS } from '#test/support/hostile.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import { orderRequest, postOrder } from '#test/support/orders.ts'
import { createMpesaPayment, insertRefund } from '#test/support/payments.ts'
import items from '../../public/Items.json'

const ctx = officeContext({
  shop: { fetch: async () => Response.json(items) },
})
const client = await createOfficeClient(ctx)
const readLatestAuditEntries = async (rows = 1) =>
  (await ctx.db.select().from(auditLog).orderBy(desc(auditLog.atMs)).limit(100))
    .slice(-rows)
    .map(({ actor, action, subject, from, to }) => [actor, action, subject, from, to])

describe('promotions in the office', () => {
  it('are created, listed with their uses, and ended', async () => {
    const form = {
      code: 'jamhuri',
      kind: 'percent',
      value: '15',
      minimum: '1500',
      uses: '40',
      until: '2026-12-12',
      once: 'yes',
    }
    expect((await client.post('/promotions', form)).location).toBe('/promotions?made=JAMHURI')
    const row = await ctx.db.select().from(promotions).where(eq(promotions.code, 'JAMHURI')).get()
    expect(row).toMatchObject({ value: 15, minimumSubtotalCents: 150_000, maxUses: 40 })
    const { text } = await client.get('/promotions')
    expect(text).toMatch(
      /JAMHURI<\/strong> 15% off a subtotal of KSH 1,500 or more.*Active.*0 of 40 uses, once per account, last day .*12 December</,
    )
    expect((await client.post('/promotions', form)).text).toContain('The code JAMHURI already exists.')
    expect(text).toContain('href="/promotions/end?code=JAMHURI"')
    const confirmation = (await client.get('/promotions/end?code=JAMHURI')).text
    expect(confirmation).toContain('End promo code JAMHURI?')
    expect(confirmation).toContain('Customers will no longer get 15% off with it. This can’t be undone.')
    expect(confirmation).toMatch(
      /action="\/promotions\/end" method="post"><input type="hidden" name="code" value="JAMHURI"/,
    )
    await client.post('/promotions/end', { code: 'JAMHURI' })
    expect((await client.get('/promotions/end?code=JAMHURI')).text).toContain('has already ended')
    expect((await client.get('/promotions/end?code=NOPE')).status).toBe(404)
    expect((await client.get('/promotions')).text).toMatch(/JAMHURI.*Ended/)
    expect((await client.post('/promotions/end', { code: 'JAMHURI' })).status).toBe(409)
    const entries = await ctx.db.select().from(auditLog).where(eq(auditLog.subject, 'JAMHURI'))
    expect(entries.map(({ action, to }) => [action, to])).toEqual([
      ['promotion.create', '15%'],
      ['promotion.end', null],
    ])
  })

  it('say which items an amount without a minimum makes free', async () => {
    const create = async (form: Record<string, string>) => {
      const { location } = await client.post('/promotions', { kind: 'fixed', value: '2000', ...form })
      return (await client.get(location ?? '')).text
    }
    const isFree = 'With it, items up to KSH 2,000 cost nothing.'
    expect(await create({ code: 'ATIENO' })).toContain(`Promo code ATIENO created. ${isFree}`)
    expect(await create({ code: 'ATIENO2', minimum: '2001' })).not.toContain(isFree)
  })

  it('say when a scheduled code starts', async () => {
    const form = { code: 'NJERI20', kind: 'percent', value: '20', from: '2026-12-01', until: '2026-12-31' }
    const { location } = await client.post('/promotions', form)
    const { text } = await client.get(location ?? '')
    expect(text).toContain('Promo code NJERI20 created. Customers can use it from 1 December.')
    expect(text).toMatch(/NJERI20.*Scheduled.*starts .*1 December<.*last day .*31 December</)
  })

  it.each([
    [{ code: 'x' }, 'Code must be 3 to 40'],
    [{ value: '101' }, 'from 1% to 100%'],
    [{ value: '' }, 'from 1% to 100%'],
    [{ minimum: 'lots' }, 'Minimum subtotal must be an amount in KSH'],
    [{ kind: 'fixed', value: '0' }, 'Discount must be more than KSH 0.'],
    [{ uses: '0' }, 'Maximum uses must be a whole number'],
    [{ until: '2026-11-20' }, 'The last day can’t be'],
    [{ from: '2026-02-30' }, 'First day must be a valid date.'],
  ])('are rejected with a message, and the form keeps what was typed: %j', async (wrong, sentence) => {
    const { status, text } = await client.post('/promotions', {
      code: 'GOOD',
      kind: 'percent',
      value: '10',
      ...wrong,
    })
    expect(status).toBe(409)
    expect(text).toContain(sentence)
    const typed = { code: 'GOOD', value: '10', ...wrong, kind: undefined }
    for (const [name, value] of Object.entries(typed))
      if (value) expect(text).toMatch(new RegExp(`name="${name}"[^>]*value="${value}"`))
    if ('kind' in wrong) expect(text).toMatch(/value="fixed" selected/)
  })
})

describe('messages in the office', () => {
  it('are counted until they are read, and quoted in the reply', async () => {
    const id = 'message-1'
    await ctx.db.insert(contactMessages).values({
      id,
      name: 'Otieno',
      email: 'otieno@shop.test',
      message: 'Habari\nDo you ship?',
      createdAtMs: NOW_MS,
    })
    const { text } = await client.get('/messages')
    expect(text).toMatch(/Messages<span class="badge">1</)
    expect(text).toContain(
      `mailto:otieno%40shop.test?subject=Your%20message%20to%20Pamba&amp;body=Hello%20Otieno`,
    )
    expect(text).toContain(encodeURIComponent('\r\n> Habari\r\n> Do you ship?'))
    await client.post('/messages', { id, as: 'answered' })
    const after = (await client.get('/messages')).text
    expect(after).toContain(', answered <time')
    expect(after).not.toContain('class="badge"')
    expect((await client.post('/messages', { id: 'nowhere', as: 'read' })).status).toBe(404)
  })

  it('of the same time are all shown, on two pages', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `Amina ${index + 10}`)
    const sent = {
      email: 'amina@shop.test',
      message: 'Habari ya leo',
      createdAtMs: NOW_MS + 1,
      readAtMs: NOW_MS,
    }
    const rows = names.map((name) => ({ id: `page-${name.slice(-2)}`, name, ...sent }))
    await ctx.db.batch([
      ctx.db.delete(contactMessages),
      ...rows.map((row) => ctx.db.insert(contactMessages).values(row)),
    ])
    const first = (await client.get('/messages')).text
    const rest = (await client.get(/\/messages\?before=[^"]+/.exec(first)?.[0] ?? '')).text
    const shown = [first, rest].map((text) => text.match(/(?<=<h2>)Amina \d+/g) ?? [])
    expect(shown.map(({ length }) => length)).toEqual([20, 5])
    expect(shown.flat()).toEqual(names.toReversed())
  })
})

describe('stuck emails in the office', () => {
  it('show why they failed, and are resent unless their text was deleted', async () => {
    const email = (id: string, text: string) => ({
      id,
      kind: 'order-confirmation' as const,
      subjectId: id,
      recipient: `${id}@shop.test`,
      subject: `About ${id}`,
      text,
      html: text,
      status: 'failed' as const,
      attempts: 10,
      lastError: 'E_NO_MAILBOX',
      nextAttemptAtMs: NOW_MS,
      createdAtMs: NOW_MS,
    })
    await ctx.db.insert(outbox).values([email('lost', 'Asante'), email('secret', '')])
    expect((await client.get('/emails')).text).toMatch(
      /About lost.*Not sent.*10 attempts\. Last error: E_NO_MAILBOX/,
    )
    expect((await client.get('/more')).text).toMatch(/Stuck emails <span class="badge">2</)
    expect((await client.post('/emails', { id: 'lost' })).status).toBe(303)
    expect(await ctx.db.select().from(outbox).where(eq(outbox.id, 'lost')).get()).toMatchObject({
      status: 'pending',
      attempts: 0,
    })
    expect(ctx.housekeepingRuns()).toBe(1)
    expect((await client.post('/emails', { id: 'secret' })).text).toContain('we deleted it')
    expect((await client.post('/emails', { id: 'nowhere' })).status).toBe(404)
  })
})

describe('figures in the office', () => {
  it('compare a period with the previous one', async () => {
    const order = async (agoMs: number, status: 'placed' | 'cancelled' = 'placed') => {
      const by = testContext({ clock: () => NOW_MS - agoMs })
      const { number } = (await postOrder(by, await createAccount(by), orderRequest([{ id: 1, qty: 1 }])))
        .body.order
      await ctx.db.update(orders).set({ status }).where(eq(orders.number, number))
      return number
    }
    await order(0)
    await order(60_000)
    await order(DAY_MS)
    await order(0, 'cancelled')
    await order(40 * DAY_MS)
    await ctx.db.insert(stock).values({ itemId: 1, onHand: 2 })
    const { text } = await client.get('/figures')
    expect(text).toMatch(
      /Orders<\/dt><dd><strong>2<\/strong><span class="note">100% more than yesterday \(1\)/,
    )
    expect((await client.get('/figures?period=yesterday')).text).toMatch(/Orders<\/dt><dd><strong>1</)
    expect((await client.get('/figures?period=month')).text).toMatch(
      /<strong>3<\/strong>.*200% more than the 30 days before/,
    )
    expect(text).toMatch(/Best sellers.*<strong>2 ×<\/strong> Organic Cotton Snap Romper/)
    expect(text).toMatch(/Low stock.*2 left:<\/strong> Organic Cotton Snap Romper/)
    expect(text).toMatch(
      /<svg class="chart" [^>]*role="img" aria-label="Revenue after refunds per day. The best day was 2\d November with KSH/,
    )
  })

  it('call a change of less than half a percent about the same', async () => {
    await ctx.db.delete(salesDays)
    const [yesterday, today] = listShopDaysUntil(NOW_MS, 2).map(({ name }) => name)
    await ctx.db.insert(salesDays).values({ day: yesterday ?? '', orders: 400 })
    await ctx.db.insert(salesDays).values({ day: today ?? '', orders: 401 })
    expect((await client.get('/figures')).text).toContain('About the same as yesterday (400)')
  })

  it('open even with an unknown period', async () => {
    await ctx.db.delete(stock)
    expect((await client.get('/figures?period=nonsense')).status).toBe(200)
  })
})

describe('payments in the office', () => {
  it('are listed by day, and while they need attention', async () => {
    const { number } = (await postOrder(testContext(), await createAccount(testContext()), orderRequest()))
      .body.order
    const { text } = await client.get('/payments?day=2026-11-21')
    expect(text).toMatch(/<h2>21 November: \d+ payments?, KSH /)
    expect(text).toContain(number)
    expect((await client.get('/payments')).text).not.toContain(number)
    const payment = await ctx.db
      .select(getTableColumns(payments))
      .from(payments)
      .innerJoin(orders, eq(orders.id, payments.orderId))
      .where(eq(orders.number, number))
      .get()
    await insertRefund(payment, { state: 'by_hand', error: 'No operator.' }, ctx)
    expect((await client.get('/payments')).text).toMatch(
      new RegExp(`${number}.*Refund manually.*No operator\\.`),
    )
  })
})

describe('a day with more payments than are listed', () => {
  it('says that its total is for the first ones', async () => {
    const payment = await ctx.db.select(getTableColumns(payments)).from(payments).limit(1).get()
    if (!payment) throw new Error('No order was paid.')
    const endedAtMs = NOW_MS - 20 * DAY_MS
    const unique = { reference: null, receipt: null, callbackHash: null }
    const paid = { ...payment, ...unique, state: 'settled', amountCents: 100_00 } as const
    for (let nth = 1; nth <= 201; nth++)
      await ctx.db.insert(payments).values({ ...paid, id: `payment-${nth}`, attempt: 100 + nth, endedAtMs })
    const { text } = await client.get('/payments?day=2026-11-01')
    expect(text).toContain('<h2>1 November: the first 200 payments, KSH 20,000</h2>')
    await ctx.db.delete(payments).where(eq(payments.endedAtMs, endedAtMs))
  })
})

describe('stock in the office', () => {
  it('is listed lowest first, edited in place and audited', async () => {
    await client.post('/stock', { item: '1', seen: '', units: '40' })
    await client.post('/stock', { item: '2', seen: '', units: '2' })
    const { text } = await client.get('/stock')
    expect(text.indexOf('value="2"')).toBeLessThan(text.indexOf('value="40"'))
    expect(text).toContain('2 left')
    await client.post('/stock', { item: '2', seen: '2', units: '' })
    expect(await ctx.db.select().from(stock)).toMatchObject([{ itemId: 1, onHand: 40 }])
    const entries = await ctx.db.select().from(auditLog).where(eq(auditLog.action, 'stock.count'))
    expect(entries.map(({ from, to }) => [from, to])).toEqual([
      ['made to order', '40'],
      ['made to order', '2'],
      ['2', 'made to order'],
    ])
    for (const form of [
      { item: '1', seen: '40', units: '-1' },
      { item: '1', seen: '40', units: '1.5' },
      { item: '999999', seen: '', units: '1' },
    ])
      expect((await client.post('/stock', form)).status).toBe(409)
    expect((await client.post('/stock', { item: 'x', seen: '', units: '1' })).status).toBe(400)
  })
})

describe('a stock count', () => {
  const readCount = async (itemId: number) =>
    (await ctx.db.select().from(stock).where(eq(stock.itemId, itemId))).at(0)?.onHand
  const countAuditEntries = async (itemId: number) =>
    (
      await ctx.db
        .select()
        .from(auditLog)
        .where(eq(auditLog.subject, String(itemId)))
    ).length

  it('is rejected when stock was sold after the page was opened', async () => {
    await ctx.db.insert(stock).values({ itemId: 5, onHand: 8 })
    const late = await client.post('/stock', { item: '5', seen: '9', units: '12' })
    expect(late.status).toBe(409)
    expect(late.text).toContain('The stock changed while you were editing: it’s 8 now.')
    expect(late.text).toMatch(/name="seen" value="8".*?name="units"[^>]*value="12"/)
    const mistyped = await client.post('/stock?q=5', { item: '5', seen: '8', units: '1 dozen' })
    expect(mistyped.text).toMatch(/name="q"[^>]*value="5".*name="units"[^>]*value="1 dozen"/s)
    for (const units of ['12', '']) {
      let trips = 0
      const db = createSpyDatabase(async (go) => {
        const answer = await go()
        if (++trips === 1) await ctx.db.update(stock).set({ onHand: 7 }).where(eq(stock.itemId, 5))
        return answer
      })
      const slow = await createOfficeClient({ ...ctx, db })
      expect((await slow.post('/stock', { item: '5', seen: '8', units })).text).toContain('it’s 7 now')
      await ctx.db.update(stock).set({ onHand: 8 }).where(eq(stock.itemId, 5))
    }
    expect([await readCount(5), await countAuditEntries(5)]).toEqual([8, 0])
  })

  it('can’t go below what unpaid orders reserve', async () => {
    await ctx.db.insert(stock).values({ itemId: 6, onHand: 5 })
    const shopCtx = testContext()
    await postOrder(
      shopCtx,
      await createAccount(shopCtx),
      orderRequest([{ id: 6, qty: 2 }], { payment: createMpesaPayment() }),
    )
    const refused = await client.post('/stock', { item: '6', seen: '5', units: '1' })
    const sentence = 'npaid orders or exchanges have reserved 2. Please enter at least 2.'
    expect(refused.text).toContain(`U${sentence}`)
    const { text } = await client.get('/catalogue/products/6')
    const saved = await client.post('/catalogue/products/6', {
      seen: /name="seen" value="(\d+)"/.exec(text)?.[1] ?? '',
      title: 'Blanket',
      price: '3200',
      category: 'Nursery',
      state: 'active',
      'units-own': '1',
      'seen-units-own': '5',
    })
    expect(saved.text).toContain(`We didn’t update the stock of Blanket: u${sentence}`)
    expect([await readCount(6), await countAuditEntries(6)]).toEqual([5, 0])
    expect((await client.post('/stock', { item: '6', seen: '5', units: '2' })).status).toBe(303)
    expect([await readCount(6), await countAuditEntries(6)]).toEqual([2, 1])
  })
})

describe('the audit log', () => {
  it('can be filtered by subject or by day', async () => {
    const { text } = await client.get('/audit?subject=jamhuri')
    expect(text).toContain('Promo code created')
    expect(text).not.toContain('Stock counted')
    expect((await client.get('/audit?day=2026-11-21')).text).toContain(
      'Stock counted</strong> Organic Cotton Snap Romper, 0–3 months: made to order\u00a0→ 40',
    )
    expect((await client.get('/audit?day=2026-11-20')).text).toContain('No actions match.')
    expect((await readLatestAuditEntries()).flat()).toContain('achieng@pamba.test')
  })

  it('shows the rest of many entries of the same time on the next page', async () => {
    await ctx.db.delete(auditLog)
    const actor = { email: 'achieng@pamba.test', role: 'owner' } as const
    const subjects = Array.from({ length: 60 }, (_, index) => `P-R${String(index).padStart(5, '0')}`)
    const audit = subjects.map((subject) => ({ actor, action: 'order.release', subject }) as const)
    await commitAudited({ statements: [ctx.db.select().from(auditLog).limit(1)], audit }, ctx)
    const first = (await client.get('/audit')).text
    const path = /href="(\/audit\?[^"]+before=[^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const rest = (await client.get(path)).text
    const shown = [first, rest].map((text) => text.match(/(?<=orders\/)P-R\d+/g) ?? [])
    expect(shown.map(({ length }) => length)).toEqual([50, 10])
    expect(shown.flat()).toEqual(subjects.toReversed())
  })

  it('says “No actions yet.” while it is empty', async () => {
    await ctx.db.delete(auditLog)
    expect((await client.get('/audit')).text).toContain('No actions yet.')
  })
})

it('the office redirects /favicon.ico to the SVG icon', async () => {
  expect(await client.get('/favicon.ico')).toMatchObject({ status: 301, location: '/favicon.svg' })
})

it('the office’s pages escape hostile texts in their forms and addresses', async () => {
  const forms: [path: string, good: Record<string, string>][] = [
    ['/promotions', { code: 'FINE', kind: 'percent', value: '1000' }],
    ['/promotions/end', { code: 'FINE' }],
    ['/messages', { id: 'x', as: 'read' }],
    ['/emails', { id: 'x' }],
    ['/stock', { item: '1', seen: '', units: 'x' }],
  ]
  const urls = [
    '/audit?subject=',
    '/audit?day=',
    '/payments?day=',
    '/figures?period=',
    '/messages?before=',
    '/stock?q=',
  ]
  for (const [index, text] of HOSTILE_TEXTS.entries()) {
    const [path, good] = forms[index % forms.length] ?? ['/emails', {}]
    for (const field of Object.keys(good)) {
      const { status } = await client.post(path, { ...good, [field]: text })
      expect([303, 400, 404, 409], `${path} ${field} ${text.slice(0, 30)}`).toContain(status)
    }
    const url = urls[index % urls.length] + encodeURIComponent(text.toWellFormed())
    const answer = await client.get(url)
    expect(answer.status, url.slice(0, 60)).toBe(200)
    expect(answer.text).not.toMatch(/<script>|<img src=x|<svg onload/)
  }
})

describe('the office’s page for sharing products', () => {
  it('finds products, marks sold-out ones and creates links to a product and to a cart', async () => {
    await ctx.db
      .insert(stock)
      .values({ itemId: 5, onHand: 0 })
      .onConflictDoUpdate({ target: stock.itemId, set: { onHand: 0, reserved: 0 } })
    const searchPage = await client.get('/share?q=stacking')
    expect(searchPage.text).toMatch(/Jacaranda Wood Stacking Rings.*: sold out/s)
    expect(searchPage.text).not.toContain('name="add" value="5"')
    const picked = await client.get('/share?q=&qty-1=1&qty-6=0&qty-x=1&add=1')
    expect(picked.text).toContain('value="https://pamba.test/buy/1:2"')
    expect(picked.text).toContain('value="https://pamba.test/product/1"')
    expect(picked.text).toContain('href="https://wa.me/?text=2%20%C3%97%20Organic')
    const invalid = await client.get('/share?qty-1=1.5&qty-6=2')
    expect(invalid.text).toContain('Please enter quantities as whole numbers from 0 to 99.')
    expect(invalid.text).toMatch(/name="qty-1"[^>]*value="1.5"/)
    expect(invalid.text).not.toContain('/buy/')
    expect((await client.get('/catalogue/products/1')).text).toContain('href="/share?qty-1=1"')
    for (const text of HOSTILE_TEXTS.slice(0, 40)) {
      const query = new URLSearchParams({
        q: text.toWellFormed(),
        add: text.toWellFormed(),
        'qty-1': text.toWellFormed(),
      })
      expect((await client.get(`/share?${query}`)).status).toBe(200)
    }
  })
})

it('pages show no notice for a query that names a property of every object', async () => {
  const paths = Object.keys(PERMISSIONS).filter((key) => /^GET [^:*.]+$/.test(key))
  expect(paths.length).toBeGreaterThan(30)
  for (const key of paths)
    for (const done of ['__proto__', 'constructor']) {
      const { status, text } = await client.get(`${key.slice('GET '.length)}?done=${done}`)
      expect(status, key).toBeLessThan(500)
      expect(text, key).not.toContain('native code')
    }
})
