import { describeAudit } from '#office/audit/describe-audit.ts'
import { Moment } from '#office/platform/moment.tsx'
import { orderPath } from '#office/platform/sections.ts'
import type { OrderDetails } from '#server/orders/office-order.ts'
import { ORDER_STATUS_LABELS } from '#shared/orders/order-status.ts'

type NotesProps = {
  order: OrderDetails
  /** A note that was refused. */
  entered: string | undefined
}

export function Notes({ order: { row, notes }, entered }: NotesProps) {
  return (
    <section className="panel" id="notes">
      <h2>Internal notes</h2>
      {notes.map(({ id, text, author, atMs }) => (
        <blockquote key={id}>
          <p>{text}</p>
          <footer className="note">
            {author}, <Moment atMs={atMs} isInline />
          </footer>
        </blockquote>
      ))}
      <form className="inline" method="post" action={`${orderPath(row.number)}/notes`}>
        <div className="field">
          <label htmlFor="internal">New note (customers can’t see it)</label>
          <textarea id="internal" name="note" rows={2} maxLength={1000} defaultValue={entered} required />
        </div>
        <button className="button button--quiet" type="submit">
          Add note
        </button>
      </form>
    </section>
  )
}

const EMAIL_STATUS_LABELS = { pending: 'waiting to be sent', sent: 'sent', failed: 'couldn’t be sent' }

const EMAIL_LABELS: Partial<Record<OrderDetails['emails'][number]['kind'], string>> = {
  'order-confirmation': 'Order confirmation',
  'order-notice': 'New order notice',
  'order-packed': '“Packed” email',
  'order-shipped': '“On its way” email',
  'order-ready': '“Ready for pickup” email',
  'order-delivered': '“Delivered” email',
  'order-cancelled': 'Cancellation email',
  'order-refunded': 'Refund email',
  'order-link': 'Order link email',
}

export function History({ order }: { order: OrderDetails }) {
  const { row, events, emails: mails, audit } = order
  return (
    <section className="panel">
      <h2>Timeline</h2>
      <ul className="history">
        <li>
          <Moment atMs={row.createdAtMs} />: Ordered by {row.email}
        </li>
        {events.map(({ status, atMs, note, trackingAddress }) => (
          <li key={status}>
            <Moment atMs={atMs} />: {ORDER_STATUS_LABELS[status]}
            {note ? <span className="note">“{note}”</span> : null}
            {trackingAddress ? <span className="note">{trackingAddress}</span> : null}
          </li>
        ))}
        {mails.map(({ id, kind, status, createdAtMs, sentAtMs }) => (
          <li key={id}>
            <Moment atMs={sentAtMs ?? createdAtMs} />: {EMAIL_LABELS[kind] ?? 'Email'}{' '}
            {EMAIL_STATUS_LABELS[status]}
          </li>
        ))}
        {audit.map((entry) => {
          const { label, detail } = describeAudit(entry)
          return (
            <li key={entry.id}>
              <Moment atMs={entry.atMs} />: {label}
              {detail ? `: ${detail}` : ''}
              <span className="note">{entry.actor}</span>
            </li>
          )
        })}
      </ul>
      <p>
        <a href={`/audit?subject=${row.number}`}>Order history</a>
      </p>
    </section>
  )
}
