import { eq, inArray } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { publishCatalogue } from '#server/catalogue/catalogue-versions.ts'
import { runHousekeeping } from '#server/housekeeping.ts'
import { createOrderKey } from '#server/platform/auth/signed-link.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import {
  auditLog,
  catalogueVersions,
  orderLines,
  orders,
  outbox,
  payments,
  stock,
  users,
} from '#server/platform/db/schema.ts'
import { HOUR_MS } from '#shared/time.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { HOSTILE_TEXTS, takeNextShare } from '#test/support/hostile.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import {
  calculateCheckoutTotalKsh,
  countUses,
  createPromotion,
  tenPercentDiscount,
} from '#test/support/orders.ts'
import { setStock } from '#test/support/stock.ts'
import items from '../../public/Items.json'

let phones = 0
const newPhone = () => `0711 ${String(100_000 + ++phones).replace(/(...)$/, ' $1')}`
const newContext = () => officeContext({ shop: { fetch: async () => Response.json(items) } })
const newKey = () => crypto.randomUUID().replaceAll('-', '')

const createForm = (overrides: Record<string, string> = {}) => ({
  key: newKey(),
  q: '',
  'qty-1': '2',
  total: String(calculateCheckoutTotalKsh([{ id: 1, qty: 2 }])),
  firstName: 'Njeri',
  lastName: '',
  phone: newPhone(),
  email: '',
  state: 'Nairobi',
  address: 'Ngong Road 12',
  address2: '',
  landmark: 'the blue gate',
  giftNote: '',
  method: 'delivery',
  promoCode: '',
  hours: '24',
  payment: 'link',
  reference: '',
  create: 'yes',
  ...overrides,
})

async function setUp() {
  const ctx = newContext()
  const client = await createOfficeClient(ctx)
  const create = (overrides: Record<string, string> = {}) => client.post('/new-order', createForm(overrides))
  const parseNumber = ({ location }: { location: string | null }) => /P-\w{6}/.exec(location ?? '')?.[0] ?? ''
  const readOrder = (number: string) => ctx.db.select().from(orders).where(eq(orders.number, number)).get()
  return { ctx, client, create, parseNumber, readOrder }
}

const readAfterHousekeeping = async (number: string, ctx: ReturnType<typeof newContext>) => {
  await runHousekeeping(testContext())
  const row = await ctx.db.select().from(orders).where(eq(orders.number, number)).get()
  const emails = await ctx.db
    .select({ kind: outbox.kind })
    .from(outbox)
    .where(eq(outbox.subjectId, row?.id ?? ''))
  return { row, emails: emails.map(({ kind }) => kind) }
}

