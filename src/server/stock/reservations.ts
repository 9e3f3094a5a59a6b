import { and, eq, inArray, isNotNull, ne, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { DataContext } from '#server/context.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import {
  orderLines,
  orderReturns,
  orders,
  returnLines,
  stock,
  stockHolds,
} from '#server/platform/db/schema.ts'
import type { UnitChange } from '#shared/orders/edited-lines.ts'
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

/**
 * Sells more units of a paid order, or returns some. Items that weren't tracked when they were ordered return
 * none.
 */
export function changeSoldUnits(orderId: string, changes: readonly UnitChange[], { db }: DataContext) {
  const change = sql`json_each(${JSON.stringify(changes)}) change`
  const units = sql`(change.value ->> 'units')`
  const item = sql`(change.value ->> 'itemId')`
  const sold = sql`(select coalesce(sum(${stockHolds.qty}), 0) from ${stockHolds}
    where ${stockHolds.orderId} = ${orderId} and ${stockHolds.itemId} = ${stock.itemId} and ${stockHolds.state} = 'sold')`
  const moved = sql`(select max(${units}, -${sold}) from ${change} where ${item} = ${stock.itemId})`
  const changed = sql`(select ${item} from ${change})`
  const holds = sql`select ${orderId}, ${stock.itemId}, ${units}, 'sold' from ${change} join ${stock} on ${stock.itemId} = ${item} where ${units} > 0`
  const ownHolds = and(
    eq(stockHolds.orderId, orderId),
    eq(stockHolds.state, 'sold'),
    sql`${stockHolds.itemId} in ${changed}`,
  )
  return [
    db
      .update(stock)
      .set({ onHand: sql`${stock.onHand} - ${moved}` })
      .where(sql`${stock.itemId} in ${changed}`),
    db
      .update(stockHolds)
      .set({
        qty: sql`${stockHolds.qty} + min((select ${units} from ${change} where ${item} = ${stockHolds.itemId}), 0)`,
      })
      .where(ownHolds),
    db.delete(stockHolds).where(and(ownHolds, sql`${stockHolds.qty} <= 0`)),
    db
      .insert(stockHolds)
      .select(holds)
      .onConflictDoUpdate({
        target: [stockHolds.orderId, stockHolds.itemId],
        set: { qty: sql`${stockHolds.qty} + excluded.qty` },
      }),
  ] as const
}

/** Puts returned units of an order back on sale, if the item is tracked. */
export function restockUnits(orderId: string, returned: readonly UnitChange[], { db }: DataContext) {
  const back = sql`json_each(${JSON.stringify(returned)}) back`
  const sum = (item: SQLiteColumn) =>
    sql`(select sum(back.value ->> 'units') from ${back} where back.value ->> 'itemId' = ${item})`
  const items = sql`(select back.value ->> 'itemId' from ${back})`
  const ownHolds = and(eq(stockHolds.orderId, orderId), sql`${stockHolds.itemId} in ${items}`)
  return [
    db
      .update(stock)
      .set({ onHand: sql`${stock.onHand} + ${sum(stock.itemId)}` })
      .where(sql`${stock.itemId} in ${items}`),
    db
      .update(stockHolds)
      .set({ qty: sql`max(${stockHolds.qty} - ${sum(stockHolds.itemId)}, 0)` })
      .where(ownHolds),
    db.delete(stockHolds).where(and(ownHolds, eq(stockHolds.qty, 0))),
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
  return sql`${unitsWhere(and(eq(stockHolds.state, 'held'), isOther))} + ${exchangeUnits(stock.itemId)}`
}

/** Reserved by exchanges that are expected. */
export function exchangeUnits(itemId: SQLiteColumn | number): SQL<number> {
  return sql`(select coalesce(sum(${returnLines.qty}), 0) from ${returnLines}
    join ${orderReturns} on ${orderReturns.id} = ${returnLines.returnId}
    where ${returnLines.replacementId} = ${itemId} and ${orderReturns.state} = 'expected')`
}

/** Must follow the statement that changes the state of an exchange. Fails with `outOfStock`. */
export function recountExchange(returnId: string, ctx: DataContext) {
  const items = ctx.db
    .select({ id: sql`${returnLines.replacementId}` })
    .from(returnLines)
    .where(and(eq(returnLines.returnId, returnId), isNotNull(returnLines.replacementId)))
  return recountItems(items, ctx)
}

function unitsWhere(condition: SQL | undefined): SQL<number> {
  const isOfItem = eq(stockHolds.itemId, stock.itemId)
  return sql`(select coalesce(sum(${stockHolds.qty}), 0) from ${stockHolds} where ${and(isOfItem, condition)})`
}

function selectItems(orderId: string, { db }: DataContext) {
  return db.select({ id: stockHolds.itemId }).from(stockHolds).where(eq(stockHolds.orderId, orderId))
}
