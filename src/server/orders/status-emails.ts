import type { PaymentRow } from '#server/payments/attempts.ts'
import { paymentMethodLabel } from '#server/payments/attempts.ts'
import type { ORDER_STATUS_EMAILS, orderEvents } from '#server/platform/db/schema.ts'
import { type EmailBlock, emailBody } from '#server/platform/email/layout.ts'
import type { Email } from '#server/platform/email/mailer.ts'
import { formatMoney } from '#shared/format.ts'
import type { OrderStatus } from '#shared/orders/order-status.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { contactBlock, deliveryAddress, orderDate, SEE_YOUR_ORDER, shopperEmailFields } from './emails.ts'
import type { OrderRow } from './order-record.ts'

export type OrderEvent = typeof orderEvents.$inferSelect

type StepMail = {
  kind: (typeof ORDER_STATUS_EMAILS)[number]
  subject: (number: string, isPickup: boolean) => string
  heading: (isPickup: boolean) => string
  /** What has happened to the order of that number and day. */
  text: (order: string, isPickup: boolean) => string
  /** Where the parcel goes or is picked up, where the mail repeats it. */
  destination?: (order: OrderRow) => EmailBlock[]
}

/** The steps that the shopper is told of. */
const STEP_MAILS: Partial<Record<OrderStatus, StepMail>> = {
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
    text: (order) => `Your order ${order} has left our shop.`,
    destination: (order) => [{ kind: 'paragraph', text: 'Delivery address:' }, deliveryAddress(order)],
  },
  ready: {
    kind: 'order-ready',
    subject: (number) => `Your ${shop.name} order ${number} is ready for pickup`,
    heading: () => 'Your order is ready for pickup',
    text: (order) =>
      `Your order ${order} is packed and waiting for you at our shop. Please bring the order number.`,
    destination: ({ pickup }) => (pickup === null ? [] : [{ kind: 'quote', text: pickup }]),
  },
  delivered: {
    kind: 'order-delivered',
    subject: (number, isPickup) =>
      `Your ${shop.name} order ${number} was ${isPickup ? 'picked up' : 'delivered'}`,
    heading: (isPickup) => `Your order was ${isPickup ? 'picked up' : 'delivered'}`,
    text: (order) => `Your order ${order} has been handed over. We hope it fits well. Asante!`,
  },
}

/** The kind of mail that tells of a step; undefined for a step without one. */
export function statusEmailKind(status: OrderStatus): StepMail['kind'] | undefined {
  return STEP_MAILS[status]?.kind
}

/** Tells the shopper of a step of their order, with the note and the tracking link it was given; undefined for a step without a mail. */
export function orderStatusEmail(order: OrderRow, event: OrderEvent): Email | undefined {
  const step = STEP_MAILS[event.status]
  if (!step) return undefined
  const isPickup = order.pickup !== null
  return {
    kind: step.kind,
    ...shopperEmailFields(order),
    subject: step.subject(order.number, isPickup),
    ...emailBody(step.heading(isPickup), [
      { kind: 'paragraph', text: step.text(named(order), isPickup) },
      ...noteOf(event),
      ...(step.destination?.(order) ?? []),
      SEE_YOUR_ORDER,
      contactBlock(order),
    ]),
  }
}

function noteOf({ note, trackingAddress }: OrderEvent): EmailBlock[] {
  return [
    ...(note ? [{ kind: 'quote' as const, text: note }] : []),
    ...(trackingAddress
      ? [{ kind: 'link' as const, label: 'Track your parcel', address: trackingAddress }]
      : []),
  ]
}

/** `P-7K3M9Q of 21 November 2026`. */
function named(order: OrderRow): string {
  return `${order.number} from ${orderDate(order)}`
}

/** Tells the shopper that a paid order was cancelled and where the money is. */
export function orderCancelledEmail(order: OrderRow, payment: PaymentRow): Email {
  return {
    kind: 'order-cancelled',
    ...shopperEmailFields(order),
    subject: `Your ${shop.name} order ${order.number} was cancelled`,
    ...emailBody('Your order was cancelled', [
      { kind: 'paragraph', text: `Your order ${named(order)} was cancelled.` },
      {
        kind: 'paragraph',
        text: `We’ve started a refund of ${formatMoney(payment.amountCents)} to your original payment method (${paymentMethodLabel(payment)}). We’ll email you when it’s complete.`,
      },
      SEE_YOUR_ORDER,
      contactBlock(order),
    ]),
  }
}

/** Tells the shopper that a payment has been given back. One for each payment. */
export function orderRefundedEmail(order: OrderRow, payment: PaymentRow): Email {
  const amount = formatMoney(payment.amountCents)
  return {
    kind: 'order-refunded',
    ...shopperEmailFields(order),
    subjectId: payment.id,
    subject: `We refunded ${amount} for your ${shop.name} order ${order.number}`,
    ...emailBody('Your refund is complete', [
      {
        kind: 'paragraph',
        text: `We refunded ${amount} for your order ${named(order)} to your original payment method (${paymentMethodLabel(payment)}). It can take a few days to show up.`,
      },
      SEE_YOUR_ORDER,
      contactBlock(order),
    ]),
  }
}

type OrderLinkRequest = { requestId: string; number: string /** The shop's public origin. */; origin: string }

/** The link to an order's page, for whoever asked for it. The service fills in the order's own address. */
export function orderLinkEmail({ requestId, number, origin }: OrderLinkRequest) {
  return {
    kind: 'order-link',
    subjectId: requestId,
    recipient: '',
    replyTo: shop.email,
    orderAddress: origin + href('order', { number }),
    subject: `Your ${shop.name} order ${number}`,
    ...emailBody('Your order link', [
      {
        kind: 'paragraph',
        text: `We received a request for the link to order ${number}. Anyone with the link can view the order, so please don’t share it.`,
      },
      SEE_YOUR_ORDER,
      { kind: 'paragraph', text: 'If this wasn’t you, you can ignore this email.' },
    ]),
  } as const satisfies Email
}
