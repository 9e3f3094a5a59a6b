import { formatIsoDateTime } from '#shared/time.ts'

export type Columns<Row> = Record<string, (row: Row) => string | number>

const GAP = '  '
const NUMBER = /^[−-]?(KSH )?\d[\d,.]*%?$/

/** Rows as an aligned table with headings, numbers to the right; `empty` when there are no rows. */
export function table<Row>(rows: readonly Row[], columns: Columns<Row>, empty: string): string {
  if (rows.length === 0) return empty
  const padded = Object.entries(columns).map(([heading, text]) => {
    const cells = rows.map((row) => oneLine(String(text(row))))
    const isNumber = cells.some((cell) => NUMBER.test(cell))
    const width = Math.max(...[heading, ...cells].map(characterCount))
    return [heading, ...cells].map((cell) => {
      const space = ' '.repeat(width - characterCount(cell))
      return isNumber ? space + cell : cell + space
    })
  })
  const lines = Array.from({ length: rows.length + 1 }, (_, line) => padded.map((cells) => cells[line]))
  return lines.map((cells) => cells.join(GAP).trimEnd()).join('\n')
}

function characterCount(text: string): number {
  return Array.from(text).length
}

/** User input made safe for a terminal: no line breaks, escape sequences or changes of text direction. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
}

/** The shop's local time, `2026-11-21 09:05`; a dash for null. */
export function formatDateTime(atMs: number | null): string {
  return atMs === null ? '-' : formatIsoDateTime(atMs).slice(0, 16)
}

export function formatDay(atMs: number | null): string {
  return formatDateTime(atMs).slice(0, 10)
}
