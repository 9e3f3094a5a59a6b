import type { Config } from '#server/env.ts'
import { INVOICE_PLACEHOLDER } from '#server/invoices/invoice-email.ts'
import { formatPaymentMethod, type PaymentRow } from '#server/payments/payment-attempts.ts'
import type { RefundRow } from '#server/payments/refunds.ts'
import {
  type EmailBlock,
  type PrintableBlock,
  renderEmail,
  withoutLinks,
} from '#server/platform/email/layout.ts'
import { type Email, ORDER_LINK, SHOP_EMAIL } from '#server/platform/email/mailer.ts'
import { formatItemCount } from '#shared/cart/cart-lines.ts'
import { formatDeliveryTime, getShippingLabel } from '#shared/checkout/delivery.ts'
import { calculateRoundingCents } from '#shared/checkout/pricing.ts'
import { formatMoney, formatNameWithSize } from '#shared/format.ts'
import { getVisibleFields, type OrderFieldPlace } from '#shared/orders/fields.ts'
import { NOTHING_TO_PAY_MESSAGE } from '#shared/orders/payment-status.ts'
import { formatLocalPhone } from '#shared/payments/payment.ts'
import { hasFlow } from '#shared/payments/providers.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { formatLongDate } from '#shared/time.ts'
import type { OrderLineRow, OrderRow } from './order-record.ts'

export function createOrderRowsBlock(order: OrderRow, lines: readonly OrderLineRow[]): PrintableBlock {
  const { subtotalCents, discountCents, shippingCents, vatCents, totalCents } = order
  const roundingCents = calculateRoundingCents(order)
  return {
    kind: 'rows',
    rows: [
      ...lines.map(({ title, size, qty, unitPriceCents }) => ({
        label: `${formatNameWithSize(title, size)} × ${qty}`,
        value: formatMoney(unitPriceCents * qty),
      })),
      { label: 'Subtotal', value: formatMoney(subtotalCents) },
      ...(order.promoCode
        ? [{ label: `Promo code ${order.promoCode}`, value: formatMoney(-discountCents) }]
        : []),
      { label: getShippingLabel(order), value: shippingCents === 0 ? 'FREE' : formatMoney(shippingCents) },
      { label: `VAT (${order.vatPercent}%)`, value: formatMoney(vatCents) },
      ...(roundingCents === 0 ? [] : [{ label: 'Rounding', value: formatMoney(roundingCents) }]),
      { label: 'Total', value: formatMoney(totalCents), isStrong: true },
    ],
  }
}

/** Omits links from the shopper's input, because the email may go to someone else. */
export function createDeliveryAddressBlock(
  order: OrderRow,
  place: OrderFieldPlace = 'shopperEmail',
): PrintableBlock {
  const { name, address, phone } = getVisibleFields(order, place)
  return { kind: 'quote', text: [name, ...address, phone].map(withoutLinks).filter(Boolean).join('\n') }
}

export function createOrderExtraBlocks(order: OrderRow, place: OrderFieldPlace): PrintableBlock[] {
  return getVisibleFields(order, place).extras.flatMap(({ heading, text }): PrintableBlock[] => [
    { kind: 'paragraph', text: `${heading}:` },
    { kind: 'quote', text: text.split('\n').map(withoutLinks).join('\n') },
  ])
}

export function createDeliveryBlocks(
  order: OrderRow,
  leadIn = 'Delivery address:',
  place: OrderFieldPlace = 'shopperEmail',
): PrintableBlock[] {
  if (order.pickup === null)
    return [{ kind: 'paragraph', text: leadIn }, createDeliveryAddressBlock(order, place)]
  return [
    { kind: 'paragraph', text: 'Pickup at our shop:' },
    { kind: 'quote', text: order.pickup },
  ]
}

/** Without `origin`, `orderUrl` is only a path, which becomes a full URL when the email is sent. */
export function getShopperEmailFields({ id, number, email, confirmationEmail }: OrderRow, origin = '') {
  return {
    subjectId: id,
    recipient: confirmationEmail ?? email,
    replyTo: SHOP_EMAIL,
    orderUrl: origin + href('order', { number }),
  }
}

export const VIEW_ORDER_BUTTON: EmailBlock = { kind: 'link', label: 'View your order', url: ORDER_LINK }

export function createContactBlock({ number }: OrderRow): EmailBlock {
  return {
    kind: 'paragraph',
    text: `Something wrong? Reply to this email and mention order ${number}. We reply ${shop.replyPromise}.`,
  }
}

/** § 2 specifies this email. It doesn't address the buyer by name, because the recipient may be someone else. */
export function createOrderConfirmationEmail(
  order: OrderRow,
  lines: readonly OrderLineRow[],
  payment: PaymentRow,
  origin: string,
  deliveryTime?: string,
): Email {
  const { number } = order
  return {
    kind: 'order-confirmation',
    ...getShopperEmailFields(order, origin),
    subject: `Your ${shop.name} order ${number}`,
    ...renderEmail('Asante!', [
      {
        kind: 'paragraph',
        text: `Thank you for your order. We received order ${number} on ${formatLongDate(order.createdAtMs)} and we’re packing it with care.`,
      },
      createOrderRowsBlock(order, lines),
      { kind: 'paragraph', text: formatPayment(order, payment) },
      // An order that is paid on delivery has no invoice yet, and a free one gets none.
      ...(order.totalCents === 0 || hasFlow(payment.provider, 'on-delivery')
        ? []
        : [{ kind: 'paragraph' as const, text: INVOICE_PLACEHOLDER }]),
      ...createDeliveryBlocks(order),
      ...(order.pickup === null
        ? deliveryTime
          ? [{ kind: 'paragraph' as const, text: formatDeliveryTime(deliveryTime) }]
          : []
        : [{ kind: 'paragraph' as const, text: 'We’ll email you when your order is ready for pickup.' }]),
      ...createOrderExtraBlocks(order, 'shopperEmail'),
      VIEW_ORDER_BUTTON,
      createContactBlock(order),
    ]),
  }
}

