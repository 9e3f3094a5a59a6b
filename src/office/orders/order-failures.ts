import type { DataContext } from '#server/context.ts'
import { readOrderDetails, readOrderForViewer } from '#server/orders/office-order.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { AUDIT_ACTIONS, type AuditAction } from '#server/platform/db/audit.ts'
import { formatServiceError, type ServiceError } from '#server/platform/result.ts'
import { getOrderStatusLabel, type OrderStatus } from '#shared/orders/order-status.ts'
import type { Actor } from '#shared/team/roles.ts'
import { formatDateTime } from '#shared/time.ts'

const STATUS_ACTIONS = ['order.status', 'order.cancel']
const REFUND_ACTIONS = ['order.refund', 'order.refunded']

export async function describeRefundFailure(
  error: ServiceError,
  number: string,
  ctx: OwnerContext,
): Promise<string> {
  const order = await readOrderDetails(number, ctx)
  const last = order?.audit.find(({ action }) => REFUND_ACTIONS.includes(action))
  if (!last) return formatServiceError(error)
  const label = AUDIT_ACTIONS[last.action as AuditAction]
  return `${formatServiceError(error)} Last change: ${label} (${last.actor}, ${formatDateTime(last.atMs)}).`
}

export async function describeStatusFailure(
  error: ServiceError,
  { number, from, actor }: { number: string; from: OrderStatus; actor: Actor },
  ctx: DataContext,
): Promise<string> {
  if (error.code !== 'status_changed') return formatServiceError(error)
  const order = await readOrderForViewer(actor, number, ctx)
  if (!order) return formatServiceError(error)
  const { status } = order.row
  if (status === from)
    return 'This order has changed since you opened it. Your change wasn’t saved. Please check the order and try again.'
  // A shopper's cancellation has an event but no audit entry.
  const entry = order.audit.find(({ action, to }) => STATUS_ACTIONS.includes(action) && to === status)
  const sinceMs = entry?.atMs ?? order.events.findLast((event) => event.status === status)?.atMs
  const source = [entry?.actor, sinceMs && formatDateTime(sinceMs)].filter(Boolean).join(', ')
  const label = getOrderStatusLabel(status, order.row)
  return `This order has changed since you opened it. It’s now “${label}”${source && ` (${source})`}. Your change wasn’t saved.`
}
