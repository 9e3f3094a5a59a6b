import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { readForm, startHousekeeping } from '#office/platform/form.ts'
import { errorPage } from '#office/platform/layout.tsx'
import { orderPath } from '#office/platform/sections.ts'
import { changeOrderStatus } from '#server/orders/change-status.ts'
import { addOrderNote, readOrderFor } from '#server/orders/office-order.ts'
import { recordManualPayment } from '#server/orders/record-manual-payment.ts'
import { changeRefund } from '#server/orders/request-refund.ts'
import { resolveMismatch } from '#server/orders/resolve-mismatch.ts'
import { ORDER_STATUSES } from '#shared/orders/order-status.ts'
import { failureMessage, refundFailureMessage, statusFailureMessage } from './order-failures.ts'
import { type EnteredOrderFields, showOrder } from './order-page.tsx'

const text = z.string()
const statusForm = z.object({
  from: z.enum(ORDER_STATUSES),
  to: z.enum(ORDER_STATUSES),
  note: text,
  trackingAddress: text,
  /** The board's stage; empty when sent from the order's page. */
  stage: text,
})
const seenForm = z.object({ seen: text })
const resolvedForm = z.object({ payment: text })
const receiptForm = z.object({ receipt: text })
const noteForm = z.object({ note: text })

export function orderActions(ctx: OfficeContext) {
  async function refuse(
    c: Context<OfficeEnv>,
    number: string,
    message: string,
    entered?: EnteredOrderFields,
  ) {
    const order = await readOrderFor(c.var.identity, number, ctx)
    if (!order) return errorPage(c, 404, 'We can’t find this order.')
    return showOrder(c, order, { notice: message, isError: true }, entered)
  }

  return new Hono<OfficeEnv>()
    .post('/orders/:number/status', async (c) => {
      const form = await readForm(c, statusForm)
      if (form instanceof Response) return form
      const { from, to, note, trackingAddress, stage } = form
      const number = c.req.param('number').toUpperCase()
      const actor = c.var.identity
      const changed = await changeOrderStatus({ number, from, to, note, trackingAddress, actor }, ctx)
      if (!changed.ok) {
        const message = await statusFailureMessage(changed.error, number, ctx)
        // The order's next step may not take a note.
        const typed = changed.error.code === 'status_changed' && note ? ` Your note was: “${note}”` : ''
        return refuse(c, number, message + typed, { note, trackingAddress })
      }
      if (to === 'cancelled') await startHousekeeping(c, ctx)
      if (/^[a-z-]{1,20}$/.test(stage)) return c.redirect(`/?stage=${stage}&changed=${number}`, 303)
      // A sent order isn't open to packers.
      if (actor.role === 'packer') return c.redirect(`/?stage=send&changed=${number}`, 303)
      return c.redirect(orderPath(number) + (to === 'cancelled' ? '?done=cancelled' : ''), 303)
    })

    .post('/orders/:number/refund', async (c) => refund(c, 'refund'))
    .post('/orders/:number/refunded', async (c) => refund(c, 'complete'))

    .post('/orders/:number/paid', async (c) => {
      const form = await readForm(c, receiptForm)
      if (form instanceof Response) return form
      const number = c.req.param('number')
      const actor = c.var.identity
      const recorded = await recordManualPayment({ number, receipt: form.receipt, actor }, ctx)
      if (!recorded.ok) return refuse(c, number, failureMessage(recorded.error), form)
      await startHousekeeping(c, ctx)
      return c.redirect(`${orderPath(recorded.data.order.number)}?done=paid`, 303)
    })

    .post('/orders/:number/resolved', async (c) => {
      const form = await readForm(c, resolvedForm)
      if (form instanceof Response) return form
      const number = c.req.param('number').toUpperCase()
      const actor = c.var.identity
      const resolved = await resolveMismatch({ number, paymentId: form.payment, actor }, ctx)
      if (!resolved.ok) return refuse(c, number, failureMessage(resolved.error))
      return c.redirect(`${orderPath(number)}?done=resolved`, 303)
    })

    .post('/orders/:number/notes', async (c) => {
      const form = await readForm(c, noteForm)
      if (form instanceof Response) return form
      const number = c.req.param('number')
      const added = await addOrderNote({ number, text: form.note, actor: c.var.identity }, ctx)
      if (!added.ok) return refuse(c, number, failureMessage(added.error), { internalNote: form.note })
      return c.redirect(`${orderPath(added.data.number)}?done=noted#notes`, 303)
    })

  async function refund(c: Context<OfficeEnv, '/orders/:number/refund'>, change: 'refund' | 'complete') {
    const form = await readForm(c, seenForm)
    if (form instanceof Response) return form
    const number = c.req.param('number').toUpperCase()
    const actor = c.var.identity
    const changed = await changeRefund({ number, change, seen: form.seen, actor }, ctx)
    if (!changed.ok) return refuse(c, number, await refundFailureMessage(changed.error, number, ctx))
    if (change === 'refund') await startHousekeeping(c, ctx)
    return c.redirect(`${orderPath(number)}?done=${change === 'refund' ? 'refund' : 'refunded'}`, 303)
  }
}
