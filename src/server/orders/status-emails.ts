import {
  formatOriginalMethod,
  formatPaymentMethod,
  type PaymentRow,
} from '#server/payments/payment-attempts.ts'
import type { RefundRow } from '#server/payments/refunds.ts'
import type { ORDER_STATUS_EMAILS, orderEvents } from '#server/platform/db/schema.ts'
import { type EmailBlock, renderEmail } from '#server/platform/email/layout.ts'
import { type Email, SHOP_EMAIL } from '#server/platform/email/mailer.ts'
import { formatMoney, formatNameWithSize } from '#shared/format.ts'
import type { OrderStatus } from '#shared/orders/order-status.ts'
import { RETURN_WINDOW_MS } from '#shared/orders/returns.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { formatLongDate } from '#shared/time.ts'
import {
  createContactBlock,
  createDeliveryAddressBlock,
  createDeliveryBlocks,
  describeAmountDue,
  getShopperEmailFields,
  VIEW_ORDER_BUTTON,
} from './confirmation-emails.ts'
import { calculateBalance, type OrderLineRow, type OrderRecord, type OrderRow } from './order-record.ts'
import type { OrderReturn } from './order-returns.ts'
import { PAID_TOO_LATE_MESSAGE } from './payment-state.ts'
import { formatNextStep } from './return-steps.ts'

export type OrderEvent = typeof orderEvents.$inferSelect
type EmailedOrder = Pick<OrderRecord, 'row' | 'lines' | 'payments' | 'refunds'>

type StatusEmail = {
  kind: (typeof ORDER_STATUS_EMAILS)[number]
  subject: (number: string, isPickup: boolean) => string
  heading: (isPickup: boolean) => string
  /** `order` is, for example, `P-7K3M9Q, placed on 24 November 2026,`. */
  text: (order: string, isPickup: boolean) => string
  destination?: (order: OrderRow) => EmailBlock[]
}

const STATUS_EMAILS: Partial<Record<OrderStatus, StatusEmail>> = {
  packed: {
    kind: 'order-packed',
    subject: (number) => `Your ${shop.name} order ${number} is packed`,
    heading: () => 'Your order is packed',
    text: (order, isPickup) =>
      isPickup
        ? `Your order ${order} is packed. We’ll email you when you can pick it up.`
        : `Your order ${order} is packed and waiting for the rider.`,
  },
  shipped: {
    kind: 'order-shipped',
    subject: (number) => `Your ${shop.name} order ${number} is on its way`,
    heading: () => 'Your order is on its way',
    text: (order) => `Your order ${order} has left our shop and is on its way to you.`,
    destination: (order) => [
      { kind: 'paragraph', text: 'Delivery address:' },
      createDeliveryAddressBlock(order),
    ],
  },
  ready: {
    kind: 'order-ready',
    subject: (number) => `Your ${shop.name} order ${number} is ready for pickup`,
    heading: () => 'Your order is ready for pickup',
    text: (order) =>
      `Your order ${order} is packed and waiting for you at our shop. Please bring your order number.`,
    destination: (order) => (order.pickup === null ? [] : createDeliveryBlocks(order)),
  },
  delivered: {
    kind: 'order-delivered',
    subject: (number, isPickup) =>
      `Your ${shop.name} order ${number} was ${isPickup ? 'picked up' : 'delivered'}`,
    heading: (isPickup) => `Your order was ${isPickup ? 'picked up' : 'delivered'}`,
    text: (order, isPickup) =>
      isPickup
        ? `Your order ${order} has been picked up. We hope you love it. Asante!`
        : `Your order ${order} has been delivered. We hope you love it. Asante!`,
  },
}

export function getStatusEmailKind(status: OrderStatus): StatusEmail['kind'] | undefined {
  return STATUS_EMAILS[status]?.kind
}

export function createOrderStatusEmail(record: EmailedOrder, event: OrderEvent): Email | undefined {
  const order = record.row
  const template = STATUS_EMAILS[event.status]
  if (!template) return undefined
  const isPickup = order.pickup !== null
  return {
    kind: template.kind,
    ...getShopperEmailFields(order),
    subject: template.subject(order.number, isPickup),
    ...renderEmail(template.heading(isPickup), [
      { kind: 'paragraph', text: template.text(formatOrderReference(order), isPickup) },
      createItemsBlock(record.lines),
      ...createCashBlocks(record, event),
      ...createNoteBlocks(event),
      ...(template.destination?.(order) ?? []),
      ...createReturnBlocks(event),
      VIEW_ORDER_BUTTON,
      createContactBlock(order),
    ]),
  }
}

function createItemsBlock(lines: readonly OrderLineRow[]): EmailBlock {
  const rows = lines.map(({ title, size, qty }) => ({
    label: `${formatNameWithSize(title, size)} × ${qty}`,
    value: '',
  }))
  return { kind: 'rows', rows }
}

function createCashBlocks(record: Omit<EmailedOrder, 'lines'>, { status }: OrderEvent): EmailBlock[] {
  const { dueCents } = calculateBalance(record)
  if (!record.row.isCashOnDelivery || dueCents === 0 || status === 'delivered') return []
  const text = `Please have ${formatMoney(dueCents)} ready, in cash or by M-Pesa.`
  return [{ kind: 'paragraph', text }]
}

