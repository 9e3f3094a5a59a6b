import { Moment } from '#office/platform/moment.tsx'
import { orderPath } from '#office/platform/sections.ts'
import type { OrderDetails } from '#server/orders/office-order.ts'
import { orderTimeline } from './order-timeline.ts'

type NotesProps = {
  order: OrderDetails
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

export function History({ order }: { order: OrderDetails }) {
  return (
    <section className="panel">
      <h2>Timeline</h2>
      <ol className="history">
        {orderTimeline(order).map(({ key, atMs, text, notes, actor }) => (
          <li key={key}>
            <Moment atMs={atMs} />: {text}
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
