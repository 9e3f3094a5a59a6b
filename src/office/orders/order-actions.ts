import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { formTextSchema, readForm, startHousekeeping } from '#office/platform/form.ts'
import { renderErrorPage } from '#office/platform/layout.tsx'
import { getOrderPath } from '#office/platform/sections.ts'
import { readLatestContent } from '#server/content/edit-content.ts'
import { changeKraPin } from '#server/orders/change-kra-pin.ts'
import { changeOrderStatus, type StatusChangeError } from '#server/orders/change-status.ts'
import { addOrderNote, readOrderDetails, readOrderForViewer } from '#server/orders/office-order.ts'
import { renderReceipt } from '#server/orders/order-receipt.ts'
import { recordManualPayment } from '#server/orders/record-manual-payment.ts'
import { changeRefund, requestRefund } from '#server/orders/request-refund.ts'
import { resolveMismatch } from '#server/orders/resolve-mismatch.ts'
import { formatServiceError } from '#server/platform/result.ts'
import { CENTS_PER_KSH } from '#shared/format.ts'
import { ORDER_STATUSES } from '#shared/orders/order-status.ts'
import { MANUAL_PAYMENT_TYPES } from '#shared/payments/providers.ts'
import { OFFICE_REFUND_REASONS } from '#shared/payments/refunds.ts'
import { shop } from '#shared/shop.ts'
import { renderRefundPage, renderStatusConfirmation } from './confirmation-pages.tsx'
import { describeRefundFailure, describeStatusFailure } from './order-failures.ts'
import { type EnteredOrderFields, renderOrderPage } from './order-page.tsx'

const statusFormSchema = z.object({
  from: z.enum(ORDER_STATUSES),
  /** The order's revision when the page was opened. */
  revision: formTextSchema,
  /** The amount to refund or collect, in cents, when the page was opened. */
  seen: formTextSchema,
  to: z.enum(ORDER_STATUSES),
  note: formTextSchema,
  trackingUrl: formTextSchema,
  /** The stage of the board that the form is on, or empty on the order's page. */
  stage: formTextSchema,
  /** `yes` if the user confirmed the status change despite a refund or an unpaid balance. */
  confirmed: formTextSchema,
  /** `yes` if the rider collected the amount due. */
  collected: formTextSchema,
})
const refundFormSchema = z.object({
  amount: formTextSchema,
  reason: z.enum(OFFICE_REFUND_REASONS),
  seen: formTextSchema,
})
const openRefundFormSchema = z.object({ refund: formTextSchema, seen: formTextSchema })
const mismatchFormSchema = z.object({ payment: formTextSchema })
const manualPaymentFormSchema = z.object({
  type: z.enum(MANUAL_PAYMENT_TYPES),
  reference: formTextSchema,
  /** The amount due in cents when the page was opened. */
  seen: formTextSchema,
})
const noteFormSchema = z.object({ note: formTextSchema })
const kraPinFormSchema = z.object({ kraPin: formTextSchema })

