import type { ReactNode } from 'react'
import { paidWith, price } from '#server/mail/order-mails.ts'
import { AUDIT_ACTS, type AuditAct } from '#server/services/audit.ts'
import type { OrderDetails } from '#server/services/orders/details.ts'
import type { OrderRow } from '#server/services/orders/stored-order.ts'
import { acceptedPayment, type PaymentRow } from '#server/services/payments/stored-payment.ts'
import { addressLines } from '#shared/rules/checkout-form.ts'
import { shippingLabel } from '#shared/rules/delivery.ts'
import {
  nextStatuses,
  ORDER_STATUS_LABELS,
  type OrderStatus,
  STATUS_NOTE_MAX_CHARACTERS,
} from '#shared/rules/order-status.ts'
import { localPhone, mobileNumber } from '#shared/rules/payment.ts'
import { moment } from '#shared/rules/shop-time.ts'
import { shop } from '#shared/shop.ts'
import { orderPath } from '../sections.ts'
import { auditWord } from './audit.tsx'

/** What a button says that takes an order to a status. */
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
                  <span className="note">{price(unitPriceCents * qty)}</span>
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
      <Fact label="Subtotal">{price(subtotalCents)}</Fact>
      {discountCents > 0 ? <Fact label={`Code ${promoCode}`}>{price(-discountCents)}</Fact> : null}
      <Fact label={shippingLabel(row)}>{shippingCents === 0 ? 'Free' : price(shippingCents)}</Fact>
      <Fact label="VAT">{price(vatCents)}</Fact>
      <Fact label="Total">
        <strong>{price(totalCents)}</strong>
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

function Shopper({ order: { row } }: { order: OrderDetails }) {
  const { firstName, lastName, email, phone, number, pickup } = row
  const address = addressLines(row)
  const mobile = phone ? mobileNumber(phone) : undefined
  const dial = mobile ? `+${mobile}` : (phone ?? '').replace(/[^\d+]/g, '')
  const greeting = `Hello ${firstName}, this is ${shop.name} about your order ${number}. `
  return (
    <section className="panel">
      <h2>{pickup === null ? 'Deliver to' : 'Picks it up'}</h2>
      {pickup === null ? null : <p>{pickup}</p>}
      <address>
        <strong>
          {firstName} {lastName}
        </strong>
        {address.map((line) => (
          <span key={line}>{line}</span>
        ))}
        {phone ? <span>{mobile ? localPhone(mobile) : phone}</span> : null}
      </address>
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

function Payments({ order: { row, payments } }: { order: OrderDetails }) {
  const path = orderPath(row.number)
  const kept = acceptedPayment(payments)
  const awaits = ['awaiting_payment', 'expired'].includes(row.status)
  return (
    <section className="panel">
      <h2>Payment</h2>
      {payments.length === 0 ? <p>Nobody has tried to pay.</p> : null}
      <ol className="attempts">
        {payments.map((payment) => (
          <li key={payment.id}>
            <strong>{price(payment.amountCents)}</strong> {paidWith(payment)}
            <span className="mark">{payment.state}</span>
            <span className="note">
              {moment(payment.createdAtMs)}
              {payment.reference ? `, reference ${payment.reference}` : ''}
              {payment.phone ? `, ${localPhone(payment.phone)}` : ''}
              {payment.error ? `, ${payment.error}` : ''}
            </span>
            <Refund payment={payment} path={path} />
          </li>
        ))}
      </ol>
      {kept?.refundState === null ? (
        <p>
          <a className="button button--quiet" href={`${path}/refund`}>
            Give back {price(kept.amountCents)} …
          </a>
        </p>
      ) : null}
      {awaits ? (
        <form className="inline" method="post" action={`${path}/paid`}>
          <div className="field">
            <label htmlFor="receipt">Paid another way: receipt</label>
            <input
              id="receipt"
              name="receipt"
              autoCapitalize="characters"
              autoComplete="off"
              maxLength={40}
              required
            />
          </div>
          <button className="button button--quiet" type="submit">
            Mark {price(row.totalCents)} as paid
          </button>
        </form>
      ) : null}
    </section>
  )
}

const REFUND_STATES: Record<NonNullable<PaymentRow['refundState']>, string> = {
  due: 'To be given back',
  requested: 'The provider is giving it back',
  by_hand: 'Give this back by hand',
  done: 'Given back',
}

function Refund({ payment, path }: { payment: PaymentRow; path: string }) {
  const { refundState, refundError, refundedAtMs } = payment
  if (refundState === null) return null
  const isOpen = refundState !== 'done'
  const canAsk = refundState === 'by_hand' || (refundState === 'due' && refundError)
  return (
    <div className="refund">
      <span className={isOpen ? 'mark mark--due' : 'mark'}>
        {REFUND_STATES[refundState]}
        {refundedAtMs ? `, ${moment(refundedAtMs)}` : ''}
      </span>
      {isOpen && refundError ? <span className="note">It failed: {refundError}</span> : null}
      {isOpen ? (
        <div className="acts acts--small">
          {canAsk ? (
            <form method="post" action={`${path}/refund`}>
              <input type="hidden" name="seen" value={refundState} />
              <button className="button button--quiet" type="submit">
                Try again
              </button>
            </form>
          ) : null}
          <form method="post" action={`${path}/refunded`}>
            <input type="hidden" name="seen" value={refundState} />
            <button className="button button--quiet" type="submit">
              I gave it back
            </button>
          </form>
        </div>
      ) : null}
    </div>
  )
}

function Notes({ order: { row, notes } }: { order: OrderDetails }) {
  return (
    <section className="panel" id="notes">
      <h2>Notes for us</h2>
      {notes.map(({ id, text, author, atMs }) => (
        <blockquote key={id}>
          <p>{text}</p>
          <footer className="note">
            {author}, {moment(atMs)}
          </footer>
        </blockquote>
      ))}
      <form className="inline" method="post" action={`${orderPath(row.number)}/notes`}>
        <div className="field">
          <label htmlFor="internal">Note, not shown to the shopper</label>
          <textarea id="internal" name="note" rows={2} maxLength={1000} required />
        </div>
        <button className="button button--quiet" type="submit">
          Add note
        </button>
      </form>
    </section>
  )
}

const MAIL_STATES = { pending: 'waits', sent: 'sent', failed: 'not delivered' }

function History({ order }: { order: OrderDetails }) {
  const { row, events, mails, audit } = order
  return (
    <section className="panel">
      <h2>What happened</h2>
      <ul className="history">
        <li>
          {moment(row.createdAtMs)}: ordered by {row.email}
        </li>
        {events.map(({ status, atMs, note, trackingAddress }) => (
          <li key={status}>
            {moment(atMs)}: {ORDER_STATUS_LABELS[status]}
            {note ? <span className="note">“{note}”</span> : null}
            {trackingAddress ? <span className="note">{trackingAddress}</span> : null}
          </li>
        ))}
        {mails.map(({ id, kind, status, createdAtMs, sentAtMs }) => (
          <li key={id}>
            {moment(sentAtMs ?? createdAtMs)}: mail {kind.replace('order-', '')}, {MAIL_STATES[status]}
          </li>
        ))}
        {audit.map(({ id, atMs, actor, act, from, to }) => (
          <li key={id}>
            {moment(atMs)}: {AUDIT_ACTS[act as AuditAct] ?? act}{' '}
            {[from, to].filter(Boolean).map(auditWord).join(' → ')}
            <span className="note">{actor}</span>
          </li>
        ))}
      </ul>
      <p>
        <a href={`/audit?subject=${row.number}`}>All that was done to it in the office</a>
      </p>
    </section>
  )
}
