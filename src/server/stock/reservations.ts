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
  stockReservations,
} from '#server/platform/db/schema.ts'
import type { UnitChange } from '#shared/orders/edited-lines.ts'
import { byReleasableOrder } from './availability.ts'
import { byReservationLimit } from './reservation-limits.ts'

// These statements recount `stock.reserved` instead of incrementing it. A batch that reserves more units than are on
// hand fails with `outOfStock`.

/** Must follow the statements that insert the order's lines and sources. */
export function reserveUnitsStatements(order: OrderIds, ctx: DataContext) {
  const { db } = ctx
  const row = {
    orderId: orderLines.orderId,
    itemId: orderLines.productId,
    qty: orderLines.qty,
    // Placing the order sells released units, if they are still available.
    state: sql`case when ${byReservationLimit(order)} then 'held' else 'released' end`,
  }
  const tracked = db.select({ id: stock.itemId }).from(stock)
  const lines = sql`from ${orderLines} where ${and(eq(orderLines.orderId, order.id), inArray(orderLines.productId, tracked))}`
  return [
    db.insert(stockReservations).select(insertRowWhere(stockReservations, row, lines)),
    ...releaseOversoldThenRecountStatements(order, ctx),
  ] as const
}

export function reserveReleasedUnitsStatements(order: OrderIds, ctx: DataContext) {
  return [
    ctx.db
      .update(stockReservations)
      .set({ state: 'held' })
      .where(
        and(
          eq(stockReservations.orderId, order.id),
          eq(stockReservations.state, 'released'),
          byReservationLimit(order),
        ),
      ),
    ...releaseOversoldThenRecountStatements(order, ctx),
  ] as const
}

type OrderIds = { id: string; userId: string }

/** If an item is oversold, releases its units in the user's other unpaid orders and in overdue orders. */
function releaseOversoldThenRecountStatements({ id, userId }: OrderIds, ctx: DataContext) {
  const { db } = ctx
  const otherOrders = db
    .select({ id: orders.id })
    .from(orders)
    .where(and(byReleasableOrder(userId, ctx), ne(orders.id, id)))
  const oversold = db
    .select({ id: stock.itemId })
    .from(stock)
    .where(and(inArray(stock.itemId, selectItems(id, ctx)), sql`${sumReservedUnits()} > ${stock.onHand}`))
  return [
    db
      .update(stockReservations)
      .set({ state: 'released' })
      .where(
        and(
          eq(stockReservations.state, 'held'),
          inArray(stockReservations.orderId, otherOrders),
          inArray(stockReservations.itemId, oversold),
        ),
      ),
    recountReservedStatement(selectItems(id, ctx), ctx),
  ] as const
}

/** Also sells units that were released before the order was placed. */
export function sellUnitsStatements(orderId: string, { db }: DataContext) {
  const byUnsoldState = and(eq(stockReservations.orderId, orderId), ne(stockReservations.state, 'sold'))
  const items = db.select({ id: stockReservations.itemId }).from(stockReservations).where(byUnsoldState)
  return [
    db
      .update(stock)
      .set({
        onHand: sql`${stock.onHand} - ${sumUnitsWhere(byUnsoldState)}`,
        reserved: sumReservedUnits(orderId),
      })
      .where(inArray(stock.itemId, items)),
    db.update(stockReservations).set({ state: 'sold' }).where(byUnsoldState),
  ] as const
}

/**
 * Sells positive units and returns negative ones to stock. `changes` may repeat an item. Units of an item that wasn't tracked when it was ordered
 * aren't returned.
 */
export function changeSoldUnitsStatements(
  orderId: string,
  changes: readonly UnitChange[],
  { db }: DataContext,
) {
  const change = sql`json_each(${JSON.stringify(changes)}) change`
  const units = sql`(change.value ->> 'units')`
  const item = sql`(change.value ->> 'itemId')`
  const sold = sql`(select coalesce(sum(${stockReservations.qty}), 0) from ${stockReservations}
    where ${stockReservations.orderId} = ${orderId} and ${stockReservations.itemId} = ${stock.itemId} and ${stockReservations.state} = 'sold')`
  const sumOf = (itemId: SQLiteColumn) => sql`(select sum(${units}) from ${change} where ${item} = ${itemId})`
  const movedUnits = sql`max(${sumOf(stock.itemId)}, -${sold})`
  const changedItems = sql`(select ${item} from ${change})`
  const reservations = sql`select ${orderId}, ${stock.itemId}, sum(${units}), 'sold' from ${change}
    join ${stock} on ${stock.itemId} = ${item} where true group by ${stock.itemId} having sum(${units}) > 0`
  const byOwnReservation = and(
    eq(stockReservations.orderId, orderId),
    eq(stockReservations.state, 'sold'),
    sql`${stockReservations.itemId} in ${changedItems}`,
  )
  return [
    db
      .update(stock)
      .set({ onHand: sql`${stock.onHand} - ${movedUnits}` })
      .where(sql`${stock.itemId} in ${changedItems}`),
    db
      .update(stockReservations)
      .set({
        qty: sql`${stockReservations.qty} + min(${sumOf(stockReservations.itemId)}, 0)`,
      })
      .where(byOwnReservation),
    db.delete(stockReservations).where(and(byOwnReservation, sql`${stockReservations.qty} <= 0`)),
    db
      .insert(stockReservations)
      .select(reservations)
      .onConflictDoUpdate({
        target: [stockReservations.orderId, stockReservations.itemId],
        set: { qty: sql`${stockReservations.qty} + excluded.qty` },
      }),
  ] as const
}

