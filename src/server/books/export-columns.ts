import type { DataContext } from '#server/context.ts'
import type { TimeRange } from '#shared/time.ts'

export type ExportColumn<Row> = {
  label: string
  /** Values of kind `money` are in cents, and those of kind `time` in milliseconds since the epoch. */
  kind: 'text' | 'number' | 'money' | 'time'
  value: (row: Row) => string | number | null
}

export type ExportDefinition<Row> = {
  label: string
  /** The keys are the field names in JSON. Names of money fields end in `Cents`. */
  columns: Record<string, ExportColumn<Row>>
  /** `last` is the last row of the previous page. */
  readPage(period: TimeRange, last: Row | undefined, ctx: DataContext): Promise<Row[]>
}

export const EXPORT_PAGE_ROWS = 1000

export function textColumn<Row>(label: string, value: (row: Row) => string | null): ExportColumn<Row> {
  return { label, kind: 'text', value }
}

export function numberColumn<Row>(label: string, value: (row: Row) => number | null): ExportColumn<Row> {
  return { label, kind: 'number', value }
}

export function moneyColumn<Row>(label: string, value: (row: Row) => number): ExportColumn<Row> {
  return { label, kind: 'money', value }
}

export function timeColumn<Row>(label: string, value: (row: Row) => number | null): ExportColumn<Row> {
  return { label, kind: 'time', value }
}
