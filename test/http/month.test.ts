import { sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import { type ExportName, generateExport } from '#server/books/export.ts'
import { reconcileDay } from '#server/books/reconcile.ts'
import { uploadStatement } from '#server/books/upload-statement.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { incomingPayments, orderLines, orders, payments, refunds } from '#server/platform/db/schema.ts'
import { groupBreakdownRows, readSales } from '#server/reports/sales.ts'
import { DAY_MS, formatIsoDateTime, parseShopDay } from '#shared/time.ts'
import { createAccount } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'

const ORDERS = 3000
const ctx = testContext()
const { db } = ctx
const { user } = await createAccount(ctx)

let seed = 20261101
/** The sequence is the same in every run. */
function nextRandom(below: number): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
  return Math.floor((seed / 2 ** 32) * below)
}

const first = parseShopDay('2026-11-01', NOW_MS)
const last = parseShopDay('2026-11-30', NOW_MS)
if (!first || !last) throw new Error('November has days.')
const period = { startMs: first.startMs, endMs: last.endMs }

type GeneratedOrder = ReturnType<typeof generateOrder>

/** Calculates the order's sums itself, so that the exports can be compared with them. */
function generateOrder(nth: number) {
  const id = `o${nth}`
  const lines = Array.from({ length: 1 + nextRandom(3) }, (_, position) => ({
    orderId: id,
    position,
    productId: 1 + nextRandom(40),
    title: `Product ${nextRandom(12)}`,
    image: '/x.svg',
    size: nextRandom(3) === 0 ? null : ['S', 'M', 'L'][nextRandom(3)],
    unitPriceCents: 100 * (300 + nextRandom(4000)) + nextRandom(100),
    qty: 1 + nextRandom(3),
  }))
  const subtotalCents = lines.reduce((sum, { unitPriceCents, qty }) => sum + unitPriceCents * qty, 0)
  const discountCents = nextRandom(4) === 0 ? Math.round(subtotalCents / 10) : 0
  const shippingCents = nextRandom(2) * 3000
  const vatPercent = nth % 50 === 0 ? 14 : 16
  const vatCents = Math.round(((subtotalCents - discountCents) * vatPercent) / 100)
  const totalCents = Math.round((subtotalCents - discountCents + shippingCents + vatCents) / 100) * 100
  const atMs = period.startMs + nextRandom(29 * 24 * 60) * 60_000
  const provider = ['mpesa', 'paystack', 'manual'][nextRandom(3)] ?? ''
  const fate =
    ['kept', 'kept', 'kept', 'kept', 'unpaid', 'part refunded', 'refunded', 'paid twice'][nextRandom(8)] ?? ''
  const order = {
    id,
    number: `M-${String(nth).padStart(6, '0')}`,
    userId: user.id,
    idempotencyKey: id,
    requestHash: '',
    status: fate === 'unpaid' ? 'expired' : 'delivered',
    firstName: 'Amina',
    lastName: 'Wanjiru',
    email: 'a@b.ke',
    address: 'Moi Avenue',
    country: 'Kenya',
    state: 'Nairobi',
    zip: '00100',
    createdAtMs: atMs,
    vatPercent,
    subtotalCents,
    discountCents,
    shippingCents,
    vatCents,
    totalCents,
    hasPromotionUse: 0,
    isRefunded: 0,
  }
  const pay = (attempt: number) => ({
    id: `p${nth}-${attempt}`,
    orderId: id,
    attempt,
    provider,
    state: 'settled',
    amountCents: totalCents,
    receipt: `RCT${nth}X${attempt}`,
    createdAtMs: atMs,
    endedAtMs: atMs + attempt * 60_000,
    reference: provider === 'paystack' ? `p${nth}-${attempt}` : null,
    manualType: provider === 'manual' ? 'cash' : null,
  })
  const refund = (attempt: number, amountCents: number, reason: string) => ({
    id: `r${nth}-${attempt}`,
    orderId: id,
    paymentId: `p${nth}-${attempt}`,
    amountCents,
    reason,
    state: 'done',
    createdAtMs: atMs,
    completedAtMs: atMs + DAY_MS / 2,
  })
  const part = 100 * (1 + nextRandom(totalCents / 100 - 1))
  return {
    order,
    lines,
    payments: fate === 'unpaid' ? [] : fate === 'paid twice' ? [pay(1), pay(2)] : [pay(1)],
    refunds:
      fate === 'refunded'
        ? [refund(1, totalCents, 'other')]
        : fate === 'part refunded'
          ? [refund(1, part, 'return')]
          : fate === 'paid twice'
            ? [refund(2, totalCents, 'extra_payment')]
            : [],
    creditedCents: fate === 'refunded' ? totalCents : fate === 'part refunded' ? part : 0,
  }
}

