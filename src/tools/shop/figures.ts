import { and, count, gte, lt, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { contactMessages, orderLines, orders, outbox, payments, users } from '#server/db/schema.ts'
import { nameWithSize } from '#shared/rules/format.ts'
import { ORDER_STATUSES } from '#shared/rules/order-status.ts'
import { dayFrom } from './day.ts'
import type { ShopCommand, ShopContext } from './shop-command.ts'
import { money, table } from './table.ts'

const BEST_SELLERS = 5

export const dailyFigures: ShopCommand = {
  usage: 'figures [day]',
  summary: "a day's orders, takings, best sellers, accounts, messages and mail; today unless a day is named",
  words: [0, 1],
  async run({ words: [word = 'today'] }, context) {
    const day = dayFrom(word, context.clock())
    const figures = { day: day.name, ...(await read(context, day)) }
    return { text: textOf(figures), json: figures }
  },
}

type Period = { startMs: number; endMs: number }

async function read({ db }: ShopContext, { startMs, endMs }: Period) {
  const within = (column: SQLiteColumn) => and(gte(column, startMs), lt(column, endMs))
  const sum = (column: SQLiteColumn) => sql<number>`coalesce(sum(${column}), 0)`.mapWith(Number)
  const isSold = and(
    within(orders.createdAtMs),
    sql`${orders.status} not in ('awaiting_payment', 'expired', 'cancelled')`,
  )
  const soldIds = db.select({ id: orders.id }).from(orders).where(isSold)
  const [byStatus, [takings], bestSellers, [accounts], [messages], mail, received] = await db.batch([
    db
      .select({ status: orders.status, n: count().as('n') })
      .from(orders)
      .where(within(orders.createdAtMs))
      .groupBy(orders.status),
    db
      .select({
        orders: count().as('orders'),
        subtotalCents: sum(orders.subtotalCents).as('subtotal'),
        discountCents: sum(orders.discountCents).as('discount'),
        shippingCents: sum(orders.shippingCents).as('shipping'),
        vatCents: sum(orders.vatCents).as('vat'),
        totalCents: sum(orders.totalCents).as('total'),
      })
      .from(orders)
      .where(isSold),
    db
      .select({
        productId: orderLines.productId,
        title: orderLines.title,
        size: orderLines.size,
        qty: sum(orderLines.qty).as('sold'),
      })
      .from(orderLines)
      .where(sql`${orderLines.orderId} in ${soldIds}`)
      .groupBy(orderLines.productId)
      .orderBy(sql`sold desc, ${orderLines.productId}`)
      .limit(BEST_SELLERS),
    db
      .select({ n: count().as('n') })
      .from(users)
      .where(within(users.createdAtMs)),
    db
      .select({ n: count().as('n') })
      .from(contactMessages)
      .where(within(contactMessages.createdAtMs)),
    db
      .select({ status: outbox.status, n: count().as('n') })
      .from(outbox)
      .where(within(outbox.createdAtMs))
      .groupBy(outbox.status),
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
    mail: countsOf(mail),
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
    ['Takings, without cancelled or unpaid', money(takings.totalCents)],
    ['  of it VAT', money(takings.vatCents)],
    ['  of it shipping', money(takings.shippingCents)],
    ['Discounts given', money(takings.discountCents)],
    ['Average order', money(average)],
    ...received.map(({ provider, n, cents, givenBackCents }): [string, string] => [
      `Received by ${provider}`,
      `${money(cents)} (${n}${givenBackCents > 0 ? `, ${money(givenBackCents)} given back` : ''})`,
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
