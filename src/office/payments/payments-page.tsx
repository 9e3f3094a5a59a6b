import { Hono } from 'hono'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { DateTime, formatDay } from '#office/platform/date-time.tsx'
import { renderOfficePage } from '#office/platform/layout.tsx'
import { getOrderPath } from '#office/platform/sections.ts'
import { listPartPaidOrders, type PartPaidOrder } from '#server/orders/list-part-paid.ts'
import { type ListedPayment, listPayments, MAX_LISTED_PAYMENTS } from '#server/payments/list-payments.ts'
import { formatPaymentMethod, isOpen } from '#server/payments/payment-attempts.ts'
import { formatMoney } from '#shared/format.ts'
import { parseShopDay } from '#shared/time.ts'
import { describePaymentError } from './error-advice.ts'
import { PAYMENT_STATE_LABELS, REFUND_STATE_LABELS } from './payment-labels.ts'

export function paymentRoutes(ctx: OfficeContext) {
  return new Hono<OfficeEnv>().get('/payments', async (c) => {
    const day = parseShopDay(c.req.query('day') ?? '', ctx.clock())
    const owner = c.var.ownerContext()
    const [rows, partPaid] = await Promise.all([
      listPayments({ period: day }, owner),
      day ? [] : listPartPaidOrders(owner),
    ])
    const cents = rows.reduce((sum, { amountCents }) => sum + amountCents, 0)
    const count = rows.length === 1 ? '1 payment' : `${rows.length} payments`
    const listed = rows.length < MAX_LISTED_PAYMENTS ? count : `the first ${count}`
    return renderOfficePage(c, {
      title: 'Payments',
      section: 'more',
      children: (
        <>
          <h1>Payments</h1>
          <form className="filters" action="/payments">
            <div className="field">
              <label htmlFor="day">Received on</label>
              <input id="day" name="day" type="date" defaultValue={day?.name ?? ''} />
            </div>
            <button className="button" type="submit">
              Show payments
            </button>
          </form>
          <PartPaidOrders orders={partPaid} />
          <h2>
            {day
              ? `${formatDay(day.startMs, ctx.clock())}: ${listed}, ${formatMoney(cents)}`
              : 'Outstanding payments and refunds'}
          </h2>
          {rows.length === 0 ? (
            <p className="empty">
              {day
                ? 'No payments were received that day.'
                : partPaid.length > 0
                  ? 'No other payments need your attention.'
                  : 'No payments need your attention. Outstanding payments and refunds will appear here.'}
            </p>
          ) : null}
          <ul className="rows">
            {rows.map((payment) => (
              <PaymentItem key={payment.id} payment={payment} />
            ))}
          </ul>
        </>
      ),
    })
  })
}

function PartPaidOrders({ orders }: { orders: readonly PartPaidOrder[] }) {
  if (orders.length === 0) return null
  return (
    <>
      <h2>Partly paid orders</h2>
      <p className="note">
        Share the payment link for the rest, or cancel the order to refund what was paid.
      </p>
      <ul className="rows">
        {orders.map(({ number, firstName, lastName, createdAtMs, dueCents, netPaidCents, isReserved }) => (
          <li key={number}>
            <a href={getOrderPath(number)}>{number}</a> {firstName} {lastName}{' '}
            <span className="mark mark--due">{formatMoney(dueCents)} due</span>
            <span className="note">
              <DateTime atMs={createdAtMs} />, {formatMoney(netPaidCents)} received
              {isReserved ? '' : ', items no longer reserved'}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

function PaymentItem({ payment }: { payment: ListedPayment }) {
  const { number, amountCents, state, refunds, error, createdAtMs, endedAtMs } = payment
  const isMismatch = payment.problem === 'amount_differs' && state !== 'settled'
  return (
    <li>
      <a href={getOrderPath(number)}>{number}</a> <strong>{formatMoney(amountCents)}</strong>{' '}
      <span>{formatPaymentMethod(payment)}</span>
      <span className={isMismatch ? 'mark mark--due' : 'mark'}>
        {isMismatch ? 'Wrong amount' : PAYMENT_STATE_LABELS[state]}
      </span>
      <span className="note">
        <DateTime atMs={endedAtMs ?? createdAtMs} />
        {error ? `. ${describePaymentError(error, { isRefund: false, isRetried: isOpen(payment) })}` : ''}
      </span>
      {refunds.map((refund) => (
        <span className="note" key={refund.id}>
          <span className={refund.state === 'done' ? 'mark' : 'mark mark--due'}>
            {REFUND_STATE_LABELS[refund.state]}
          </span>{' '}
          {formatMoney(refund.amountCents)}{' '}
          <DateTime atMs={refund.completedAtMs ?? refund.createdAtMs} isInline />
          {refund.error
            ? `. ${describePaymentError(refund.error, { isRefund: true, isRetried: refund.state === 'due' })}`
            : ''}
        </span>
      ))}
    </li>
  )
}
