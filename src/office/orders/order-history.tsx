import { auditWord } from '#office/audit/audit-page.tsx'
import { orderPath } from '#office/platform/sections.ts'
import type { OrderDetails } from '#server/orders/details.ts'
import { AUDIT_ACTS, type AuditAct } from '#server/platform/db/audit.ts'
import { ORDER_STATUS_LABELS } from '#shared/orders/order-status.ts'
import { formatDateTime } from '#shared/time.ts'

export function Notes({ order: { row, notes } }: { order: OrderDetails }) {
  return (
    <section className="panel" id="notes">
      <h2>Internal notes</h2>
      {notes.map(({ id, text, author, atMs }) => (
        <blockquote key={id}>
          <p>{text}</p>
          <footer className="note">
            {author}, {formatDateTime(atMs)}
          </footer>
        </blockquote>
      ))}
      <form className="inline" method="post" action={`${orderPath(row.number)}/notes`}>
        <div className="field">
          <label htmlFor="internal">Note (customers can’t see it)</label>
          <textarea id="internal" name="note" rows={2} maxLength={1000} required />
        </div>
        <button className="button button--quiet" type="submit">
          Add note
        </button>
      </form>
    </section>
  )
}

const MAIL_STATES = { pending: 'waits', sent: 'sent', failed: 'not delivered' }

export function History({ order }: { order: OrderDetails }) {
  const { row, events, mails, audit } = order
  return (
    <section className="panel">
      <h2>Timeline</h2>
      <ul className="history">
        <li>
          {formatDateTime(row.createdAtMs)}: ordered by {row.email}
        </li>
        {events.map(({ status, atMs, note, trackingAddress }) => (
          <li key={status}>
            {formatDateTime(atMs)}: {ORDER_STATUS_LABELS[status]}
            {note ? <span className="note">“{note}”</span> : null}
            {trackingAddress ? <span className="note">{trackingAddress}</span> : null}
          </li>
        ))}
        {mails.map(({ id, kind, status, createdAtMs, sentAtMs }) => (
          <li key={id}>
            {formatDateTime(sentAtMs ?? createdAtMs)}: mail {kind.replace('order-', '')},{' '}
            {MAIL_STATES[status]}
          </li>
        ))}
        {audit.map(({ id, atMs, actor, act, from, to }) => (
          <li key={id}>
            {formatDateTime(atMs)}: {AUDIT_ACTS[act as AuditAct] ?? act}{' '}
            {[from, to].filter(Boolean).map(auditWord).join(' → ')}
            <span className="note">{actor}</span>
          </li>
        ))}
      </ul>
      <p>
        <a href={`/audit?subject=${row.number}`}>Order history</a>
      </p>
    </section>
  )
}
