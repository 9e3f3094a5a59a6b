import { and, eq, lte, type SQL, sql } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import { type Credential, createSessionQuery, UNAUTHORIZED } from '#server/platform/auth/sessions.ts'
import { orders, stock, stockReservations } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { formatNameWithSize, formatOutOfStock } from '#shared/format.ts'

export type UnitsLeftRow = { itemId: number; left: number }
type StockLine = { id: number; title: string; size: string | null | undefined; qty: number }

/** `left` includes units reserved by orders that {@link byReleasableOrder} matches. Made-to-order items have no row. */
export function selectUnitsLeft(itemIds: readonly number[], userId: SQL | string, ctx: DataContext) {
  return ctx.db
    .select({ itemId: stock.itemId, left: calculateUnitsLeft(userId, ctx).as('units_left') })
    .from(stock)
    .where(sql`${stock.itemId} in (select value from json_each(${JSON.stringify(itemIds)}))`)
}

export function byAvailability(
  lines: readonly { productId: number; qty: number }[],
  userId: string,
  ctx: DataContext,
): SQL {
  const requested = JSON.stringify(lines.map(({ productId, qty }) => [productId, qty]))
  return sql`not exists (select 1 from json_each(${requested}) requested join ${stock} on ${stock.itemId} = requested.value ->> 0
    where ${calculateUnitsLeft(userId, ctx)} < requested.value ->> 1)`
}

function calculateUnitsLeft(userId: SQL | string, ctx: DataContext): SQL<number> {
  const byReleasableReservation = and(
    eq(stockReservations.itemId, stock.itemId),
    eq(stockReservations.state, 'held'),
    byReleasableOrder(userId, ctx),
  )
  // The cross join makes SQLite read the releasable orders first, instead of all reservations of the item.
  const releasable = sql`(select coalesce(sum(${stockReservations.qty}), 0) from ${orders} cross join ${stockReservations} on ${orders.id} = ${stockReservations.orderId} where ${byReleasableReservation})`
  return sql`${stock.onHand} - ${stock.reserved} + ${releasable}`
}

/**
 * Matches orders that await payment and whose units the user may take: the user's own, and overdue orders, whose units
 * the next housekeeping run releases.
 */
export function byReleasableOrder(userId: SQL | string, { clock }: DataContext): SQL {
  const selectUnpaid = (condition: SQL) =>
    sql`select ${orders.id} from ${orders} where ${and(eq(orders.status, 'awaiting_payment'), condition)}`
  // With a single condition that uses `or`, SQLite would read every unpaid order.
  return sql`${orders.id} in (${selectUnpaid(eq(orders.userId, userId))} union all ${selectUnpaid(lte(orders.expiresAtMs, clock()))})`
}

export async function readUnitsLeft(
  { credential, itemIds }: { credential: Credential | null; itemIds: readonly number[] },
  ctx: ServiceContext,
): Promise<Result<{ left: { id: number; left: number }[] }, ServiceError<'unauthorized'>>> {
  if (!credential) return UNAUTHORIZED
  const session = await createSessionQuery(credential, ctx)
  const [sessionRows, rows] = await ctx.db.batch([
    session.select,
    selectUnitsLeft(itemIds, session.userId, ctx),
  ])
  if (!session.readLiveSession(sessionRows)) return UNAUTHORIZED
  return {
    ok: true,
    data: { left: rows.map(({ itemId, left }) => ({ id: itemId, left: Math.max(left, 0) })) },
  }
}

export function listUnderstockedLines<RequestedLine extends { id: number; qty: number }>(
  lines: readonly RequestedLine[],
  rows: readonly UnitsLeftRow[],
): (RequestedLine & { left: number })[] {
  const leftByItem = new Map(rows.map(({ itemId, left }) => [itemId, left]))
  return lines.flatMap((line) => {
    const left = leftByItem.get(line.id)
    return left === undefined || left >= line.qty ? [] : { ...line, left: Math.max(left, 0) }
  })
}

export function createOutOfStockError(
  lines: readonly StockLine[],
  rows: readonly UnitsLeftRow[],
  advice = 'You haven’t been charged. Please update your cart and try again.',
): ServiceError<'out_of_stock'> | undefined {
  const shortLines = listUnderstockedLines(lines, rows)
  if (shortLines.length === 0) return undefined
  const sentences = shortLines.map(({ title, size, left }) =>
    formatOutOfStock(formatNameWithSize(title, size), left),
  )
  return {
    code: 'out_of_stock',
    message: `${sentences.join(' ')} ${advice}`,
    details: { short: shortLines.map(({ id, left }) => ({ id, left })) },
  }
}
