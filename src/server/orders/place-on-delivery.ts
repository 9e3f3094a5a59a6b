import { and, eq, not, notExists } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { replaceInvoicePlaceholderStatement } from '#server/invoices/invoice-email.ts'
import { getAttemptTransition } from '#server/payments/payment-transitions.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import { deliverEmailsInBackground } from '#server/platform/email/outbox.ts'
import { byExceededCashLimit, selectOpenCashOrders } from './open-cash-orders.ts'
import { commitOrderChange, type OrderRecord } from './order-record.ts'
import { expireOrdersStatements } from './release-order.ts'
import { type OrderAttempt, placeOrderStatements } from './settle-payment.ts'

/**
 * Places the order as cash on delivery, or declines the attempt. If an item is sold out or the promo code can't be
 * used, the order also expires.
 */
export async function placeOnDelivery(
  { record, payment, origin, reference }: OrderAttempt & { reference: string },
  ctx: ServiceContext,
): Promise<OrderRecord> {
  const { db } = ctx
  const { row } = record
  const decline = getAttemptTransition('decline')
  const declineStatement = (problem: 'amount_limit' | 'declined') =>
    db
      .update(payments)
      .set({ ...decline.set, problem, endedAtMs: ctx.clock(), nextCheckAtMs: null })
      .where(and(eq(payments.id, payment.id), eq(payments.state, 'sending')))
  if (row.status !== 'awaiting_payment') return commitOrderChange(row.id, [declineStatement('declined')], ctx)
  const accept = getAttemptTransition('accept')
  const byAttempt = and(eq(payments.id, payment.id), accept.where)
  try {
    const placed = await commitOrderChange(
      row.id,
      [
        failUnless(notExists(selectOpenCashOrders(row.userId, ctx)), 'cashOrderOpen', ctx),
        failUnless(not(byExceededCashLimit(row.id, ctx)), 'cashOrderOpen', ctx),
        ...(await placeOrderStatements({ record, payment, origin, set: { isCashOnDelivery: true } }, ctx)),
        db
          .update(payments)
          .set({ ...accept.set, reference, nextCheckAtMs: null })
          .where(byAttempt),
        replaceInvoicePlaceholderStatement(row.id, ctx),
      ],
      ctx,
    )
    deliverEmailsInBackground(ctx)
    return placed
  } catch (error) {
    const guard = getGuardViolation(error)?.guard
    const isRefused =
      guard === 'cashOrderOpen' ||
      guard === 'promotionExhausted' ||
      guard === 'promotionUsed' ||
      guard === 'outOfStock'
    if (!isRefused && guard !== 'orderChanged') throw error
    const declined = declineStatement(guard === 'cashOrderOpen' ? 'amount_limit' : 'declined')
    if (guard === 'orderChanged') return commitOrderChange(row.id, [declined], ctx)
    const released = guard === 'cashOrderOpen' ? [] : expireOrdersStatements(eq(orders.id, row.id), ctx)
    return commitOrderChange(row.id, [declined, ...released], ctx)
  }
}
