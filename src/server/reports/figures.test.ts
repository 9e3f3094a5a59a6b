import { and, eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { insertPaymentRefundsStatement, unrefundedCents } from '#server/payments/refunds.ts'
import {
  invoiceLines,
  invoices,
  orderCounts,
  orderDocuments,
  orderLines,
  orders,
  payments,
  refunds,
  salesDays,
  salesItems,
} from '#server/platform/db/schema.ts'
import { ORDER_STATUSES, type OrderStatus } from '#shared/orders/order-status.ts'
import { REFUND_REASONS, SALE_REFUND_REASONS } from '#shared/payments/refunds.ts'
import { HOUR_MS, listShopDaysUntil } from '#shared/time.ts'
import { createAccount } from '../../../test/support/account.ts'
import { testContext } from '../../../test/support/context.ts'
import { billing } from '../../../test/support/orders.ts'

const DAYS_OF_WEEK = 7
const NON_SALE_STATUSES = ['awaiting_payment', 'expired', 'cancelled']

const ctx = testContext()
const { db } = ctx
const status = fc.constantFrom(...ORDER_STATUSES)
/** The times start on a Sunday evening at the end of a month, so that they cover two weeks and two months. */
const atMs = fc.nat(60).map((hours) => Date.UTC(2026, 4, 31, 18) + hours * HOUR_MS)
const placedOrder = fc.record({
  ...{ atMs, status, qty: fc.integer({ min: 1, max: 3 }) },
  ...{ isCashOnDelivery: fc.boolean(), isPaid: fc.boolean() },
})
const PAID_FROM_MS = Date.UTC(2026, 5, 3, 18)
type PlacedOrder = {
  atMs: number
  status: OrderStatus
  qty: number
  isCashOnDelivery: boolean
  isPaid: boolean
}
const change = fc.record({
  nth: fc.nat(3),
  status,
  extraCents: fc.nat(2),
  refundedAtMs: fc.option(atMs),
  reason: fc.constantFrom(...REFUND_REASONS),
  paidAfterHours: fc.option(fc.nat(30)),
})

it('sales totals match the orders after any changes, and return to zero when the orders are deleted', async () => {
  const { user } = await createAccount(testContext())
  const place = ({ atMs, status, qty, isCashOnDelivery, isPaid }: PlacedOrder, nth: number) => {
    const id = String(nth)
    const row = { ...billing, id, number: id, userId: user.id, idempotencyKey: id, requestHash: '' }
    const cents = { subtotalCents: qty, discountCents: 0, shippingCents: 1, vatCents: 0, totalCents: qty + 1 }
    const line = { orderId: id, title: 'Kikoi', image: '', unitPriceCents: 1, qty }
    return [
      db.insert(orders).values({ ...row, ...cents, status, isCashOnDelivery, createdAtMs: atMs }),
      db.insert(orderLines).values([0, 1].map((n) => ({ ...line, position: n, productId: n + (nth % 2) }))),
      db.insert(payments).values({
        ...{ id, orderId: id, attempt: 1, provider: 'mpesa', state: isPaid ? 'settled' : 'pending' },
        ...{ amountCents: qty, createdAtMs: 0, endedAtMs: isPaid ? PAID_FROM_MS : null },
      }),
    ]
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(placedOrder, { minLength: 4, maxLength: 4 }),
      fc.array(change, { maxLength: 8 }),
      async (placed, changes) => {
        const [first, ...rest] = placed.flatMap(place)
        let paidAtMs = PAID_FROM_MS
        const updates = changes.flatMap(
          ({ nth, status, extraCents, refundedAtMs, reason, paidAfterHours }, n) => {
            const orderId = String(nth)
            paidAtMs += (paidAfterHours ?? 0) * HOUR_MS
            return [
              ...(paidAfterHours === null
                ? []
                : [
                    db.insert(payments).values({
                      ...{
                        id: `${orderId}-${n}`,
                        orderId,
                        attempt: n + 2,
                        provider: 'manual',
                        state: 'settled',
                      },
                      ...{ amountCents: 1, createdAtMs: 0, endedAtMs: paidAtMs },
                    }),
                  ]),
              db
                .update(orders)
                .set({ status, totalCents: sql`${orders.totalCents} + ${extraCents}` })
                .where(eq(orders.id, orderId)),
              ...(refundedAtMs === null
                ? []
                : [
                    insertPaymentRefundsStatement(
                      { where: eq(payments.orderId, orderId), amountCents: unrefundedCents, reason },
                      ctx,
                    ),
                    db
                      .update(refunds)
                      .set({ state: 'done', completedAtMs: refundedAtMs })
                      .where(and(eq(refunds.orderId, orderId), eq(refunds.state, 'due'))),
                  ]),
            ]
          },
        )
        if (first) await db.batch([first, ...rest, ...updates])
        expect(await readCounts()).toEqual(await countOrders())
        await db.batch([db.delete(invoices), db.delete(invoiceLines), db.delete(orderDocuments)])
        await db.batch([db.delete(refunds), db.delete(payments), db.delete(orderLines), db.delete(orders)])
        const { days, items } = await readCounts()
        expect([
          Object.values(days)
            .flatMap((row) => row.slice(0, -1))
            .filter(Boolean),
          items,
        ]).toEqual([[], {}])
        await db.batch([db.delete(salesDays), db.delete(salesItems)])
      },
    ),
    { numRuns: 30 },
  )
})

