import type { ReactNode } from 'react'
import { orderPath } from '#office/platform/sections.ts'
import type { OrderDetails } from '#server/orders/details.ts'
import type { OrderRow } from '#server/orders/order-record.ts'
import { acceptedPayment } from '#server/payments/attempts.ts'
import { shippingLabel } from '#shared/checkout/delivery.ts'
import { formatMoney } from '#shared/format.ts'
import { type OrderExtra, shownFields } from '#shared/orders/fields.ts'
import {
  nextStatuses,
  ORDER_STATUS_LABELS,
  type OrderStatus,
  STATUS_NOTE_MAX_CHARACTERS,
} from '#shared/orders/order-status.ts'
import { mobileNumber } from '#shared/payments/payment.ts'
import { shop } from '#shared/shop.ts'
import { moment } from '#shared/time.ts'
import { History, Notes } from './order-history.tsx'
import { Payments } from './order-payments.tsx'

/** The label of the button that takes an order to a status. */
export const STEP_LABELS: Record<OrderStatus, string> = {
  awaiting_payment: 'Awaiting payment',
  placed: 'Not packed yet',
  packed: 'Packed',
  shipped: 'Sent with a rider',
  ready: 'Ready for pickup',
  delivered: 'Delivered',
  cancelled: 'Cancel',
  expired: 'Expired',
}

/** The step that is usually next. */
export function usualStep({ status, pickup }: Pick<OrderRow, 'status' | 'pickup'>): OrderStatus | undefined {
  const next = nextStatuses(status).filter((step) => step !== 'cancelled')
  return pickup !== null && next.includes('ready') ? 'ready' : next[0]
}

/** Everything about one order, what is needed most first. */
export function OrderView({ order }: { order: OrderDetails }) {
  const { row, lines } = order
  return (
    <>
      <header className="order-head">
        <h1>{row.number}</h1>
        <p>
          <span className="mark mark--status">{ORDER_STATUS_LABELS[row.status]}</span> {moneyState(order)},
          placed {moment(row.createdAtMs)}
        </p>
      </header>
      <Steps order={order} />
      <div className="columns">
        <section className="panel">
          <h2>To pack</h2>
          <ul className="lines">
            {lines.map(({ position, image, title, size, qty, unitPriceCents }) => (
              <li key={position}>
                <img src={image} alt="" width="64" height="80" loading="lazy" />
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
        <Shopper order={order} />
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
  return payment.refundState === 'done' ? 'money given back' : 'refund due'
}

function Steps({ order }: { order: OrderDetails }) {
  const { status, number } = order.row
  const next = nextStatuses(status)
  const usual = usualStep(order.row)
  const steps = next.filter((to) => to !== 'cancelled').toSorted((a, b) => +(b === usual) - +(a === usual))
  const takesNote = steps.some((to) => ['shipped', 'ready', 'delivered'].includes(to))
  return (
    <section className="steps" aria-label="What to do next">
      {steps.length > 0 ? (
        <form method="post" action={`${orderPath(number)}/status`}>
          <input type="hidden" name="from" value={status} />
          <div className="acts">
            {steps.map((to, index) => (
              <button
                key={to}
                className={index === 0 ? 'button' : 'button button--quiet'}
                type="submit"
                name="to"
                value={to}
              >
                {STEP_LABELS[to]}
              </button>
            ))}
          </div>
          {takesNote ? (
            <details>
              <summary>Add a note or a tracking link for the shopper</summary>
              <div className="field">
                <label htmlFor="note">Note (rider, time, place)</label>
                <textarea id="note" name="note" rows={2} maxLength={STATUS_NOTE_MAX_CHARACTERS} />
              </div>
              <div className="field">
                <label htmlFor="tracking">Tracking link</label>
                <input
                  id="tracking"
                  name="trackingAddress"
                  type="url"
                  placeholder="https://"
                  inputMode="url"
                />
              </div>
            </details>
          ) : null}
        </form>
      ) : null}
      <div className="acts acts--small">
        {order.previous.map((to) => (
          <form key={to} method="post" action={`${orderPath(number)}/status`}>
            <input type="hidden" name="from" value={status} />
            <button className="button button--quiet" type="submit" name="to" value={to}>
              Undo: {STEP_LABELS[to].toLowerCase()}
            </button>
          </form>
        ))}
        {next.includes('cancelled') ? (
          <a className="button button--quiet" href={`${orderPath(number)}/cancel`}>
            Cancel order …
          </a>
        ) : null}
      </div>
    </section>
  )
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

/** The fields with a heading of their own, as the shopper typed them. */
export function OrderExtras({ extras }: { extras: readonly OrderExtra[] }) {
  return extras.map(({ heading, text }) => (
    <div key={heading} className="order-extra">
      <h3>{heading}</h3>
      <p>{text}</p>
    </div>
  ))
}

function Shopper({ order: { row } }: { order: OrderDetails }) {
  const { firstName, email, number, pickup } = row
  const { name, address, phone, extras } = shownFields(row, 'office')
  const mobile = mobileNumber(phone)
  const dial = mobile ? `+${mobile}` : phone.replace(/[^\d+]/g, '')
  const greeting = `Hello ${firstName}, this is ${shop.name} about your order ${number}. `
  return (
    <section className="panel">
      <h2>{pickup === null ? 'Deliver to' : 'Picks it up'}</h2>
      {pickup === null ? null : <p>{pickup}</p>}
      <address>
        <strong>{name}</strong>
        {address.map((line) => (
          <span key={line}>{line}</span>
        ))}
        {phone ? <span>{phone}</span> : null}
      </address>
      <OrderExtras extras={extras} />
      <div className="acts acts--pairs">
        <a
          className="button button--quiet"
          href={`https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(address.join(', '))}`}
          rel="noreferrer"
          target="_blank"
        >
          Map
        </a>
        {dial ? (
          <a className="button button--quiet" href={`tel:${dial}`}>
            Call
          </a>
        ) : null}
        {mobile ? (
          <a
            className="button button--quiet"
            href={`https://wa.me/${mobile}?text=${encodeURIComponent(greeting)}`}
            rel="noreferrer"
            target="_blank"
          >
            WhatsApp
          </a>
        ) : null}
        <a
          className="button button--quiet"
          href={`mailto:${encodeURIComponent(email)}?subject=${encodeURIComponent(`Your ${shop.name} order ${number}`)}`}
        >
          Mail
        </a>
      </div>
    </section>
  )
}