describe('an order by phone', () => {
  it('has no total before it has a product', async () => {
    const { client } = await setUp()
    const [empty, filled] = [await client.get('/new-order'), await client.get('/new-order?qty-1=2')]
    expect(empty.text).toContain('>Create order</button>')
    expect(filled.text).toMatch(/>Create order, KSH [\d,]+<\/button>/)
  })

  it('can be paid on delivery within the published limit and counties, one at a time', async () => {
    const { ctx, client, create, parseNumber } = await setUp()
    expect((await client.get('/new-order')).text).not.toContain('Cash on delivery')
    const onDelivery = { payment: 'on-delivery', phone: newPhone() }
    expect((await create(onDelivery)).text).toContain('This order can’t be paid on delivery')
    const terms = { cashOnDelivery: true, cashMaxKsh: 5000, cashCounties: ['Nairobi'], payByHand: false }
    const version = { items: JSON.stringify(items), content: JSON.stringify({ payments: terms }) }
    await publishCatalogue({ ...version, base: 0, actor: COMMAND_LINE_ACTOR, changes: '' }, ctx)
    expect((await client.get('/new-order')).text).toContain('Cash on delivery (up to KSH 5,000 in Nairobi)')
    const tooMuch = { 'qty-1': '9', total: String(calculateCheckoutTotalKsh([{ id: 1, qty: 9 }])) }
    for (const overrides of [{ state: 'Mombasa' }, tooMuch]) {
      const { status, text } = await create({ ...onDelivery, ...overrides })
      expect([status, text]).toEqual([409, expect.stringContaining('This order can’t be paid on delivery')])
      expect(text).toContain('checked="" value="on-delivery"')
    }
    const form = createForm({ ...onDelivery, email: 'njeri@example.com' })
    const created = await client.post('/new-order', form)
    const number = parseNumber(created)
    expect(created.location).toBe(`/orders/${number}?done=created`)
    expect(ctx.housekeepingRuns()).toBe(1)
    expect((await client.post('/new-order', form)).location).toBe(created.location)
    const { row, emails } = await readAfterHousekeeping(number, ctx)
    expect(row).toMatchObject({ status: 'placed', isCashOnDelivery: true, paidCents: 0 })
    expect(emails.toSorted()).toEqual(['order-confirmation', 'order-notice'])
    expect((await client.get(`/orders/${number}`)).text).toContain('Collect KSH 4,292')
    const again = await create(onDelivery)
    expect([again.status, again.text]).toEqual([
      409,
      expect.stringContaining(`still has to pay for order ${number} on delivery`),
    ])
    await ctx.db.delete(catalogueVersions)
  })

  it('is created with the shop’s prices and a reservation, audited, and leads to its payment link', async () => {
    const { ctx, client, create, parseNumber, readOrder } = await setUp()
    await setStock(ctx, 1, 5)
    const created = await create({ hours: '24' })
    const number = parseNumber(created)
    expect(created.location).toBe(`/orders/${number}/payment-link`)
    const order = await readOrder(number)
    expect(order).toMatchObject({
      status: 'awaiting_payment',
      firstName: 'Njeri',
      lastName: '',
      email: '',
      landmark: 'the blue gate',
      totalCents: calculateCheckoutTotalKsh([{ id: 1, qty: 2 }]) * 100,
      expiresAtMs: NOW_MS + 24 * HOUR_MS,
    })
    const row = await ctx.db.select().from(stock).where(eq(stock.itemId, 1)).get()
    expect(row).toMatchObject({ onHand: 5, reserved: 2 })
    const audit = await ctx.db.select().from(auditLog).where(eq(auditLog.subject, number))
    expect(audit).toMatchObject([{ action: 'order.create', actor: 'achieng@pamba.test' }])
    expect((await client.get(`/orders/${number}/payment-link`)).text).toContain(`/order/${number}?key=`)
    await ctx.db.delete(stock).where(eq(stock.itemId, 1))
  })

  it('can be paid by its link; only the shop is emailed if the customer has no email address', async () => {
    const { ctx, create, client, parseNumber, readOrder } = await setUp()
    const number = parseNumber(await create())
    const shopCtx = testContext()
    const key = await createOrderKey(number, shopCtx)
    const link = `https://pamba.test/order/${number}?key=${key}`
    const page = await (await createApp(shopCtx).request(link)).text()
    expect(page).toMatch(/This order isn’t paid yet.*within 24 hours/s)
    const paid = await createApp(shopCtx).request(
      `https://pamba.test/api/orders/${number}/payment?key=${key}`,
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          payment: { token: 'tok_simulated', card: { brand: 'Visa', lastFour: '4242' } },
        }),
      },
    )
    expect(paid.status).toBe(200)
    const order = await readOrder(number)
    expect(order?.status).toBe('placed')
    const emails = await ctx.db
      .select()
      .from(outbox)
      .where(eq(outbox.subjectId, order?.id ?? ''))
    expect(emails.map(({ kind, replyTo }) => [kind, replyTo])).toEqual([['order-notice', null]])
    expect(emails[0]?.text).toContain('Njeri ordered 2 items')
    const { text } = await client.get(`/orders/${number}`)
    expect(text).toMatch(/Order created<.*Payment of KSH 4,292 received/s)
    expect(text).not.toContain('Ordered by')
  })

  it.each(['cash', 'till', 'bank'])(
    'is placed immediately if it was paid by %s, and only once if sent twice',
    async (payment) => {
      const { ctx, client, parseNumber, readOrder } = await setUp()
      const form = createForm({ payment, reference: `ref-${payment}` })
      for (let times = 0; times < 2; times++) {
        const created = await client.post('/new-order', form)
        expect(created.location).toBe(`/orders/${parseNumber(created)}?done=created`)
        await runHousekeeping(testContext())
      }
      const order = await ctx.db.select().from(orders).where(eq(orders.idempotencyKey, form.key)).get()
      expect(await readOrder(order?.number ?? '')).toMatchObject({
        status: 'placed',
        paidCents: order?.totalCents,
      })
      const rows = await ctx.db
        .select()
        .from(payments)
        .where(eq(payments.orderId, order?.id ?? ''))
      expect(rows).toMatchObject([
        { provider: 'manual', manualType: payment, receipt: `REF-${payment.toUpperCase()}` },
      ])
      const { text } = await client.get(`/orders/${order?.number}/cancel`)
      expect(text).toMatch(/You’ll need to refund KSH [\d,]+ to Njeri yourself\. This can’t be undone\./)
    },
  )

  it('says why its payment couldn’t be recorded, and keeps the reference', async () => {
    const { ctx, client, create, readOrder } = await setUp()
    await create({ payment: 'till', reference: 'TAKEN1' })
    const form = createForm({ payment: 'bank', reference: 'taken1' })
    const failed = await client.post('/new-order', form)
    const order = await ctx.db.select().from(orders).where(eq(orders.idempotencyKey, form.key)).get()
    expect(failed.status).toBe(409)
    expect(failed.text).toMatch(
      /banner--error[^<]*Order created, but we couldn’t record the payment: This receipt is already recorded/,
    )
    expect(failed.text).toContain(`action="/orders/${order?.number}/paid"`)
    expect(failed.text).toContain('value="taken1"')
    expect(failed.text).toContain('checked="" value="bank"')
    expect((await client.post('/new-order', { ...form, reference: 'FREE1' })).location).toBe(
      `/orders/${order?.number}?done=created`,
    )
    await runHousekeeping(testContext())
    expect(await readOrder(order?.number ?? '')).toMatchObject({ status: 'placed' })
  })

  it('expires with its link and releases its units', async () => {
    const { ctx, create, parseNumber, readOrder } = await setUp()
    await setStock(ctx, 3, 2)
    const number = parseNumber(
      await create({
        'qty-1': '0',
        'qty-3': '2',
        hours: '2',
        total: String(calculateCheckoutTotalKsh([{ id: 3, qty: 2 }])),
      }),
    )
    await runHousekeeping(testContext({ clock: () => NOW_MS + HOUR_MS }))
    expect((await readOrder(number))?.status).toBe('awaiting_payment')
    await runHousekeeping(testContext({ clock: () => NOW_MS + 2 * HOUR_MS + 1 }))
    expect((await readOrder(number))?.status).toBe('expired')
    expect(await ctx.db.select().from(stock).where(eq(stock.itemId, 3)).get()).toMatchObject({ reserved: 0 })
    await ctx.db.delete(stock).where(eq(stock.itemId, 3))
  })

  it('is created once, however often and quickly the form is sent', async () => {
    const { ctx, client, parseNumber } = await setUp()
    const form = createForm()
    const results = await Promise.all(Array.from({ length: 6 }, () => client.post('/new-order', form)))
    const numbers = new Set([...results, await client.post('/new-order', form)].map(parseNumber))
    expect(numbers.size).toBe(1)
    const [number = ''] = numbers
    expect(await ctx.db.select().from(orders).where(eq(orders.idempotencyKey, form.key))).toHaveLength(1)
    expect(await ctx.db.select().from(auditLog).where(eq(auditLog.subject, number))).toHaveLength(1)
    const other = await client.post('/new-order', {
      ...form,
      'qty-1': '3',
      total: String(calculateCheckoutTotalKsh([{ id: 1, qty: 3 }])),
    })
    expect(other.text).toContain(`This form has already created order ${number}.`)
  })

  it('belongs to one account per phone number, which can’t log in', async () => {
    const { ctx, create, parseNumber, readOrder } = await setUp()
    const first = await readOrder(parseNumber(await create({ phone: '0722 000 111' })))
    const second = await readOrder(parseNumber(await create({ phone: '+254 722 000111' })))
    expect(second?.userId).toBe(first?.userId)
    const account = await ctx.db
      .select()
      .from(users)
      .where(eq(users.id, first?.userId ?? ''))
      .get()
    expect(account).toMatchObject({ email: 'phone 722000111', passwordHash: '' })
    const login = await createApp(testContext()).request('https://pamba.test/api/auth/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: account?.email, password: '123456' }),
    })
    expect(login.status).toBe(400)
  })

  it('isn’t created with the reference of a payment that isn’t recorded', async () => {
    const { create } = await setUp()
    const { status, text } = await create({ payment: 'link', reference: 'SKL1A2B3C4' })
    expect(status).toBe(409)
    expect(text).toContain('id="reference-error">You entered a payment reference.')
    expect(text).toMatch(/name="reference"[^>]*value="SKL1A2B3C4"/)
  })

  it('can be edited without the zip code and last name that it lacks, which an edit can’t remove', async () => {
    const { client, create, parseNumber, readOrder } = await setUp()
    const number = parseNumber(await create({ payment: 'cash', lastName: '' }))
    const edit = async (fields: Record<string, string>) => {
      const { revision } = (await readOrder(number)) ?? {}
      const form = { firstName: 'Njeri', lastName: '', zip: '', ...fields }
      return client.post(`/orders/${number}/edit`, { ...form, seen: String(revision), save: '1' })
    }
    expect((await edit({ address: 'Moi Avenue 7' })).location).toBe(`/orders/${number}?done=edited`)
    expect(await readOrder(number)).toMatchObject({ address: 'Moi Avenue 7', zip: '', lastName: '' })
    await edit({ zip: '00100' })
    expect((await edit({ zip: ' ' })).text).toContain('Zip code is required')
  })

  it('counts one use of a promo code, and is refused with one that doesn’t apply', async () => {
    const { ctx, client, create, parseNumber, readOrder } = await setUp()
    const code = await createPromotion(ctx)
    const total = String(calculateCheckoutTotalKsh([{ id: 1, qty: 2 }], tenPercentDiscount))
    const number = parseNumber(await create({ promoCode: code.toLowerCase(), total }))
    expect(await readOrder(number)).toMatchObject({ promoCode: code })
    expect(await countUses(ctx, code)).toBe(1)
    expect((await client.get('/stock/reservations')).text).toContain(`${number} Njeri, KSH`)
    const refused = await create({ promoCode: 'NOPE', total })
    expect(refused.status).toBe(409)
    expect(refused.text).toContain('Change or remove the promo code, then try again.')
    const updated = await client.post('/new-order', createForm({ promoCode: 'NOPE', create: '' }))
    expect([updated.status, updated.text.includes('We don’t recognise this code.')]).toEqual([200, true])
  })

  it.each(['link', 'cash', 'on-delivery'])('is placed if nothing is to pay: %s', async (payment) => {
    const { ctx, client, create, parseNumber } = await setUp()
    const promoCode = await createPromotion(ctx, { ...tenPercentDiscount, value: 100 })
    const created = await create({ promoCode, total: '0', payment, email: 'njeri@example.com' })
    const number = parseNumber(created)
    expect(created.location).toBe(`/orders/${number}?done=created`)
    const { row, emails } = await readAfterHousekeeping(number, ctx)
    expect(row).toMatchObject({ status: 'placed', totalCents: 0 })
    expect(emails.toSorted()).toEqual(['order-confirmation', 'order-notice'])
    const sent = await ctx.db
      .select({ text: outbox.text })
      .from(outbox)
      .where(eq(outbox.subjectId, row?.id ?? ''))
    const office = (await client.get(`/orders/${number}`)).text
    expect(office).toContain('There’s no invoice, because there’s nothing to pay.')
    expect(office).not.toContain('Payment of KSH 0')
    expect((await client.get(`/orders/${number}/cancel`)).text).toContain('This order is free, so')
    expect((await client.get('/payments?day=today')).text).not.toContain(number)
    const shopCtx = testContext()
    const url = `https://pamba.test/order/${number}?key=${await createOrderKey(number, shopCtx)}`
    const readPage = async () => (await createApp(shopCtx).request(url)).text()
    const page = await readPage()
    expect(page).not.toContain('a payment still arrives')
    for (const text of [office, page, ...sent.map((email) => email.text)]) {
      expect(text).toContain('There’s nothing to pay.')
      expect(text).not.toContain('Cash on delivery')
    }
    await client.post(`/orders/${number}/status`, { from: 'placed', seen: '0', to: 'cancelled' })
    expect(await readPage()).toContain('This order was cancelled. You haven’t been charged.')
  })

  it.each([
    ['no products', { 'qty-1': '0' }, 'Please add at least one product.'],
    ['no name', { firstName: ' ' }, 'First name is required'],
    ['no phone', { phone: '' }, 'Phone is required'],
    ['neither name nor phone', { firstName: ' ', phone: '' }, 'First name is required. Phone is required.'],
    ['a wrong email', { email: 'njeri@' }, 'Please enter a valid email address'],
    ['no address', { address: '' }, 'Address is required'],
    ['an old total', { total: '1' }, 'The total has changed.'],
  ])('with %s is refused, and the form keeps what was typed', async (_, wrong, sentence) => {
    const { create } = await setUp()
    const { status, text } = await create({ landmark: 'kept', ...wrong })
    expect(status).toBe(409)
    expect(text).toContain(sentence)
    expect(text).toContain('value="kept"')
  })

  it.each(['abc', '-1', '2,5', '1.9', ''])(
    'with the quantity %j is refused, and the form keeps its lines and offers no total',
    async (qty) => {
      const { ctx, create } = await setUp()
      const numberBefore = await ctx.db.$count(orders)
      for (const button of ['yes', '']) {
        const { status, text } = await create({
          create: button,
          'qty-1': qty,
          'qty-3': '4',
          landmark: 'kept',
        })
        expect([status, await ctx.db.$count(orders)]).toEqual([409, numberBefore])
        expect(text).toContain('Please enter quantities as whole numbers from 0 to 99.')
        expect(text).toMatch(new RegExp(`aria-invalid="true"[^>]*name="qty-1"[^>]*value="${qty}"`))
        expect(text).toMatch(/name="qty-3"[^>]*value="4"/)
        expect(text).toContain('value="kept"')
        expect(text).not.toContain('<dt>Total</dt>')
      }
    },
  )

  it('finds a product by the number of a size and by the name of a size, as on the packing slip', async () => {
    const { client } = await setUp()
    const find = async (q: string) => {
      const { text } = await client.post('/new-order', { ...createForm(), create: '', q })
      return Array.from(
        text.matchAll(/name="add" value="(\d+)"|value="(\d+)" name="add"/g),
        (m) => m[1] ?? m[2],
      )
    }
    expect(await find('104')).toContain('104')
    expect(await find('romper 3-6')).toContain('101')
    expect(await find('romper 99')).toEqual([])
  })

  it('is refused if another order reserves the last unit at the same moment', async () => {
    const { ctx, create, parseNumber } = await setUp()
    await setStock(ctx, 5, 1)
    const last = { 'qty-1': '0', 'qty-5': '1', total: String(calculateCheckoutTotalKsh([{ id: 5, qty: 1 }])) }
    const results = await Promise.all(Array.from({ length: 5 }, () => create(last)))
    expect(results.filter((result) => parseNumber(result))).toHaveLength(1)
    const refused = results.find((result) => !parseNumber(result))?.text
    expect(refused).toMatch(/We’re sold out of .*\. Change the quantities, then try again\./)
    expect(await ctx.db.select().from(stock).where(eq(stock.itemId, 5)).get()).toMatchObject({ reserved: 1 })
    await ctx.db.delete(stock).where(eq(stock.itemId, 5))
  })

  it('keeps what was typed in its form while products are found and added', async () => {
    const { client } = await setUp()
    const { text, status } = await client.post('/new-order', {
      ...createForm(),
      create: '',
      q: 'stacking',
      add: '1',
      landmark: 'kept',
    })
    expect(status).toBe(200)
    expect(text).toContain('Jacaranda Wood Stacking Rings')
    expect(text).toMatch(/name="qty-1"[^>]*value="3"|value="3"[^>]*name="qty-1"/)
    expect(text).toContain('value="kept"')
    expect((await client.get('/new-order')).text).toContain('No products yet.')
  })

  it('never breaks on hostile texts', async () => {
    const { ctx, client } = await setUp()
    for (const field of Object.keys(createForm()))
      for (const text of takeNextShare(HOSTILE_TEXTS, 12)) {
        const { status, text: html } = await client.post('/new-order', {
          ...createForm(),
          [field]: text.toWellFormed(),
        })
        expect([200, 303, 400, 409], `${field}: ${text}`).toContain(status)
        expect(html).not.toContain('<script>hostile')
      }
    const lines = await ctx.db
      .select()
      .from(orderLines)
      .where(inArray(orderLines.qty, [0]))
    expect(lines).toEqual([])
  })
})
