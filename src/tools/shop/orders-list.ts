import { desc, eq } from 'drizzle-orm'
import { orders } from '#server/db/schema.ts'
import { ORDER_STATUSES, type OrderStatus } from '#shared/rules/order-status.ts'
import { ToolError } from '../command.ts'
import { limitFrom } from './limit.ts'
import { moment, money, table } from './table.ts'
import type { Verb } from './verb.ts'

export const listOrders: Verb = {
  usage: 'orders [list] [--status paid] [--limit 20]',
  summary: 'the latest orders',
  words: [0, 0],
  options: { status: { type: 'string' }, limit: { type: 'string' } },
  async run({ options }, { db }) {
    const rows = await db
      .select({
        number: orders.number,
        status: orders.status,
        placedAtMs: orders.createdAtMs,
        firstName: orders.firstName,
        lastName: orders.lastName,
        email: orders.email,
        state: orders.state,
        totalCents: orders.totalCents,
      })
      .from(orders)
      .where(options.status === undefined ? undefined : eq(orders.status, statusFrom(options.status)))
      .orderBy(desc(orders.createdAtMs))
      .limit(limitFrom(options.limit))
    const text = table(
      rows,
      [
        { heading: 'Number', text: ({ number }) => number },
        { heading: 'Status', text: ({ status }) => status },
        { heading: 'Placed', text: ({ placedAtMs }) => moment(placedAtMs) },
        { heading: 'Total', text: ({ totalCents }) => money(totalCents), isFigure: true },
        { heading: 'Name', text: ({ firstName, lastName }) => `${firstName} ${lastName}` },
        { heading: 'Email', text: ({ email }) => email },
        { heading: 'County', text: ({ state }) => state },
      ],
      'There are no such orders.',
    )
    return { text, json: rows }
  },
}

/** An order status. Throws ToolError naming all of them for any other word. */
export function statusFrom(word: string): OrderStatus {
  const status = ORDER_STATUSES.find((candidate) => candidate === word.toLowerCase())
  if (status) return status
  throw new ToolError(`"${word}" is no order status. There are: ${ORDER_STATUSES.join(', ')}.`)
}
