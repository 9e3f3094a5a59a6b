import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { readForm, startHousekeeping } from '#office/platform/form.ts'
import { Confirmation, errorPage, officePage } from '#office/platform/layout.tsx'
import { orderPath } from '#office/platform/sections.ts'
import { changeRefund } from '#server/orders/change-refund.ts'
import { changeOrderStatus } from '#server/orders/change-status.ts'
import { addOrderNote, type OrderDetails, readOrderDetails } from '#server/orders/details.ts'
import { recordManualPayment } from '#server/orders/record-manual-payment.ts'
import { acceptedPayment } from '#server/payments/attempts.ts'
import { AUDIT_ACTS, type AuditAct } from '#server/platform/db/audit.ts'
import { errors } from '#shared/errors.ts'
import { formatMoney } from '#shared/format.ts'
import { ORDER_STATUS_LABELS, ORDER_STATUSES } from '#shared/orders/order-status.ts'
import { moment } from '#shared/time.ts'
import { OrderView } from './order-view.tsx'

const text = z.string()
const statusForm = z.object({
  from: z.enum(ORDER_STATUSES),
  to: z.enum(ORDER_STATUSES),
  note: text,
  trackingAddress: text,
  /** The stage of the board that the form was on; empty on the order's own page. */
  stage: text,
})
const seenForm = z.object({ seen: text })
const receiptForm = z.object({ receipt: text })
const noteForm = z.object({ note: text })

/** The acts of the audit log whose `to` is a status. */
const ORDER_STEPS = ['order.status', 'order.cancel']
const REFUND_STEPS = ['order.refund', 'order.refunded']

/** What the address of an order's page may name as just done. */
const DONE: Record<string, string> = {
  noted: 'The note is there.',
  paid: 'The payment is recorded.',
  refund: 'The refund is on its way; below is what came of it.',
  refunded: 'Noted: the money was given back.',
  cancelled: 'The order is cancelled.',
}

/** `/orders/:number`: an order with all that can be done to it. */
export function orderPage(ctx: OfficeContext) {
  /** The order's page, with what went wrong. */
  async function refuse(c: Context<OfficeEnv>, number: string, message: string) {
    const order = await readOrderDetails(number, ctx)
    if (!order) return errorPage(c, 404, 'There is no such order.')
    return show(c, order, { notice: message, isError: true })
  }

  function show(c: Context<OfficeEnv>, order: OrderDetails, notice: { notice?: string; isError?: boolean }) {
    return officePage(
      c,
      {
        title: order.row.number,
        section: 'orders',
        ...notice,
        children: <OrderView order={order} />,
      },
      notice.isError ? 409 : 200,
    )
  }

  return new Hono<OfficeEnv>()
    .get('/orders/:number', async (c) => {
      const order = await readOrderDetails(c.req.param('number'), ctx)
      if (!order) return errorPage(c, 404, 'There is no such order.')
      const notice = DONE[c.req.query('done') ?? '']
      return show(c, order, notice ? { notice } : {})
    })

    .post('/orders/:number/status', async (c) => {
      const form = await readForm(c, statusForm)
      if (form instanceof Response) return form
      const { from, to, note, trackingAddress, stage } = form
      const number = c.req.param('number').toUpperCase()
      const actor = c.var.identity.email
      const changed = await changeOrderStatus({ number, from, to, note, trackingAddress, actor }, ctx)
      if (!changed.ok) return refuse(c, number, await refusalOf(changed.error, number))
      if (to === 'cancelled') await startHousekeeping(c, ctx)
      if (/^[a-z-]{1,20}$/.test(stage)) return c.redirect(`/?stage=${stage}&changed=${number}`, 303)
      return c.redirect(orderPath(number) + (to === 'cancelled' ? '?done=cancelled' : ''), 303)
    })

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

    .post('/orders/:number/refund', async (c) => refund(c, 'refund'))
    .post('/orders/:number/refunded', async (c) => refund(c, 'complete'))

    .post('/orders/:number/paid', async (c) => {
      const form = await readForm(c, receiptForm)
      if (form instanceof Response) return form
      const number = c.req.param('number')
      const actor = c.var.identity.email
      const recorded = await recordManualPayment({ number, receipt: form.receipt, actor }, ctx)
      if (!recorded.ok) return refuse(c, number, messageOf(recorded.error))
      await startHousekeeping(c, ctx)
      return c.redirect(`${orderPath(recorded.data.order.number)}?done=paid`, 303)
    })

    .post('/orders/:number/notes', async (c) => {
      const form = await readForm(c, noteForm)
      if (form instanceof Response) return form
      const number = c.req.param('number')
      const added = await addOrderNote({ number, text: form.note, author: c.var.identity.email }, ctx)
      if (!added.ok) return refuse(c, number, messageOf(added.error))
      return c.redirect(`${orderPath(added.data.number)}?done=noted#notes`, 303)
    })

  async function refund(c: Context<OfficeEnv, '/orders/:number/refund'>, change: 'refund' | 'complete') {
    const form = await readForm(c, seenForm)
    if (form instanceof Response) return form
    const number = c.req.param('number').toUpperCase()
    const actor = c.var.identity.email
    const changed = await changeRefund({ number, change, seen: form.seen, actor }, ctx)
    if (!changed.ok) return refuse(c, number, await refundRefusalOf(changed.error, number))
    if (change === 'refund') await startHousekeeping(c, ctx)
    return c.redirect(`${orderPath(number)}?done=${change === 'refund' ? 'refund' : 'refunded'}`, 303)
  }

  /** Why a refund was not changed, and who was the last to change it. */
  async function refundRefusalOf(error: Parameters<typeof messageOf>[0], number: string) {
    const order = await readOrderDetails(number, ctx)
    const last = order?.audit.find(({ act }) => REFUND_STEPS.includes(act))
    if (!last) return messageOf(error)
    const label = AUDIT_ACTS[last.act as AuditAct]
    return `${messageOf(error)} The last: ${label} (${last.actor}, ${moment(last.atMs)}).`
  }

  /** Why a status was not changed, and what has happened to the order meanwhile. */
  async function refusalOf(error: { code: keyof typeof errors; message?: string }, number: string) {
    if (error.code !== 'status_changed') return messageOf(error)
    const order = await readOrderDetails(number, ctx)
    if (!order) return messageOf(error)
    const { status } = order.row
    // A shopper's own step, or a payment's, is no line of the audit log.
    const step = order.audit.find(({ act, to }) => ORDER_STEPS.includes(act) && to === status)
    const since = step?.atMs ?? order.events.findLast((event) => event.status === status)?.atMs
    const how = [step?.actor, since && moment(since)].filter(Boolean).join(', ')
    const label = ORDER_STATUS_LABELS[status]
    return `Nothing was changed: the order has changed meanwhile. It is “${label}” now${how && ` (${how})`}.`
  }
}

function messageOf({
  code,
  message,
  fieldErrors,
}: {
  code: keyof typeof errors
  message?: string
  fieldErrors?: object
}) {
  return Object.values(fieldErrors ?? {}).join('. ') || (message ?? errors[code].message)
}
