import { type PaymentRow, paymentMethodLabel } from '#server/payments/attempts.ts'
import { type EmailBlock, emailBody, withoutLinks } from '#server/platform/email/layout.ts'
import { type Email, ORDER_LINK } from '#server/platform/email/mailer.ts'
import { shippingLabel } from '#shared/checkout/delivery.ts'
import { formatMoney, nameWithSize } from '#shared/format.ts'
import { type Place, shownFields } from '#shared/orders/fields.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import type { OrderLineRow, OrderRow } from './order-record.ts'

/** The lines of an order and its totals. */
export function orderRows(order: OrderRow, lines: readonly OrderLineRow[]): EmailBlock {
  const { subtotalCents, discountCents, shippingCents, vatCents, totalCents } = order
  const roundingCents = totalCents - (subtotalCents - discountCents + shippingCents + vatCents)
  return {
    kind: 'rows',
    rows: [
      ...lines.map(({ title, size, qty, unitPriceCents }) => ({
        label: `${nameWithSize(title, size)} × ${qty}`,
        value: formatMoney(unitPriceCents * qty),
      })),
      { label: 'Subtotal', value: formatMoney(subtotalCents) },
      ...(order.promoCode
        ? [{ label: `Promo code ${order.promoCode}`, value: formatMoney(-discountCents) }]
        : []),
      { label: shippingLabel(order), value: shippingCents === 0 ? 'FREE' : formatMoney(shippingCents) },
      { label: `VAT (${order.vatPercent}%)`, value: formatMoney(vatCents) },
      ...(roundingCents === 0 ? [] : [{ label: 'Rounding', value: formatMoney(roundingCents) }]),
      { label: 'Total', value: formatMoney(totalCents), isStrong: true },
    ],
  }
}

/** The delivery address, one part a line. */
export function deliveryAddress(order: OrderRow, place: Place = 'shopperEmail'): EmailBlock {
  const { name, address, phone } = shownFields(order, place)
  return { kind: 'quote', text: [name, ...address, phone].map(withoutLinks).filter(Boolean).join('\n') }
}

/** The fields with a heading of their own that a place shows. */
function orderExtras(order: OrderRow, place: Place): EmailBlock[] {
  return shownFields(order, place).extras.flatMap(({ heading, text }): EmailBlock[] => [
    { kind: 'paragraph', text: `${heading}:` },
    { kind: 'quote', text: text.split('\n').map(withoutLinks).join('\n') },
  ])
}

/** Where the parcel goes, under a sentence; or where it is picked up. */
export function deliveryBlock(
  order: OrderRow,
  sentence = 'Delivery address:',
  place: Place = 'shopperEmail',
): EmailBlock[] {
  if (order.pickup === null) return [{ kind: 'paragraph', text: sentence }, deliveryAddress(order, place)]
  return [
    { kind: 'paragraph', text: 'Pickup at our shop:' },
    { kind: 'quote', text: order.pickup },
  ]
}

/** What all mails to the shopper about an order have in common; `origin` may be left out, where none is known. */
export function shopperEmailFields({ id, number, email, confirmationEmail }: OrderRow, origin = '') {
  return {
    subjectId: id,
    recipient: confirmationEmail ?? email,
    replyTo: shop.email,
    orderAddress: origin + href('order', { number }),
  }
}

/** The button to the order's own page. */
export const SEE_YOUR_ORDER: EmailBlock = { kind: 'link', label: 'View your order', address: ORDER_LINK }

/** Whom to ask about an order. */
export function contactBlock({ number }: OrderRow): EmailBlock {
  return {
    kind: 'paragraph',
    text: `Something wrong? Reply to this email and mention order ${number}. We reply ${shop.replyPromise}.`,
  }
}

/** The day an order was placed, on the shop's calendar: `21 November 2026`. */
export function orderDate({ createdAtMs }: OrderRow): string {
  // Not at module level: creating a formatter takes a tenth of the Worker's start-up time.
  const day = new Intl.DateTimeFormat(shop.locale, { dateStyle: 'long', timeZone: shop.timeZone })
  return day.format(createdAtMs)
}

/**
 * Confirms an order to the shopper (§ 2). `origin` is the shop's public origin, for links. The address that it goes to
 * may be somebody else's, so the heading is neutral and the address holds no links.
 */
export function orderConfirmationEmail(
  order: OrderRow,
  lines: readonly OrderLineRow[],
  payment: PaymentRow,
  origin: string,
): Email {
  const { number } = order
  return {
    kind: 'order-confirmation',
    ...shopperEmailFields(order, origin),
    subject: `Your ${shop.name} order ${number}`,
    ...emailBody('Asante!', [
      {
        kind: 'paragraph',
        text: `Thank you for your purchase. We received your order ${number} on ${orderDate(order)} and are packing it with care.`,
      },
      orderRows(order, lines),
      { kind: 'paragraph', text: `Paid with: ${paymentMethodLabel(payment)}` },
      ...deliveryBlock(order),
      ...(order.pickup === null
        ? []
        : [{ kind: 'paragraph' as const, text: 'We’ll email you as soon as it’s ready.' }]),
      ...orderExtras(order, 'shopperEmail'),
      SEE_YOUR_ORDER,
      contactBlock(order),
    ]),
  }
}

/** Tells the shop what to pack and where to send it; a reply goes to the shopper. */
export function orderNoticeEmail(
  order: OrderRow,
  lines: readonly OrderLineRow[],
  payment: PaymentRow,
  operatorEmail: string,
): Email {
  const { number, firstName, lastName, email } = order
  const pieces = lines.reduce((sum, { qty }) => sum + qty, 0)
  return {
    kind: 'order-notice',
    subjectId: order.id,
    recipient: operatorEmail,
    replyTo: email,
    subject: `New order ${number}: ${formatMoney(order.totalCents)}`,
    ...emailBody(`New order ${number}`, [
      {
        kind: 'paragraph',
        text: `${firstName} ${lastName} (${email}) ordered ${pieces === 1 ? '1 item' : `${pieces} items`} on ${orderDate(order)}.`,
      },
      orderRows(order, lines),
      {
        kind: 'paragraph',
        text: `Payment: ${paymentMethodLabel(payment)}, ${payment.provider} ${payment.reference}`,
      },
      ...deliveryBlock(order, 'Deliver to:', 'shopEmail'),
      ...orderExtras(order, 'shopEmail'),
    ]),
  }
}

/** Tells the shop of money that only a person can give back. */
export function refundNoticeEmail(
  order: OrderRow,
  payment: PaymentRow,
  reason: string,
  operatorEmail: string,
): Email {
  const { number, firstName, lastName, email } = order
  return {
    kind: 'refund-notice',
    subjectId: payment.id,
    recipient: operatorEmail,
    replyTo: email,
    subject: `Refund ${formatMoney(payment.amountCents)} by hand for order ${number}`,
    ...emailBody(`Refund ${formatMoney(payment.amountCents)} by hand`, [
      {
        kind: 'paragraph',
        text: `${firstName} ${lastName} (${email}) is due a refund of ${formatMoney(payment.amountCents)} for order ${number}, paid with ${paymentMethodLabel(payment)}.`,
      },
      { kind: 'paragraph', text: `We couldn’t refund it automatically: ${reason}` },
      { kind: 'paragraph', text: `When you’ve refunded it, run: npm run shop -- refund ${number} --done` },
    ]),
  }
}