function insert(table: SQLiteTable, rows: readonly Record<string, unknown>[]) {
  const names = Object.keys(rows[0] ?? {})
  const values = Object.fromEntries(names.map((name) => [name, sql`entry.value ->> ${name}`]))
  const from = sql`from json_each(${JSON.stringify(rows)}) entry where true`
  return db.insert(table).select(insertRowWhere(table, values, from))
}

const allOrders = Array.from({ length: ORDERS }, (_, nth) => generateOrder(nth))
for (let start = 0; start < ORDERS; start += 500) {
  const some = allOrders.slice(start, start + 500)
  await db.batch([
    insert(
      orders,
      some.map(({ order }) => order),
    ),
    insert(
      orderLines,
      some.flatMap(({ lines }) => lines),
    ),
    insert(
      payments,
      some.flatMap((one) => one.payments),
    ),
    insert(
      refunds,
      some.flatMap((one) => one.refunds),
    ),
  ])
}

const paidOrders = allOrders.filter((one) => one.payments.length > 0)
const sumOf = <Row>(rows: readonly Row[], value: (row: Row) => number) =>
  rows.reduce((sum, row) => sum + value(row), 0)
/** Subtracts the credited part, in proportion to the order's total. */
const calculateUncreditedCents = ({ order, creditedCents }: GeneratedOrder, cents: number) =>
  cents - Math.round((cents * creditedCents) / order.totalCents)

/** Parses the CSV without the code that wrote it. Sums are in cents. */
async function readCsv(name: ExportName) {
  const text = (await Array.fromAsync(generateExport({ name, format: 'csv', period }, ctx))).join('')
  const [titles = [], ...rows] = text
    .slice(1)
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','))
  const cents = (row: readonly string[], title: string) =>
    Math.round(Number(row[titles.indexOf(title)]) * 100)
  return { rows, sum: (title: string) => sumOf(rows, (row) => cents(row, title)), titles }
}

