import { Hono } from 'hono'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { Confirmation, errorPage, officePage } from '#office/platform/layout.tsx'
import { orderPath } from '#office/platform/sections.ts'
import { readOrderDetails } from '#server/orders/office-order.ts'
import { acceptedPayment } from '#server/payments/payment-attempts.ts'
import { formatMoney } from '#shared/format.ts'
import { ORDER_STATUS_LABELS } from '#shared/orders/order-status.ts'

/** Confirmation pages before an order is cancelled or refunded. */
export function orderConfirmations(ctx: OfficeContext) {
  return new Hono<OfficeEnv>()
    .get('/orders/:number/cancel', async (c) => {
      const order = await readOrderDetails(c.req.param('number'), ctx)
      if (!order) return errorPage(c, 404, 'We can’t find this order.')
      const { number, status, firstName, lastName } = order.row
      const payment = acceptedPayment(order.payments)
      const canRefund = payment?.refundState === null
      return officePage(c, {
        title: `Cancel ${number}`,
        section: 'orders',
        children: (
          <Confirmation
            heading={`Cancel order ${number}?`}
            sentence={
              canRefund && payment
                ? `We’ll refund ${formatMoney(payment.amountCents)} to ${firstName} ${lastName} and send them an email. This can’t be undone.`
                : payment
                  ? 'You’ve already refunded this order, so nothing more will be refunded. This can’t be undone.'
                  : 'This order wasn’t paid, so there’s nothing to refund. This can’t be undone.'
            }
            action={`${orderPath(number)}/status`}
            fields={{ from: status, to: 'cancelled' }}
            button={
              canRefund && payment ? `Cancel and refund ${formatMoney(payment.amountCents)}` : 'Cancel order'
            }
            back={orderPath(number)}
          />
        ),
      })
    })

    .get('/orders/:number/refund', async (c) => {
      const order = await readOrderDetails(c.req.param('number'), ctx)
      const payment = order && acceptedPayment(order.payments)
      if (!order || !payment) return errorPage(c, 404, 'There’s no payment to refund.')
      const { number, firstName, lastName, status } = order.row
      return officePage(c, {
        title: `Refund ${number}`,
        section: 'orders',
        children: (
          <Confirmation
            heading={`Refund ${formatMoney(payment.amountCents)}?`}
            sentence={`We’ll refund everything ${firstName} ${lastName} paid for order ${number}. The order’s status stays “${ORDER_STATUS_LABELS[status]}”. This can’t be undone.`}
            action={`${orderPath(number)}/refund`}
            fields={{ seen: payment.refundState ?? 'kept' }}
            button={`Refund ${formatMoney(payment.amountCents)}`}
            back={orderPath(number)}
          />
        ),
      })
    })
}
