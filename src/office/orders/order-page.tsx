import { type Context, Hono } from 'hono'
import type { ReactNode } from 'react'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { DateTime } from '#office/platform/date-time.tsx'
import { findSuccessMessage } from '#office/platform/form.ts'
import { InternalNotes } from '#office/platform/internal-notes.tsx'
import { renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { getOrderPath, getOrderReturnsPath } from '#office/platform/sections.ts'
import { type OrderDetails, readOrderForViewer } from '#server/orders/office-order.ts'
import { calculateBalance } from '#server/orders/order-record.ts'
import { formatPaymentMethod, isOpen } from '#server/payments/payment-attempts.ts'
import { getThumbnailUrl } from '#shared/catalogue/pictures.ts'
import { getShippingLabel } from '#shared/checkout/delivery.ts'
import { calculateRoundingCents } from '#shared/checkout/pricing.ts'
import { formatMoney } from '#shared/format.ts'
import { getOrderStatusLabel, listEditableStatuses } from '#shared/orders/order-status.ts'
import {
  isOpenReturn,
  isReturnable,
  RETURN_KIND_LABELS,
  RETURN_STATE_LABELS,
} from '#shared/orders/returns.ts'
import { SURPLUS_REASONS } from '#shared/payments/refunds.ts'
import { describeRefund, listLatestRefunds } from './describe-refund.ts'
import { OrderCustomer } from './order-customer.tsx'
import { OrderInvoices } from './order-invoices.tsx'
import { OrderPayments } from './order-payments.tsx'
import { StatusButtons } from './order-status-buttons.tsx'
import { OrderTimeline } from './order-timeline.tsx'
import { isUnpaid, PaymentBadge } from './payment-badge.tsx'

const SUCCESS_MESSAGES: Record<string, string> = {
  noted: 'Note added.',
  pin: 'KRA PIN saved.',
  link: 'Payment link emailed.',
  created: 'Order created.',
  refunded: 'Marked as refunded.',
  resolved: 'Payment marked as resolved.',
}

export function orderRoutes(ctx: OfficeContext) {
  return new Hono<OfficeEnv>().get('/orders/:number', async (c) => {
    const order = await readOrderForViewer(c.var.identity, c.req.param('number'), ctx)
    if (!order) return renderErrorPage(c, 404, 'We can’t find this order.')
    const done = c.req.query('done') ?? ''
    const notice =
      done === 'refund' ? (
        describeRefund(order.refunds.slice(-1), 'below')
      ) : done === 'prompted' ? (
        describePrompt(order)
      ) : done === 'paid' ? (
        describeRecordedPayment(order, c.req.query('receipt'))
      ) : done === 'part' ? (
        describePartPayment(order.row)
      ) : done === 'edited-refund' ? (
        `Order changed. ${describeRefund(listLatestRefunds(order.refunds, 'order_edited'), 'below')}`
      ) : done === 'cancelled' ? (
        `Order cancelled. ${describeRefund(listLatestRefunds(order.refunds, 'order_cancelled'), 'below')}`.trim()
      ) : done === 'edited' ? (
        <EditedNotice order={order} />
      ) : (
        findSuccessMessage(SUCCESS_MESSAGES, done)
      )
    return renderOrderPage(c, order, notice ? { notice } : {})
  })
}

function describePrompt({ payments }: OrderDetails): string | undefined {
  const latest = payments.at(-1)
  return latest && isOpen(latest)
    ? 'We’ve sent an M-Pesa prompt. Reload this page to see whether the customer has paid.'
    : undefined
}

/** If the payment was more than what was due, the rest is refunded. */
function describeRecordedPayment({ payments, refunds }: OrderDetails, receipt: string | undefined): string {
  const recorded = payments.find((payment) => receipt && payment.receipt === receipt) ?? payments.at(-1)
  if (!recorded) return 'Payment recorded.'
  const surplus = refunds.filter(
    ({ paymentId, reason }) => paymentId === recorded.id && SURPLUS_REASONS.includes(reason),
  )
  const payment = `${formatMoney(recorded.amountCents)}, ${formatPaymentMethod(recorded)}`
  return `Payment recorded: ${payment}. ${describeRefund(surplus, 'below')}`.trim()
}

function describePartPayment({ status, isCashOnDelivery }: OrderDetails['row']): string {
  if (status === 'awaiting_payment')
    return 'Part payment recorded. Share the payment link for the rest, or cancel the order to refund what was paid.'
  return isCashOnDelivery && status !== 'delivered'
    ? 'Part payment recorded. The customer pays the rest on delivery.'
    : 'Part payment recorded. Share the payment link for the rest.'
}

function EditedNotice({ order }: { order: OrderDetails }) {
  const { dueCents } = calculateBalance(order)
  if (dueCents === 0 || order.row.isCashOnDelivery) return 'Order changed.'
  return (
    <span>
      Order changed. {formatMoney(dueCents)} is still due:{' '}
      <a href={`${getOrderPath(order.row.number)}/payment-link`}>share the payment link</a>.
    </span>
  )
}

export type EnteredOrderFields = {
  note?: string
  trackingUrl?: string
  type?: string
  reference?: string
  internalNote?: string
  kraPin?: string
}

export function renderOrderPage(
  c: Context<OfficeEnv>,
  order: OrderDetails,
  notice: { notice?: ReactNode; isError?: boolean },
  entered: EnteredOrderFields = {},
) {
  return renderOfficePage(
    c,
    {
      title: order.row.number,
      section: 'orders',
      ...notice,
      children: <OrderView order={order} entered={entered} isPacker={c.var.identity.role === 'packer'} />,
    },
    notice.isError ? 409 : 200,
  )
}

type OrderViewProps = { order: OrderDetails; entered: EnteredOrderFields; isPacker: boolean }

function OrderView({ order, entered, isPacker }: OrderViewProps) {
  const { row, lines } = order
  const balance = calculateBalance(order)
  return (
    <>
      <header className="order-head">
        <h1>{row.number}</h1>
        <p>
          {isUnpaid(row.status, balance) ? null : (
            <span className="mark mark--status">{getOrderStatusLabel(row.status, row)}</span>
          )}{' '}
          <PaymentBadge balance={balance} isPacker={isPacker} isCashOnDelivery={row.isCashOnDelivery} />
          {isPacker ? null : <OpenReturns order={order} />}
        </p>
        <p className="note">
          Ordered <DateTime atMs={row.createdAtMs} isInline />
        </p>
      </header>
      <StatusButtons order={order} entered={entered} isPacker={isPacker} />
      <div className="columns">
        <section className="panel">
          <h2>Items</h2>
          <ul className="lines">
            {lines.map(({ position, image, title, size, qty, unitPriceCents }) => (
              <li key={position}>
                <img src={getThumbnailUrl(image)} alt="" width="64" height="80" loading="lazy" />
                <span className="lines__qty">{qty} ×</span>
                <span>
                  <strong>{title}</strong>
                  {size ? <span className="lines__size">Size {size}</span> : null}
                  {isPacker ? null : <span className="note">{formatMoney(unitPriceCents * qty)}</span>}
                </span>
              </li>
            ))}
          </ul>
          {isPacker ? null : <OrderTotals order={order} />}
          <div className="actions actions--small">
            <a className="button button--quiet" href={`/packing-slips?orders=${row.number}`}>
              Print packing slip
            </a>
            {!isPacker && listEditableStatuses('delivery').includes(row.status) ? (
              <a className="button button--quiet" href={`${getOrderPath(row.number)}/edit`}>
                Edit order
              </a>
            ) : null}
            {!isPacker && isReturnable(row.status) ? (
              <a className="button button--quiet" href={getOrderReturnsPath(row.number)}>
                Returns and exchanges
              </a>
            ) : null}
          </div>
        </section>
        <OrderCustomer order={order} isPacker={isPacker} />
        {isPacker ? null : <OrderPayments order={order} entered={entered} />}
        {isPacker ? null : <OrderInvoices order={order} kraPin={entered.kraPin} />}
        <InternalNotes
          notes={order.notes}
          action={`${getOrderPath(order.row.number)}/notes`}
          entered={entered.internalNote}
        />
        {isPacker ? null : <OrderTimeline order={order} />}
      </div>
    </>
  )
}

function OpenReturns({ order: { row, returns } }: { order: OrderDetails }) {
  return returns.filter(isOpenReturn).map(({ id, kind, state }) => (
    <a key={id} className="mark mark--due" href={getOrderReturnsPath(row.number)}>
      {RETURN_KIND_LABELS[kind]} {RETURN_STATE_LABELS[state].toLowerCase()}
    </a>
  ))
}

function OrderTotals({ order: { row } }: { order: OrderDetails }) {
  const { subtotalCents, discountCents, shippingCents, vatCents, totalCents, promoCode } = row
  const roundingCents = calculateRoundingCents(row)
  return (
    <dl className="facts">
      <LabelledValue label="Subtotal">{formatMoney(subtotalCents)}</LabelledValue>
      {discountCents > 0 ? (
        <LabelledValue label={`Promo code ${promoCode}`}>{formatMoney(-discountCents)}</LabelledValue>
      ) : null}
      <LabelledValue label={getShippingLabel(row)}>
        {shippingCents === 0 ? 'Free' : formatMoney(shippingCents)}
      </LabelledValue>
      <LabelledValue label={`VAT (${row.vatPercent}%)`}>{formatMoney(vatCents)}</LabelledValue>
      {roundingCents === 0 ? null : (
        <LabelledValue label="Rounding">{formatMoney(roundingCents)}</LabelledValue>
      )}
      <LabelledValue label="Total">
        <strong>{formatMoney(totalCents)}</strong>
      </LabelledValue>
    </dl>
  )
}

function LabelledValue({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}
