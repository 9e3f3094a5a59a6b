import { and, eq, inArray, ne, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { rowWhere } from '#server/platform/db/client.ts'
import { orderLines, orders, stock, stockHolds } from '#server/platform/db/schema.ts'

// Statements for the batch that changes an order. Each can be repeated: what an order holds is in the states of its
// rows, and `stock.held` is always counted anew from them. The CHECK of `stock` decides who gets the last unit.

/** Whether a violated constraint says that there are not enough units. */
export function isOutOfStock(brokenConstraint: string): boolean {
  return brokenConstraint.includes('stock_within_on_hand')
}

/** A new order takes its units; call it after its lines are inserted. Violates the CHECK when there are too few. */
export function takeUnits(order: OrderKey, ctx: DataContext) {
  const { db } = ctx
  const row = {
    orderId: orderLines.orderId,
    itemId: orderLines.productId,
    qty: orderLines.qty,
    state: sql`'held'`,
  }
  const tracked = db.select({ id: stock.itemId }).from(stock)
  const lines = sql`from ${orderLines} where ${and(eq(orderLines.orderId, order.id), inArray(orderLines.productId, tracked))}`
  return [db.insert(stockHolds).select(rowWhere(stockHolds, row, lines)), ...holdAgainst(order, ctx)] as const
}

/** An order whose units were released takes them again. Violates the CHECK when there are too few by now. */
export function takeUnitsAgain(order: OrderKey, ctx: DataContext) {
  return [
    ctx.db
      .update(stockHolds)
      .set({ state: 'held' })
      .where(and(eq(stockHolds.orderId, order.id), eq(stockHolds.state, 'released'))),
    ...holdAgainst(order, ctx),
  ] as const
}

type OrderKey = { id: string; userId: string }

/**
 * Counts what an order has just taken. Where that is too much, unpaid orders of the same user make way: nobody is kept
 * from buying by an attempt of their own. Money that still comes for those finds the units again, or is given back.
 */
function holdAgainst({ id, userId }: OrderKey, ctx: DataContext) {
  const { db } = ctx
  const others = db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.userId, userId), eq(orders.status, 'awaiting_payment'), ne(orders.id, id)))
  const contested = db
    .select({ id: stock.itemId })
    .from(stock)
    .where(and(inArray(stock.itemId, itemsOf(id, ctx)), sql`${heldUnits()} > ${stock.onHand}`))
  return [
    db
      .update(stockHolds)
      .set({ state: 'released' })
      .where(
        and(
          eq(stockHolds.state, 'held'),
          inArray(stockHolds.orderId, others),
          inArray(stockHolds.itemId, contested),
        ),
      ),
    countHeld(itemsOf(id, ctx), ctx),
  ] as const
}

/** An order is paid: its units leave the stock. Violates the CHECK when it held none and there are too few by now. */
export function sellUnits(orderId: string, { db }: DataContext) {
  const isUnsold = and(eq(stockHolds.orderId, orderId), ne(stockHolds.state, 'sold'))
  const items = db.select({ id: stockHolds.itemId }).from(stockHolds).where(isUnsold)
  return [
    db
      .update(stock)
      .set({ onHand: sql`${stock.onHand} - ${unitsWhere(isUnsold)}`, held: heldUnits(orderId) })
      .where(inArray(stock.itemId, items)),
    db.update(stockHolds).set({ state: 'sold' }).where(isUnsold),
  ] as const
}

/** Orders give their units back, held or sold. `orderIds` selects them; call it before their status changes. */
export function releaseUnits(orderIds: SQLWrapper, ctx: DataContext) {
  const { db } = ctx
  const isOfThem = inArray(stockHolds.orderId, orderIds)
  const isSold = and(isOfThem, eq(stockHolds.state, 'sold'))
  const sold = db.select({ id: stockHolds.itemId }).from(stockHolds).where(isSold)
  const items = db.select({ id: stockHolds.itemId }).from(stockHolds).where(isOfThem)
  return [
    db
      .update(stock)
      .set({ onHand: sql`${stock.onHand} + ${unitsWhere(isSold)}` })
      .where(inArray(stock.itemId, sold)),
    db
      .update(stockHolds)
      .set({ state: 'released' })
      .where(and(isOfThem, ne(stockHolds.state, 'released'))),
    countHeld(items, ctx),
  ] as const
}

/** Counts anew what orders hold of some items. */
function countHeld(itemIds: SQLWrapper, { db }: DataContext) {
  return db.update(stock).set({ held: heldUnits() }).where(inArray(stock.itemId, itemIds))
}

/** What orders hold of the item of a row of `stock`; without what `exceptOrderId` holds. */
function heldUnits(exceptOrderId?: string): SQL<number> {
  const isOther = exceptOrderId === undefined ? undefined : ne(stockHolds.orderId, exceptOrderId)
  return unitsWhere(and(eq(stockHolds.state, 'held'), isOther))
}

function unitsWhere(condition: SQL | undefined): SQL<number> {
  const isOfItem = eq(stockHolds.itemId, stock.itemId)
  return sql`(select coalesce(sum(${stockHolds.qty}), 0) from ${stockHolds} where ${and(isOfItem, condition)})`
}

function itemsOf(orderId: string, { db }: DataContext) {
  return db.select({ id: stockHolds.itemId }).from(stockHolds).where(eq(stockHolds.orderId, orderId))
}