function formatPayment({ totalCents }: OrderRow, payment: PaymentRow): string {
  if (totalCents === 0) return NOTHING_TO_PAY_MESSAGE
  return hasFlow(payment.provider, 'on-delivery')
    ? describePayOnDelivery(totalCents)
    : `Payment: ${formatPaymentMethod(payment)}`
}

function describePayOnDelivery(amountCents: number): string {
  return `You’ll pay ${formatMoney(amountCents)} when your order arrives, in cash or by M-Pesa.`
}

export function describeAmountDue({ status, isCashOnDelivery }: OrderRow, dueCents: number): string {
  return isCashOnDelivery && status !== 'delivered'
    ? describePayOnDelivery(dueCents)
    : `${formatMoney(dueCents)} is still due. Please open your order to pay.`
}

export function createOfficeLinkBlocks(
  path: string,
  { OFFICE_ORIGIN }: Pick<Config, 'OFFICE_ORIGIN'>,
): EmailBlock[] {
  return OFFICE_ORIGIN
    ? [{ kind: 'link', label: 'Open the order in the office', url: `${OFFICE_ORIGIN}/orders/${path}` }]
    : []
}

export function createOperatorOrderEmail(
  order: OrderRow,
  lines: readonly OrderLineRow[],
  payment: PaymentRow,
  { OPERATOR_EMAIL, OFFICE_ORIGIN }: Pick<Config, 'OPERATOR_EMAIL' | 'OFFICE_ORIGIN'>,
): Email {
  const { number, email } = order
  const phone =
    getVisibleFields(order, 'shopEmail').phone || (payment.phone && formatLocalPhone(payment.phone))
  const reference =
    payment.reference && payment.reference !== payment.id ? ` (reference ${payment.reference})` : ''
  return {
    kind: 'order-notice',
    subjectId: order.id,
    recipient: OPERATOR_EMAIL,
    ...(email ? { replyTo: email } : {}),
    subject: `New order ${number}: ${formatMoney(order.totalCents)}`,
    ...renderEmail(`New order ${number}`, [
      {
        kind: 'paragraph',
        text: `${formatBuyerName(order)} ordered ${formatItemCount(lines)} on ${formatLongDate(order.createdAtMs)}.`,
      },
      createOrderRowsBlock(order, lines),
      {
        kind: 'paragraph',
        text:
          order.totalCents === 0
            ? NOTHING_TO_PAY_MESSAGE
            : `Payment: ${payment.state === 'settled' ? 'Paid' : 'Not paid yet'}, ${formatPaymentMethod(payment)}${reference}`,
      },
      ...(phone ? [{ kind: 'paragraph' as const, text: `Phone: ${phone}` }] : []),
      ...createDeliveryBlocks(order, 'Deliver to:', 'shopEmail'),
      ...createOrderExtraBlocks(order, 'shopEmail'),
      ...createOfficeLinkBlocks(number, { OFFICE_ORIGIN }),
      ...(email
        ? [{ kind: 'paragraph' as const, text: 'To contact the customer, reply to this email.' }]
        : []),
    ]),
  }
}

export function formatBuyerName({ firstName, lastName, email }: OrderRow): string {
  return [firstName, lastName, email && `(${email})`].filter(Boolean).join(' ')
}

export function createOperatorRefundEmail(
  order: OrderRow,
  payment: PaymentRow,
  refund: RefundRow,
  reason: string,
  { OPERATOR_EMAIL, OFFICE_ORIGIN }: Pick<Config, 'OPERATOR_EMAIL' | 'OFFICE_ORIGIN'>,
): Email {
  const { number, email } = order
  const amount = formatMoney(refund.amountCents)
  const payer = payment.phone ? `, paid from ${formatLocalPhone(payment.phone)}` : ''
  return {
    kind: 'refund-notice',
    subjectId: refund.id,
    recipient: OPERATOR_EMAIL,
    ...(email ? { replyTo: email } : {}),
    subject: `Refund ${amount} manually for order ${number}`,
    ...renderEmail(`Refund ${amount} manually`, [
      {
        kind: 'paragraph',
        text: `${formatBuyerName(order)} is due a refund of ${amount} for order ${number}.`,
      },
      { kind: 'paragraph', text: `Payment: ${formatPaymentMethod(payment)}${payer}` },
      { kind: 'paragraph', text: `We couldn’t refund it automatically: ${reason}` },
      {
        kind: 'paragraph',
        text: `Once you’ve refunded it, open the order in the office and select “Mark as refunded”, or run: npm run shop -- orders refund ${number} --done --remote`,
      },
      ...createOfficeLinkBlocks(number, { OFFICE_ORIGIN }),
    ]),
  }
}
