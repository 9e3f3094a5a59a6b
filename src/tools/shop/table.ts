import { formatMoney } from '#shared/format.ts'
import { formatIsoDateTime } from '#shared/time.ts'

type Cell = string | number | null | undefined
type FieldOf<Row> = { [Name in keyof Row]-?: Row[Name] extends Cell ? Name : never }[keyof Row]

/** Maps headings to a field, which is formatted by the unit in its name, or to a function of the row. */
export type Columns<Row> = Record<string, FieldOf<Row> | ((row: Row) => string | number)>

const NUMBER_PATTERN = /^[−-]?(KSH )?\d[\d,.]*%?$/

export function formatTable<Row>(rows: readonly Row[], columns: Columns<Row>, empty: string): string {
  if (rows.length === 0) return empty
  const paddedColumns = Object.entries(columns).map(([heading, column]) => {
    const formatCell = (row: Row) =>
      typeof column === 'function' ? column(row) : formatField(String(column), row[column] as Cell)
    const cells = rows.map((row) => toOneLine(String(formatCell(row))))
    const isNumber = cells.some((cell) => NUMBER_PATTERN.test(cell))
    const width = Math.max(...[heading, ...cells].map((cell) => [...cell].length))
    return [heading, ...cells].map((cell) => {
      const space = ' '.repeat(width - [...cell].length)
      return isNumber ? space + cell : cell + space
    })
  })
  const toLine = (line: number) =>
    paddedColumns
      .map((cells) => cells[line])
      .join('  ')
      .trimEnd()
  return Array.from({ length: rows.length + 1 }, (_, line) => toLine(line)).join('\n')
}

function formatField(name: string, value: Cell): string {
  if (value === null || value === undefined) return '-'
  if (/atMs$/i.test(name)) return formatDateTime(Number(value))
  return name.endsWith('Cents') ? formatMoney(Number(value)) : String(value)
}

/** Makes user input safe to print in a terminal. */
export function toOneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
}

/** Returns a text such as `2026-11-21 09:05`. */
export function formatDateTime(atMs: number | null): string {
  return atMs === null ? '-' : formatIsoDateTime(atMs).slice(0, 16)
}

export function formatDay(atMs: number | null): string {
  return formatDateTime(atMs).slice(0, 10)
}
