import { describeAudit } from '#office/audit/describe-audit.ts'
import type { OrderDetails } from '#server/orders/office-order.ts'
import { orderStatusLabel } from '#shared/orders/order-status.ts'
import { RETURN_KIND_LABELS, RETURN_REASONS } from '#shared/orders/returns.ts'

export type TimelineEntry = {
  key: string
  atMs: number
  text: string
  notes: readonly string[]
  actor?: string
}

const EMAIL_STATUS_LABELS = { pending: 'waiting to be sent', sent: 'sent', failed: 'couldn’t be sent' }

const EMAIL_LABELS: Partial<Record<OrderDetails['emails'][number]['kind'], string>> = {
  'order-confirmation': 'Order confirmation',
  'order-notice': 'New order notice',
  'order-packed': '“Packed” email',
  'order-shipped': '“On its way” email',
  'order-ready': '“Ready for pickup” email',
  'order-delivered': '“Delivered” email',
  'order-edited': '“Order changed” email',
  'order-return': 'Return email',
  'return-notice': 'Return notice',
  'order-cancelled': 'Cancellation email',
  'order-refunded': 'Refund email',
  'payment-received': 'Payment email',
  'order-link': 'Order link email',
  'payment-link': 'Payment link email',
}

/** Everything that happened to an order, oldest first, each step once. */
export function orderTimeline({ row, events, emails, audit, returns }: OrderDetails): TimelineEntry[] {
  const recorded = new Map(
    events.map((event) => [
      event,
      // The newest: undoing a step deletes its event but keeps its audit entry.
      audit.find(({ act, to }) => ['order.status', 'order.cancel'].includes(act) && to === event.status),
    ]),
  )
  const ofEvents = new Set(recorded.values())
  const entries: TimelineEntry[] = [
    {
      key: 'ordered',
      atMs: row.createdAtMs,
      text: `Ordered by ${row.email || 'a deleted account'}`,
      notes: [],
    },
    ...[...recorded].map(([{ status, atMs, note, trackingAddress }, entry]) => ({
      key: status,
      atMs,
      text: orderStatusLabel(status, row),
      notes: [note ? `“${note}”` : '', trackingAddress ?? ''].filter(Boolean),
      ...(entry ? { actor: entry.actor } : {}),
    })),
    ...emails.map(({ id, kind, status, createdAtMs, sentAtMs }) => ({
      key: id,
      atMs: sentAtMs ?? createdAtMs,
      text: `${EMAIL_LABELS[kind] ?? 'Email'} ${EMAIL_STATUS_LABELS[status]}`,
      notes: [],
    })),
    ...returns
      .filter(({ isByShopper }) => isByShopper)
      .map(({ id, kind, reason, createdAtMs }) => ({
        key: id,
        atMs: createdAtMs,
        text: `${RETURN_KIND_LABELS[kind]} requested by the customer: ${RETURN_REASONS[reason]}`,
        notes: [],
      })),
    ...audit
      .filter((entry) => !ofEvents.has(entry))
      .toReversed()
      .map((entry) => {
        const { label, detail } = describeAudit(entry)
        const text = detail ? `${label}: ${detail}` : label
        return { key: entry.id, atMs: entry.atMs, text, notes: [], actor: entry.actor }
      }),
  ]
  return entries.toSorted((a, b) => a.atMs - b.atMs)
}
