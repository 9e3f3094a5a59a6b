import { href } from '#shared/routes.ts'
import { addressLines } from '#shared/rules/checkout-form.ts'
import { shippingLabel } from '#shared/rules/delivery.ts'
import { formatKsh, kshOf, nameWithSize } from '#shared/rules/format.ts'
import { VAT_PERCENT } from '#shared/rules/pricing.ts'
import { shop } from '#shared/shop.ts'
import type { OrderLineRow, OrderRow } from '../services/orders/stored-order.ts'
import type { PaymentRow } from '../services/payments/stored-payment.ts'
import { type MailBlock, mailBody, withoutLinks } from './layout.ts'
import { type Mail, ORDER_LINK } from './mailer.ts'

/** An amount of cents, formatted in KSH. */
export function price(cents: number): string {
  return formatKsh(kshOf(cents)).replace('KSH -', '−KSH ')
}

/** The lines of an order and its totals. */
export function orderRows(order: OrderRow, lines: readonly OrderLineRow[]): MailBlock {
  const { subtotalCents, discountCents, shippingCents, vatCents, totalCents } = order
  const roundingCents = totalCents - (subtotalCents - discountCents + shippingCents + vatCents)
  return {
    kind: 'rows',
    rows: [
      ...lines.map(({ title, size, qty, unitPriceCents }) => ({
        label: `${nameWithSize(title, size)} × ${qty}`,
        value: price(unitPriceCents * qty),
      })),
      { label: 'Subtotal', value: price(subtotalCents) },
      ...(order.promoCode ? [{ label: `Promo code ${order.promoCode}`, value: price(-discountCents) }] : []),
      { label: shippingLabel(order), value: shippingCents === 0 ? 'FREE' : price(shippingCents) },
      { label: `VAT (${VAT_PERCENT}%)`, value: price(vatCents) },
      ...(roundingCents === 0 ? [] : [{ label: 'Rounding', value: price(roundingCents) }]),
      { label: 'Total', value: price(totalCents), isStrong: true },
    ],
  }
}

/** The delivery address, one part a line. */
export function deliveryAddress(order: OrderRow): MailBlock {
  const lines = [`${order.firstName} ${order.lastName}`, ...addressLines(order)]
  return { kind: 'quote', text: lines.map(withoutLinks).filter(Boolean).join('\n') }
}

/** Where the parcel goes, under a sentence; or where it is picked up. */
export function destination(order: OrderRow, sentence = 'We deliver to:'): MailBlock[] {
  if (order.pickup === null) return [{ kind: 'paragraph', text: sentence }, deliveryAddress(order)]
  return [
    { kind: 'paragraph', text: 'It is picked up in our shop:' },
    { kind: 'quote', text: order.pickup },
  ]
}

/** How the order is paid, as far as the shop knows. */
export function paidWith({ provider, cardBrand, cardLastFour, receipt }: PaymentRow): string {
  const proof = receipt ? `, receipt ${receipt}` : ''
  if (provider === 'mpesa') return `M-Pesa${proof}`
  if (provider === 'manual') return `Received by us${proof}`
  return cardBrand && cardLastFour ? `${cardBrand} ending in ${cardLastFour}` : 'Card'
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
      { kind: 'paragraph', text: `Paid with: ${paidWith(payment)}` },
      ...destination(order),
      ...(order.pickup === null
        ? []
        : [{ kind: 'paragraph' as const, text: 'We write to you as soon as it is ready.' }]),
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
    subject: `New order ${number}: ${price(order.totalCents)}`,
    ...mailBody(`New order ${number}`, [
      {
        kind: 'paragraph',
        text: `${firstName} ${lastName} (${email}) ordered ${pieces === 1 ? '1 piece' : `${pieces} pieces`} on ${placedOn(order)}.`,
      },
      orderRows(order, lines),
      {
        kind: 'paragraph',
        text: `Payment: ${paidWith(payment)}, ${payment.provider} ${payment.reference}`,
      },
      ...destination(order, 'Send to:'),
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
    subject: `Please give back ${price(payment.amountCents)} for order ${number}`,
    ...mailBody(`Please give back ${price(payment.amountCents)}`, [
      {
        kind: 'paragraph',
        text: `${firstName} ${lastName} (${email}) is to get back ${price(payment.amountCents)} for order ${number}, paid with: ${paidWith(payment)}.`,
      },
      { kind: 'paragraph', text: `This could not be done automatically: ${reason}` },
      { kind: 'paragraph', text: `When it is done: npm run shop -- refund ${number} --done` },
    ]),
  }
}
