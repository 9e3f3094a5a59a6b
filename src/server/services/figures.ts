import { and, asc, count, eq, gte, inArray, lt, lte, notInArray, sql } from 'drizzle-orm'
import { type ShopDay, shopDaysUntil } from '#shared/rules/shop-time.ts'
import { FEW_UNITS } from '#shared/rules/stock.ts'
import { orderLines, orders, payments, stock } from '../db/schema.ts'
import type { Deps } from '../deps.ts'

const DAY_MS = 86_400_000
/** Two months, so that one can be compared with the one before. */
const DAYS = 60
const BEST_SELLERS = 5
const LOW_ITEMS = 10

/** The periods that figures are shown for: how many days, and how many days before today the last one is. */
export const PERIODS = {
  today: { days: 1, back: 0 },
  yesterday: { days: 1, back: 1 },
  week: { days: 7, back: 0 },
  month: { days: 30, back: 0 },
} as const
export type Period = keyof typeof PERIODS

/** What was sold and given back; cancelled and unpaid orders aside. */
export type Takings = { orders: number; cents: number; refundedCents: number }
type DayTakings = ShopDay & Takings

/** The figures of a period, of the one before it, and what they are made of. */
export type Figures = {
  now: Takings
  before: Takings
  /** Every day of the last month, the earliest first. */
  days: readonly DayTakings[]
  bestSellers: readonly { productId: number; title: string; size: string | null; qty: number }[]
  /** Items of which few are left. */
  low: readonly { itemId: number; left: number }[]
}

/** Reads the figures of a period. What is read grows with the orders of the last two months, not with all there are. */
export async function readFigures(
  { period }: { period: Period },
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
): Promise<Figures> {
  const days = shopDaysUntil(clock(), DAYS)
  const startMs = days[0]?.startMs ?? 0
  const { days: length, back } = PERIODS[period]
  const end = DAYS - back
  const inPeriod = days.slice(end - length, end)
  const left = sql<number>`${stock.onHand} - ${stock.held}`
  const isSold = notInArray(orders.status, ['awaiting_payment', 'expired', 'cancelled'])
  const soldInPeriod = db
    .select({ id: orders.id })
    .from(orders)
    .where(
      and(
        gte(orders.createdAtMs, inPeriod[0]?.startMs ?? 0),
        lt(orders.createdAtMs, inPeriod.at(-1)?.endMs ?? 0),
        isSold,
      ),
    )
  const [sold, refunded, bestSellers, low] = await db.batch([
    db
      .select({
        day: sql<number>`cast((${orders.createdAtMs} - ${startMs}) / ${DAY_MS} as integer)`.as('day'),
        orders: count().as('n'),
        cents: sql<number>`sum(${orders.totalCents})`.as('cents'),
      })
      .from(orders)
      .where(and(gte(orders.createdAtMs, startMs), isSold))
      .groupBy(sql`day`),
    db
      .select({
        day: sql<number>`cast((${payments.refundedAtMs} - ${startMs}) / ${DAY_MS} as integer)`.as('day'),
        cents: sql<number>`sum(${payments.amountCents})`.as('cents'),
      })
      .from(payments)
      .where(and(eq(payments.refundState, 'done'), gte(payments.refundedAtMs, startMs)))
      .groupBy(sql`day`),
    db
      .select({
        productId: orderLines.productId,
        title: orderLines.title,
        size: orderLines.size,
        qty: sql<number>`sum(${orderLines.qty})`.as('sold'),
      })
      .from(orderLines)
      .where(inArray(orderLines.orderId, soldInPeriod))
      .groupBy(orderLines.productId)
      .orderBy(sql`sold desc, ${orderLines.productId}`)
      .limit(BEST_SELLERS),
    db
      .select({ itemId: stock.itemId, left: left.as('units_left') })
      .from(stock)
      .where(lte(left, FEW_UNITS))
      .orderBy(asc(left))
      .limit(LOW_ITEMS),
  ])
  const takings = days.map((day, index) => ({
    ...day,
    orders: sold.find((row) => row.day === index)?.orders ?? 0,
    cents: sold.find((row) => row.day === index)?.cents ?? 0,
    refundedCents: refunded.find((row) => row.day === index)?.cents ?? 0,
  }))
  return {
    now: sumOf(takings.slice(end - length, end)),
    before: sumOf(takings.slice(end - 2 * length, end - length)),
    days: takings.slice(-PERIODS.month.days),
    bestSellers,
    low,
  }
}

function sumOf(days: readonly Takings[]): Takings {
  const sum = (key: keyof Takings) => days.reduce((total, day) => total + day[key], 0)
  return { orders: sum('orders'), cents: sum('cents'), refundedCents: sum('refundedCents') }
}
