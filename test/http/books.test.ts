import { and, eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { generateExport, toByteStream } from '#server/books/export.ts'
import { changeRefund, requestRefund } from '#server/orders/request-refund.ts'
import { createOrderKey } from '#server/platform/auth/signed-link.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import { invoices, orders, outbox } from '#server/platform/db/schema.ts'
import { createAccount } from '#test/support/account.ts'
import { testContext } from '#test/support/context.ts'
import { createSpyDatabase } from '#test/support/database.ts'
import { HOSTILE_TEXTS } from '#test/support/hostile.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import { billing, orderRequest, postOrder } from '#test/support/orders.ts'
import { readText } from '#test/support/pdf.ts'

const shopCtx = testContext()
const ctx = officeContext()
const client = await createOfficeClient(ctx)
const TODAY_QUERY = 'from=2026-11-21&to=2026-11-21'
const download = (name: string, format: string, period = TODAY_QUERY) =>
  client.get(`/exports/file?name=${name}&format=${format}&${period}`)

describe('invoices', () => {
  it('are issued with the payment, named in the email, and printable with the signed link', async () => {
    const details = { name: 'Pamba & Sons <Ltd>', pin: 'p051234567x', address: 'Biashara Street 9' }
    expect((await client.post('/invoice-details', details)).location).toBe('/invoice-details?done=')
    const buyer = { ...billing, kraPin: 'a123456789z' }
    const { body } = await postOrder(
      shopCtx,
      await createAccount(shopCtx),
      orderRequest(undefined, { billing: buyer }),
    )
    const { number, totals } = body.order
    const row = await ctx.db.select().from(orders).where(eq(orders.number, number)).get()
    const [invoice] = await ctx.db
      .select()
      .from(invoices)
      .where(eq(invoices.orderId, row?.id ?? ''))
    expect(invoice).toMatchObject({ kind: 'invoice', method: 'simulated', ...totals })
    const name = `INV-${String(invoice?.number).padStart(6, '0')}`
    const isConfirmation = and(eq(outbox.subjectId, row?.id ?? ''), eq(outbox.kind, 'order-confirmation'))
    const email = await ctx.db.select().from(outbox).where(isConfirmation).get()
    expect(email?.text).toContain(
      `Invoice ${name} from Pamba & Sons <Ltd>, KRA PIN P051234567X, Biashara Street 9.`,
    )
    expect(email?.html).toContain(`Invoice ${name} from Pamba &amp; Sons &lt;Ltd&gt;, KRA PIN P051234567X`)

    const key = await createOrderKey(number, shopCtx)
    const printed = await createApp(shopCtx).request(`https://pamba.test/order/${number}/receipt?key=${key}`)
    const text = await readText(printed)
    for (const part of [
      `Invoice ${name}`,
      'KRA PIN P051234567X',
      'KRA PIN A123456789Z',
      'Goods taxed at 16%',
      'VAT (16%)',
    ])
      expect(text, part).toContain(part)
    expect(text.split('A123456789Z')).toHaveLength(2)
    expect((await client.get(`/orders/${number}`)).text).toContain(`Invoice ${name}`)
    expect((await client.get(`/orders/${number}/invoice`)).text).toContain(name)
  })

  it('accept only a valid KRA PIN, and their forms keep what was entered', async () => {
    const { body } = await postOrder(shopCtx, await createAccount(shopCtx), orderRequest())
    const { number } = body.order
    const wrong = await client.post(`/orders/${number}/pin`, { kraPin: 'P12' })
    expect([wrong.status, wrong.text.includes('value="P12"')]).toEqual([409, true])
    expect(wrong.text).toContain('Please enter a valid KRA PIN, for example A123456789Z')
    expect((await client.post(`/orders/${number}/pin`, { kraPin: 'p051234567x' })).location).toContain(
      'done=pin',
    )
    const row = await ctx.db.select().from(orders).where(eq(orders.number, number)).get()
    expect(row?.kraPin).toBe('P051234567X')
    const unnamed = await client.post('/invoice-details', { name: ' ', pin: 'x', address: 'Kept' })
    expect([unnamed.status, unnamed.text.includes('Kept')]).toEqual([409, true])
  })

  it('are numbered without gaps when payments settle and refunds complete at the same time', async () => {
    const buyers = await Promise.all(Array.from({ length: 24 }, () => createAccount(shopCtx)))
    const placed = await Promise.all(buyers.map((buyer) => postOrder(shopCtx, buyer, orderRequest())))
    const numbers = placed.map(({ body }) => body.order.number)
    const refunded = numbers.filter((_, index) => index % 2 === 0)
    await Promise.all([
      ...refunded.map(async (number) => {
        await requestRefund({ number, actor: COMMAND_LINE_ACTOR }, ctx)
        await Promise.all(
          [1, 2].map(() => changeRefund({ number, change: 'complete', actor: COMMAND_LINE_ACTOR }, ctx)),
        )
      }),
      ...buyers.map((buyer) => postOrder(shopCtx, buyer, orderRequest())),
    ])
    const documents = await ctx.db.select().from(invoices)
    for (const kind of ['invoice', 'credit_note']) {
      const issued = documents.filter((document) => document.kind === kind).map(({ number }) => number)
      expect(issued.toSorted((a, b) => a - b)).toEqual(issued.map((_, index) => index + 1))
    }
    expect(documents.filter(({ kind }) => kind === 'credit_note')).toHaveLength(refunded.length)
    const sums = Map.groupBy(documents, ({ orderId }) => orderId)
    for (const number of refunded) {
      const row = await ctx.db.select().from(orders).where(eq(orders.number, number)).get()
      const own = sums.get(row?.id ?? '') ?? []
      expect(own).toHaveLength(2)
      for (const sum of [
        'totalCents',
        'vatCents',
        'subtotalCents',
        'shippingCents',
        'roundingCents',
      ] as const)
        expect(own.reduce((total, document) => total + document[sum], 0)).toBe(0)
    }
  })
})

describe('an export', async () => {
  const hostile = {
    ...billing,
    firstName: '=HYPERLINK("x")',
    lastName: 'Kamau, "Wa"',
    phone: '+254 712 345 678',
  }
  const placed = await postOrder(
    shopCtx,
    await createAccount(shopCtx),
    orderRequest(undefined, { billing: hostile }),
  )
  const { number } = placed.body.order

  it('is a CSV file with plain dates and numbers, and formulas neutralised', async () => {
    const { status, headers, text } = await download('orders', 'csv')
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('Content-Disposition')).toBe('attachment; filename="pamba-orders-2026-11-21.csv"')
    const [titles, ...lines] = text.split('\r\n')
    expect(titles).toMatch(/^Order,Ordered,Status,.*,Total \(KSH\)$/)
    const line = lines.find((one) => one.startsWith(number))
    expect(line).toContain(`${number},2026-11-21 09:05:07,Placed,"'=HYPERLINK(""x"")","Kamau, ""Wa"""`)
    expect(line).toContain(",'+254 712 345 678,Nairobi,Delivery,,")
    const { totalCents } = placed.body.order.totals
    expect(line).toMatch(new RegExp(`,16,[\\d.]+,-?[\\d.]+,${totalCents / 100}$`))
  })

  it('is also available as JSON, with times and cents', async () => {
    const { text } = await download('lines', 'json')
    const rows = JSON.parse(text).filter((row: { number: string }) => row.number === number)
    expect(rows).toMatchObject([
      {
        orderedAt: '2026-11-21T09:05:07+03:00',
        qty: 2,
        lineTotalCents: placed.body.order.totals.subtotalCents,
      },
    ])
    expect(JSON.parse((await download('orders', 'json', 'from=2020-01-01&to=2020-01-31')).text)).toEqual([])
  })

  it('aborts instead of looking complete if the database fails midway', async () => {
    let pages = 0
    const db = createSpyDatabase((run) => {
      pages += 1
      return pages === 1 ? run() : Promise.reject(new Error('D1_ERROR: Network connection lost.'))
    })
    const row = await ctx.db.select().from(orders).where(eq(orders.number, number)).get()
    await ctx.db.batch([
      ctx.db.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        INSERT INTO orders (id, number, user_id, idempotency_key, request_hash, status, first_name, last_name, email,
          address, country, state, zip, subtotal_cents, discount_cents, shipping_cents, vat_cents, total_cents, created_at_ms)
        SELECT 'e' || i, 'E-' || i, '${row?.userId}', 'e' || i, '', 'expired', '', '', '', '', '', '', '', 0, 0, 0, 0, 0, i FROM n`),
    ])
    const texts = generateExport(
      { name: 'orders', format: 'csv', period: { startMs: 0, endMs: 2000 } },
      { ...ctx, db },
    )
    await expect(new Response(toByteStream(texts)).text()).rejects.toThrow()
    expect(pages).toBe(2)
  })

  it.each([...HOSTILE_TEXTS.slice(0, 20), '', '2026-11-22', '2026-02-30'])(
    'is refused for a period that starts on %j, and the form keeps the selected export',
    async (from) => {
      const query = new URLSearchParams({ name: 'lines', format: 'json', from, to: '2026-11-21' })
      const { status, location } = await client.get(`/exports/file?${query}`)
      expect(status).toBe(303)
      const { status: shown, text } = await client.get(location ?? '')
      expect(shown).toBe(409)
      expect(text).toContain('Enter a first day and a last day')
      expect(text).toContain('<option value="lines" selected="">')
    },
  )
})
