import type { DataContext } from '#server/context.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { CSV_BOM, formatCsvLine } from '#server/platform/csv.ts'
import { CENTS_PER_KSH } from '#shared/format.ts'
import { shop } from '#shared/shop.ts'
import { formatIsoDateTime, formatIsoTimestamp, type TimeRange } from '#shared/time.ts'
import { EXPORT_PAGE_ROWS, type ExportColumn, type ExportDefinition } from './export-columns.ts'
import { paymentExport, vatExport } from './money-exports.ts'
import { lineExport, orderExport } from './order-exports.ts'

const EXPORTS = {
  orders: createExportGenerators(orderExport),
  lines: createExportGenerators(lineExport),
  payments: createExportGenerators(paymentExport),
  vat: createExportGenerators(vatExport),
}

export type ExportName = keyof typeof EXPORTS
export const EXPORT_NAMES = Object.keys(EXPORTS) as ExportName[]
export const EXPORT_FORMATS = ['csv', 'json'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

export function getExportLabel(name: ExportName): string {
  return EXPORTS[name].label
}

type ExportInput = { name: ExportName; format: ExportFormat; period: TimeRange }

/** The iteration throws if the database fails, so that an incomplete download fails too. */
export function generateExport(
  { name, format, period }: ExportInput,
  ctx: OwnerContext,
): AsyncGenerator<string> {
  return EXPORTS[name][format](period, ctx)
}

function createExportGenerators<Row>({ label, columns, readPage }: ExportDefinition<Row>) {
  const entries = Object.entries(columns)

  async function* readPages(period: TimeRange, ctx: DataContext): AsyncGenerator<Row[]> {
    let last: Row | undefined
    for (;;) {
      const rows = await readPage(period, last, ctx)
      yield rows
      if (rows.length < EXPORT_PAGE_ROWS) return
      last = rows.at(-1)
    }
  }

  async function* generateCsv(period: TimeRange, ctx: DataContext): AsyncGenerator<string> {
    const titles = entries.map(([, { label, kind }]) =>
      kind === 'money' ? `${label} (${shop.currency})` : label,
    )
    yield CSV_BOM + formatCsvLine(titles)
    for await (const rows of readPages(period, ctx))
      yield rows.map((row) => formatCsvLine(entries.map(([, column]) => toCell(column, row)))).join('')
  }

  async function* generateJson(period: TimeRange, ctx: DataContext): AsyncGenerator<string> {
    let start = '[\n'
    for await (const rows of readPages(period, ctx)) {
      if (rows.length === 0) continue
      yield start + rows.map((row) => toJson(entries, row)).join(',\n')
      start = ',\n'
    }
    yield start === '[\n' ? '[]\n' : '\n]\n'
  }

  return { label, csv: generateCsv, json: generateJson }
}

function toCell<Row>({ kind, value }: ExportColumn<Row>, row: Row): string | number | null {
  const cell = value(row)
  if (typeof cell !== 'number') return cell
  if (kind === 'money') return cell / CENTS_PER_KSH
  return kind === 'time' ? formatIsoDateTime(cell) : cell
}

function toJson<Row>(columns: [string, ExportColumn<Row>][], row: Row): string {
  const fields = columns.map(([key, { kind, value }]) => {
    const field = value(row)
    return [key, kind === 'time' && typeof field === 'number' ? formatIsoTimestamp(field) : field]
  })
  return JSON.stringify(Object.fromEntries(fields))
}

/** Reads at most one text ahead of the client. */
export function toByteStream(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await texts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await texts.return(undefined)
    },
  })
}
