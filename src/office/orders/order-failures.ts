import type { OfficeContext } from '#office/context.ts'
import { readOrderDetails } from '#server/orders/details.ts'
import { AUDIT_ACTS, type AuditAct } from '#server/platform/db/audit.ts'
import { errors } from '#shared/errors.ts'
import { ORDER_STATUS_LABELS } from '#shared/orders/order-status.ts'
import { formatDateTime } from '#shared/time.ts'

type Failure = { code: keyof typeof errors; message?: string; fieldErrors?: object }

/** The acts of the audit log whose `to` is a status. */
const STATUS_ACTS = ['order.status', 'order.cancel']
const REFUND_ACTS = ['order.refund', 'order.refunded']

/** What an office page says about a failed action. */
export function messageOf({ code, message, fieldErrors }: Failure): string {
  return Object.values(fieldErrors ?? {}).join('. ') || (message ?? errors[code].message)
}

/** Why a refund was not changed, and who was the last to change it. */
export async function refundFailureMessage(
  error: Failure,
  number: string,
  ctx: OfficeContext,
): Promise<string> {
  const order = await readOrderDetails(number, ctx)
  const last = order?.audit.find(({ act }) => REFUND_ACTS.includes(act))
  if (!last) return messageOf(error)
  const label = AUDIT_ACTS[last.act as AuditAct]
  return `${messageOf(error)} Last change: ${label} (${last.actor}, ${formatDateTime(last.atMs)}).`
}

/** Why a status was not changed, and what has happened to the order meanwhile. */
export async function statusFailureMessage(
  error: Failure,
  number: string,
  ctx: OfficeContext,
): Promise<string> {
  if (error.code !== 'status_changed') return messageOf(error)
  const order = await readOrderDetails(number, ctx)
  if (!order) return messageOf(error)
  const { status } = order.row
  // A shopper's own step, or a payment's, is no line of the audit log.
  const step = order.audit.find(({ act, to }) => STATUS_ACTS.includes(act) && to === status)
  const since = step?.atMs ?? order.events.findLast((event) => event.status === status)?.atMs
  const how = [step?.actor, since && formatDateTime(since)].filter(Boolean).join(', ')
  const label = ORDER_STATUS_LABELS[status]
  return `Someone else changed this order. It’s now “${label}”${how && ` (${how})`}. Nothing was changed.`
}
