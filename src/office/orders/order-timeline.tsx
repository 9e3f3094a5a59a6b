import { Moment } from '#office/platform/moment.tsx'
import type { OrderDetails } from '#server/orders/office-order.ts'
import { listTimelineEntries } from './order-timeline.ts'

export function OrderTimeline({ order }: { order: OrderDetails }) {
  return (
    <section className="panel">
      <h2>Timeline</h2>
      <ol className="history">
        {listTimelineEntries(order).map(({ key, atMs, text, notes, actor }) => (
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
