import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import type { OrderLineRow, OrderRow } from '../services/orders/stored-order.ts'
import { mailBody } from './layout.ts'
import type { Mail } from './mail.ts'
import { deliveryAddress, orderRows, paidWith, placedOn } from './order-blocks.ts'

/** Tells the shopper that the order has come in, what it holds and what it costs (§ 2). `origin` is the shop's public address. */
export function orderConfirmation(order: OrderRow, lines: readonly OrderLineRow[], origin: string): Mail {
  const { number, firstName } = order
  return {
    kind: 'order-confirmation',
    subjectId: order.id,
    recipient: order.email,
    replyTo: shop.email,
    subject: `Your ${shop.name} order ${number}`,
    ...mailBody(`Asante, ${firstName}!`, [
      {
        kind: 'paragraph',
        text: `Thank you for your purchase. Your order ${number} of ${placedOn(order)} has reached us, and we are packing it with care.`,
      },
      orderRows(order, lines),
      { kind: 'paragraph', text: `Paid with: ${paidWith(order)}` },
      { kind: 'paragraph', text: 'We deliver to:' },
      deliveryAddress(order),
      { kind: 'link', label: 'See your orders', address: new URL(href('dashboard'), origin).href },
      {
        kind: 'paragraph',
        text: `Is something not right? Reply to this mail and name the order ${number}. We answer ${shop.replyPromise}.`,
      },
    ]),
  }
}