function createReturnBlocks({ status, atMs }: OrderEvent): EmailBlock[] {
  if (status !== 'delivered') return []
  const until = formatLongDate(atMs + RETURN_WINDOW_MS)
  return [
    {
      kind: 'paragraph',
      text: `You can request a return or an exchange on your order’s page until ${until}.`,
    },
  ]
}

function createNoteBlocks({ note, trackingUrl }: OrderEvent): EmailBlock[] {
  return [
    ...(note
      ? [
          { kind: 'paragraph' as const, text: 'A message from us:' },
          { kind: 'quote' as const, text: note },
        ]
      : []),
    ...(trackingUrl ? [{ kind: 'link' as const, label: 'Track your parcel', url: trackingUrl }] : []),
  ]
}

function formatOrderReference(order: OrderRow): string {
  return `${order.number}, placed on ${formatLongDate(order.createdAtMs)},`
}

export function createOrderCancelledEmail(
  { row: order, lines }: Pick<OrderRecord, 'row' | 'lines'>,
  payment: PaymentRow | undefined,
  refundCents: number,
): Email {
  const refund = {
    kind: 'paragraph',
    text: `We’ve started a refund of ${formatMoney(refundCents)} to ${payment ? formatOriginalMethod(payment) : 'you'}. We’ll email you when it’s complete.`,
  } as const
  return {
    kind: 'order-cancelled',
    ...getShopperEmailFields(order),
    subject: `Your ${shop.name} order ${order.number} was cancelled`,
    ...renderEmail('Your order has been cancelled', [
      { kind: 'paragraph', text: `Your order ${formatOrderReference(order)} was cancelled.` },
      createItemsBlock(lines),
      ...(refundCents > 0 ? [refund] : []),
      VIEW_ORDER_BUTTON,
      createContactBlock(order),
    ]),
  }
}

/**
 * Confirms a payment that didn't place its order. `subjectId` is the payment's id, because an order can have several
 * payments. `exchange` is one whose items have been received.
 */
export function createPaymentReceivedEmail(
  order: OrderRow,
  payment: PaymentRow,
  dueCents: number,
  exchange?: OrderReturn,
): Email {
  const amount = formatMoney(payment.amountCents)
  return {
    kind: 'payment-received',
    ...getShopperEmailFields(order),
    subjectId: payment.id,
    subject: `We’ve received ${amount} for your ${shop.name} order ${order.number}`,
    ...renderEmail('Payment received', [
      {
        kind: 'paragraph',
        text: `Thank you! We’ve received your payment of ${amount} for your order ${order.number} (${formatPaymentMethod(payment)}).`,
      },
      ...(dueCents > 0
        ? [
            {
              kind: 'paragraph' as const,
              text: describeAmountDue(order, dueCents),
            },
          ]
        : exchange
          ? [{ kind: 'paragraph' as const, text: `Next, ${formatNextStep(exchange)}` }]
          : []),
      VIEW_ORDER_BUTTON,
      createContactBlock(order),
    ]),
  }
}

const SEVERAL_PAYMENTS_PARAGRAPH: EmailBlock = {
  kind: 'paragraph',
  text: 'You paid for this order in several payments. We refund each of them separately, so you may get several emails like this one. Together, they add up to your refund.',
}

/** `subjectId` is the refund's id, because an order can have several refunds. */
export function createOrderRefundedEmail(order: OrderRow, payment: PaymentRow, refund: RefundRow): Email {
  const amount = formatMoney(refund.amountCents)
  const netPaidCents = order.paidCents - order.refundCents
  const paidParagraph = {
    kind: 'paragraph',
    text: `After refunds, you’ve paid ${formatMoney(netPaidCents)} for this order.`,
  } as const
  return {
    kind: 'order-refunded',
    ...getShopperEmailFields(order),
    subjectId: refund.id,
    subject: `We’ve refunded ${amount} for your ${shop.name} order ${order.number}`,
    ...renderEmail('Your refund is complete', [
      {
        kind: 'paragraph',
        text: `We’ve refunded ${amount} for your order ${order.number} to ${formatOriginalMethod(payment)}. It may take a few days to reach you.`,
      },
      ...(payment.amountCents < order.paidCents ? [SEVERAL_PAYMENTS_PARAGRAPH] : []),
      ...(netPaidCents > 0 ? [paidParagraph] : []),
      ...(order.status === 'expired'
        ? [
            {
              kind: 'paragraph' as const,
              text: PAID_TOO_LATE_MESSAGE,
            },
          ]
        : []),
      VIEW_ORDER_BUTTON,
      createContactBlock(order),
    ]),
  }
}

type OrderLinkRequest = { requestId: string; number: string; origin: string }

export function createOrderLinkEmail({ requestId, number, origin }: OrderLinkRequest) {
  return {
    kind: 'order-link',
    subjectId: requestId,
    recipient: '',
    replyTo: SHOP_EMAIL,
    orderUrl: origin + href('order', { number }),
    subject: `Link to your ${shop.name} order ${number}`,
    ...renderEmail('Your order link', [
      {
        kind: 'paragraph',
        text: `We received a request for the link to order ${number}. Anyone with the link can view the order, so please don’t share it.`,
      },
      VIEW_ORDER_BUTTON,
      { kind: 'paragraph', text: 'If this wasn’t you, you can ignore this email.' },
    ]),
  } as const satisfies Email
}
