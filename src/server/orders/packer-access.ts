import { NotPermittedError, requirePermission } from '#server/platform/db/audit.ts'
import type { OrderStatus } from '#shared/orders/order-status.ts'
import type { Actor } from '#shared/team/roles.ts'

const OPEN_TO_PACKERS: readonly OrderStatus[] = ['placed', 'packed']
const SET_BY_PACKERS: readonly OrderStatus[] = ['placed', 'packed', 'shipped', 'ready']

/** Throws {@link NotPermittedError} unless the change packs or sends the order, or undoes that. */
export function requireStatusPermission(actor: Actor, from: OrderStatus, to: OrderStatus): void {
  requirePermission(actor, to === 'cancelled' ? 'order.cancel' : 'order.status')
  if (![from, to].every((status) => isSetBy(actor, status))) throw new NotPermittedError(`order.status ${to}`)
}

export function isSetBy({ role }: Actor, status: OrderStatus): boolean {
  return role === 'owner' || SET_BY_PACKERS.includes(status)
}

export function isOpenTo({ role }: Actor, status: OrderStatus): boolean {
  return role === 'owner' || OPEN_TO_PACKERS.includes(status)
}
