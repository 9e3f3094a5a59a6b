import { and, eq } from 'drizzle-orm'
import { nextStatuses, type OrderStatus } from '#shared/rules/order-status.ts'
import { orders } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import type { Result } from '../../result.ts'
import { cancelOrder } from './cancel.ts'
import { orderRecordOf, readOrderRecord } from './order-with-payments.ts'

type ChangeError =
  | { code: 'unknown_order' }
  /** `allowed` is what the order may become instead. */
  | { code: 'not_allowed'; from: OrderStatus; allowed: readonly OrderStatus[] }

/**
 * Takes an order, named by its number, to its next status; only along the allowed steps, also when two do it at once.
 * A cancelled order's money is due to be given back.
 */
export async function changeOrderStatus(
  { number, to }: { number: string; to: OrderStatus },
  deps: Pick<Deps, 'db' | 'clock' | 'randomBytes'>,
): Promise<Result<{ from: OrderStatus; to: OrderStatus }, ChangeError>> {
  const { db } = deps
  const isIt = eq(orders.number, number.trim().toUpperCase())
  const record = orderRecordOf(await db.batch(readOrderRecord(db, isIt)))
  if (!record) return { ok: false, error: { code: 'unknown_order' } }
  const from = record.row.status
  if (nextStatuses(from).includes(to)) {
    if (to === 'cancelled') {
      const cancelled = await cancelOrder({ record, by: 'operator' }, deps)
      if (cancelled.ok) return { ok: true, data: { from, to } }
      return changeOrderStatus({ number, to }, deps)
    }
    const isUnchanged = and(isIt, eq(orders.status, from))
    const changed = await db
      .update(orders)
      .set({ status: to })
      .where(isUnchanged)
      .returning({ id: orders.id })
    if (changed.length > 0) return { ok: true, data: { from, to } }
    return changeOrderStatus({ number, to }, deps)
  }
  return { ok: false, error: { code: 'not_allowed', from, allowed: nextStatuses(from) } }
}
