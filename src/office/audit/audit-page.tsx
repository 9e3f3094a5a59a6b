import { Hono } from 'hono'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { DateTime } from '#office/platform/date-time.tsx'
import { renderOfficePage } from '#office/platform/layout.tsx'
import { getOrderPath } from '#office/platform/sections.ts'
import { readLatestCatalogue } from '#server/catalogue/catalogue-versions.ts'
import { AUDIT_PAGE_SIZE, type AuditRow, listAudit } from '#server/platform/db/list-audit.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { parseShopDay } from '#shared/time.ts'
import { describeAuditEntry } from './describe-audit.ts'

export function auditRoutes(ctx: OfficeContext) {
  return new Hono<OfficeEnv>().get('/audit', async (c) => {
    const { subject: enteredSubject = '', day: date = '', before = '' } = c.req.query()
    const subject = enteredSubject.trim().toUpperCase().slice(0, 80)
    const day = parseShopDay(date, ctx.clock())
    const rows = await listAudit(
      {
        ...(subject ? { subject } : {}),
        ...(day ? { startMs: day.startMs, endMs: day.endMs } : {}),
        ...(before ? { before: before.slice(0, 80) } : {}),
      },
      c.var.ownerContext(),
    )
    const entries = rows.slice(0, AUDIT_PAGE_SIZE)
    const last = rows.length > AUDIT_PAGE_SIZE ? entries.at(-1) : undefined
    // Reads the catalogue only for the item names in stock counts, so the page works without it.
    const hasItems = entries.some(({ action }) => action === 'stock.count')
    const catalogue = hasItems ? await readLatestCatalogue(ctx).catch(() => []) : []
    const next = last && new URLSearchParams({ subject, day: day?.name ?? '', before: last.id })
    return renderOfficePage(c, {
      title: 'Audit log',
      section: 'more',
      children: (
        <>
          <h1>Audit log</h1>
          <form className="filters" action="/audit">
            <div className="field">
              <label htmlFor="subject">Order number or promo code</label>
              <input id="subject" name="subject" defaultValue={subject} maxLength={40} autoComplete="off" />
            </div>
            <div className="field">
              <label htmlFor="day">Day</label>
              <input id="day" name="day" type="date" defaultValue={day?.name ?? ''} />
            </div>
            <button className="button" type="submit">
              Show actions
            </button>
          </form>
          {entries.length === 0 ? (
            <p className="empty">
              {subject || day || before
                ? 'No actions match. Try another order, code or day.'
                : 'No actions yet. Changes that you and your team make will appear here.'}
            </p>
          ) : (
            <AuditEntries entries={entries} catalogue={catalogue} />
          )}
          {next ? (
            <p>
              <a className="button button--quiet" href={`/audit?${next}`}>
                Show earlier actions
              </a>
            </p>
          ) : null}
        </>
      ),
    })
  })
}

type AuditEntriesProps = { entries: readonly AuditRow[]; catalogue: Catalogue }

function AuditEntries({ entries, catalogue }: AuditEntriesProps) {
  return (
    <ol className="rows">
      {entries.map((entry) => {
        const { label, subject, detail } = describeAuditEntry(entry, catalogue)
        return (
          <li key={entry.id}>
            <strong>{label}</strong>{' '}
            {/^(order|return)\./.test(entry.action) ? <a href={getOrderPath(subject)}>{subject}</a> : subject}
            {detail ? `${subject ? ': ' : ''}${detail}` : ''}
            <span className="note">
              <DateTime atMs={entry.atMs} />, {entry.actor}
            </span>
          </li>
        )
      })}
    </ol>
  )
}
