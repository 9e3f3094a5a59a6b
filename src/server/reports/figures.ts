import { and, asc, desc, eq, gt, gte, lte, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { salesDays, salesItems, stock } from '#server/platform/db/schema.ts'
import { LOW_STOCK_UNITS } from '#shared/catalogue/catalogue-stock.ts'
import { DAY_MS, listShopDaysUntil, type ShopPeriod } from '#shared/time.ts'

const COMPARED_DAYS = 60
const MAX_BEST_SELLERS = 5
const MAX_LOW_STOCK_ITEMS = 10

/** The period has `days` days and ends `daysAgo` days before today. */
export const FIGURE_PERIODS = {
  today: { days: 1, daysAgo: 0 },
  yesterday: { days: 1, daysAgo: 1 },
  week: { days: 7, daysAgo: 0 },
  month: { days: 30, daysAgo: 0 },
} as const
export type PeriodName = keyof typeof FIGURE_PERIODS

/**
 * Counts orders that were placed and not cancelled, but cash-on-delivery orders only once a payment arrives.
 * `refundedCents` isn't subtracted from `cents`.
 */
export type SalesTotals = { orders: number; cents: number; refundedCents: number }
type DailySales = ShopPeriod & SalesTotals

export type Figures = {
  current: SalesTotals
  previous: SalesTotals
  days: readonly DailySales[]
  /** For `week` and `month`, these are the best sellers of the calendar week or month, not of the period. */
  bestSellers: readonly { productId: number; title: string; size: string | null; qty: number }[]
  lowStock: readonly { itemId: number; left: number }[]
}

/** Reads daily totals, so the cost doesn't grow with the number of orders. */
export async function readFigures({ period }: { period: PeriodName }, ctx: OwnerContext): Promise<Figures> {
  const { db, clock } = ctx
  const days = listShopDaysUntil(clock(), COMPARED_DAYS)
  const { days: length, daysAgo } = FIGURE_PERIODS[period]
  const end = COMPARED_DAYS - daysAgo
  const unitsLeft = sql<number>`${stock.onHand} - ${stock.reserved}`
  const [rows, bestSellers, low] = await db.batch([
    db
      .select()
      .from(salesDays)
      .where(and(gte(salesDays.day, days[0]?.name ?? ''), lte(salesDays.day, days.at(-1)?.name ?? ''))),
    selectBestSellers(getBestSellerPeriod(period, days[end - 1]?.name ?? ''), ctx),
    db
      .select({ itemId: stock.itemId, left: unitsLeft.as('units_left') })
      .from(stock)
      .where(lte(unitsLeft, LOW_STOCK_UNITS))
      .orderBy(asc(unitsLeft))
      .limit(MAX_LOW_STOCK_ITEMS),
  ])
  const dailySales = days.map((day) => {
    const { orders = 0, totalCents = 0, refundedCents = 0 } = rows.find((row) => row.day === day.name) ?? {}
    return { ...day, orders, cents: totalCents, refundedCents }
  })
  return {
    current: sumDays(dailySales.slice(end - length, end)),
    previous: sumDays(dailySales.slice(end - 2 * length, end - length)),
    days: dailySales.slice(-FIGURE_PERIODS.month.days),
    bestSellers,
    lowStock: low,
  }
}

function getBestSellerPeriod(period: PeriodName, day: string): string {
  if (period === 'month') return `month ${day.slice(0, 'yyyy-mm'.length)}`
  if (period !== 'week') return `day ${day}`
  const date = new Date(day)
  const daysSinceMonday = (date.getUTCDay() + 6) % 7
  return `week ${new Date(date.getTime() - daysSinceMonday * DAY_MS).toISOString().slice(0, 'yyyy-mm-dd'.length)}`
}

export function selectBestSellers(period: string, { db }: DataContext) {
  return db
    .select({
      productId: salesItems.itemId,
      title: salesItems.title,
      size: salesItems.size,
      qty: salesItems.units,
    })
    .from(salesItems)
    .where(and(eq(salesItems.period, period), gt(salesItems.units, 0)))
    .orderBy(desc(salesItems.units), asc(salesItems.itemId))
    .limit(MAX_BEST_SELLERS)
}

function sumDays(days: readonly SalesTotals[]): SalesTotals {
  const sum = (key: keyof SalesTotals) => days.reduce((total, day) => total + day[key], 0)
  return { orders: sum('orders'), cents: sum('cents'), refundedCents: sum('refundedCents') }
}