export function restockUnitsStatements(
  orderId: string,
  returned: readonly UnitChange[],
  { db }: DataContext,
) {
  const back = sql`json_each(${JSON.stringify(returned)}) back`
  const sum = (item: SQLiteColumn) =>
    sql`(select sum(back.value ->> 'units') from ${back} where back.value ->> 'itemId' = ${item})`
  const items = sql`(select back.value ->> 'itemId' from ${back})`
  const byOwnReservation = and(
    eq(stockReservations.orderId, orderId),
    sql`${stockReservations.itemId} in ${items}`,
  )
  return [
    db
      .update(stock)
      .set({ onHand: sql`${stock.onHand} + ${sum(stock.itemId)}` })
      .where(sql`${stock.itemId} in ${items}`),
    db
      .update(stockReservations)
      .set({ qty: sql`max(${stockReservations.qty} - ${sum(stockReservations.itemId)}, 0)` })
      .where(byOwnReservation),
    db.delete(stockReservations).where(and(byOwnReservation, eq(stockReservations.qty, 0))),
  ] as const
}

/**
 * Also returns sold units to stock. If `orderIds` depends on the orders' status, these statements must precede the
 * status change.
 */
export function releaseUnitsStatements(orderIds: SQLWrapper, ctx: DataContext) {
  const { db } = ctx
  const byOrders = inArray(stockReservations.orderId, orderIds)
  const bySoldState = and(byOrders, eq(stockReservations.state, 'sold'))
  const sold = db.select({ id: stockReservations.itemId }).from(stockReservations).where(bySoldState)
  const items = db.select({ id: stockReservations.itemId }).from(stockReservations).where(byOrders)
  return [
    db
      .update(stock)
      .set({ onHand: sql`${stock.onHand} + ${sumUnitsWhere(bySoldState)}` })
      .where(inArray(stock.itemId, sold)),
    db
      .update(stockReservations)
      .set({ state: 'released' })
      .where(and(byOrders, ne(stockReservations.state, 'released'))),
    // A release must never fail: one batch expires all due orders.
    db
      .update(stock)
      .set({ reserved: sql`min(${sumReservedUnits()}, ${stock.onHand})` })
      .where(inArray(stock.itemId, items)),
  ] as const
}

function recountReservedStatement(itemIds: SQLWrapper, { db }: DataContext) {
  return db.update(stock).set({ reserved: sumReservedUnits() }).where(inArray(stock.itemId, itemIds))
}

/** Use it in a query that selects from `stock`. */
function sumReservedUnits(exceptOrderId?: string): SQL<number> {
  const byOtherOrder = exceptOrderId === undefined ? undefined : ne(stockReservations.orderId, exceptOrderId)
  return sql`${sumUnitsWhere(and(eq(stockReservations.state, 'held'), byOtherOrder))} + ${sumExchangeUnits(stock.itemId)}`
}

/** Counts the units that approved exchanges reserve. */
export function sumExchangeUnits(itemId: SQLiteColumn | number): SQL<number> {
  return sql`(select coalesce(sum(${returnLines.qty}), 0) from ${returnLines}
    join ${orderReturns} on ${orderReturns.id} = ${returnLines.returnId}
    where ${returnLines.replacementId} = ${itemId} and ${orderReturns.state} = 'expected')`
}

/**
 * Must follow the statement that changes the exchange's state. The batch fails with `outOfStock` if units are short.
 */
export function recountExchangeStatement(returnId: string, ctx: DataContext) {
  const items = ctx.db
    .select({ id: sql`${returnLines.replacementId}` })
    .from(returnLines)
    .where(and(eq(returnLines.returnId, returnId), isNotNull(returnLines.replacementId)))
  return recountReservedStatement(items, ctx)
}

function sumUnitsWhere(condition: SQL | undefined): SQL<number> {
  const byItem = eq(stockReservations.itemId, stock.itemId)
  return sql`(select coalesce(sum(${stockReservations.qty}), 0) from ${stockReservations} where ${and(byItem, condition)})`
}

function selectItems(orderId: string, { db }: DataContext) {
  return db
    .select({ id: stockReservations.itemId })
    .from(stockReservations)
    .where(eq(stockReservations.orderId, orderId))
}
