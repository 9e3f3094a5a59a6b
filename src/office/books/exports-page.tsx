import { Hono } from 'hono'
import type { OfficeEnv } from '#office/context.ts'
import { renderOfficePage } from '#office/platform/layout.tsx'
import {
  EXPORT_FORMATS,
  EXPORT_NAMES,
  type ExportFormat,
  generateExport,
  getExportLabel,
  toByteStream,
} from '#server/books/export.ts'
import { shop } from '#shared/shop.ts'
import { listShopDaysUntil, parseShopPeriod } from '#shared/time.ts'

const FORMAT_LABELS: Record<ExportFormat, { label: string; type: string }> = {
  csv: { label: 'CSV, for spreadsheets', type: 'text/csv; charset=utf-8' },
  json: { label: 'JSON, for other programs', type: 'application/json' },
}

export function exportRoutes() {
  const office = new Hono<OfficeEnv>()

  office.get('/exports', (c) => {
    const today = listShopDaysUntil(c.var.nowMs, 1)[0]?.name ?? ''
    const {
      from = `${today.slice(0, 'yyyy-mm'.length)}-01`,
      to = today,
      name,
      format,
      problem,
    } = c.req.query()
    return renderOfficePage(
      c,
      {
        title: 'Exports',
        section: 'more',
        ...(problem === undefined
          ? {}
          : {
              notice: 'Enter a first day and a last day. The first can’t be after the last.',
              isError: true,
            }),
        children: (
          <>
            <h1>Exports</h1>
            <form className="panel" action="/exports/file">
              <div className="field">
                <label htmlFor="name">What to export</label>
                <select id="name" name="name" defaultValue={name}>
                  {EXPORT_NAMES.map((value) => (
                    <option key={value} value={value}>
                      {getExportLabel(value)}
                    </option>
                  ))}
                </select>
              </div>
              <div className="field">
                <label htmlFor="from">First day</label>
                <input id="from" name="from" type="date" defaultValue={from} required />
              </div>
              <div className="field">
                <label htmlFor="to">Last day</label>
                <input id="to" name="to" type="date" defaultValue={to} required />
              </div>
              <div className="field">
                <label htmlFor="format">Format</label>
                <select id="format" name="format" defaultValue={format}>
                  {EXPORT_FORMATS.map((value) => (
                    <option key={value} value={value}>
                      {FORMAT_LABELS[value].label}
                    </option>
                  ))}
                </select>
              </div>
              <button className="button" type="submit">
                Download file
              </button>
            </form>
          </>
        ),
      },
      problem === undefined ? 200 : 409,
    )
  })

  office.get('/exports/file', (c) => {
    const { name: chosen, format: chosenFormat, from = '', to = '' } = c.req.query()
    const name = EXPORT_NAMES.find((value) => value === chosen)
    const format = EXPORT_FORMATS.find((value) => value === chosenFormat)
    const period = parseShopPeriod(from, to, c.var.nowMs)
    if (!name || !format || !period) {
      const typed = new URLSearchParams({ ...c.req.query(), problem: '' })
      return c.redirect(`/exports?${typed}`, 303)
    }
    const file = `${shop.name.toLowerCase()}-${name}-${period.name.replaceAll(' ', '-')}.${format}`
    return c.body(toByteStream(generateExport({ name, format, period }, c.var.ownerContext())), 200, {
      'Content-Type': FORMAT_LABELS[format].type,
      'Content-Disposition': `attachment; filename="${file}"`,
    })
  })

  return office
}
