import { eq } from 'drizzle-orm'
import { orders } from '#server/db/schema.ts'
import { linesOf, type OrderLineRow, type OrderRow } from '#server/services/orders/stored-order.ts'
import { ToolError } from '../command.ts'
import { moment, money, oneLine, table } from './table.ts'
import type { Verb } from './verb.ts'

export const showOrder: Verb = {
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
