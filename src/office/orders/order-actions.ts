import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { readForm, startHousekeeping } from '#office/platform/form.ts'
import { errorPage } from '#office/platform/layout.tsx'
import { orderPath } from '#office/platform/sections.ts'
import { changeRefund } from '#server/orders/change-refund.ts'
import { changeOrderStatus } from '#server/orders/change-status.ts'
import { addOrderNote, readOrderDetails } from '#server/orders/details.ts'
import { recordManualPayment } from '#server/orders/record-manual-payment.ts'
import { ORDER_STATUSES } from '#shared/orders/order-status.ts'
import { messageOf, refundFailureMessage, statusFailureMessage } from './order-failures.ts'
import { showOrder } from './order-page.tsx'

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

/** The forms of an order's page: each changes the order and leads back to the page, which shows what was done. */
export function orderActions(ctx: OfficeContext) {
  /** The order's page, with what went wrong. */
  async function refuse(c: Context<OfficeEnv>, number: string, message: string) {
    const order = await readOrderDetails(number, ctx)
    if (!order) return errorPage(c, 404, 'We can’t find this order.')
    return showOrder(c, order, { notice: message, isError: true })
  }

  return new Hono<OfficeEnv>()
    .post('/orders/:number/status', async (c) => {
      const form = await readForm(c, statusForm)
      if (form instanceof Response) return form
      const { from, to, note, trackingAddress, stage } = form
      const number = c.req.param('number').toUpperCase()
      const actor = c.var.identity.email
      const changed = await changeOrderStatus({ number, from, to, note, trackingAddress, actor }, ctx)
      if (!changed.ok) return refuse(c, number, await statusFailureMessage(changed.error, number, ctx))
      if (to === 'cancelled') await startHousekeeping(c, ctx)
      if (/^[a-z-]{1,20}$/.test(stage)) return c.redirect(`/?stage=${stage}&changed=${number}`, 303)
      return c.redirect(orderPath(number) + (to === 'cancelled' ? '?done=cancelled' : ''), 303)
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
    if (!changed.ok) return refuse(c, number, await refundFailureMessage(changed.error, number, ctx))
    if (change === 'refund') await startHousekeeping(c, ctx)
    return c.redirect(`${orderPath(number)}?done=${change === 'refund' ? 'refund' : 'refunded'}`, 303)
  }
}
