import { and, eq, exists, sql } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import {
  calculateRefundableTotalCents,
  findSettledPayment,
  insertPaymentRefundsStatement,
  unrefundedCents,
} from '#server/payments/refunds.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import { ORDER_STATUS_EMAILS, orderEvents, orders, outbox, payments } from '#server/platform/db/schema.ts'
import { deleteUnsentStatement, toOutboxRow } from '#server/platform/email/outbox.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { Order } from '#shared/orders/contract.ts'
import { listStatusesBefore } from '#shared/orders/order-status.ts'
import type { PaymentState } from '#shared/payments/contract.ts'
import type { Actor } from '#shared/team/roles.ts'
import { findOwnOrder, type OwnOrder } from './find-own-order.ts'
import {
  commitAuditedOrderChange,
  commitOrderChange,
  type OrderRecord,
  readOrderRecordById,
} from './order-record.ts'
import { createNoReturnGuard, transitionOrderStatements } from './order-transitions.ts'
import { toOrderAndPayment } from './payment-state.ts'
import { refundInBackground } from './process-refunds.ts'
import { releaseReservationsStatements } from './release-order.ts'
import { createOrderCancelledEmail } from './status-emails.ts'

export async function cancelOwnOrder(
  input: OwnOrder,
  ctx: ServiceContext,
): Promise<
  Result<
    { order: Order; payment: PaymentState },
    ServiceError<'unauthorized' | 'not_found' | 'order_not_cancellable'>
  >
> {
  const found = await findOwnOrder(input, ctx)
  if (!found.ok) return found
  const cancelled = await cancelOrder({ record: found.data, by: 'shopper' }, ctx)
  if (!cancelled.ok) {
    const details = toOrderAndPayment(cancelled.error.record, ctx)
    return { ok: false, error: { code: 'order_not_cancellable', details } }
  }
  if (cancelled.data.refunds.some(({ state }) => state === 'due')) refundInBackground(ctx)
  return { ok: true, data: toOrderAndPayment(cancelled.data, ctx) }
}

type CancelOrderInput = { record: OrderRecord } & ({ by: 'shopper' } | { by: 'operator'; actor: Actor })

type CancelOrderError = { code: 'order_not_cancellable' | 'order_has_return'; record: OrderRecord }

/**
 * If the order's status or payments change during the call, a shopper's cancellation retries, while an operator's fails.
 */
export async function cancelOrder(
  input: CancelOrderInput,
  ctx: DataContext,
): Promise<Result<OrderRecord, CancelOrderError>> {
  const { db } = ctx
  const { record, by } = input
  const { row } = record
  if (row.status === 'cancelled') return { ok: true, data: record }
  const transition = by === 'shopper' ? 'cancelByShopper' : 'cancelByOperator'
  if (!listStatusesBefore(transition, 'cancelled').includes(row.status))
    return createNotCancellableError(record)

  const payment = findSettledPayment(record.payments, record.refunds)
  const refundableCents = calculateRefundableTotalCents(record)
  const unchangedPayments = db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.id, row.id), sql`${orders.paidCents} - ${orders.refundCents} = ${refundableCents}`))
  const emails =
    payment || row.isCashOnDelivery
      ? [toOutboxRow(createOrderCancelledEmail(record, payment, refundableCents), ctx)]
      : []
  const statements = [
    // `expectedStatus` fails the batch if the status has changed, because the email was written for this status.
    ...transitionOrderStatements(
      { orderId: row.id, transition, to: 'cancelled', expectedStatus: row.status },
      ctx,
    ),
    // The email states the refund.
    failUnless(exists(unchangedPayments), 'orderChanged', ctx),
    // The items of a return may be back in stock or refunded already.
    createNoReturnGuard(row.id, ctx),
    ...releaseReservationsStatements(eq(orders.id, row.id), ctx),
    insertPaymentRefundsStatement(
      { where: eq(payments.orderId, row.id), amountCents: unrefundedCents, reason: 'order_cancelled' },
      ctx,
    ),
    db.insert(orderEvents).values({ orderId: row.id, status: 'cancelled', atMs: ctx.clock() }),
    deleteUnsentStatement(row.id, ORDER_STATUS_EMAILS, ctx),
    ...emails.map((email) => db.insert(outbox).values(email)),
  ] as const
  const audit = { action: 'order.cancel', subject: row.number, from: row.status, to: 'cancelled' } as const
  try {
    const cancelled =
      input.by === 'shopper'
        ? await commitOrderChange(row.id, statements, ctx)
        : await commitAuditedOrderChange(
            { id: row.id, statements, audit: { ...audit, actor: input.actor } },
            ctx,
          )
    return { ok: true, data: cancelled }
  } catch (error) {
    const guard = getGuardViolation(error)?.guard
    if (guard === 'itemsReturned') return { ok: false, error: { code: 'order_has_return', record } }
    if (guard !== 'orderChanged') throw error
  }
  const current = (await readOrderRecordById(row.id, ctx)) ?? record
  return by === 'shopper' ? cancelOrder({ record: current, by }, ctx) : createNotCancellableError(current)
}

function createNotCancellableError(record: OrderRecord): { ok: false; error: CancelOrderError } {
  return { ok: false, error: { code: 'order_not_cancellable', record } }
}
