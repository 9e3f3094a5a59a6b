import { describePaymentError } from '#office/payments/error-advice.ts'
import {
  PAYMENT_PROBLEM_LABELS,
  PAYMENT_STATE_LABELS,
  REFUND_STATE_LABELS,
} from '#office/payments/payment-labels.ts'
import { DateTime } from '#office/platform/date-time.tsx'
import { getOrderPath } from '#office/platform/sections.ts'
import { calculatePayableCents } from '#server/orders/amount-due.ts'
import type { OrderDetails } from '#server/orders/office-order.ts'
import { isRefundable } from '#server/orders/request-refund.ts'
import { formatPaymentMethod, isOpen, type PaymentRow } from '#server/payments/payment-attempts.ts'
import type { RefundRow } from '#server/payments/refunds.ts'
import { formatMoney } from '#shared/format.ts'
import { NOTHING_TO_PAY_MESSAGE } from '#shared/orders/payment-status.ts'
import { formatLocalPhone } from '#shared/payments/payment.ts'
import { hasFlow, MANUAL_PAYMENT_LABELS, MANUAL_PAYMENT_TYPES } from '#shared/payments/providers.ts'
import { getRefundReasonLabel } from '#shared/payments/refunds.ts'
import { isManuallyRefunded } from './describe-refund.ts'

type OrderPaymentsProps = {
  order: OrderDetails
  entered: { type?: string; reference?: string }
}

export function OrderPayments({ order, entered }: OrderPaymentsProps) {
  const { row, payments, refunds } = order
  const path = getOrderPath(row.number)
  const dueCents = calculatePayableCents(order)
  const shownPayments = payments
    .filter((payment) => dueCents > 0 || !isCashToCollect(payment))
    .filter(({ amountCents }) => amountCents > 0)
  return (
    <section className="panel">
      <h2>Payment</h2>
      {shownPayments.length === 0 ? (
        <p>{row.totalCents === 0 ? NOTHING_TO_PAY_MESSAGE : 'No payment attempts yet.'}</p>
      ) : null}
      <ol className="attempts">
        {shownPayments.map((payment) => (
          <li key={payment.id}>
            <strong>{formatMoney(isCashToCollect(payment) ? dueCents : payment.amountCents)}</strong>{' '}
            <span>{formatPaymentMethod(payment)}</span>
            <span className="mark">{isCashToCollect(payment) ? 'To collect' : getAttemptLabel(payment)}</span>
            <span className="note">
              <DateTime atMs={payment.createdAtMs} />
              {payment.reference && payment.reference !== payment.id
                ? `, reference ${payment.reference}`
                : ''}
              {payment.phone ? `, ${formatLocalPhone(payment.phone)}` : ''}
              {payment.problem && PAYMENT_PROBLEM_LABELS[payment.problem]
                ? `. ${PAYMENT_PROBLEM_LABELS[payment.problem]}.`
                : ''}
              {payment.error && payment.recordedAs === null
                ? `. ${describePaymentError(payment.error, { isRefund: false, isRetried: isOpen(payment) })}`
                : ''}
            </span>
            <MismatchNotice payment={payment} path={path} />
            {refunds
              .filter(({ paymentId }) => paymentId === payment.id)
              .map((refund) => (
                <Refund key={refund.id} refund={refund} payment={payment} path={path} />
              ))}
          </li>
        ))}
      </ol>
      {isRefundable(order) ? (
        <p>
          <a className="button button--quiet" href={`${path}/refund`}>
            Refund payment
          </a>
        </p>
      ) : null}
      {dueCents > 0 && row.status !== 'expired' ? (
        <p>
          <a className="button button--quiet" href={`${path}/payment-link`}>
            Share payment link
          </a>
        </p>
      ) : null}
      {dueCents > 0 ? <ManualPaymentForm path={path} dueCents={dueCents} entered={entered} /> : null}
    </section>
  )
}

function isCashToCollect({ provider, state }: PaymentRow): boolean {
  return state === 'pending' && hasFlow(provider, 'on-delivery')
}

function getAttemptLabel({ state, recordedAs }: PaymentRow): string {
  return recordedAs === null ? PAYMENT_STATE_LABELS[state] : 'Recorded manually'
}

function MismatchNotice({ payment: { id, problem, state }, path }: { payment: PaymentRow; path: string }) {
  if (problem !== 'amount_differs' || state === 'settled') return null
  return (
    <div className="refund">
      <span className="mark mark--due">Wrong amount</span>
      <span className="note">
        Refund it in the provider’s dashboard or record it as paid, then mark it as resolved.
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

type ManualPaymentFormProps = { path: string; dueCents: number; entered: OrderPaymentsProps['entered'] }

function ManualPaymentForm({
  path,
  dueCents,
  entered: { type = 'cash', reference },
}: ManualPaymentFormProps) {
  return (
    <form className="inline" method="post" action={`${path}/paid`}>
      <fieldset className="choices">
        <legend>Paid another way</legend>
        {MANUAL_PAYMENT_TYPES.map((name) => (
          <label className="choice" key={name}>
            <input type="radio" name="type" value={name} defaultChecked={name === type} />
            {MANUAL_PAYMENT_LABELS[name]}
          </label>
        ))}
      </fieldset>
      <div className="field">
        <label htmlFor="reference">Receipt or reference (optional)</label>
        <input
          id="reference"
          name="reference"
          defaultValue={reference}
          autoCapitalize="characters"
          autoComplete="off"
          maxLength={40}
        />
      </div>
      <input type="hidden" name="seen" value={dueCents} />
      <button className="button button--quiet" type="submit">
        Mark {formatMoney(dueCents)} as paid
      </button>
    </form>
  )
}

type RefundProps = { refund: RefundRow; payment: PaymentRow; path: string }

function Refund({ refund, payment, path }: RefundProps) {
  const { id, state, error, amountCents, reason, createdAtMs, completedAtMs, nextAtMs } = refund
  const isOpen = state !== 'done'
  const canRetry = (state === 'by_hand' && !isManuallyRefunded(payment)) || (state === 'due' && error)
  return (
    <div className="refund">
      <span>
        <span className={isOpen ? 'mark mark--due' : 'mark'}>{REFUND_STATE_LABELS[state]}</span>{' '}
        <strong>{formatMoney(amountCents)}</strong>
        <span className="note">
          {getRefundReasonLabel(reason)}, <DateTime atMs={completedAtMs ?? createdAtMs} isInline />
        </span>
      </span>
      {isOpen && error ? (
        <span className="note">
          {describePaymentError(error, { isRefund: true, isRetried: false })}
          {state === 'due' && nextAtMs !== null ? (
            <>
              {' '}
              We’ll retry after <DateTime atMs={nextAtMs} isInline />.
            </>
          ) : null}
        </span>
      ) : null}
      {isOpen ? (
        <div className="actions actions--small">
          {canRetry ? (
            <form method="post" action={`${path}/refund/retry`}>
              <input type="hidden" name="refund" value={id} />
              <input type="hidden" name="seen" value={state} />
              <button className="button button--quiet" type="submit">
                Retry refund<span className="visually-hidden">: {formatMoney(amountCents)}</span>
              </button>
            </form>
          ) : null}
          <a
            className="button button--quiet"
            href={`${path}/refunded?${new URLSearchParams({ refund: id })}`}
          >
            Mark as refunded<span className="visually-hidden">: {formatMoney(amountCents)}</span>
          </a>
        </div>
      ) : null}
    </div>
  )
}
