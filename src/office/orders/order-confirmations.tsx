import { Hono } from 'hono'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { Confirmation, errorPage, officePage } from '#office/platform/layout.tsx'
import { orderPath } from '#office/platform/sections.ts'
import { readOrderDetails } from '#server/orders/details.ts'
import { acceptedPayment } from '#server/payments/attempts.ts'
import { formatMoney } from '#shared/format.ts'
import { ORDER_STATUS_LABELS } from '#shared/orders/order-status.ts'

/** The pages that ask before an order is cancelled or refunded. */
export function orderConfirmations(ctx: OfficeContext) {
  return new Hono<OfficeEnv>()
    .get('/orders/:number/cancel', async (c) => {
      const order = await readOrderDetails(c.req.param('number'), ctx)
      if (!order) return errorPage(c, 404, 'There is no such order.')
      const { number, status, firstName, lastName } = order.row
      const payment = acceptedPayment(order.payments)
      const isKept = payment?.refundState === null
      return officePage(c, {
        title: `Cancel ${number}`,
        section: 'orders',
        children: (
          <Confirmation
            heading={`Cancel order ${number}?`}
            sentence={
              isKept && payment
                ? `${formatMoney(payment.amountCents)} is given back to ${firstName} ${lastName}, who gets a mail. This cannot be undone.`
                : `Nothing was paid for it, so nothing is given back. This cannot be undone.`
            }
            action={`${orderPath(number)}/status`}
            fields={{ from: status, to: 'cancelled' }}
            button={
              isKept && payment
                ? `Cancel and give back ${formatMoney(payment.amountCents)}`
                : 'Cancel the order'
            }
            back={orderPath(number)}
          />
        ),
      })
    })

    .get('/orders/:number/refund', async (c) => {
      const order = await readOrderDetails(c.req.param('number'), ctx)
      const payment = order && acceptedPayment(order.payments)
      if (!order || !payment) return errorPage(c, 404, 'There is no payment to give back.')
      const { number, firstName, lastName, status } = order.row
      return officePage(c, {
        title: `Refund of ${number}`,
        section: 'orders',
        children: (
          <Confirmation
            heading={`Give back ${formatMoney(payment.amountCents)}?`}
            sentence={`${firstName} ${lastName} gets back all that was paid for order ${number}. The order stays ${ORDER_STATUS_LABELS[status].toLowerCase()}. This cannot be undone.`}
            action={`${orderPath(number)}/refund`}
            fields={{ seen: payment.refundState ?? 'kept' }}
            button={`Give back ${formatMoney(payment.amountCents)}`}
            back={orderPath(number)}
          />
        ),
      })
    })
}
