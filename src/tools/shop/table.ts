import { shop } from '#shared/shop.ts'

export type Columns<Row> = Record<string, (row: Row) => string | number>

const GAP = '  '
const NUMBER = /^[−-]?(KSH )?\d[\d,.]*%?$/

/** Rows as an aligned table with headings, numbers to the right; `empty` when there are no rows. */
export function table<Row>(rows: readonly Row[], columns: Columns<Row>, empty: string): string {
  if (rows.length === 0) return empty
  const cells = [
    Object.keys(columns),
    ...rows.map((row) => Object.values(columns).map((text) => oneLine(String(text(row))))),
  ]
  const widths = Object.keys(columns).map((_, index) =>
    Math.max(...cells.map((line) => characterCount(line[index] ?? ''))),
  )
  const areNumbers = widths.map((_, index) => cells.slice(1).some((line) => NUMBER.test(line[index] ?? '')))
  return cells
    .map((line) =>
      line
        .map((cell, index) => pad(cell, widths[index] ?? 0, areNumbers[index] ?? false))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n')
}

function pad(cell: string, width: number, isNumber: boolean): string {
  const space = ' '.repeat(width - characterCount(cell))
  return isNumber ? space + cell : cell + space
}

function characterCount(text: string): number {
  return Array.from(text).length
}

/** User input made safe for a terminal: no line breaks, escape sequences or changes of text direction. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
}

const format = new Intl.DateTimeFormat('sv-SE', {
  timeZone: shop.timeZone,
  dateStyle: 'short',
  timeStyle: 'short',
})

/** The shop's local time, `2026-11-21 09:05`; a dash for null. */
export function formatDateTime(atMs: number | null): string {
  return atMs === null ? '-' : format.format(atMs)
}

/** The shop's local day, `2026-11-21`; a dash for null. */
export function formatDay(atMs: number | null): string {
  return formatDateTime(atMs).slice(0, 10)
}
