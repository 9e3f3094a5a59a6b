import { desc, eq } from 'drizzle-orm'
import { changeOrderStatus } from '#server/orders/change-status.ts'
import { selectListedRefunds, withBalances } from '#server/orders/list-balances.ts'
import { balanceOf, type OrderRecord, selectOrderRecord, toOrderRecord } from '#server/orders/order-record.ts'
import { COMMAND_LINE } from '#server/platform/db/audit.ts'
import { orders } from '#server/platform/db/schema.ts'
import { shippingLabel } from '#shared/checkout/delivery.ts'
import { formatMoney } from '#shared/format.ts'
import { visibleFields } from '#shared/orders/fields.ts'
import { ORDER_STATUSES, type OrderStatus } from '#shared/orders/order-status.ts'
import { paymentStatusLabel } from '#shared/orders/payment-status.ts'
import { ToolError } from '../command.ts'
import { paymentTable, unknownOrder } from './payments.ts'
import { parseLimit, type ShopCommand } from './shop-command.ts'
import { formatDateTime, oneLine, table } from './table.ts'

export const listOrders: ShopCommand = {
  usage: 'orders [list] [--status placed] [--limit 20]',
  summary: 'the latest orders',
  words: [0, 0],
  options: { status: { type: 'string' }, limit: { type: 'string' } },
  async run({ options }, ctx) {
    const { db } = ctx
    const whereStatus =
      options.status === undefined ? undefined : eq(orders.status, parseStatus(options.status))
    const limit = parseLimit(options.limit)
    const latest = db
      .select({ id: orders.id })
      .from(orders)
      .where(whereStatus)
      .orderBy(desc(orders.createdAtMs))
      .limit(limit)
    const [found, refunds] = await db.batch([
      db
        .select({
          id: orders.id,
          number: orders.number,
          status: orders.status,
          placedAtMs: orders.createdAtMs,
          firstName: orders.firstName,
          lastName: orders.lastName,
          email: orders.email,
          state: orders.state,
          pickup: orders.pickup,
          totalCents: orders.totalCents,
          paidCents: orders.paidCents,
        })
        .from(orders)
        .where(whereStatus)
        .orderBy(desc(orders.createdAtMs))
        .limit(limit),
      selectListedRefunds(latest, ctx),
    ])
    const rows = withBalances(found, refunds)
    const text = table(
      rows,
      {
        Number: ({ number }) => number,
        Status: ({ status }) => status,
        Payment: ({ balance }) => paymentStatusLabel(balance),
        Placed: ({ placedAtMs }) => formatDateTime(placedAtMs),
        Total: ({ totalCents }) => formatMoney(totalCents),
        Name: ({ firstName, lastName }) => `${firstName} ${lastName}`,
        Email: ({ email }) => email,
        County: ({ state, pickup }) => (pickup === null ? state : 'pickup'),
      },
      'No orders match.',
    )
    return { text, json: rows }
  },
}

function parseStatus(word: string): OrderStatus {
  const status = ORDER_STATUSES.find((candidate) => candidate === word.toLowerCase())
  if (status) return status
  throw new ToolError(`"${word}" isn't an order status. Use one of: ${ORDER_STATUSES.join(', ')}.`)
}

export const showOrder: ShopCommand = {
  usage: 'orders show <number>',
  summary: 'everything about one order',
  words: [1, 1],
  async run({ words: [number = ''] }, { db }) {
    const byNumber = eq(orders.number, number.trim().toUpperCase())
    const record = toOrderRecord(await db.batch(selectOrderRecord(db, byNumber)))
    if (!record) throw unknownOrder(number)
    const { row, lines } = record
    const { requestHash: _hash, idempotencyKey: _key, ...order } = row
    const json = { ...order, balance: balanceOf(record), lines, payments: withRefunds(record) }
    return { text: formatOrder(record), json }
  },
}

