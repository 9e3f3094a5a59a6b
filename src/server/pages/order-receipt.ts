import type { Context, Next } from 'hono'
import { ORDER_KEY_PARAM } from '#shared/rules/order-link.ts'
import { shop } from '#shared/shop.ts'
import type { AppEnv } from '../app-env.ts'
import type { Deps } from '../deps.ts'
import { mailBody } from '../mail/layout.ts'
import { deliveryAddress, destination, orderRows, paidWith, placedOn } from '../mail/order-mails.ts'
import { findVisibleOrder } from '../services/orders/view.ts'
import { acceptedPayment } from '../services/payments/stored-payment.ts'

/** An order's receipt as a file that needs nothing else, for whoever may see the order; the 404 page otherwise. */
export function orderReceipt(deps: Deps) {
  return async function orderReceipt(c: Context<AppEnv>, next: Next) {
    const number = c.req.param('number') ?? ''
    const key = c.req.query(ORDER_KEY_PARAM) ?? ''
    const found = await findVisibleOrder({ number, key, credential: c.var.sessionCookie }, deps)
    if (!found.ok) return next()
    const { row, lines, payments } = found.data.record
    const payment = acceptedPayment(payments)
    const { html } = mailBody(`Receipt for order ${row.number}`, [
      { kind: 'paragraph', text: `Ordered at ${shop.name}, ${shop.city}, on ${placedOn(row)}.` },
      orderRows(row, lines),
      { kind: 'paragraph', text: payment ? `Paid with: ${paidWith(payment)}` : 'Not paid yet.' },
      ...(payment?.refundState ? [{ kind: 'paragraph' as const, text: 'This payment was given back.' }] : []),
      ...(row.pickup === null ? [deliveryAddress(row)] : destination(row)),
    ])
    c.header('Content-Disposition', `attachment; filename="${shop.name}-${row.number}.html"`)
    c.header('Cache-Control', 'private, no-store')
    return c.html(html)
  }
}
