import { and, between, eq, inArray, sql } from 'drizzle-orm'
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

/** Listed because "all but `''`" would read every year. */
const ALL_METHODS = [...PROVIDER_NAMES, ...MANUAL_PAYMENT_TYPES]

/** Reads daily totals, so the cost doesn't grow with the number of orders. */
export async function readSales(
  { first, last, parts }: SalesInput,
  { db }: OwnerContext,
): Promise<SalesReport> {
  const days = Math.round((last.startMs - first.startMs) / DAY_MS) + 1
  const [beforeFirst, beforeLast] = [getDayBefore(first, days), getDayBefore(first, 1)]
  const byCurrentPeriod = (day: typeof figureDays.day | typeof figureItems.day) =>
    sql`${day} >= ${first.name}`
  const net = sql`${figureDays.grossCents} - ${figureDays.discountCents} - ${figureDays.returnedCents}`
  const itemNet = sql`${figureItems.netCents} - ${figureItems.returnedCents}`
  const sumIf = (condition: ReturnType<typeof byCurrentPeriod>, value: typeof net) =>
    sql<number>`coalesce(sum(case when ${condition} then ${value} end), 0)`.mapWith(Number)
  const negate = (condition: ReturnType<typeof byCurrentPeriod>) => sql`not ${condition}`
  const byRequestedPart = (part: 'methods' | 'items') =>
    parts === undefined || parts === part ? undefined : sql`0`
  const [rows, methods, items] = await db.batch([
    db
      .select()
      .from(figureDays)
      .where(and(eq(figureDays.method, ''), between(figureDays.day, beforeFirst, last.name)))
      .orderBy(figureDays.day),
    db
      .select({
        name: figureDays.method,
        units:
          sql<number>`coalesce(sum(case when ${byCurrentPeriod(figureDays.day)} then ${figureDays.orders} end), 0)`.as(
            'units',
          ),
        netCents: sumIf(byCurrentPeriod(figureDays.day), net).as('net'),
        previousNetCents: sumIf(negate(byCurrentPeriod(figureDays.day)), net).as('before'),
      })
      .from(figureDays)
      .where(
        and(
          byRequestedPart('methods'),
          inArray(figureDays.method, ALL_METHODS),
          between(figureDays.day, beforeFirst, last.name),
        ),
      )
      .groupBy(figureDays.method),
    db
      .select({
        itemId: figureItems.itemId,
        name: sql<string>`max(${figureItems.title})`.as('name'),
        size: sql<string | null>`max(${figureItems.size})`.as('size'),
        units:
          sql<number>`coalesce(sum(case when ${byCurrentPeriod(figureItems.day)} then ${figureItems.units} end), 0)`.as(
            'sold',
          ),
        netCents: sumIf(byCurrentPeriod(figureItems.day), itemNet).as('net'),
        previousNetCents: sumIf(negate(byCurrentPeriod(figureItems.day)), itemNet).as('before'),
      })
      .from(figureItems)
      .where(and(byRequestedPart('items'), between(figureItems.day, beforeFirst, last.name)))
      .groupBy(figureItems.itemId),
  ])
  const all = rows.map(({ refundedCents: _, method: _method, ...row }) => ({
    ...row,
    netCents: row.grossCents - row.discountCents - row.returnedCents,
  }))
  const byDay = new Map(all.map((row) => [row.day, row]))
  const pairs = Array.from({ length: days }, (_, nth) => {
    const back = days - 1 - nth
    return { day: getDayBefore(last, back), before: byDay.get(getDayBefore(last, back + days)) }
  })
  return {
    current: sumSales(all.filter(({ day }) => day >= first.name)),
    previous: sumSales(all.filter(({ day }) => day <= beforeLast)),
    days: pairs.flatMap(({ day, before }) => {
      const row = byDay.get(day) ?? { ...NO_SALES, day }
      return byDay.has(day) || before ? [{ ...row, previousNetCents: before?.netCents ?? 0 }] : []
    }),
    methods,
    items,
  }
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
