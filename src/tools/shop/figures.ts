import { and, count, eq, gte, lt, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { CatalogueContext } from '#server/context.ts'
import { contactMessages, orders, outbox, payments, salesDays, users } from '#server/platform/db/schema.ts'
import { selectBestSellers } from '#server/reports/figures.ts'
import { formatMoney, nameWithSize } from '#shared/format.ts'
import { ORDER_STATUSES } from '#shared/orders/order-status.ts'
import type { ShopDay } from '#shared/time.ts'
import { dayFrom } from './day.ts'
import type { ShopCommand } from './shop-command.ts'
import { table } from './table.ts'

export const dailyFigures: ShopCommand = {
  usage: 'figures [day]',
  summary: "a day's orders, revenue, best sellers, accounts, messages and emails; today by default",
  words: [0, 1],
  async run({ words: [word = 'today'] }, ctx) {
    const day = dayFrom(word, ctx.clock())
    const figures = { day: day.name, ...(await read(ctx, day)) }
    return { text: textOf(figures), json: figures }
  },
}

async function read(ctx: CatalogueContext, { name, startMs, endMs }: ShopDay) {
  const { db } = ctx
  const within = (column: SQLiteColumn) => and(gte(column, startMs), lt(column, endMs))
  const sum = (column: SQLiteColumn) => sql<number>`coalesce(sum(${column}), 0)`.mapWith(Number)
  const mailsWhere = (status: 'sent' | 'pending' | 'failed', column: SQLiteColumn) =>
    db
      .select({ status: outbox.status, n: count().as('n') })
      .from(outbox)
      .where(and(eq(outbox.status, status), within(column)))
      .groupBy(outbox.status)
  const [byStatus, [takings], bestSellers, [accounts], [messages], received, ...mail] = await db.batch([
    db
      .select({ status: orders.status, n: count().as('n') })
      .from(orders)
      .where(within(orders.createdAtMs))
      .groupBy(orders.status),
    db.select().from(salesDays).where(eq(salesDays.day, name)),
    selectBestSellers(`day ${name}`, ctx),
    db
      .select({ n: count().as('n') })
      .from(users)
      .where(within(users.createdAtMs)),
    db
      .select({ n: count().as('n') })
      .from(contactMessages)
      .where(within(contactMessages.createdAtMs)),
    db
      .select({
        provider: payments.provider,
        n: count().as('n'),
        cents: sum(payments.amountCents).as('cents'),
        givenBackCents:
          sql<number>`coalesce(sum(case when ${payments.refundState} = 'done' then ${payments.amountCents} end), 0)`
            .mapWith(Number)
            .as('given_back'),
      })
      .from(payments)
      .where(and(within(payments.endedAtMs), sql`${payments.state} = 'settled'`))
      .groupBy(payments.provider),
    mailsWhere('sent', outbox.sentAtMs),
    mailsWhere('pending', outbox.createdAtMs),
    mailsWhere('failed', outbox.createdAtMs),
  ])
  return {
    byStatus: countsOf(byStatus),
    takings: takings ?? {
      orders: 0,
      subtotalCents: 0,
      discountCents: 0,
      shippingCents: 0,
      vatCents: 0,
      totalCents: 0,
    },
    bestSellers,
    accounts: accounts?.n ?? 0,
    messages: messages?.n ?? 0,
    mail: countsOf(mail.flat()),
    received,
  }
}

function countsOf(rows: { status: string; n: number }[]): Record<string, number> {
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]))
}

function textOf({
  day,
  byStatus,
  takings,
  bestSellers,
  accounts,
  messages,
  mail,
  received,
}: { day: string } & Awaited<ReturnType<typeof read>>): string {
  const all = Object.values(byStatus).reduce((sum, n) => sum + n, 0)
  const states = ORDER_STATUSES.filter((status) => byStatus[status]).map(
    (status) => `${byStatus[status]} ${status}`,
  )
  const average = takings.orders > 0 ? Math.round(takings.totalCents / takings.orders) : 0
  const lines: [string, string | number][] = [
    ['Orders', all > 0 ? `${all} (${states.join(', ')})` : 0],
    ['Revenue, excluding cancelled and unpaid', formatMoney(takings.totalCents)],
    ['  including VAT', formatMoney(takings.vatCents)],
    ['  including shipping', formatMoney(takings.shippingCents)],
    ['Discounts given', formatMoney(takings.discountCents)],
    ['Average order', formatMoney(average)],
    ...received.map(({ provider, n, cents, givenBackCents }): [string, string] => [
      `Received via ${provider}`,
      `${formatMoney(cents)} (${n}${givenBackCents > 0 ? `, ${formatMoney(givenBackCents)} refunded` : ''})`,
    ]),
    ['New accounts', accounts],
    ['Messages', messages],
    ['Mail', `${mail.sent ?? 0} sent, ${mail.pending ?? 0} waiting, ${mail.failed ?? 0} given up`],
  ]
  const width = Math.max(...lines.map(([name]) => name.length))
  return [
    `Figures of ${day}`,
    '',
    ...lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    '',
    table(
      bestSellers,
      [
        { heading: 'Sold', text: ({ qty }) => qty, isFigure: true },
        {
          heading: 'Best sellers',
          text: ({ title, size, productId }) => `${nameWithSize(title, size)} (${productId})`,
        },
      ],
      'Nothing was sold.',
    ),
  ].join('\n')
}
