import { and, desc, eq, lt, or } from 'drizzle-orm'
import type { Order } from '#shared/contract/orders.ts'
import { orders } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { linesOf, orderOf } from './stored-order.ts'

/** How many orders one answer holds. */
export const ORDERS_PER_PAGE = 20

/** Where a page of orders ends: the next begins after this one. */
export type OrderCursor = { placedAtMs: number; number: string }

/** A user's own orders, newest first, after `before` where given; `next` is undefined on the last page. */
export async function listOrders(
  { userId, before }: { userId: string; before: OrderCursor | undefined },
  { db }: Pick<Deps, 'db'>,
): Promise<{ orders: Order[]; next: OrderCursor | undefined }> {
  const isOlder =
    before &&
    or(
      lt(orders.createdAtMs, before.placedAtMs),
      and(eq(orders.createdAtMs, before.placedAtMs), lt(orders.number, before.number)),
    )
  const isWanted = and(eq(orders.userId, userId), isOlder)
  const newestFirst = [desc(orders.createdAtMs), desc(orders.number)]
  const page = db
    .select()
    .from(orders)
    .where(isWanted)
    .orderBy(...newestFirst)
    .limit(ORDERS_PER_PAGE + 1)
  const ids = db
    .select({ id: orders.id })
    .from(orders)
    .where(isWanted)
    .orderBy(...newestFirst)
    .limit(ORDERS_PER_PAGE)
  const [rows, lines] = await db.batch([page, linesOf(db, ids)])
  const shown = rows.slice(0, ORDERS_PER_PAGE)
  const last = rows.length > ORDERS_PER_PAGE ? shown.at(-1) : undefined
  return {
    orders: shown.map((row) => orderOf(row, lines)),
    next: last && { placedAtMs: last.createdAtMs, number: last.number },
  }
}