export function orderActionRoutes(ctx: OfficeContext) {
  async function renderOrderWithError(
    c: Context<OfficeEnv>,
    number: string,
    message: string,
    entered?: EnteredOrderFields,
  ) {
    const order = await readOrderForViewer(c.var.identity, number, ctx)
    if (!order) return renderErrorPage(c, 404, 'We can’t find this order.')
    return renderOrderPage(c, order, { notice: message, isError: true }, entered)
  }

  async function renderStatusFailure(
    c: Context<OfficeEnv>,
    form: z.infer<typeof statusFormSchema> & { number: string },
    error: StatusChangeError,
  ) {
    const { number, from, note, trackingUrl } = form
    if (error.code === 'payment_incomplete') {
      const order = await readOrderForViewer(c.var.identity, number, ctx)
      const pickup = order?.row.pickup ?? null
      return renderStatusConfirmation(c, { ...form, problem: error.message, pickup })
    }
    const message = await describeStatusFailure(error, { number, from, actor: c.var.identity }, ctx)
    // The page for the new status may have no note field, so the message includes the note.
    const noteSuffix = error.code === 'status_changed' && note ? ` Your note was: “${note}”` : ''
    return renderOrderWithError(c, number, message + noteSuffix, { note, trackingUrl })
  }

  return new Hono<OfficeEnv>()
    .post('/orders/:number/status', async (c) => {
      const form = await readForm(c, statusFormSchema)
      if (form instanceof Response) return form
      const { from, revision, seen, to, note, trackingUrl, stage, confirmed, collected } = form
      const number = c.req.param('number').toUpperCase()
      const actor = c.var.identity
      const confirmations = { isConfirmed: confirmed === 'yes', isCollected: collected === 'yes' }
      const expectedRevision = revision === '' ? undefined : Number(revision)
      const expectedCents = seen === '' ? undefined : Number(seen)
      const expected = { expectedRevision, expectedCents }
      const change = { number, from, ...expected, to, note, trackingUrl, ...confirmations, actor }
      const changed = await changeOrderStatus(change, ctx)
      if (!changed.ok) return renderStatusFailure(c, { ...form, number }, changed.error)
      if (to === 'cancelled') await startHousekeeping(c, ctx)
      if (/^[a-z-]{1,20}$/.test(stage)) return c.redirect(`/?stage=${stage}&changed=${number}`, 303)
      // Packers can't open an order once it is sent, so they return to the board.
      if (actor.role === 'packer') return c.redirect(`/?stage=send&changed=${number}`, 303)
      return c.redirect(getOrderPath(number) + (to === 'cancelled' ? '?done=cancelled' : ''), 303)
    })

    .post('/orders/:number/refund', async (c) => {
      const form = await readForm(c, refundFormSchema)
      if (form instanceof Response) return form
      const number = c.req.param('number').toUpperCase()
      const { amount, reason, seen } = form
      const input = { number, amountCents: parseAmountCents(amount), reason, actor: c.var.identity }
      const requested = await requestRefund({ ...input, expectedRefundableCents: Number(seen) }, ctx)
      if (!requested.ok) {
        const order = await readOrderForViewer(c.var.identity, number, ctx)
        if (requested.error.code === 'invalid_fields' && order)
          return renderRefundPage(c, order, { ...form, error: formatServiceError(requested.error) })
        return renderOrderWithError(
          c,
          number,
          await describeRefundFailure(requested.error, number, c.var.ownerContext()),
        )
      }
      await startHousekeeping(c, ctx)
      return c.redirect(`${getOrderPath(number)}?done=refund`, 303)
    })
    .post('/orders/:number/refund/retry', async (c) => changeOpenRefund(c, 'restart'))
    .post('/orders/:number/refunded', async (c) => changeOpenRefund(c, 'complete'))

    .post('/orders/:number/paid', async (c) => {
      const form = await readForm(c, manualPaymentFormSchema)
      if (form instanceof Response) return form
      const number = c.req.param('number')
      const actor = c.var.identity
      const expectedCents = form.seen === '' ? undefined : Number(form.seen)
      const recorded = await recordManualPayment({ number, ...form, expectedCents, actor }, ctx)
      if (!recorded.ok) return renderOrderWithError(c, number, formatServiceError(recorded.error), form)
      await startHousekeeping(c, ctx)
      return c.redirect(`${getOrderPath(recorded.data.order.number)}?done=paid`, 303)
    })

    .post('/orders/:number/resolved', async (c) => {
      const form = await readForm(c, mismatchFormSchema)
      if (form instanceof Response) return form
      const number = c.req.param('number').toUpperCase()
      const actor = c.var.identity
      const resolved = await resolveMismatch({ number, paymentId: form.payment, actor }, ctx)
      if (!resolved.ok) return renderOrderWithError(c, number, formatServiceError(resolved.error))
      return c.redirect(`${getOrderPath(number)}?done=resolved`, 303)
    })

    .get('/orders/:number/invoice', async (c) => {
      const order = await readOrderDetails(c.req.param('number'), c.var.ownerContext())
      if (!order) return renderErrorPage(c, 404, 'We can’t find this order.')
      const { contact } = (await readLatestContent(ctx)).pages
      const { name, contentType, body } = await renderReceipt(order, contact, ctx)
      return c.body(body, 200, {
        'Content-Type': contentType,
        'Content-Disposition': `attachment; filename="${name}"`,
      })
    })

    .post('/orders/:number/pin', async (c) => {
      const form = await readForm(c, kraPinFormSchema)
      if (form instanceof Response) return form
      const number = c.req.param('number')
      const changed = await changeKraPin({ number, kraPin: form.kraPin, actor: c.var.identity }, ctx)
      if (!changed.ok) return renderOrderWithError(c, number, formatServiceError(changed.error), form)
      return c.redirect(`${getOrderPath(changed.data.number)}?done=pin`, 303)
    })

    .post('/orders/:number/notes', async (c) => {
      const form = await readForm(c, noteFormSchema)
      if (form instanceof Response) return form
      const number = c.req.param('number')
      const added = await addOrderNote({ number, text: form.note, actor: c.var.identity }, ctx)
      if (!added.ok)
        return renderOrderWithError(c, number, formatServiceError(added.error), { internalNote: form.note })
      return c.redirect(`${getOrderPath(added.data.number)}?done=noted#notes`, 303)
    })

  async function changeOpenRefund(
    c: Context<OfficeEnv, '/orders/:number/refunded'>,
    change: 'restart' | 'complete',
  ) {
    const form = await readForm(c, openRefundFormSchema)
    if (form instanceof Response) return form
    const number = c.req.param('number').toUpperCase()
    const actor = c.var.identity
    const { refund: refundId, seen: expectedState } = form
    const changed = await changeRefund({ number, refundId, change, expectedState, actor }, ctx)
    if (!changed.ok)
      return renderOrderWithError(
        c,
        number,
        await describeRefundFailure(changed.error, number, c.var.ownerContext()),
      )
    if (change === 'restart') await startHousekeeping(c, ctx)
    return c.redirect(`${getOrderPath(number)}?done=${change === 'restart' ? 'refund' : 'refunded'}`, 303)
  }
}

function parseAmountCents(text: string): number {
  const digits = text
    .trim()
    .replace(new RegExp(`^${shop.currency}\\s*`, 'i'), '')
    .replaceAll(',', '')
  return /^\d{1,7}(\.\d{1,2})?$/.test(digits) ? Math.round(Number(digits) * CENTS_PER_KSH) : Number.NaN
}
