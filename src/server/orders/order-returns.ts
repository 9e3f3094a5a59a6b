import { asc, desc, eq, inArray, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { calculateRefundableTotalCents } from '#server/payments/refunds.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import type { Database } from '#server/platform/db/client.ts'
import { orderEvents, orderReturns, orders, promotions, returnLines } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { floorToKsh } from '#shared/format.ts'
import {
  canTransition,
  divideReturnValue,
  OPEN_RETURN_STATES,
  type RefundTerms,
  type ReturnTransition,
} from '#shared/orders/returns.ts'
import {
  byOrderNumber,
  calculateBalance,
  type OrderRecord,
  selectOrderRecord,
  toOrderRecord,
} from './order-record.ts'
import type { OrderEvent } from './status-emails.ts'

export type ReturnLineRow = typeof returnLines.$inferSelect
export type OrderReturn = typeof orderReturns.$inferSelect & { lines: readonly ReturnLineRow[] }

/** Selects the orders' returns, newest first, and the returns' lines. Pass the rows to {@link toReturns}. */
export function selectReturns(db: Database, orderIds: SQLWrapper) {
  const ids = db
    .select({ id: orderReturns.id })
    .from(orderReturns)
    .where(inArray(orderReturns.orderId, orderIds))
  return [
    db
      .select()
      .from(orderReturns)
      .where(inArray(orderReturns.orderId, orderIds))
      .orderBy(desc(orderReturns.createdAtMs)),
    db.select().from(returnLines).where(inArray(returnLines.returnId, ids)),
  ] as const
}

export function toReturns(
  rows: readonly (typeof orderReturns.$inferSelect)[],
  lines: readonly ReturnLineRow[],
): OrderReturn[] {
  return rows.map((row) => {
    const own = lines.filter(({ returnId }) => returnId === row.id)
    return { ...row, lines: own.toSorted((a, b) => a.position - b.position) }
  })
}

const MAX_OPEN_RETURNS = 100

/** Requests, which await the operator's decision, come first. */
export function listOpenReturns({ db }: OwnerContext) {
  return db
    .select({
      id: orderReturns.id,
      kind: orderReturns.kind,
      state: orderReturns.state,
      reason: orderReturns.reason,
      createdAtMs: orderReturns.createdAtMs,
      number: orders.number,
      firstName: orders.firstName,
      lastName: orders.lastName,
    })
    .from(orderReturns)
    .innerJoin(orders, eq(orders.id, orderReturns.orderId))
    .where(inArray(orderReturns.state, [...OPEN_RETURN_STATES]))
    .orderBy(desc(eq(orderReturns.state, 'requested')), asc(orderReturns.createdAtMs))
    .limit(MAX_OPEN_RETURNS)
}

export function readReturnContextByNumber(
  number: string,
  ctx: OwnerContext,
): Promise<ReturnContext | undefined> {
  return readReturnContext(byOrderNumber(number), ctx)
}

export type ReturnContext = {
  record: OrderRecord
  returns: readonly OrderReturn[]
  events: readonly OrderEvent[]
  promotion: typeof promotions.$inferSelect | undefined
}

export type OrderWithReturns = Pick<ReturnContext, 'record' | 'returns'>

export async function readReturnContext(
  byOrder: SQL | undefined,
  { db }: DataContext,
): Promise<ReturnContext | undefined> {
  const id = db.select({ id: orders.id }).from(orders).where(byOrder)
  const code = db.select({ code: orders.promoCode }).from(orders).where(byOrder)
  const [rows, lines, events, [promotion], ...order] = await db.batch([
    ...selectReturns(db, id),
    db.select().from(orderEvents).where(inArray(orderEvents.orderId, id)),
    db.select().from(promotions).where(inArray(promotions.code, code)),
    ...selectOrderRecord(db, byOrder),
  ])
  const record = toOrderRecord(order)
  return record && { record, returns: toReturns(rows, lines), events, promotion }
}

export type ReturnError = ServiceError<
  | 'not_found'
  | 'invalid_fields'
  | 'status_changed'
  | 'status_not_allowed'
  | 'unknown_product'
  | 'out_of_stock'
  | 'refund_not_possible'
>

export const RETURN_CHANGED = {
  ok: false,
  error: {
    code: 'status_changed',
    message:
      'This order has changed since you opened it. Your change wasn’t saved. Please check the order and try again.',
  },
} as const satisfies { ok: false; error: ReturnError }

/** `field` is the field of the return form that the message is about. */
export function createInvalidReturnError(message: string, field?: string): { ok: false; error: ReturnError } {
  const fieldErrors = field === undefined ? {} : { [field]: message }
  return { ok: false, error: { code: 'invalid_fields', message, fieldErrors } }
}

/**
 * Finds the return with this id or, without an id, the latest that allows the transition. `status_changed` means
 * that the return's state doesn't allow the transition.
 */
export function findReturn(
  { returns }: ReturnContext,
  id: string | undefined,
  transition: ReturnTransition,
): Result<OrderReturn, ReturnError> {
  const found = id
    ? returns.find((orderReturn) => orderReturn.id === id)
    : returns.find(({ state }) => canTransition(state, transition))
  if (!found)
    return {
      ok: false,
      error: { code: 'not_found', message: 'We can’t find this return. Reload the order and try again.' },
    }
  return canTransition(found.state, transition) ? { ok: true, data: found } : RETURN_CHANGED
}

/**
 * Returns the amounts that can be refunded, rounded down to whole shillings. The return takes the credited amounts off
 * the amount due instead.
 */
export function calculateReturnRefundLimits(context: OrderWithReturns, orderReturn: OrderReturn) {
  const { record, returns } = context
  const terms = calculateRefundTerms(context)
  const goods = divideReturnValue(calculateGoodsCents(orderReturn), terms)
  const isShippingRefunded = returns.some(({ refundsShipping }) => refundsShipping)
  const shippingValueCents = isShippingRefunded ? 0 : record.row.shippingCents
  const creditedShippingCents = Math.min(shippingValueCents, terms.dueCents - goods.creditedCents)
  const shippingCents = floorToKsh(
    Math.min(shippingValueCents - creditedShippingCents, terms.refundableCents - goods.refundCents),
  )
  return {
    goodsCents: goods.refundCents,
    goodsValueCents: goods.valueCents,
    shippingCents,
    creditedGoodsCents: goods.creditedCents,
    creditedShippingCents,
  }
}

export function calculateRefundTerms({ record, returns }: OrderWithReturns): RefundTerms {
  const { subtotalCents, shippingCents, totalCents } = record.row
  const returnedCents = returns.reduce((sum, { goodsValueCents }) => sum + goodsValueCents, 0)
  return {
    dueCents: calculateBalance(record).dueCents,
    refundableCents: calculateRefundableTotalCents(record),
    keptGoodsCents: subtotalCents - calculateReturnedGoodsCents(returns),
    keptValueCents: Math.max(totalCents - shippingCents - returnedCents, 0),
  }
}

/** The price of the goods of completed returns. */
export function calculateReturnedGoodsCents(returns: readonly OrderReturn[]): number {
  return returns
    .filter(({ kind, state }) => kind === 'return' && state === 'completed')
    .reduce((sum, orderReturn) => sum + calculateGoodsCents(orderReturn), 0)
}

function calculateGoodsCents({ lines }: OrderReturn): number {
  return lines.reduce((sum, { unitPriceCents, qty }) => sum + unitPriceCents * qty, 0)
}
