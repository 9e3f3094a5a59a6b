import { and, between, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { figureDays, figureItems } from '#server/platform/db/schema.ts'
import { MANUAL_PAYMENT_TYPES, PROVIDER_NAMES } from '#shared/payments/providers.ts'
import type { ShopPeriod } from '#shared/time.ts'
import { DAY_MS } from '#shared/time.ts'

/**
 * `netCents` is gross sales less discounts and returns, without VAT and delivery. The fields from `shippingCents` to
 * `totalCents` are net of refunds.
 */
export type Sales = {
  orders: number
  grossCents: number
  discountCents: number
  returnedCents: number
  netCents: number
  shippingCents: number
  vatCents: number
  roundingCents: number
  totalCents: number
}

/** `previousNetCents` is the net sales of the previous period. `units` counts orders if the row is a payment method. */
export type SalesBreakdownRow = { name: string; units: number; netCents: number; previousNetCents: number }

export type SalesReport = {
  current: Sales
  previous: Sales
  /** `previousNetCents` is the net sales of the corresponding day in the previous period. */
  days: readonly (Sales & { day: string; previousNetCents: number })[]
  methods: readonly SalesBreakdownRow[]
  items: readonly (SalesBreakdownRow & { itemId: number; size: string | null })[]
}

type SalesInput = {
  first: ShopPeriod
  last: ShopPeriod
  /** Which breakdowns to read. The default is both. */
  parts?: 'none' | 'methods' | 'items' | undefined
}

/** Reads daily totals, so the cost doesn't grow with the number of orders. */
export async function readSales(
  { first, last, parts }: SalesInput,
  { db }: OwnerContext,
): Promise<SalesReport> {
  const dayCount = Math.round((last.startMs - first.startMs) / DAY_MS) + 1
  const period = { previousFrom: getDayBefore(first, dayCount), from: first.name, to: last.name }
  const isRequested = (part: 'methods' | 'items') => parts === undefined || parts === part
  const [rows, methods, items] = await db.batch([
    db
      .select()
      .from(figureDays)
      .where(and(eq(figureDays.method, ''), between(figureDays.day, period.previousFrom, period.to)))
      .orderBy(figureDays.day),
    selectMethodSales(period, isRequested('methods'), db),
    selectItemSales(period, isRequested('items'), db),
  ])
  const sales = rows.map(({ refundedCents: _, method: _method, ...row }) => ({
    ...row,
    netCents: row.grossCents - row.discountCents - row.returnedCents,
  }))
  return {
    current: sumSales(sales.filter(({ day }) => day >= period.from)),
    previous: sumSales(sales.filter(({ day }) => day < period.from)),
    days: compareDays(sales, last, dayCount),
    methods,
    items,
  }
}

/** Days such as `2026-11-21`. The previous period ends the day before `from`. */
type ComparedPeriod = { previousFrom: string; from: string; to: string }

/** Listed because "all but `''`" would read every year. */
const ALL_METHODS = [...PROVIDER_NAMES, ...MANUAL_PAYMENT_TYPES]

function selectMethodSales(
  { previousFrom, from, to }: ComparedPeriod,
  isRequested: boolean,
  db: OwnerContext['db'],
) {
  const isCurrent = sql`${figureDays.day} >= ${from}`
  const net = sql`${figureDays.grossCents} - ${figureDays.discountCents} - ${figureDays.returnedCents}`
  return db
    .select({
      name: figureDays.method,
      units: sumIf(isCurrent, sql`${figureDays.orders}`).as('units'),
      netCents: sumIf(isCurrent, net).as('net'),
      previousNetCents: sumIf(sql`not ${isCurrent}`, net).as('before'),
    })
    .from(figureDays)
    .where(
      and(
        isRequested ? undefined : sql`0`,
        inArray(figureDays.method, ALL_METHODS),
        between(figureDays.day, previousFrom, to),
      ),
    )
    .groupBy(figureDays.method)
}

function selectItemSales(
  { previousFrom, from, to }: ComparedPeriod,
  isRequested: boolean,
  db: OwnerContext['db'],
) {
  const isCurrent = sql`${figureItems.day} >= ${from}`
  const net = sql`${figureItems.netCents} - ${figureItems.returnedCents}`
  return db
    .select({
      itemId: figureItems.itemId,
      name: sql<string>`max(${figureItems.title})`.as('name'),
      size: sql<string | null>`max(${figureItems.size})`.as('size'),
      units: sumIf(isCurrent, sql`${figureItems.units}`).as('sold'),
      netCents: sumIf(isCurrent, net).as('net'),
      previousNetCents: sumIf(sql`not ${isCurrent}`, net).as('before'),
    })
    .from(figureItems)
    .where(and(isRequested ? undefined : sql`0`, between(figureItems.day, previousFrom, to)))
    .groupBy(figureItems.itemId)
}

function sumIf(condition: SQL, value: SQL) {
  return sql<number>`coalesce(sum(case when ${condition} then ${value} end), 0)`.mapWith(Number)
}

/** Pairs each day with the corresponding one in the previous period. Leaves out pairs without sales. */
function compareDays(
  sales: readonly (Sales & { day: string })[],
  last: ShopPeriod,
  dayCount: number,
): SalesReport['days'] {
  const salesByDay = new Map(sales.map((row) => [row.day, row]))
  return Array.from({ length: dayCount }, (_, index) => dayCount - 1 - index).flatMap((daysBack) => {
    const day = getDayBefore(last, daysBack)
    const current = salesByDay.get(day)
    const previous = salesByDay.get(getDayBefore(last, daysBack + dayCount))
    if (!current && !previous) return []
    return [{ ...(current ?? { ...NO_SALES, day }), previousNetCents: previous?.netCents ?? 0 }]
  })
}

const NO_SALES: Sales = {
  orders: 0,
  grossCents: 0,
  discountCents: 0,
  returnedCents: 0,
  netCents: 0,
  shippingCents: 0,
  vatCents: 0,
  roundingCents: 0,
  totalCents: 0,
}

export function groupBreakdownRows<Part extends SalesBreakdownRow>(
  parts: readonly Part[],
  nameOf: (part: Part) => string,
): SalesBreakdownRow[] {
  const groups = [...Map.groupBy(parts, nameOf)].map(([name, members]) => {
    const sum = (key: 'units' | 'netCents' | 'previousNetCents') =>
      members.reduce((total, part) => total + part[key], 0)
    return { name, units: sum('units'), netCents: sum('netCents'), previousNetCents: sum('previousNetCents') }
  })
  return groups.toSorted((a, b) => b.netCents - a.netCents || b.previousNetCents - a.previousNetCents)
}

function getDayBefore({ startMs }: ShopPeriod, days: number): string {
  // Noon in the shop's time zone is on the same date in UTC.
  return new Date(startMs + DAY_MS / 2 - days * DAY_MS).toISOString().slice(0, 'yyyy-mm-dd'.length)
}

function sumSales(rows: readonly Sales[]): Sales {
  const sum = (key: keyof Sales) => rows.reduce((total, row) => total + row[key], 0)
  return {
    orders: sum('orders'),
    grossCents: sum('grossCents'),
    discountCents: sum('discountCents'),
    returnedCents: sum('returnedCents'),
    netCents: sum('netCents'),
    shippingCents: sum('shippingCents'),
    vatCents: sum('vatCents'),
    roundingCents: sum('roundingCents'),
    totalCents: sum('totalCents'),
  }
}
