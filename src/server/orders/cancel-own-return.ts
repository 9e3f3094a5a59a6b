import { eq } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { orderReturns, orders, outbox } from '#server/platform/db/schema.ts'
import { deliverEmailsInBackground, toOutboxRow } from '#server/platform/email/outbox.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result } from '#server/platform/result.ts'
import { recountExchangeStatement } from '#server/stock/reservations.ts'
import { getReturnElementId } from '#shared/orders/return-form.ts'
import { canTransition, getReturnTransitionStates } from '#shared/orders/returns.ts'
import { toReturnFailure } from './create-return.ts'
import { incrementRevisionStatements } from './edited-order.ts'
import { findVisibleOrder, type VisibleOrder } from './order-page-view.ts'
import { type ReturnError, readReturnContext } from './order-returns.ts'
import { createOperatorReturnCancelledEmail } from './return-emails.ts'

type CancelOwnReturnInput = VisibleOrder & { returnId: string; ipAddress: string }

/**
 * Cancels a return or exchange whose items haven't been received, for the order's owner or a holder of its signed link.
 * Returns the id of its element on the order's page.
 */
export async function cancelOwnReturn(
  { returnId, ipAddress, ...orderRef }: CancelOwnReturnInput,
  ctx: ServiceContext,
): Promise<Result<{ elementId: string }, ReturnError | typeof tooManyRequestsError>> {
  const visible = await findVisibleOrder(orderRef, ctx)
  if (!visible.ok) return visible
  if (!(await ctx.limits.writes(`return from ${ipAddress}`)))
    return { ok: false, error: tooManyRequestsError }
  return cancelRequest(visible.data.record.row.id, returnId, ctx)
}

/** Retries if the order changes during the call. */
async function cancelRequest(
  orderId: string,
  returnId: string,
  ctx: ServiceContext,
): Promise<Result<{ elementId: string }, ReturnError>> {
  const context = await readReturnContext(eq(orders.id, orderId), ctx)
  const request = context?.returns.find(({ id, isByShopper }) => id === returnId && isByShopper)
  if (!context || !request) return { ok: false, error: { code: 'not_found' } }
  const { to } = getReturnTransitionStates('cancelByShopper')
  const elementId = getReturnElementId(context.returns.indexOf(request), context.returns.length)
  if (request.state === to) return { ok: true, data: { elementId } }
  if (!canTransition(request.state, 'cancelByShopper'))
    return { ok: false, error: { code: 'status_not_allowed', message: ANSWERED_MESSAGE } }
  const { row } = context.record
  const operatorEmail = createOperatorReturnCancelledEmail(row, request, ctx.config)
  try {
    await ctx.db.batch([
      ...incrementRevisionStatements(row, [row.status], ctx),
      ctx.db
        .update(orderReturns)
        .set({ state: to, changedAtMs: ctx.clock() })
        .where(eq(orderReturns.id, returnId)),
      recountExchangeStatement(returnId, ctx),
      ctx.db.insert(outbox).values(toOutboxRow(operatorEmail, ctx)),
    ])
    deliverEmailsInBackground(ctx)
    return { ok: true, data: { elementId } }
  } catch (error) {
    const failure = toReturnFailure(error)
    return failure.error.code === 'status_changed' ? cancelRequest(orderId, returnId, ctx) : failure
  }
}

const ANSWERED_MESSAGE =
  'We’ve already received these items or answered the request, so you can’t cancel it here. Please contact us.'
