import { and, eq } from 'drizzle-orm'
import { nextStatuses, type OrderStatus } from '#shared/rules/order-status.ts'
import { orders } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import type { Result } from '../../result.ts'

type ChangeError =
  | { code: 'unknown_order' }
  /** `allowed` is what the order may become instead. */
  | { code: 'not_allowed'; from: OrderStatus; allowed: readonly OrderStatus[] }

/** Changes an order's status along the allowed transitions; of concurrent changes, each is checked against the other's result. */
export async function changeOrderStatus(
  { number, to }: { number: string; to: OrderStatus },
  { db }: Pick<Deps, 'db'>,
): Promise<Result<{ from: OrderStatus; to: OrderStatus }, ChangeError>> {
  const isOrder = eq(orders.number, number.trim().toUpperCase())
  const order = await db.select({ status: orders.status }).from(orders).where(isOrder).get()
  if (!order) return { ok: false, error: { code: 'unknown_order' } }
  const from = order.status
  if (nextStatuses(from).includes(to)) {
    const isUnchanged = and(isOrder, eq(orders.status, from))
    const changed = await db
      .update(orders)
      .set({ status: to })
      .where(isUnchanged)
      .returning({ id: orders.id })
    if (changed.length > 0) return { ok: true, data: { from, to } }
    return changeOrderStatus({ number, to }, { db })
  }
  return { ok: false, error: { code: 'not_allowed', from, allowed: nextStatuses(from) } }
}
