import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import { type Credential, sessionQuery, UNAUTHORIZED } from '#server/platform/auth/sessions.ts'
import { orders, stock, stockHolds } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { nameWithSize } from '#shared/format.ts'
import { outOfStockText } from '#shared/stock/stock.ts'

export type UnitsLeftRow = { itemId: number; left: number }
type Line = { id: number; title: string; size: string | null | undefined; qty: number }

/**
 * The statement that reads what is left of some items for a user, whose own unpaid orders make way; items that are
 * made to order are not among its rows.
 */
export function selectUnitsLeft(itemIds: readonly number[], userId: SQL | string, { db }: DataContext) {
  return db
    .select({ itemId: stock.itemId, left: leftOfItem(userId).as('units_left') })
    .from(stock)
    .where(sql`${stock.itemId} in (select value from json_each(${JSON.stringify(itemIds)}))`)
}

/** The condition that enough is left of every line for a user. */
export function isInStock(lines: readonly { productId: number; qty: number }[], userId: string): SQL {
  const wanted = JSON.stringify(lines.map(({ productId, qty }) => [productId, qty]))
  return sql`not exists (select 1 from json_each(${wanted}) wanted join ${stock} on ${stock.itemId} = wanted.value ->> 0
    where ${leftOfItem(userId)} < wanted.value ->> 1)`
}

/** What is left for a user of the item of a row of `stock`. */
function leftOfItem(userId: SQL | string): SQL<number> {
  const isOwn = and(
    eq(stockHolds.itemId, stock.itemId),
    eq(stockHolds.state, 'held'),
    eq(orders.userId, userId),
    eq(orders.status, 'awaiting_payment'),
  )
  // A cross join reads the user's few unpaid orders first, not everybody's that hold the item.
  const own = sql`(select coalesce(sum(${stockHolds.qty}), 0) from ${orders} cross join ${stockHolds} on ${orders.id} = ${stockHolds.orderId} where ${isOwn})`
  return sql`${stock.onHand} - ${stock.held} + ${own}`
}

/** What is left of some items for a signed-in shopper. One round trip. */
export async function unitsLeftFor(
  { credential, itemIds }: { credential: Credential | null; itemIds: readonly number[] },
  ctx: ServiceContext,
): Promise<Result<{ left: { id: number; left: number }[] }, ServiceError<'unauthorized'>>> {
  if (!credential) return UNAUTHORIZED
  const session = await sessionQuery(credential, ctx)
  const [sessionRows, rows] = await ctx.db.batch([
    session.select,
    selectUnitsLeft(itemIds, session.userId, ctx),
  ])
  if (!session.liveSession(sessionRows)) return UNAUTHORIZED
  return {
    ok: true,
    data: { left: rows.map(({ itemId, left }) => ({ id: itemId, left: Math.max(left, 0) })) },
  }
}

/** The lines of which there is less than they ask for, with what is left. */
export function understockedLines<Wanted extends { id: number; qty: number }>(
  lines: readonly Wanted[],
  rows: readonly UnitsLeftRow[],
): (Wanted & { left: number })[] {
  const known = new Map(rows.map(({ itemId, left }) => [itemId, left]))
  return lines.flatMap((line) => {
    const left = known.get(line.id)
    return left === undefined || left >= line.qty ? [] : { ...line, left: Math.max(left, 0) }
  })
}

/** The error that names the lines that are short; undefined when none is. */
export function outOfStockError(
  lines: readonly Line[],
  rows: readonly UnitsLeftRow[],
): ServiceError<'out_of_stock'> | undefined {
  const short = understockedLines(lines, rows)
  if (short.length === 0) return undefined
  const sentences = short.map(({ title, size, left }) => outOfStockText(nameWithSize(title, size), left))
  return {
    code: 'out_of_stock',
    message: `${sentences.join(' ')} You haven’t been charged.`,
    details: { short: short.map(({ id, left }) => ({ id, left })) },
  }
}
