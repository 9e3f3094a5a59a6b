import { type Context, Hono } from 'hono'
import type { OfficeEnv } from '#office/context.ts'
import { Confirmation, renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { getOrderPath } from '#office/platform/sections.ts'
import { type OrderDetails, readOrderDetails } from '#server/orders/office-order.ts'
import { calculateBalance } from '#server/orders/order-record.ts'
import { isRefundable } from '#server/orders/request-refund.ts'
import { calculateRefundableTotalCents } from '#server/payments/refunds.ts'
import { formatFullName } from '#shared/accounts/account-forms.ts'
import { centsToKsh, formatAmount, formatMoney } from '#shared/format.ts'
import { getOrderStatusLabel, listNextStatuses, type OrderStatus } from '#shared/orders/order-status.ts'
import { getRefundReasonLabel, OFFICE_REFUND_REASONS } from '#shared/payments/refunds.ts'
import { shop } from '#shared/shop.ts'
import { describeRequestedRefund, isManuallyRefunded } from './describe-refund.ts'

const RESTOCK_SENTENCES: Partial<Record<OrderStatus, string>> = {
  shipped: 'Wait until the parcel is back at the shop, because its items go back into stock. ',
  ready: 'Its items go back into stock. ',
}

export function confirmationRoutes() {
  return new Hono<OfficeEnv>()
    .get('/orders/:number/cancel', async (c) => {
      const order = await readOrderDetails(c.req.param('number'), c.var.ownerContext())
      if (!order) return renderErrorPage(c, 404, 'We can’t find this order.')
      const { number, status } = order.row
      if (!listNextStatuses(order.row).includes('cancelled'))
        return renderErrorPage(
          c,
          404,
          `This order can’t be cancelled now. It’s “${getOrderStatusLabel(status, order.row)}”.`,
        )
      const refundCents = calculateRefundableTotalCents(order)
      return renderOfficePage(c, {
        title: `Cancel ${number}`,
        section: 'orders',
        children: (
          <Confirmation
            heading={`Cancel order ${number}?`}
            sentence={`${RESTOCK_SENTENCES[status] ?? ''}${
              refundCents > 0
                ? describeCancellationRefund(order, refundCents)
                : order.row.firstPaidAtMs !== null && order.row.paidCents > 0
                  ? 'You’ve already refunded this order, so nothing more will be refunded.'
                  : `This order ${order.row.totalCents === 0 ? 'is free' : 'wasn’t paid'}, so there’s nothing to refund.`
            } This can’t be undone.`}
            action={`${getOrderPath(number)}/status`}
            fields={{ from: status, seen: String(refundCents), to: 'cancelled' }}
            button={refundCents > 0 ? `Cancel and refund ${formatMoney(refundCents)}` : 'Cancel order'}
            back={getOrderPath(number)}
          />
        ),
      })
    })

    .get('/orders/:number/refund', async (c) => {
      const order = await readOrderDetails(c.req.param('number'), c.var.ownerContext())
      if (!order || !isRefundable(order)) return renderErrorPage(c, 404, 'There’s no payment to refund.')
      return renderRefundPage(c, order)
    })

    .get('/orders/:number/refunded', async (c) => {
      const order = await readOrderDetails(c.req.param('number'), c.var.ownerContext())
      const refund = order?.refunds.find(({ id, state }) => id === c.req.query('refund') && state !== 'done')
      if (!order || !refund) return renderErrorPage(c, 404, 'There’s no open refund to mark as refunded.')
      const { number, email } = order.row
      const amount = formatMoney(refund.amountCents)
      const condition =
        refund.state === 'requested'
          ? describeRequestedRefund(amount)
          : `Do this only once you’ve sent ${amount} to ${formatCustomerName(order.row)} yourself.`
      return renderOfficePage(c, {
        title: `Refund ${number}`,
        section: 'orders',
        children: (
          <Confirmation
            heading={`Mark ${amount} as refunded?`}
            sentence={`${condition} ${email ? 'We’ll email the customer. ' : ''}This can’t be undone.`}
            action={`${getOrderPath(number)}/refunded`}
            fields={{ refund: refund.id, seen: refund.state }}
            button="Mark as refunded"
            back={getOrderPath(number)}
          />
        ),
      })
    })
}

function formatCustomerName(row: OrderDetails['row']): string {
  // A deleted account's orders have no name.
  return formatFullName(row) || 'the customer'
}

function describeCancellationRefund(order: OrderDetails, refundCents: number): string {
  const refund = `refund ${formatMoney(refundCents)} to ${formatCustomerName(order.row)}`
  const email = order.row.email ? ' We’ll email them.' : ''
  return hasOnlyManualRefunds(order)
    ? `You’ll need to ${refund} yourself.${email}`
    : `We’ll ${refund}.${email}${describeManualRefunds(order)}`
}

function describeManualRefunds(order: OrderDetails): string {
  if (hasOnlyManualRefunds(order)) return ' You’ll need to make the refund yourself.'
  return order.payments.some((payment) => payment.state === 'settled' && isManuallyRefunded(payment))
    ? ' You’ll need to refund the cash and other payments that you recorded.'
    : ''
}

function hasOnlyManualRefunds({ payments }: OrderDetails): boolean {
  return payments.every((payment) => payment.state !== 'settled' || isManuallyRefunded(payment))
}

type EnteredRefund = { amount: string; reason: string; error: string }

export function renderRefundPage(c: Context<OfficeEnv>, order: OrderDetails, entered?: EnteredRefund) {
  const { number, email, status } = order.row
  const refundableCents = calculateRefundableTotalCents(order)
  const { dueCents } = calculateBalance(order)
  const page = {
    title: `Refund ${number}`,
    section: 'orders',
    ...(entered ? { notice: entered.error, isError: true } : {}),
    children: (
      <div className="panel confirmation">
        <h1>Refund order {number}</h1>
        <p>
          You can refund up to {formatMoney(refundableCents)} to {formatCustomerName(order.row)}.{' '}
          {email ? 'We’ll email them when it’s complete. ' : ''}
          {`The order’s status stays “${getOrderStatusLabel(status, order.row)}”.${describeManualRefunds(order)} `}
          {dueCents > 0 ? `The ${formatMoney(dueCents)} still due on this order stays the same. ` : ''}This
          can’t be undone.
        </p>
        <form className="inline" method="post" action={`${getOrderPath(number)}/refund`}>
          <input type="hidden" name="seen" value={refundableCents} />
          <div className="field">
            <label htmlFor="amount">Amount ({shop.currency})</label>
            <input
              id="amount"
              name="amount"
              inputMode="numeric"
              autoComplete="off"
              defaultValue={entered?.amount ?? formatAmount(centsToKsh(refundableCents))}
              required
            />
          </div>
          <div className="field">
            <label htmlFor="reason">Reason</label>
            <select id="reason" name="reason" defaultValue={entered?.reason ?? 'other'}>
              {OFFICE_REFUND_REASONS.map((reason) => (
                <option key={reason} value={reason}>
                  {getRefundReasonLabel(reason)}
                </option>
              ))}
            </select>
          </div>
          <div className="actions">
            <button className="button button--danger" type="submit">
              Start refund
            </button>
            <a className="button button--quiet" href={getOrderPath(number)}>
              No, go back
            </a>
          </div>
        </form>
      </div>
    ),
  } as const
  return renderOfficePage(c, page, entered ? 409 : 200)
}

type UnconfirmedStatusChange = {
  number: string
  from: OrderStatus
  revision: string
  seen: string
  to: OrderStatus
  note: string
  trackingUrl: string
  stage: string
  problem: string
  pickup: string | null
}

export function renderStatusConfirmation(
  c: Context<OfficeEnv>,
  { number, problem, pickup, ...form }: UnconfirmedStatusChange,
) {
  const label = getOrderStatusLabel(form.to, { pickup })
  return renderOfficePage(
    c,
    {
      title: `${number}: ${label}`,
      section: 'orders',
      children: (
        <Confirmation
          heading={`Mark ${number} as “${label}”?`}
          sentence={`${problem} Mark it as “${label}” only if you still want to go ahead.`}
          action={`${getOrderPath(number)}/status`}
          fields={{ ...form, confirmed: 'yes' }}
          button={`Mark as “${label}”`}
          back={getOrderPath(number)}
        />
      ),
    },
    409,
  )
}
