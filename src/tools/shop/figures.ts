import { and, count, eq, gte, lt, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { CatalogueContext } from '#server/context.ts'
import { orders, payments, refunds, salesDays } from '#server/platform/db/schema.ts'
import { selectBestSellers } from '#server/reports/figures.ts'
import { formatMoney, nameWithSize } from '#shared/format.ts'
import { ORDER_STATUSES } from '#shared/orders/order-status.ts'
import type { ShopDay } from '#shared/time.ts'
import { parseDay } from './day.ts'
import type { ShopCommand } from './shop-command.ts'
import { table } from './table.ts'

const NO_SALES = {
  orders: 0,
  subtotalCents: 0,
  discountCents: 0,
  shippingCents: 0,
  vatCents: 0,
  totalCents: 0,
  refundedCents: 0,
}

export const dailyFigures: ShopCommand = {
  usage: 'figures [day]',
  summary: "a day's orders, revenue, payments received and best sellers; today by default",
  words: [0, 1],
  async run({ words: [word = 'today'] }, ctx) {
    const day = parseDay(word, ctx.clock())
    const figures = { day: day.name, ...(await readFigures(ctx, day)) }
    return { text: formatFigures(figures), json: figures }
  },
}

async function readFigures(ctx: CatalogueContext, { name, startMs, endMs }: ShopDay) {
  const { db } = ctx
  const isWithin = (column: SQLiteColumn) => and(gte(column, startMs), lt(column, endMs))
  const sum = (value: unknown) => sql<number>`coalesce(sum(${value}), 0)`.mapWith(Number)
  const [statuses, [takings = NO_SALES], bestSellers, received, refunded] = await db.batch([
    db
      .select({ status: orders.status, n: count().as('n') })
      .from(orders)
      .where(isWithin(orders.createdAtMs))
      .groupBy(orders.status),
    db.select().from(salesDays).where(eq(salesDays.day, name)),
    selectBestSellers(`day ${name}`, ctx),
    db
      .select({
        provider: payments.provider,
        n: count().as('n'),
        cents: sum(payments.amountCents).as('cents'),
      })
      .from(payments)
      .where(and(isWithin(payments.endedAtMs), eq(payments.state, 'settled')))
      .groupBy(payments.provider),
    db
      .select({
        provider: payments.provider,
        n: count().as('n'),
        cents: sum(refunds.amountCents).as('cents'),
      })
      .from(refunds)
      .innerJoin(payments, eq(payments.id, refunds.paymentId))
      .where(isWithin(refunds.completedAtMs))
      .groupBy(payments.provider),
  ])
  const byStatus: Record<string, number> = Object.fromEntries(statuses.map(({ status, n }) => [status, n]))
  return { byStatus, takings, bestSellers, received, refunded }
}

type DayFigures = { day: string } & Awaited<ReturnType<typeof readFigures>>

function formatFigures({ day, byStatus, takings, bestSellers, received, refunded }: DayFigures): string {
  const all = Object.values(byStatus).reduce((sum, n) => sum + n, 0)
  const states = ORDER_STATUSES.filter((status) => byStatus[status]).map(
    (status) => `${byStatus[status]} ${status}`,
  )
  const netCents = takings.totalCents - takings.refundedCents
  const average = takings.orders > 0 ? Math.round(netCents / takings.orders) : 0
  const lines: [string, string | number][] = [
    ['Orders', all > 0 ? `${all} (${states.join(', ')})` : 0],
    ['Revenue after refunds, excluding cancelled and unpaid', formatMoney(netCents)],
    ['  before refunds', formatMoney(takings.totalCents)],
    ['  refunded', formatMoney(takings.refundedCents)],
    ['  including VAT', formatMoney(takings.vatCents)],
    ['  including shipping', formatMoney(takings.shippingCents)],
    ['Discounts given', formatMoney(takings.discountCents)],
    ['Average order', formatMoney(average)],
    ...received.map(({ provider, n, cents }): [string, string] => [
      `Received via ${provider}`,
      `${formatMoney(cents)} (${n})`,
    ]),
    ...refunded.map(({ provider, n, cents }): [string, string] => [
      `Refunded via ${provider}`,
      `${formatMoney(cents)} (${n})`,
    ]),
  ]
  const width = Math.max(...lines.map(([name]) => name.length))
  return [
    `Figures for ${day}`,
    '',
    ...lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    '',
    table(
      bestSellers,
      {
        Sold: ({ qty }) => qty,
        'Best sellers': ({ title, size, productId }) => `${nameWithSize(title, size)} (${productId})`,
      },
      'No sales.',
    ),
  ].join('\n')
}
