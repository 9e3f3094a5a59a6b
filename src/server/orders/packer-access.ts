import { NotPermittedError, requirePermission } from '#server/platform/db/audit.ts'
import type { OrderStatus } from '#shared/orders/order-status.ts'
import type { Actor } from '#shared/team/roles.ts'

const STATUSES_OPEN_TO_PACKERS: readonly OrderStatus[] = ['placed', 'packed']
const STATUSES_SET_BY_PACKERS: readonly OrderStatus[] = ['placed', 'packed', 'shipped', 'ready']

/**
 * Throws {@link NotPermittedError} if the actor may not make this change. Packers may only pack an order, send it or
 * make it ready for pickup, and undo these steps.
 */
export function requireStatusPermission(actor: Actor, from: OrderStatus, to: OrderStatus): void {
  requirePermission(actor, to === 'cancelled' ? 'order.cancel' : 'order.status')
  if (![from, to].every((status) => maySetStatus(actor, status)))
    throw new NotPermittedError(`order.status ${to}`)
}

export function maySetStatus({ role }: Actor, status: OrderStatus): boolean {
  return role === 'owner' || STATUSES_SET_BY_PACKERS.includes(status)
}

export function maySeeStatus({ role }: Actor, status: OrderStatus): boolean {
  return role === 'owner' || STATUSES_OPEN_TO_PACKERS.includes(status)
}
