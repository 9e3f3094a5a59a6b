import type { OrderLineRow, OrderRow } from '../services/orders/stored-order.ts'
import { mailBody } from './layout.ts'
import type { Mail } from './mail.ts'
import { deliveryAddress, orderRows, paidWith, placedOn, price } from './order-blocks.ts'

/** Tells the shop what to pack and where to send it; a reply goes to the shopper. */
export function orderNotice(order: OrderRow, lines: readonly OrderLineRow[], operatorEmail: string): Mail {
  const { number, firstName, lastName, email } = order
  const pieces = lines.reduce((sum, { qty }) => sum + qty, 0)
  return {
    kind: 'order-notice',
    subjectId: order.id,
    recipient: operatorEmail,
    replyTo: email,
    subject: `New order ${number}: ${price(order.totalCents)}`,
    ...mailBody(`New order ${number}`, [
      {
        kind: 'paragraph',
        text: `${firstName} ${lastName} (${email}) ordered ${pieces === 1 ? '1 piece' : `${pieces} pieces`} on ${placedOn(order)}.`,
      },
      orderRows(order, lines),
      {
        kind: 'paragraph',
        text: `Payment: ${paidWith(order)}, ${order.paymentProvider} ${order.paymentReference}`,
      },
      { kind: 'paragraph', text: 'Send to:' },
      deliveryAddress(order),
    ]),
  }
}
