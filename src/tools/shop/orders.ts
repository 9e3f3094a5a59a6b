import { changeOrderStatus } from '#server/orders/change-status.ts'
import { listLatestOrders } from '#server/orders/office-board.ts'
import { calculateBalance, type OrderRecord, readOrderRecord } from '#server/orders/order-record.ts'
import { getShippingLabel } from '#shared/checkout/delivery.ts'
import { formatMoney } from '#shared/format.ts'
import { getVisibleFields } from '#shared/orders/fields.ts'
import { ORDER_STATUSES, type OrderStatus } from '#shared/orders/order-status.ts'
import { formatPaymentStatus } from '#shared/orders/payment-status.ts'
import { ToolError } from '../command.ts'
import { formatPaymentTable } from './payments.ts'
import type { ShopCommand } from './shop-command.ts'
import {
  actor,
  createUnknownOrderError,
  parseChoice,
  parseLimit,
  toTable,
  unwrapResult,
} from './shop-command.ts'
import { formatDateTime, formatTable, toOneLine } from './table.ts'

function parseStatus(text: string | undefined): OrderStatus | undefined {
  return parseChoice('order status', text?.toLowerCase(), ORDER_STATUSES)
}

export const listOrdersCommand: ShopCommand = {
  usage: '[--status placed] [--limit 20]',
  summary: 'the latest orders',
  async run({ options }, ctx) {
    const filter = { status: parseStatus(options.status), limit: parseLimit(options.limit) }
    return toTable(
      await listLatestOrders(filter, ctx),
      {
        Number: 'number',
        Status: 'status',
        Payment: ({ balance }) => formatPaymentStatus(balance),
        Placed: 'createdAtMs',
        Total: 'totalCents',
        Name: ({ firstName, lastName }) => `${firstName} ${lastName}`,
        Email: 'email',
        County: ({ state, pickup }) => (pickup === null ? state : 'pickup'),
      },
      'No orders match.',
    )
  },
}

export const showOrderCommand: ShopCommand = {
  usage: '<number>',
  summary: 'everything about one order',
  async run({ positionals: [number = ''] }, ctx) {
    const record = await readOrderRecord(number, ctx)
    if (!record) throw createUnknownOrderError(number)
    const { requestHash: _hash, idempotencyKey: _key, ...order } = record.row
    const { lines } = record
    const json = { ...order, balance: calculateBalance(record), lines, payments: withRefunds(record) }
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
  const { name, address, extras } = getVisibleFields(order, 'office')
  const amounts: [string, number][] = [
    ['Subtotal', subtotalCents],
    [promoCode ? `Discount (${promoCode})` : 'Discount', -discountCents],
    [getShippingLabel(order), shippingCents],
    [`VAT (${order.vatPercent}%)`, vatCents],
    ['Rounding', totalCents - (subtotalCents - discountCents + shippingCents + vatCents)],
    ['Total', totalCents],
  ]
  const payment = formatPaymentStatus(calculateBalance(record)).toLowerCase()
  const details = [
    `${name} <${order.email}>`,
    address.join(', '),
    ...(order.pickup === null ? [] : [`Pickup: ${order.pickup}`]),
    ...(order.phone ? [`Phone ${order.phone}`] : []),
    ...extras.map(({ heading, text }) => `${heading}: ${text}`),
  ]
  const products = formatTable(
    lines,
    {
      Product: 'productId',
      Title: 'title',
      Size: ({ size }) => size ?? '',
      Each: 'unitPriceCents',
      Qty: 'qty',
      Sum: ({ unitPriceCents, qty }) => formatMoney(unitPriceCents * qty),
    },
    'This order has no items.',
  )
  const totals = amounts
    .filter(([name, cents]) => cents !== 0 || name === 'Total')
    .map(([name, cents]) => `${name}: ${formatMoney(cents)}`)
  return [
    `Order ${order.number}, ${order.status}, ${payment}, placed ${formatDateTime(order.createdAtMs)}`,
    ...details.map(toOneLine),
    ...['', formatPaymentTable(withRefunds(record)), '', products, '', ...totals],
  ].join('\n')
}

export const changeStatusCommand: ShopCommand = {
  usage: '<number> <new> [--note "With Otieno, 0712 000 000"] [--tracking https://…] [--confirm]',
  summary:
    "move an order to its next status (packed, shipped or ready, delivered, cancelled), or undo within a minute; --confirm: even if it isn't fully paid",
  async run({ positionals: [number = '', word], options: { note, tracking, confirm } }, ctx) {
    const to = parseStatus(word)
    if (!to) throw createUnknownOrderError(number)
    const changed = await changeOrderStatus(
      {
        ...{ number, to, isConfirmed: confirm !== undefined, actor },
        ...(note && { note }),
        ...(tracking && { trackingUrl: tracking }),
      },
      ctx,
    )
    if (!changed.ok && 'next' in (changed.error.details ?? {})) {
      const { status, next, previous } = changed.error.details as Record<string, string[] | string>
      const allowed = [...(next ?? []), ...(previous ?? [])].join(' or ')
      const now = allowed ? `is ${status}. It can become ${allowed}` : `is ${status}, which is final`
      throw new ToolError(`${changed.error.message} The order ${now}.`)
    }
    const { from, record } = unwrapResult(changed, number)
    return {
      text: `Order ${record.row.number}: ${from} → ${to}.`,
      json: { number: record.row.number, from, to },
    }
  },
}
