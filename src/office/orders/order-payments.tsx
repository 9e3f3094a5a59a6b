import { orderPath } from '#office/platform/sections.ts'
import type { OrderDetails } from '#server/orders/details.ts'
import { acceptedPayment, type PaymentRow, paymentMethodLabel } from '#server/payments/attempts.ts'
import { formatMoney } from '#shared/format.ts'
import { formatLocalPhone } from '#shared/payments/payment.ts'
import { formatDateTime } from '#shared/time.ts'

export function Payments({ order: { row, payments } }: { order: OrderDetails }) {
  const path = orderPath(row.number)
  const kept = acceptedPayment(payments)
  const awaits = ['awaiting_payment', 'expired'].includes(row.status)
  return (
    <section className="panel">
      <h2>Payment</h2>
      {payments.length === 0 ? <p>No payment attempts yet.</p> : null}
      <ol className="attempts">
        {payments.map((payment) => (
          <li key={payment.id}>
            <strong>{formatMoney(payment.amountCents)}</strong> {paymentMethodLabel(payment)}
            <span className="mark">{payment.state}</span>
            <span className="note">
              {formatDateTime(payment.createdAtMs)}
              {payment.reference ? `, reference ${payment.reference}` : ''}
              {payment.phone ? `, ${formatLocalPhone(payment.phone)}` : ''}
              {payment.error ? `, ${payment.error}` : ''}
            </span>
            <Refund payment={payment} path={path} />
          </li>
        ))}
      </ol>
      {kept?.refundState === null ? (
        <p>
          <a className="button button--quiet" href={`${path}/refund`}>
            Give back {formatMoney(kept.amountCents)} …
          </a>
        </p>
      ) : null}
      {awaits ? (
        <form className="inline" method="post" action={`${path}/paid`}>
          <div className="field">
            <label htmlFor="receipt">Receipt number</label>
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
            Mark {formatMoney(row.totalCents)} as paid
          </button>
        </form>
      ) : null}
    </section>
  )
}

const REFUND_STATES: Record<NonNullable<PaymentRow['refundState']>, string> = {
  due: 'Refund due',
  requested: 'Refund in progress',
  by_hand: 'Refund by hand',
  done: 'Refunded',
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
        {refundedAtMs ? `, ${formatDateTime(refundedAtMs)}` : ''}
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
              Mark as refunded
            </button>
          </form>
        </div>
      ) : null}
    </div>
  )
}
