import { describeAuditEntry } from '#office/audit/describe-audit.ts'
import { DateTime } from '#office/platform/date-time.tsx'
import type { OrderDetails } from '#server/orders/office-order.ts'
import { formatPaymentMethod } from '#server/payments/payment-attempts.ts'
import type { AuditAction } from '#server/platform/db/audit.ts'
import { formatMoney } from '#shared/format.ts'
import { getOrderStatusLabel } from '#shared/orders/order-status.ts'
import { RETURN_KIND_LABELS, RETURN_REASON_LABELS } from '#shared/orders/returns.ts'
import { getRefundReasonLabel } from '#shared/payments/refunds.ts'

export function OrderTimeline({ order }: { order: OrderDetails }) {
  return (
    <section className="panel">
      <h2>Timeline</h2>
      <ol className="history">
        {listTimelineEntries(order).map(({ key, atMs, text, notes, actor }) => (
          <li key={key}>
            <DateTime atMs={atMs} />: {text}
            {notes.map((note) => (
              <span key={note} className="note">
                {note}
              </span>
            ))}
            {actor ? <span className="note">{actor}</span> : null}
          </li>
        ))}
      </ol>
      <p>
        <a href={`/audit?subject=${order.row.number}`}>Show in audit log</a>
      </p>
    </section>
  )
}

type TimelineEntry = {
  key: string
  atMs: number
  text: string
  notes: readonly string[]
  actor?: string
}

const EMAIL_STATUS_LABELS = { pending: 'waiting to be sent', sent: 'sent', failed: 'couldn’t be sent' }

type EmailKind = OrderDetails['emails'][number]['kind']

const EMAIL_LABELS: Partial<Record<EmailKind, string>> = {
  'order-confirmation': 'Order confirmation',
  'order-notice': 'New order notice',
  'order-packed': '“Packed” email',
  'order-shipped': '“On its way” email',
  'order-ready': '“Ready for pickup” email',
  'order-delivered': '“Delivered” email',
  'order-edited': '“Order changed” email',
  'order-return': 'Return or exchange email',
  'return-notice': 'Return or exchange notice',
  'order-cancelled': 'Cancellation email',
  'order-refunded': 'Refund email',
  'payment-received': 'Payment email',
  'order-link': 'Order link email',
  'payment-link': 'Payment link email',
}

function getEmailLabel(kind: EmailKind, { pickup }: OrderDetails['row']): string {
  return kind === 'order-delivered' && pickup !== null ? '“Picked up” email' : (EMAIL_LABELS[kind] ?? 'Email')
}

/** Merges each event, payment or refund with the audit entry of the same action, if there is one. */
function listTimelineEntries(order: OrderDetails): TimelineEntry[] {
  const { row, events, emails, audit, returns } = order
  const auditEntries = new Map(
    events.map((event) => [
      event,
      audit.find(
        ({ action, to, atMs }) =>
          ['order.status', 'order.cancel'].includes(action) &&
          to === event.status &&
          isAtSameTime(atMs, event.atMs),
      ),
    ]),
  )
  const paymentEntries = listPaymentEntries(order)
  const matchedEntries = new Set([...auditEntries.values(), ...paymentEntries.map(({ entry }) => entry)])
  const isCreatedInOffice = audit.some(({ action }) => action === 'order.create')
  const customer = row.email || `${row.firstName} ${row.lastName}`.trim() || 'a deleted account'
  const placedEntry = { key: 'ordered', atMs: row.createdAtMs, text: `Ordered by ${customer}`, notes: [] }
  const entries: TimelineEntry[] = [
    ...(isCreatedInOffice ? [] : [placedEntry]),
    ...[...auditEntries].map(([{ status, atMs, note, trackingUrl }, entry]) => ({
      key: status,
      atMs,
      text: getOrderStatusLabel(status, row),
      notes: [note ? `“${note}”` : '', trackingUrl ?? ''].filter(Boolean),
      ...(entry ? { actor: entry.actor } : {}),
    })),
    ...returns
      .filter(({ isByShopper }) => isByShopper)
      .map(({ id, kind, reason, createdAtMs }) => ({
        key: id,
        atMs: createdAtMs,
        text: `${RETURN_KIND_LABELS[kind]} requested by the customer: ${RETURN_REASON_LABELS[reason]}`,
        notes: [],
      })),
    ...returns
      .filter((orderReturn) => isCancelledByShopper(orderReturn, audit))
      .map(({ id, kind, changedAtMs }) => ({
        key: `${id} cancelled`,
        atMs: changedAtMs,
        text: `${RETURN_KIND_LABELS[kind]} cancelled by the customer`,
        notes: [],
      })),
    ...audit
      .filter((entry) => !matchedEntries.has(entry))
      .toReversed()
      .map((entry) => {
        const { label, detail } = describeAuditEntry(entry)
        const text = detail ? `${label}: ${detail}` : label
        return { key: entry.id, atMs: entry.atMs, text, notes: [], actor: entry.actor }
      }),
    ...paymentEntries.map(({ entry, ...rest }) => ({
      ...rest,
      notes: [],
      ...(entry ? { actor: entry.actor } : {}),
    })),
    ...emails.map(({ id, kind, status, createdAtMs, sentAtMs }) => ({
      key: id,
      atMs: sentAtMs ?? createdAtMs,
      text: `${getEmailLabel(kind, row)} ${EMAIL_STATUS_LABELS[status]}`,
      notes: [],
    })),
  ]
  return entries.toSorted((a, b) => a.atMs - b.atMs)
}

/** Only cancellations in the office have an audit entry. */
function isCancelledByShopper(
  { state, isByShopper, changedAtMs }: OrderDetails['returns'][number],
  audit: OrderDetails['audit'],
): boolean {
  return (
    isByShopper &&
    state === 'cancelled' &&
    !audit.some(({ action, atMs }) => action === 'return.cancel' && isAtSameTime(atMs, changedAtMs))
  )
}

const SAME_TIME_TOLERANCE_MS = 1000

/** Allows for the difference between the timestamps of an action's record and its audit entry. */
function isAtSameTime(atMs: number, otherAtMs: number): boolean {
  return Math.abs(atMs - otherAtMs) < SAME_TIME_TOLERANCE_MS
}

function listPaymentEntries({ payments, refunds, audit }: OrderDetails) {
  const findEntry = (action: AuditAction, atMs: number) =>
    audit.find((entry) => entry.action === action && isAtSameTime(entry.atMs, atMs))
  const received = payments
    .filter(({ state, amountCents }) => state === 'settled' && amountCents > 0)
    .map((payment) => ({
      key: payment.id,
      atMs: payment.endedAtMs ?? payment.createdAtMs,
      text: `Payment of ${formatMoney(payment.amountCents)} received: ${formatPaymentMethod(payment)}`,
      entry: findEntry('order.paid', payment.createdAtMs),
    }))
  const startedRefunds = refunds.map(({ id, amountCents, reason, createdAtMs }) => ({
    key: `${id} started`,
    atMs: createdAtMs,
    text: `Refund of ${formatMoney(amountCents)} started: ${getRefundReasonLabel(reason)}`,
    entry: findEntry('order.refund', createdAtMs),
  }))
  const completedRefunds = refunds.flatMap(({ id, amountCents, completedAtMs }) =>
    completedAtMs === null
      ? []
      : [
          {
            key: id,
            atMs: completedAtMs,
            text: `Refund of ${formatMoney(amountCents)} complete`,
            entry: findEntry('order.refunded', completedAtMs),
          },
        ],
  )
  return [...received, ...startedRefunds, ...completedRefunds]
}
