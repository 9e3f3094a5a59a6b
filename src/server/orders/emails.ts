import { type PaymentRow, paymentMethodLabel } from '#server/payments/attempts.ts'
import { type MailBlock, mailBody, withoutLinks } from '#server/platform/email/layout.ts'
import { type Mail, ORDER_LINK } from '#server/platform/email/mailer.ts'
import { shippingLabel } from '#shared/checkout/delivery.ts'
import { formatMoney, nameWithSize } from '#shared/format.ts'
import { type Place, shownFields } from '#shared/orders/fields.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import type { OrderLineRow, OrderRow } from './order-record.ts'

/** The lines of an order and its totals. */
export function orderRows(order: OrderRow, lines: readonly OrderLineRow[]): MailBlock {
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
export function deliveryAddress(order: OrderRow, place: Place = 'shopperEmail'): MailBlock {
  const { name, address, phone } = shownFields(order, place)
  return { kind: 'quote', text: [name, ...address, phone].map(withoutLinks).filter(Boolean).join('\n') }
}

/** The fields with a heading of their own that a place shows. */
function orderExtras(order: OrderRow, place: Place): MailBlock[] {
  return shownFields(order, place).extras.flatMap(({ heading, text }): MailBlock[] => [
    { kind: 'paragraph', text: `${heading}:` },
    { kind: 'quote', text: text.split('\n').map(withoutLinks).join('\n') },
  ])
}

/** Where the parcel goes, under a sentence; or where it is picked up. */
export function destination(
  order: OrderRow,
  sentence = 'We deliver to:',
  place: Place = 'shopperEmail',
): MailBlock[] {
  if (order.pickup === null) return [{ kind: 'paragraph', text: sentence }, deliveryAddress(order, place)]
  return [
    { kind: 'paragraph', text: 'It is picked up in our shop:' },
    { kind: 'quote', text: order.pickup },
  ]
}

/** What all mails to the shopper about an order have in common; `origin` may be left out, where none is known. */
export function toShopper({ id, number, email, confirmationEmail }: OrderRow, origin = '') {
  return {
    subjectId: id,
    recipient: confirmationEmail ?? email,
    replyTo: shop.email,
    orderAddress: origin + href('order', { number }),
  }
}

/** The button to the order's own page. */
export const SEE_YOUR_ORDER: MailBlock = { kind: 'link', label: 'See your order', address: ORDER_LINK }

/** Whom to ask about an order. */
export function askUs({ number }: OrderRow): MailBlock {
  return {
    kind: 'paragraph',
    text: `Is something not right? Reply to this mail and name the order ${number}. We answer ${shop.replyPromise}.`,
  }
}

/** The day an order was placed, on the shop's calendar: `21 November 2026`. */
export function placedOn({ createdAtMs }: OrderRow): string {
  // Not at module level: creating a formatter takes a tenth of the Worker's start-up time.
  const day = new Intl.DateTimeFormat(shop.locale, { dateStyle: 'long', timeZone: shop.timeZone })
  return day.format(createdAtMs)
}

/**
 * Confirms an order to the shopper (§ 2). `origin` is the shop's public origin, for links. The address that it goes to
 * may be somebody else's, so the heading is neutral and the address holds no links.
 */
export function orderConfirmation(
  order: OrderRow,
  lines: readonly OrderLineRow[],
  payment: PaymentRow,
  origin: string,
): Mail {
  const { number } = order
  return {
    kind: 'order-confirmation',
    ...toShopper(order, origin),
    subject: `Your ${shop.name} order ${number}`,
    ...mailBody('Asante!', [
      {
        kind: 'paragraph',
        text: `Thank you for your purchase. Your order ${number} of ${placedOn(order)} has reached us, and we are packing it with care.`,
      },
      orderRows(order, lines),
      { kind: 'paragraph', text: `Paid with: ${paymentMethodLabel(payment)}` },
      ...destination(order),
      ...(order.pickup === null
        ? []
        : [{ kind: 'paragraph' as const, text: 'We write to you as soon as it is ready.' }]),
      ...orderExtras(order, 'shopperEmail'),
      SEE_YOUR_ORDER,
      askUs(order),
    ]),
  }
}

/** Tells the shop what to pack and where to send it; a reply goes to the shopper. */
export function orderNotice(
  order: OrderRow,
  lines: readonly OrderLineRow[],
  payment: PaymentRow,
  operatorEmail: string,
): Mail {
  const { number, firstName, lastName, email } = order
  const pieces = lines.reduce((sum, { qty }) => sum + qty, 0)
  return {
    kind: 'order-notice',
    subjectId: order.id,
    recipient: operatorEmail,
    replyTo: email,
    subject: `New order ${number}: ${formatMoney(order.totalCents)}`,
    ...mailBody(`New order ${number}`, [
      {
        kind: 'paragraph',
        text: `${firstName} ${lastName} (${email}) ordered ${pieces === 1 ? '1 piece' : `${pieces} pieces`} on ${placedOn(order)}.`,
      },
      orderRows(order, lines),
      {
        kind: 'paragraph',
        text: `Payment: ${paymentMethodLabel(payment)}, ${payment.provider} ${payment.reference}`,
      },
      ...destination(order, 'Send to:', 'shopEmail'),
      ...orderExtras(order, 'shopEmail'),
    ]),
  }
}

/** Tells the shop of money that only a person can give back. */
export function refundNotice(
  order: OrderRow,
  payment: PaymentRow,
  reason: string,
  operatorEmail: string,
): Mail {
  const { number, firstName, lastName, email } = order
  return {
    kind: 'refund-notice',
    subjectId: payment.id,
    recipient: operatorEmail,
    replyTo: email,
    subject: `Please give back ${formatMoney(payment.amountCents)} for order ${number}`,
    ...mailBody(`Please give back ${formatMoney(payment.amountCents)}`, [
      {
        kind: 'paragraph',
        text: `${firstName} ${lastName} (${email}) is to get back ${formatMoney(payment.amountCents)} for order ${number}, paid with: ${paymentMethodLabel(payment)}.`,
      },
      { kind: 'paragraph', text: `This could not be done automatically: ${reason}` },
      { kind: 'paragraph', text: `When it is done: npm run shop -- refund ${number} --done` },
    ]),
  }
}