function withRefunds({ payments, refunds }: OrderRecord) {
  const withoutHash = <Row extends { callbackHash: string | null }>({ callbackHash: _, ...row }: Row) => row
  return payments.map((payment) => ({
    ...withoutHash(payment),
    refunds: refunds.filter(({ paymentId }) => paymentId === payment.id).map(withoutHash),
  }))
}

function formatOrder(record: OrderRecord): string {
  const { row: order, lines } = record
  const { subtotalCents, discountCents, shippingCents, vatCents, totalCents, promoCode } = order
  const { name, address, extras } = visibleFields(order, 'office')
  const figures: [string, number][] = [
    ['Subtotal', subtotalCents],
    [promoCode ? `Discount (${promoCode})` : 'Discount', -discountCents],
    [shippingLabel(order), shippingCents],
    [`VAT (${order.vatPercent}%)`, vatCents],
    ['Rounding', totalCents - (subtotalCents - discountCents + shippingCents + vatCents)],
    ['Total', totalCents],
  ]
  return [
    `Order ${order.number}, ${order.status}, ${paymentStatusLabel(balanceOf(record)).toLowerCase()}, placed ${formatDateTime(order.createdAtMs)}`,
    oneLine(`${name} <${order.email}>`),
    oneLine(address.join(', ')),
    ...(order.pickup === null ? [] : [oneLine(`Pickup: ${order.pickup}`)]),
    ...(order.phone ? [oneLine(`Phone ${order.phone}`)] : []),
    ...extras.map(({ heading, text }) => oneLine(`${heading}: ${text}`)),
    '',
    paymentTable(withRefunds(record)),
    '',
    table(
      lines,
      {
        Product: ({ productId }) => productId,
        Title: ({ title }) => title,
        Size: ({ size }) => size ?? '',
        Each: ({ unitPriceCents }) => formatMoney(unitPriceCents),
        Qty: ({ qty }) => qty,
        Sum: ({ unitPriceCents, qty }) => formatMoney(unitPriceCents * qty),
      },
      'This order has no lines.',
    ),
    '',
    table(
      figures.filter(([name, cents]) => cents !== 0 || name === 'Total'),
      { Totals: ([name]) => name, Amount: ([, cents]) => formatMoney(cents) },
      '',
    ),
  ].join('\n')
}

export const changeStatus: ShopCommand = {
  usage:
    'orders status <number> <new> [--note "With Otieno, 0712 000 000"] [--tracking https://…] [--confirm]',
  summary:
    'move an order to its next status (packed, shipped or ready, delivered, cancelled), or undo within a minute',
  words: [2, 2],
  options: { note: { type: 'string' }, tracking: { type: 'string' }, confirm: { type: 'boolean' } },
  async run({ words: [number = '', word = ''], options: { note, tracking, confirm } }, context) {
    const to = parseStatus(word)
    const details = { ...(note ? { note } : {}), ...(tracking ? { trackingAddress: tracking } : {}) }
    const result = await changeOrderStatus(
      { number, to, ...details, isConfirmed: confirm !== undefined, actor: COMMAND_LINE },
      context,
    )
    if (result.ok) {
      const { from, record } = result.data
      const { number: name } = record.row
      return { text: `Order ${name}: ${from} → ${to}.`, json: { number: name, from, to } }
    }
    const { error } = result
    switch (error.code) {
      case 'not_found':
        throw unknownOrder(number)
      case 'invalid_fields':
        throw new ToolError(`${Object.values(error.fieldErrors ?? {}).join('. ')}.`)
      case 'payment_incomplete':
        throw new ToolError(`${error.message} To mark it as ${to} anyway, add --confirm.`)
      case 'status_changed':
      case 'status_not_allowed': {
        const { status, next, previous } = error.details
        const allowed = [...next, ...previous].join(' or ')
        if (previous.includes(to)) throw new ToolError(`The order is ${status}. ${error.message}`)
        throw new ToolError(
          allowed
            ? `The order is ${status}. It can become ${allowed}, not ${to}.`
            : `The order is ${status}, which is final.`,
        )
      }
    }
  },
}
