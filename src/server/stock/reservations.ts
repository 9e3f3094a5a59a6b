import { and, eq, inArray, ne, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { orderLines, orders, stock, stockHolds } from '#server/platform/db/schema.ts'
import { isReleasable } from './availability.ts'
import { mayReserve } from './reservation-limits.ts'

// Each statement is idempotent: reservations have a state per row, and `stock.held` is always recounted. A
// batch that reserves too many units violates the CHECK of `stock` (`outOfStock`).

/** Must follow the statements that insert the order's lines and sources. */
export function reserveUnits(order: OrderKey, ctx: DataContext) {
  const { db } = ctx
  const row = {
    orderId: orderLines.orderId,
    itemId: orderLines.productId,
    qty: orderLines.qty,
    // Sold once the order is paid, if the units are still available.
    state: sql`case when ${mayReserve(order)} then 'held' else 'released' end`,
  }
  const tracked = db.select({ id: stock.itemId }).from(stock)
  const lines = sql`from ${orderLines} where ${and(eq(orderLines.orderId, order.id), inArray(orderLines.productId, tracked))}`
  return [
    db.insert(stockHolds).select(insertRowWhere(stockHolds, row, lines)),
    ...recountReserved(order, ctx),
  ] as const
}

export function reserveUnitsAgain(order: OrderKey, ctx: DataContext) {
  return [
    ctx.db
      .update(stockHolds)
      .set({ state: 'held' })
      .where(and(eq(stockHolds.orderId, order.id), eq(stockHolds.state, 'released'), mayReserve(order))),
    ...recountReserved(order, ctx),
  ] as const
}

type OrderKey = { id: string; userId: string }

/**
 * If the item is oversold, releases it from the same user's other unpaid orders and from overdue ones: an
 * abandoned order must not block the next. A late payment reserves it again or is refunded.
 */
function recountReserved({ id, userId }: OrderKey, ctx: DataContext) {
  const { db } = ctx
  const otherOrders = db
    .select({ id: orders.id })
    .from(orders)
    .where(and(isReleasable(userId, ctx), ne(orders.id, id)))
  const oversold = db
    .select({ id: stock.itemId })
    .from(stock)
    .where(and(inArray(stock.itemId, selectItems(id, ctx)), sql`${reservedUnits()} > ${stock.onHand}`))
  return [
    db
      .update(stockHolds)
      .set({ state: 'released' })
      .where(
        and(
          eq(stockHolds.state, 'held'),
          inArray(stockHolds.orderId, otherOrders),
          inArray(stockHolds.itemId, oversold),
        ),
      ),
    recountItems(selectItems(id, ctx), ctx),
  ] as const
}

/** Also for units that were not reserved. */
export function sellUnits(orderId: string, { db }: DataContext) {
  const isUnsold = and(eq(stockHolds.orderId, orderId), ne(stockHolds.state, 'sold'))
  const items = db.select({ id: stockHolds.itemId }).from(stockHolds).where(isUnsold)
  return [
    db
      .update(stock)
      .set({ onHand: sql`${stock.onHand} - ${unitsWhere(isUnsold)}`, held: reservedUnits(orderId) })
      .where(inArray(stock.itemId, items)),
    db.update(stockHolds).set({ state: 'sold' }).where(isUnsold),
  ] as const
}

/** Releases reserved and sold units. `orderIds` must still select the orders at this point of the batch. */
export function releaseUnits(orderIds: SQLWrapper, ctx: DataContext) {
  const { db } = ctx
  const ofOrders = inArray(stockHolds.orderId, orderIds)
  const isSold = and(ofOrders, eq(stockHolds.state, 'sold'))
  const sold = db.select({ id: stockHolds.itemId }).from(stockHolds).where(isSold)
  const items = db.select({ id: stockHolds.itemId }).from(stockHolds).where(ofOrders)
  return [
    db
      .update(stock)
      .set({ onHand: sql`${stock.onHand} + ${unitsWhere(isSold)}` })
      .where(inArray(stock.itemId, sold)),
    db
      .update(stockHolds)
      .set({ state: 'released' })
      .where(and(ofOrders, ne(stockHolds.state, 'released'))),
    recountItems(items, ctx),
  ] as const
}

function recountItems(itemIds: SQLWrapper, { db }: DataContext) {
  return db.update(stock).set({ held: reservedUnits() }).where(inArray(stock.itemId, itemIds))
}

/** For the item of the current row of `stock`. */
function reservedUnits(exceptOrderId?: string): SQL<number> {
  const isOther = exceptOrderId === undefined ? undefined : ne(stockHolds.orderId, exceptOrderId)
  return unitsWhere(and(eq(stockHolds.state, 'held'), isOther))
}

function unitsWhere(condition: SQL | undefined): SQL<number> {
  const isOfItem = eq(stockHolds.itemId, stock.itemId)
  return sql`(select coalesce(sum(${stockHolds.qty}), 0) from ${stockHolds} where ${and(isOfItem, condition)})`
}

function selectItems(orderId: string, { db }: DataContext) {
  return db.select({ id: stockHolds.itemId }).from(stockHolds).where(eq(stockHolds.orderId, orderId))
}