describe('the books of a month with 3,000 orders', () => {
  it('export every order and line to the cent', async () => {
    const exported = await readCsv('orders')
    expect(exported.rows).toHaveLength(ORDERS)
    expect(exported.sum('Total (KSH)')).toBe(sumOf(allOrders, ({ order }) => order.totalCents))
    expect(exported.sum('VAT (KSH)')).toBe(sumOf(allOrders, ({ order }) => order.vatCents))
    const lines = await readCsv('lines')
    expect(lines.rows).toHaveLength(sumOf(allOrders, (one) => one.lines.length))
    expect(lines.sum('Line total (KSH)')).toBe(sumOf(allOrders, ({ order }) => order.subtotalCents))
  })

  it('export every payment and refund with its invoice or credit note', async () => {
    const { rows, sum, titles } = await readCsv('payments')
    expect(rows).toHaveLength(sumOf(allOrders, (one) => one.payments.length + one.refunds.length))
    const received = sumOf(allOrders, (one) => sumOf(one.payments, ({ amountCents }) => amountCents))
    const returned = sumOf(allOrders, (one) => sumOf(one.refunds, ({ amountCents }) => amountCents))
    expect(sum('Amount (KSH)')).toBe(received - returned)
    const documents = rows.map((row) => row[titles.indexOf('Invoice or credit note')] ?? '').filter(Boolean)
    const count = (prefix: string) => documents.filter((name) => name.startsWith(prefix)).length
    expect([count('INV-'), count('CN-')]).toEqual([
      paidOrders.length,
      paidOrders.filter((one) => one.creditedCents > 0).length,
    ])
    expect(new Set(documents).size).toBe(documents.length)
    expect(rows.map((row) => row[0] ?? '')).toEqual(rows.map((row) => row[0] ?? '').toSorted())
  })

  it('state the VAT of each rate, net of refunds', async () => {
    const { rows, sum } = await readCsv('vat')
    expect(rows.map(([month, rate]) => `${month} ${rate}`)).toEqual(['2026-11 14', '2026-11 16'])
    expect(sum('VAT (KSH)')).toBe(
      sumOf(paidOrders, (one) => calculateUncreditedCents(one, one.order.vatCents)),
    )
    expect(sum('Shipping (no VAT) (KSH)')).toBe(
      sumOf(paidOrders, (one) => calculateUncreditedCents(one, one.order.shippingCents)),
    )
    expect(sum('Total (KSH)')).toBe(
      sumOf(paidOrders, ({ order, creditedCents }) => order.totalCents - creditedCents),
    )
    const taxable = ({ order }: GeneratedOrder) => order.subtotalCents - order.discountCents
    const keptGoods = (generated: GeneratedOrder) =>
      calculateUncreditedCents(generated, generated.order.subtotalCents) -
      calculateUncreditedCents(generated, generated.order.discountCents)
    expect(sum('Taxable sales (KSH)')).toBe(sumOf(paidOrders, keptGoods))
    expect(sumOf(paidOrders, taxable)).toBeGreaterThan(sum('Taxable sales (KSH)'))
  })

  it('show the same totals by day, product, size and payment method', async () => {
    const { current, previous, days, methods, items } = await readSales({ first, last }, ctx)
    expect(previous.totalCents).toBe(0)
    const goods = (one: GeneratedOrder) =>
      calculateUncreditedCents(one, one.order.subtotalCents) -
      calculateUncreditedCents(one, one.order.discountCents)
    const netCents = sumOf(paidOrders, goods)
    expect(current).toMatchObject({
      orders: paidOrders.length,
      grossCents: sumOf(paidOrders, ({ order }) => order.subtotalCents),
      discountCents: sumOf(paidOrders, ({ order }) => order.discountCents),
      netCents,
      vatCents: sumOf(paidOrders, (one) => calculateUncreditedCents(one, one.order.vatCents)),
      shippingCents: sumOf(paidOrders, (one) => calculateUncreditedCents(one, one.order.shippingCents)),
      totalCents: sumOf(paidOrders, ({ order, creditedCents }) => order.totalCents - creditedCents),
    })
    expect(current.grossCents - current.discountCents - current.returnedCents).toBe(netCents)
    const { shippingCents, vatCents, roundingCents, totalCents } = current
    expect(netCents + shippingCents + vatCents + roundingCents).toBe(totalCents)
    for (const parts of [days, methods, items, groupBreakdownRows(items, ({ size }) => size ?? '')])
      expect(sumOf<{ netCents: number }>(parts, (part) => part.netCents)).toBe(netCents)
    const nextDays = ['2026-12-01', '2026-12-30'].map((name) => parseShopDay(name, NOW_MS + 60 * DAY_MS))
    const [from, to] = nextDays
    const december = from && to && (await readSales({ first: from, last: to }, ctx))
    expect(
      december?.days.map(({ day, netCents: now, previousNetCents }) => [
        day.slice(-2),
        now,
        previousNetCents,
      ]),
    ).toEqual(days.map((generated) => [generated.day.slice(-2), 0, generated.netCents]))
    const units = sumOf(paidOrders, (one) =>
      one.creditedCents === one.order.totalCents ? 0 : sumOf(one.lines, ({ qty }) => qty),
    )
    expect(sumOf(items, (item) => item.units)).toBe(units)
    for (const [name, provider] of Object.entries({ mpesa: 'mpesa', paystack: 'paystack', cash: 'manual' }))
      expect(methods.find((method) => method.name === name)?.netCents).toBe(
        sumOf(
          paidOrders.filter((one) => one.payments[0]?.provider === provider),
          goods,
        ),
      )
  })

  it('agree with the statements of M-Pesa and Paystack on each day', async () => {
    const received = (provider: string) =>
      allOrders.flatMap((one) => one.payments).filter((one) => one.provider === provider)
    const ofMpesa = received('mpesa').map(
      ({ receipt, endedAtMs, amountCents }) =>
        `${receipt},${formatIsoDateTime(endedAtMs)},Completed,${amountCents / 100},`,
    )
    const ofPaystack = received('paystack').map(
      ({ reference, endedAtMs, amountCents }) =>
        `${reference},${new Date(endedAtMs).toISOString()},success,${amountCents / 100}`,
    )
    const outgoing = (provider: string) =>
      allOrders.flatMap((generated) =>
        generated.refunds.flatMap((refund) => {
          const payment = generated.payments.find(({ id }) => id === refund.paymentId)
          return payment?.provider === provider ? [{ ...refund, payment }] : []
        }),
      )
    const reversals = outgoing('mpesa').map(
      ({ id, completedAtMs, amountCents, payment }) =>
        `REV${id},${formatIsoDateTime(completedAtMs)},Completed,,-${amountCents / 100},${payment.receipt}`,
    )
    const refunded = outgoing('paystack').map(
      ({ id, completedAtMs, amountCents, payment }) =>
        `${id},${payment.reference},${amountCents / 100},processed,${new Date(completedAtMs).toISOString()}`,
    )
    const encode = (lines: readonly string[]) => new TextEncoder().encode(lines.join('\n'))
    const statements = {
      mpesa: [
        encode([
          'Receipt No.,Completion Time,Transaction Status,Paid In,Withdrawn,Linked Transaction ID',
          ...ofMpesa,
          ...reversals,
        ]),
      ],
      paystack: [
        encode(['Reference,Paid At,Status,Amount', ...ofPaystack]),
        encode(['Refund ID,Transaction Reference,Refunded Amount,Status,Refunded At', ...refunded]),
      ],
    }
    for (const provider of ['mpesa', 'paystack'] as const) {
      for (const bytes of statements[provider])
        expect(await uploadStatement({ provider, bytes, actor: COMMAND_LINE_ACTOR }, ctx)).toMatchObject({
          ok: true,
        })
      let [receivedCents, sentBackCents] = [0, 0]
      for (let nth = 1; nth <= 30; nth++) {
        const day = parseShopDay(`2026-11-${String(nth).padStart(2, '0')}`, NOW_MS)
        const reconciled = day && (await reconcileDay({ provider, day }, ctx))
        expect(reconciled?.entries.filter(({ state }) => state !== 'matched')).toEqual([])
        for (const sums of [reconciled?.received, reconciled?.outgoing])
          expect(sums?.shopCents).toBe(sums?.providerCents)
        receivedCents += reconciled?.received.providerCents ?? 0
        sentBackCents += reconciled?.outgoing.providerCents ?? 0
      }
      expect(receivedCents).toBe(sumOf(received(provider), ({ amountCents }) => amountCents))
      expect(sentBackCents).toBe(sumOf(outgoing(provider), ({ amountCents }) => amountCents))
    }
    expect(await db.$count(incomingPayments)).toBe(received('mpesa').length + received('paystack').length)
  })
})
