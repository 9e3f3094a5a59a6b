import { and, eq, inArray, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { DataContext, ServiceContext } from '#server/context.ts'
import { acceptedPayment } from '#server/payments/attempts.ts'
import { brokenConstraint, onlyIf } from '#server/platform/db/client.ts'
import { ORDER_STATUS_MAILS, orderEvents, orders, outbox, payments } from '#server/platform/db/schema.ts'
import { dropUnsent, outboxRow } from '#server/platform/email/outbox.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { Order } from '#shared/orders/contract.ts'
import type { OrderStatus } from '#shared/orders/order-status.ts'
import type { PaymentState } from '#shared/payments/contract.ts'
import { findOwnOrder, type OwnOrder } from './check-payment.ts'
import { changeOrder, type OrderRecord, orderRecordOf, readOrderRecord } from './order-record.ts'
import { orderAndPayment } from './payment-state.ts'
import { refundInBackground } from './refund.ts'
import { releaseStatements } from './release.ts'
import { orderCancelled } from './status-emails.ts'

/** Until when each of them can cancel an order. */
export const CANCELLABLE = {
  shopper: ['awaiting_payment', 'placed'],
  operator: ['awaiting_payment', 'placed', 'packed'],
} as const satisfies Record<string, readonly OrderStatus[]>

/** Cancels the order of whoever is signed in by a credential, and begins to give back what was paid. */
export async function cancelOwnOrder(
  which: OwnOrder,
  ctx: ServiceContext,
): Promise<
  Result<
    { order: Order; payment: PaymentState },
    ServiceError<'unauthorized' | 'not_found' | 'order_not_cancellable'>
  >
> {
  const found = await findOwnOrder(which, ctx)
  if (!found.ok) return found
  const cancelled = await cancelOrder({ record: found.data, by: 'shopper' }, ctx)
  if (!cancelled.ok) {
    const { code, record } = cancelled.error
    return { ok: false, error: { code, details: orderAndPayment(record, ctx) } }
  }
  if (cancelled.data.payments.some(({ refundState }) => refundState === 'due')) refundInBackground(ctx)
  return { ok: true, data: orderAndPayment(cancelled.data, ctx) }
}

type CancelInput = {
  record: OrderRecord
  by: keyof typeof CANCELLABLE
  /** Statements of the same batch: a line of the audit log. */
  alongside?: readonly BatchItem<'sqlite'>[]
}

type CancelError = { code: 'order_not_cancellable'; record: OrderRecord }

/**
 * Cancels an order: what was paid is to be given back, its promo code is free again, and the shopper of a paid order
 * is told, in one batch. Cancelling twice is no failure. An operator acts on the status that was read: if it changes
 * meanwhile, nothing is cancelled. Rejects when the database fails.
 */
export async function cancelOrder(
  { record, by, alongside = [] }: CancelInput,
  ctx: DataContext,
): Promise<Result<OrderRecord, CancelError>> {
  const { db } = ctx
  const { row } = record
  if (row.status === 'cancelled') return { ok: true, data: record }
  const isIt = eq(orders.id, row.id)
  const isAllowed = inArray(orders.status, [...CANCELLABLE[by]])
  const isKept = and(
    eq(payments.orderId, row.id),
    eq(payments.state, 'settled'),
    sql`${payments.refundState} is null`,
  )
  const payment = acceptedPayment(record.payments)
  const mails = payment ? [outboxRow(orderCancelled(row, payment), ctx)] : []
  try {
    const cancelled = await changeOrder(db, row.id, [
      ...releaseStatements(row.id, isAllowed, ctx),
      // What is read here must still be so: who has just paid is told about it.
      db
        .update(orders)
        .set({ status: onlyIf(and(isAllowed, eq(orders.status, row.status)) ?? isAllowed, 'cancelled') })
        .where(isIt),
      db.update(payments).set({ refundState: 'due', nextRefundAtMs: ctx.clock() }).where(isKept),
      db.insert(orderEvents).values({ orderId: row.id, status: 'cancelled', atMs: ctx.clock() }),
      dropUnsent(row.id, ORDER_STATUS_MAILS, ctx),
      ...mails.map((mail) => db.insert(outbox).values(mail)),
      ...alongside,
    ])
    return { ok: true, data: cancelled }
  } catch (error) {
    if (!brokenConstraint(error)?.includes('orders.status')) throw error
  }
  const now = orderRecordOf(await db.batch(readOrderRecord(db, isIt))) ?? record
  if (by === 'shopper' && now.row.status !== row.status)
    return cancelOrder({ record: now, by, alongside }, ctx)
  return { ok: false, error: { code: 'order_not_cancellable', record: now } }
}
