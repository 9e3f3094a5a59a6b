import { desc, eq } from 'drizzle-orm'
import { orders } from '#server/db/schema.ts'
import { changeOrderStatus } from '#server/services/orders/change-status.ts'
import { linesOf, type OrderLineRow, type OrderRow } from '#server/services/orders/stored-order.ts'
import { ORDER_STATUSES, type OrderStatus } from '#shared/rules/order-status.ts'
import { ToolError } from '../command.ts'
import { limitFrom, type ShopCommand } from './shop-command.ts'
import { moment, money, oneLine, table } from './table.ts'

export const listOrders: ShopCommand = {
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

export const showOrder: ShopCommand = {
  usage: 'orders show <number>',
  summary: 'everything about one order',
  words: [1, 1],
  async run({ words: [number = ''] }, { db }) {
    const isIt = eq(orders.number, number.trim().toUpperCase())
    const [[order], lines] = await db.batch([
      db.select().from(orders).where(isIt),
      linesOf(db, db.select({ id: orders.id }).from(orders).where(isIt)),
    ])
    if (!order) throw unknownOrder(number)
    const { requestHash: _hash, idempotencyKey: _key, ...shown } = order
    return { text: orderText(order, lines), json: { ...shown, lines } }
  },
}

/** The refusal of a number that no order has. */
export function unknownOrder(number: string): ToolError {
  return new ToolError(`There is no order ${number}. The latest: npm run shop -- orders`)
}

function orderText(order: OrderRow, lines: readonly OrderLineRow[]): string {
  const { subtotalCents, discountCents, shippingCents, vatCents, totalCents, promoCode } = order
  const address = [order.address, order.address2, `${order.zip} ${order.state}`, order.country]
  const card = order.cardBrand ? `${order.cardBrand} ending in ${order.cardLastFour}` : 'no card'
  const figures: [string, number][] = [
    ['Subtotal', subtotalCents],
    [promoCode ? `Discount (${promoCode})` : 'Discount', -discountCents],
    ['Shipping', shippingCents],
    ['VAT', vatCents],
    ['Rounding', totalCents - (subtotalCents - discountCents + shippingCents + vatCents)],
    ['Total', totalCents],
  ]
  return [
    `Order ${order.number}, ${order.status}, placed ${moment(order.createdAtMs)}`,
    oneLine(`${order.firstName} ${order.lastName} <${order.email}>`),
    oneLine(address.filter(Boolean).join(', ')),
    oneLine(`Paid by ${card} (${order.paymentProvider} ${order.paymentReference})`),
    '',
    table(
      lines,
      [
        { heading: 'Product', text: ({ productId }) => productId, isFigure: true },
        { heading: 'Title', text: ({ title }) => title },
        { heading: 'Each', text: ({ unitPriceCents }) => money(unitPriceCents), isFigure: true },
        { heading: 'Qty', text: ({ qty }) => qty, isFigure: true },
        { heading: 'Sum', text: ({ unitPriceCents, qty }) => money(unitPriceCents * qty), isFigure: true },
      ],
      'It has no lines.',
    ),
    '',
    table(
      figures.filter(([name, cents]) => cents !== 0 || name === 'Total'),
      [
        { heading: '', text: ([name]) => name },
        { heading: '', text: ([, cents]) => money(cents), isFigure: true },
      ],
      '',
    ).trimStart(),
  ].join('\n')
}

export const changeStatus: ShopCommand = {
  usage: 'orders status <number> <new>',
  summary: 'takes an order a step further: paid, shipped, delivered or cancelled',
  words: [2, 2],
  async run({ words: [number = '', word = ''] }, context) {
    const to = statusFrom(word)
    const result = await changeOrderStatus({ number, to }, context)
    if (result.ok) {
      const name = number.trim().toUpperCase()
      const { from } = result.data
      return { text: `Order ${name} was ${from} and is ${to} now.`, json: { number: name, from, to } }
    }
    const { error } = result
    if (error.code === 'unknown_order') throw unknownOrder(number)
    const { from, allowed } = error
    throw new ToolError(
      allowed.length > 0
        ? `The order is ${from}; it can become ${allowed.join(' or ')}, not ${to}.`
        : `The order is ${from}, and that is final.`,
    )
  },
}
