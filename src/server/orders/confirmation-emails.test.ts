import { describe, expect, it } from 'vitest'
import { INVOICE_PLACEHOLDER } from '#server/invoices/invoice-email.ts'
import type { PaymentRow } from '#server/payments/payment-attempts.ts'
import type { RefundRow } from '#server/payments/refunds.ts'
import { SHOP_EMAIL, SHOP_PHONE } from '#server/platform/email/mailer.ts'
import { calculateCheckoutTotals } from '#shared/checkout/pricing.ts'
import { shop } from '#shared/shop.ts'
import {
  createOperatorOrderEmail,
  createOperatorRefundEmail,
  createOrderConfirmationEmail,
} from './confirmation-emails.ts'
import { createOrderEditedEmail } from './edit-emails.ts'
import type { OrderLineRow, OrderRow } from './order-record.ts'
import {
  createOrderCancelledEmail,
  createOrderRefundedEmail,
  createOrderStatusEmail,
  createPaymentReceivedEmail,
} from './status-emails.ts'

const { roundingCents: _, ...totals } = calculateCheckoutTotals(
  [
    { price: 1850, qty: 1 },
    { price: 7800, qty: 2 },
  ],
  { kind: 'percent', value: 13, minimumSubtotalCents: 0 },
)
const order: OrderRow = {
  id: 'id',
  number: 'P-7K3M9Q',
  userId: 'user',
  idempotencyKey: 'key',
  requestHash: 'hash',
  status: 'placed',
  firstName: 'Wanjiru',
  lastName: 'Kamau',
  email: 'wanjiru@example.com',
  address: 'Ngong Road 12',
  address2: 'Gate B',
  country: 'Kenya',
  state: 'Nairobi',
  zip: '00100',
  ...totals,
  vatPercent: 16,
  promoCode: 'KARIBU13',
  phone: null,
  landmark: null,
  giftNote: null,
  kraPin: null,
  deliveryZone: null,
  pickup: null,
  isCashOnDelivery: false,
  confirmationEmail: null,
  hasPromotionUse: true,
  ...{
    paidCents: 0,
    refundCents: 0,
    creditedCents: 0,
    creditRefundCents: 0,
    firstPaidAtMs: null,
    isRefunded: false,
  },
  expiresAtMs: null,
  ...{ paymentProvider: '', paymentReference: '', cardBrand: null, cardLastFour: null },
  revision: 0,
  createdAtMs: Date.UTC(2026, 10, 20, 22),
}
const payment: PaymentRow = {
  ...{ id: 'payment', orderId: 'id', attempt: 1, provider: 'simulated', state: 'settled' },
  ...{
    amountCents: 1761100,
    manualType: null,
    phone: null,
    cardBrand: 'Visa',
    cardLastFour: '4242',
    reference: 'sim_1',
  },
  ...{
    receipt: null,
    recordedAs: null,
    redirectTo: null,
    callbackHash: null,
    problem: null,
    message: null,
    error: null,
  },
  ...{ createdAtMs: 0, endedAtMs: 0, nextCheckAtMs: null, refundState: null, refundAttempts: 0 },
  ...{ nextRefundAtMs: null, refundError: null, refundedAtMs: null },
}
const refund: RefundRow = {
  ...{ id: 'refund', orderId: 'id', paymentId: 'payment', amountCents: 1761100, reason: 'other' },
  ...{
    state: 'done',
    attempts: 1,
    nextAtMs: null,
    error: null,
    reference: null,
    callbackHash: null,
    receipt: null,
    returnId: null,
  },
  ...{ createdAtMs: 0, completedAtMs: 0 },
}
const lines: OrderLineRow[] = [
  {
    orderId: 'id',
    position: 0,
    productId: 1,
    title: 'Snap Romper',
    image: '/1.svg',
    size: '3–6 months',
    unitPriceCents: 185000,
    qty: 1,
  },
  {
    orderId: 'id',
    position: 1,
    productId: 2,
    title: 'Kimono',
    image: '/2.svg',
    size: null,
    unitPriceCents: 780000,
    qty: 2,
  },
]

