import { and, eq, exists, inArray, notExists, notInArray, type SQL } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { failUnless } from '#server/platform/db/guards.ts'
import { orderReturns, orders } from '#server/platform/db/schema.ts'
import { listStatusesBefore, type OrderStatus, type OrderTransition } from '#shared/orders/order-status.ts'
import { VOID_RETURN_STATES } from '#shared/orders/returns.ts'

type TransitionInput = {
  orderId: string
  transition: OrderTransition
  to: OrderStatus
  expectedStatus?: OrderStatus
  set?: Partial<typeof orders.$inferInsert>
}

/** The batch fails with `orderChanged` if the order's status doesn't allow the transition or isn't `expectedStatus`. */
export function transitionOrderStatements(
  { orderId, transition, to, expectedStatus, set }: TransitionInput,
  ctx: DataContext,
) {
  const allowed = listStatusesBefore(transition, to)
  const from = expectedStatus === undefined ? allowed : allowed.filter((status) => status === expectedStatus)
  return [
    createOrderStatusGuard(orderId, from, ctx),
    ctx.db
      .update(orders)
      .set({ ...set, status: to })
      .where(eq(orders.id, orderId)),
  ] as const
}

export function createOrderStatusGuard(orderId: string, statuses: readonly OrderStatus[], ctx: DataContext) {
  const matching = ctx.db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.id, orderId), inArray(orders.status, [...statuses])))
  return failUnless(exists(matching), 'orderChanged', ctx)
}

export function createNoReturnGuard(orderId: string, ctx: DataContext) {
  const returned = ctx.db
    .select({ id: orderReturns.id })
    .from(orderReturns)
    .where(and(eq(orderReturns.orderId, orderId), notInArray(orderReturns.state, [...VOID_RETURN_STATES])))
  return failUnless(notExists(returned), 'itemsReturned', ctx)
}

export function byTransition(transition: OrderTransition, to: OrderStatus): SQL {
  const [first, ...others] = listStatusesBefore(transition, to)
  // SQLite uses the partial indexes on the status only for `=`.
  return first && others.length === 0
    ? eq(orders.status, first)
    : inArray(orders.status, [...listStatusesBefore(transition, to)])
}
