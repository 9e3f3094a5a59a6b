import { type Context, Hono } from 'hono'
import type { ReactNode } from 'react'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { errorPage, officePage } from '#office/platform/layout.tsx'
import { type OrderDetails, readOrderDetails } from '#server/orders/details.ts'
import { acceptedPayment } from '#server/payments/attempts.ts'
import { thumbnailAddress } from '#shared/catalogue/pictures.ts'
import { shippingLabel } from '#shared/checkout/delivery.ts'
import { formatMoney } from '#shared/format.ts'
import { ORDER_STATUS_LABELS } from '#shared/orders/order-status.ts'
import { formatDateTime } from '#shared/time.ts'
import { Customer } from './order-customer.tsx'
import { History, Notes } from './order-history.tsx'
import { Payments } from './order-payments.tsx'
import { StatusButtons } from './order-status-buttons.tsx'

/** What the address of an order's page may name as just done. */
const DONE: Record<string, string> = {
  noted: 'Note added.',
  paid: 'Payment recorded.',
  refund: 'Refund started. Its status is shown below.',
  refunded: 'Marked as refunded.',
  cancelled: 'Order cancelled.',
}

/** `/orders/:number`: an order with all that can be done to it. */
export function orderPage(ctx: OfficeContext) {
  return new Hono<OfficeEnv>().get('/orders/:number', async (c) => {
    const order = await readOrderDetails(c.req.param('number'), ctx)
    if (!order) return errorPage(c, 404, 'We can’t find this order.')
    const notice = DONE[c.req.query('done') ?? '']
    return showOrder(c, order, notice ? { notice } : {})
  })
}

/** Responds with an order's page: 409 where the notice is an error. */
export function showOrder(
  c: Context<OfficeEnv>,
  order: OrderDetails,
  notice: { notice?: string; isError?: boolean },
) {
  return officePage(
    c,
    { title: order.row.number, section: 'orders', ...notice, children: <OrderView order={order} /> },
    notice.isError ? 409 : 200,
  )
}

/** Everything about one order, what is needed most first. */
function OrderView({ order }: { order: OrderDetails }) {
  const { row, lines } = order
  return (
    <>
      <header className="order-head">
        <h1>{row.number}</h1>
        <p>
          <span className="mark mark--status">{ORDER_STATUS_LABELS[row.status]}</span> {moneyState(order)},
          placed {formatDateTime(row.createdAtMs)}
        </p>
      </header>
      <StatusButtons order={order} />
      <div className="columns">
        <section className="panel">
          <h2>To pack</h2>
          <ul className="lines">
            {lines.map(({ position, image, title, size, qty, unitPriceCents }) => (
              <li key={position}>
                <img src={thumbnailAddress(image)} alt="" width="64" height="80" loading="lazy" />
                <span className="lines__qty">{qty} ×</span>
                <span>
                  <strong>{title}</strong>
                  {size ? <span className="lines__size">Size {size}</span> : null}
                  <span className="note">{formatMoney(unitPriceCents * qty)}</span>
                </span>
              </li>
            ))}
          </ul>
          <Totals order={order} />
          <p>
            <a className="button button--quiet" href={`/packing-slips?orders=${row.number}`}>
              Packing slip
            </a>
          </p>
        </section>
        <Customer order={order} />
        <Payments order={order} />
        <Notes order={order} />
        <History order={order} />
      </div>
    </>
  )
}

/** Where the money of an order is, in a word or two. */
function moneyState({ payments }: OrderDetails): string {
  const payment = acceptedPayment(payments)
  if (!payment) return 'not paid'
  if (payment.refundState === null) return 'paid'
  return payment.refundState === 'done' ? 'refunded' : 'refund due'
}

function Totals({ order: { row } }: { order: OrderDetails }) {
  const { subtotalCents, discountCents, shippingCents, vatCents, totalCents, promoCode } = row
  return (
    <dl className="facts">
      <Fact label="Subtotal">{formatMoney(subtotalCents)}</Fact>
      {discountCents > 0 ? <Fact label={`Code ${promoCode}`}>{formatMoney(-discountCents)}</Fact> : null}
      <Fact label={shippingLabel(row)}>{shippingCents === 0 ? 'Free' : formatMoney(shippingCents)}</Fact>
      <Fact label={`VAT (${row.vatPercent}%)`}>{formatMoney(vatCents)}</Fact>
      <Fact label="Total">
        <strong>{formatMoney(totalCents)}</strong>
      </Fact>
    </dl>
  )
}

/** A row of a definition list. */
function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}
