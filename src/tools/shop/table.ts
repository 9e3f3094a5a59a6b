import { centsToKsh, formatKsh } from '#shared/format.ts'
import { shop } from '#shared/shop.ts'

/** A column: its heading, and its text for a row. Numbers are right-aligned. */
export type Column<Row> = { heading: string; text: (row: Row) => string | number; isFigure?: boolean }

const GAP = '  '

/** Rows as an aligned table with its headings; `empty` where there are none. */
export function table<Row>(rows: readonly Row[], columns: Column<Row>[], empty: string): string {
  if (rows.length === 0) return empty
  const cells = [
    columns.map(({ heading }) => heading),
    ...rows.map((row) => columns.map(({ text }) => oneLine(String(text(row))))),
  ]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => lengthOf(line[index] ?? ''))))
  return cells
    .map((line) =>
      line
        .map((cell, index) => padded(cell, widths[index] ?? 0, columns[index]?.isFigure ?? false))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n')
}

function padded(cell: string, width: number, isFigure: boolean): string {
  const space = ' '.repeat(width - lengthOf(cell))
  return isFigure ? space + cell : cell + space
}

function lengthOf(text: string): number {
  return Array.from(text).length
}

/** Text of others made safe for a terminal: no line breaks, escape sequences or changes of direction. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
}

/** Cents as people read them: `KSH 1250`. */
export function money(cents: number): string {
  return formatKsh(centsToKsh(cents))
}

const format = new Intl.DateTimeFormat('sv-SE', {
  timeZone: shop.timeZone,
  dateStyle: 'short',
  timeStyle: 'short',
})

/** A moment on the shop's wall clock, `2026-11-21 09:05`; a dash where there is none. */
export function formatDateTime(atMs: number | null): string {
  return atMs === null ? '-' : format.format(atMs)
}
