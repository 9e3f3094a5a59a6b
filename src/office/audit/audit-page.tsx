import { Hono } from 'hono'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { officePage } from '#office/platform/layout.tsx'
import { orderPath } from '#office/platform/sections.ts'
import { AUDIT_ACTS, AUDIT_ROWS, type AuditAct, type AuditRow, listAudit } from '#server/platform/db/audit.ts'
import { ORDER_STATUS_LABELS, type OrderStatus } from '#shared/orders/order-status.ts'
import { formatDateTime, shopDay } from '#shared/time.ts'

/** `/audit`: what was done in the office, of an order, of a day, or all of it. */
export function auditPage(ctx: OfficeContext) {
  return new Hono<OfficeEnv>().get('/audit', async (c) => {
    const { subject: words = '', day: date = '', before = '' } = c.req.query()
    const subject = words.trim().toUpperCase().slice(0, 80)
    const day = shopDay(date, ctx.clock())
    const endMs = /^\d{1,15}$/.test(before) ? Number(before) : day?.endMs
    const rows = await listAudit(
      {
        ...(subject ? { subject } : {}),
        ...(day ? { startMs: day.startMs } : {}),
        ...(endMs === undefined ? {} : { endMs }),
      },
      ctx,
    )
    const shown = rows.slice(0, AUDIT_ROWS)
    const last = rows.length > AUDIT_ROWS ? shown.at(-1) : undefined
    const next = last && new URLSearchParams({ subject, day: day?.name ?? '', before: String(last.atMs) })
    return officePage(c, {
      title: 'Audit log',
      section: 'more',
      children: (
        <>
          <h1>Audit log</h1>
          <form className="filters" action="/audit">
            <div className="field">
              <label htmlFor="subject">Order or code</label>
              <input id="subject" name="subject" defaultValue={subject} maxLength={40} autoComplete="off" />
            </div>
            <div className="field">
              <label htmlFor="day">Day</label>
              <input id="day" name="day" type="date" defaultValue={day?.name ?? ''} />
            </div>
            <button className="button" type="submit">
              Show
            </button>
          </form>
          {shown.length === 0 ? <p className="empty">No actions found.</p> : <AuditLines rows={shown} />}
          {next ? (
            <p>
              <a className="button button--quiet" href={`/audit?${next}`}>
                Earlier
              </a>
            </p>
          ) : null}
        </>
      ),
    })
  })
}

/** A value of a line: a status as people call it, anything else as it is. */
export function auditWord(value: string | null): string {
  return ORDER_STATUS_LABELS[value as OrderStatus] ?? value ?? ''
}

function AuditLines({ rows }: { rows: readonly AuditRow[] }) {
  return (
    <ol className="rows">
      {rows.map(({ id, atMs, actor, act, subject, from, to }) => (
        <li key={id}>
          <strong>{AUDIT_ACTS[act as AuditAct] ?? act}</strong>{' '}
          {act.startsWith('order.') ? <a href={orderPath(subject)}>{subject}</a> : subject}{' '}
          {[from, to].filter(Boolean).map(auditWord).join('\u00a0→ ')}
          <span className="note">
            {formatDateTime(atMs)}, {actor}
          </span>
        </li>
      ))}
    </ol>
  )
}