type Counts = {
  statuses: Record<string, number>
  days: Record<string, number[]>
  items: Record<string, number>
}

async function readCounts(): Promise<Counts> {
  const [statuses, days, items] = await db.batch([
    db.select().from(orderCounts),
    db.select().from(salesDays),
    db.select().from(salesItems),
  ])
  const figures = days.map(({ day, orders, subtotalCents, shippingCents, totalCents, refundedCents }) => ({
    ...{ day, row: [orders, subtotalCents, shippingCents, totalCents, refundedCents] },
  }))
  return {
    statuses: Object.fromEntries(
      statuses.flatMap(({ status, orders }) => (orders === 0 ? [] : [[status, orders]])),
    ),
    days: Object.fromEntries(figures.flatMap(({ day, row }) => (row.some(Boolean) ? [[day, row]] : []))),
    items: Object.fromEntries(
      items.flatMap(({ period, itemId, units }) => (units === 0 ? [] : [[`${period} ${itemId}`, units]])),
    ),
  }
}

async function countOrders(): Promise<Counts> {
  const counts: Counts = { statuses: {}, days: {}, items: {} }
  const [rows, lines, refunded, paid] = await db.batch([
    db.select().from(orders),
    db.select().from(orderLines),
    db.select().from(refunds),
    db.select().from(payments).where(eq(payments.state, 'settled')),
  ])
  const add = (day: string, ...figures: number[]) => {
    counts.days[day] = (counts.days[day] ?? [0, 0, 0, 0, 0]).map((figure, n) => figure + (figures[n] ?? 0))
  }
  for (const row of rows) {
    const { id, status, isRefunded, createdAtMs, subtotalCents, shippingCents, totalCents } = row
    if (!isRefunded) counts.statuses[status] = (counts.statuses[status] ?? 0) + 1
    const keptTimes = paid
      .filter(({ orderId }) => orderId === id)
      .filter((payment) =>
        refunded.every(({ paymentId, reason }) => paymentId !== payment.id || reason !== 'not_collected'),
      )
      .map(({ endedAtMs }) => endedAtMs ?? 0)
    if (NON_SALE_STATUSES.includes(status) || (row.isCashOnDelivery && keptTimes.length === 0)) continue
    const soldAtMs = row.isCashOnDelivery ? Math.min(...keptTimes) : createdAtMs
    const week = listShopDaysUntil(soldAtMs, DAYS_OF_WEEK)
    const day = week.at(-1)?.name ?? ''
    const monday = week.find(({ name }) => new Date(name).getUTCDay() === 1)?.name
    add(day, 1, subtotalCents, shippingCents, totalCents, 0)
    for (const { productId, qty } of lines.filter(({ orderId }) => orderId === id))
      for (const period of [`day ${day}`, `week ${monday}`, `month ${day.slice(0, -3)}`]) {
        const key = `${period} ${productId}`
        counts.items[key] = (counts.items[key] ?? 0) + qty
      }
  }
  for (const { orderId, completedAtMs, amountCents, reason } of refunded) {
    const isSold = rows.some(({ id, status }) => id === orderId && !NON_SALE_STATUSES.includes(status))
    if (completedAtMs !== null && isSold && SALE_REFUND_REASONS.some((counted) => counted === reason))
      add(listShopDaysUntil(completedAtMs, 1)[0]?.name ?? '', 0, 0, 0, 0, amountCents)
  }
  return counts
}