describe('order emails', () => {
  it('confirm the lines, totals and delivery address to the shopper', () => {
    const { subject, recipient, replyTo, orderUrl, text } = createOrderConfirmationEmail(
      order,
      lines,
      payment,
      'https://pamba.test',
    )
    expect([subject, recipient, replyTo, orderUrl]).toEqual([
      `Your ${shop.name} order P-7K3M9Q`,
      'wanjiru@example.com',
      SHOP_EMAIL,
      'https://pamba.test/order/P-7K3M9Q',
    ])
    expect(text).toBe(`Asante!

Thank you for your order. We received order P-7K3M9Q on 21 November 2026 and we’re packing it with care.

Snap Romper, 3–6 months × 1: KSH 1,850
Kimono × 2: KSH 15,600
Subtotal: KSH 17,450
Promo code KARIBU13: −KSH 2,268.50
Shipping: FREE
VAT (16%): KSH 2,429.04
Rounding: KSH 0.46
Total: KSH 17,611

Payment: Visa ending in 4242

${INVOICE_PLACEHOLDER}

Delivery address:

> Wanjiru Kamau
> Ngong Road 12
> Gate B
> 00100 Nairobi
> Kenya

View your order:
%ORDER_LINK%

Something wrong? Reply to this email and mention order P-7K3M9Q. We reply ${shop.replyPromise}.

${shop.name}, ${shop.city}
${SHOP_EMAIL}${SHOP_PHONE}
`)
  })

  it('show the VAT rate the order was placed with', () => {
    const { text } = createOrderConfirmationEmail(
      { ...order, vatPercent: 14 },
      lines,
      payment,
      'https://pamba.test',
    )
    expect(text).toContain('VAT (14%): KSH 2,429.04')
  })

  it('tell the shop what to pack, where to send it and how it was paid; replies go to the shopper', () => {
    const { subject, recipient, replyTo, text } = createOperatorOrderEmail(
      { ...order, phone: '254712345678' },
      lines,
      payment,
      { OPERATOR_EMAIL: 'packing@pamba.test', OFFICE_ORIGIN: 'https://office.pamba.test' },
    )
    expect([subject, recipient, replyTo]).toEqual([
      'New order P-7K3M9Q: KSH 17,611',
      'packing@pamba.test',
      'wanjiru@example.com',
    ])
    expect(text).toContain('Wanjiru Kamau (wanjiru@example.com) ordered 3 items on 21 November 2026.')
    for (const part of [
      'Snap Romper, 3–6 months × 1: KSH 1,850',
      'Total: KSH 17,611',
      'Payment: Paid, Visa ending in 4242 (reference sim_1)',
      'Phone: 0712 345 678',
      'Ngong Road 12',
      'Open the order in the office:\nhttps://office.pamba.test/orders/P-7K3M9Q',
    ])
      expect(text).toContain(part)
  })

  it('tell the shop the pickup place, the M-Pesa phone number and that the order isn’t paid yet', () => {
    const config = { OPERATOR_EMAIL: 'a@b.ke', OFFICE_ORIGIN: undefined }
    const { text } = createOperatorOrderEmail(
      { ...order, pickup: 'Biashara Street 9' },
      lines,
      { ...payment, state: 'pending', phone: '254700000001' },
      config,
    )
    expect(text).toContain('Payment: Not paid yet')
    expect(text).toContain('Phone: 0700 000 001')
    expect(text).toContain('> Biashara Street 9')
    expect(text).not.toContain('in the office')
  })

  it('name the refunded payment method, except for a payment recorded manually', () => {
    const manual: PaymentRow = { ...payment, provider: 'manual', manualType: 'cash', receipt: 'CASH-1' }
    const emails = (by: PaymentRow) => [
      createOrderCancelledEmail({ row: order, lines }, by, refund.amountCents),
      createOrderRefundedEmail(order, by, refund),
    ]
    for (const { text } of emails(payment)) expect(text).toContain('KSH 17,611 ')
    for (const { text } of emails(payment))
      expect(text).toContain('to your original payment method (Visa ending in 4242).')
    for (const { text } of emails(manual)) expect(text).toContain('to your original payment method.')
  })

  it('tell the operator what to refund manually, to which number, and where to record it', () => {
    const byPhone: PaymentRow = { ...payment, provider: 'mpesa', phone: '254712345678', receipt: 'SKL1' }
    const { subject, text } = createOperatorRefundEmail(order, byPhone, refund, 'Too small.', {
      OPERATOR_EMAIL: 'owner@pamba.test',
      OFFICE_ORIGIN: 'https://office.pamba.test',
    })
    expect(subject).toBe('Refund KSH 17,611 manually for order P-7K3M9Q')
    expect(text).toContain('Payment: M-Pesa, receipt SKL1, paid from 0712 345 678')
    expect(text).toContain('https://office.pamba.test/orders/P-7K3M9Q')
  })

  it('quote the note of a status change', () => {
    const event = {
      orderId: 'id',
      status: 'shipped',
      atMs: 0,
      note: 'Otieno brings it.',
      trackingUrl: null,
    } as const
    expect(createOrderStatusEmail({ row: order, lines, payments: [], refunds: [] }, event)?.text).toContain(
      'A message from us:\n\n> Otieno brings it.\n',
    )
  })

  it('list the items of a delivered order, and until when they can be returned', () => {
    const event = { orderId: 'id', status: 'delivered', atMs: 0, note: '', trackingUrl: null } as const
    const text = createOrderStatusEmail({ row: order, lines, payments: [], refunds: [] }, event)?.text
    expect(text).toContain('Snap Romper, 3–6 months × 1')
    expect(text).toContain(
      'You can request a return or an exchange on your order’s page until 15 January 1970.',
    )
  })

  it('escape markup in names and addresses', () => {
    const evil = { ...order, firstName: '<img src=x onerror=alert(1)>', address: '</p><script>' }
    for (const { html } of [
      createOrderConfirmationEmail(evil, lines, payment, 'https://pamba.test'),
      createOperatorOrderEmail(evil, lines, payment, { OPERATOR_EMAIL: 'a@b.ke', OFFICE_ORIGIN: undefined }),
    ]) {
      expect(html).not.toMatch(/<img|<script/)
    }
  })

  it('remove links that a shopper entered, and don’t use such a name in the greeting', () => {
    const hostile = {
      ...order,
      firstName: 'https://evil.example/win',
      lastName: 'Claim at evil.example/prize',
      address: 'www.evil.example St.John Rd 4, mail evil@evil.example',
      address2: 'evil\u200b.example evil.\u00adexample',
    }
    const { text, html } = createOrderConfirmationEmail(hostile, lines, payment, 'https://pamba.example')
    for (const body of [text, html]) {
      expect(body.replace(/\p{Cf}/gu, '')).not.toMatch(/evil\.example|evil@/)
      expect(body).toContain('St. John Rd 4')
      expect(body.split('Delivery address')[0]).not.toContain('Claim')
    }
  })
})

it.each([
  ['placed', 'You’ll pay KSH 500 when your order arrives, in cash or by M-Pesa.'],
  ['delivered', 'KSH 500 is still due. Please open your order to pay.'],
] as const)('the rest of an order paid on delivery is paid when it arrives: %s', (status, sentence) => {
  const onDelivery = { ...order, status, isCashOnDelivery: true }
  const edited = createOrderEditedEmail({ row: onDelivery, lines: [] }, { dueCents: 50_000, refundCents: 0 })
  const received = createPaymentReceivedEmail(onDelivery, payment, 50_000)
  for (const { text } of [edited, received]) expect(text.replaceAll('\n', ' ')).toContain(sentence)
})
