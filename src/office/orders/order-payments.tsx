import { PAYMENT_STATE_LABELS, REFUND_STATE_LABELS } from '#office/payments/payment-labels.ts'
import { Moment } from '#office/platform/moment.tsx'
import { orderPath } from '#office/platform/sections.ts'
import type { OrderDetails } from '#server/orders/office-order.ts'
import { acceptedPayment, type PaymentRow, paymentMethodLabel } from '#server/payments/payment-attempts.ts'
import { formatMoney } from '#shared/format.ts'
import { formatLocalPhone } from '#shared/payments/payment.ts'

type PaymentsProps = {
  order: OrderDetails
  /** A receipt number that was refused. */
  receipt: string | undefined
}

export function Payments({ order: { row, payments }, receipt }: PaymentsProps) {
  const path = orderPath(row.number)
  const accepted = acceptedPayment(payments)
  const isUnpaid = ['awaiting_payment', 'expired'].includes(row.status)
  return (
    <section className="panel">
      <h2>Payment</h2>
      {payments.length === 0 ? <p>No payment attempts yet.</p> : null}
      <ol className="attempts">
        {payments.map((payment) => (
          <li key={payment.id}>
            <strong>{formatMoney(payment.amountCents)}</strong> {paymentMethodLabel(payment)}
            <span className="mark">{PAYMENT_STATE_LABELS[payment.state]}</span>
            <span className="note">
              <Moment atMs={payment.createdAtMs} />
              {payment.reference ? `, reference ${payment.reference}` : ''}
              {payment.phone ? `, ${formatLocalPhone(payment.phone)}` : ''}
              {payment.error ? `, ${payment.error}` : ''}
            </span>
            <Mismatch payment={payment} path={path} />
            <Refund payment={payment} path={path} />
          </li>
        ))}
      </ol>
      {accepted?.refundState === null ? (
        <p>
          <a className="button button--quiet" href={`${path}/refund`}>
            Refund {formatMoney(accepted.amountCents)}
          </a>
        </p>
      ) : null}
      {row.status === 'awaiting_payment' ? (
        <p>
          <a className="button button--quiet" href={`${path}/payment-link`}>
            Share payment link
          </a>
        </p>
      ) : null}
      {isUnpaid ? (
        <form className="inline" method="post" action={`${path}/paid`}>
          <div className="field">
            <label htmlFor="receipt">Receipt number (if paid another way)</label>
            <input
              id="receipt"
              name="receipt"
              defaultValue={receipt}
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

function Mismatch({ payment: { id, problem, state }, path }: { payment: PaymentRow; path: string }) {
  if (problem !== 'amount_differs' || state === 'settled') return null
  return (
    <div className="refund">
      <span className="mark mark--due">Wrong amount</span>
      <span className="note">
        Refund it on the provider’s page or record it as paid, then mark it as resolved.
      </span>
      <form method="post" action={`${path}/resolved`}>
        <input type="hidden" name="payment" value={id} />
        <button className="button button--quiet" type="submit">
          Mark as resolved
        </button>
      </form>
    </div>
  )
}

function Refund({ payment, path }: { payment: PaymentRow; path: string }) {
  const { refundState, refundError, refundedAtMs } = payment
  if (refundState === null) return null
  const isOpen = refundState !== 'done'
  const canRetry = refundState === 'by_hand' || (refundState === 'due' && refundError)
  return (
    <div className="refund">
      <span className={isOpen ? 'mark mark--due' : 'mark'}>
        {REFUND_STATE_LABELS[refundState]}
        {refundedAtMs ? (
          <>
            {' '}
            <Moment atMs={refundedAtMs} isInline />
          </>
        ) : null}
      </span>
      {isOpen && refundError ? <span className="note">Last attempt failed: {refundError}</span> : null}
      {isOpen ? (
        <div className="actions actions--small">
          {canRetry ? (
            <form method="post" action={`${path}/refund`}>
              <input type="hidden" name="seen" value={refundState} />
              <button className="button button--quiet" type="submit">
                Retry refund
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
