import { and, desc, eq, inArray, lt, notInArray, or } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { selectPayments } from '#server/payments/payment-attempts.ts'
import { selectRefunds } from '#server/payments/refunds.ts'
import { formatCursor } from '#server/platform/db/page-cursor.ts'
import { orderReturns, orders } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { ListedOrder } from '#shared/orders/contract.ts'
import { formatReturnStatus, VOID_RETURN_STATES } from '#shared/orders/returns.ts'
import { byIdempotencyKey, selectOrderLines, toOrder } from './order-record.ts'
import { findOpenReturn } from './returns-view.ts'

export const ORDERS_PER_PAGE = 20

type ListOwnOrdersInput = {
  userId: string
  before: string | undefined
  key?: string | undefined
}

/**
 * With `key`, lists only the order with this idempotency key. `bad_request` means that the cursor `before` is invalid.
 */
export async function listOwnOrders(
  { userId, before: cursor, key }: ListOwnOrdersInput,
  { db }: DataContext,
): Promise<Result<{ orders: ListedOrder[]; next: string | null }, ServiceError<'bad_request'>>> {
  const before = cursor === undefined ? undefined : parseCursor(cursor)
  if (before === null) return { ok: false, error: { code: 'bad_request' } }
  const byCursor =
    before &&
    or(
      lt(orders.createdAtMs, before.placedAtMs),
      and(eq(orders.createdAtMs, before.placedAtMs), lt(orders.number, before.number)),
    )
  const byPage = and(key === undefined ? eq(orders.userId, userId) : byIdempotencyKey(userId, key), byCursor)
  const newestFirst = [desc(orders.createdAtMs), desc(orders.number)]
  const page = db
    .select()
    .from(orders)
    .where(byPage)
    .orderBy(...newestFirst)
    .limit(ORDERS_PER_PAGE + 1)
  const ids = db
    .select({ id: orders.id })
    .from(orders)
    .where(byPage)
    .orderBy(...newestFirst)
    .limit(ORDERS_PER_PAGE)
  const [rows, ...more] = await db.batch([
    page,
    selectOrderLines(db, ids),
    selectPayments(db, ids),
    selectRefunds(db, ids),
    db
      .select({ orderId: orderReturns.orderId, kind: orderReturns.kind, state: orderReturns.state })
      .from(orderReturns)
      .where(and(inArray(orderReturns.orderId, ids), notInArray(orderReturns.state, [...VOID_RETURN_STATES])))
      .orderBy(desc(orderReturns.createdAtMs)),
  ])
  const [lines, payments, refunds, returns] = more
  const visible = rows.slice(0, ORDERS_PER_PAGE)
  const last = rows.length > ORDERS_PER_PAGE ? visible.at(-1) : undefined
  const next = last ? formatCursor(last.createdAtMs, last.number) : null
  return {
    ok: true,
    data: {
      orders: visible.map((row) => {
        const own = returns.filter(({ orderId }) => orderId === row.id)
        const current = findOpenReturn(own) ?? own[0]
        const order = toOrder({ row, lines, payments, refunds })
        return current ? { ...order, returnStatus: formatReturnStatus(current) } : order
      }),
      next,
    },
  }
}

function parseCursor(text: string): { placedAtMs: number; number: string } | null {
  const [, placedAtMs, number] = /^(\d{1,15})\.([A-Z]+-\w{6})$/.exec(text) ?? []
  return placedAtMs && number ? { placedAtMs: Number(placedAtMs), number } : null
}
