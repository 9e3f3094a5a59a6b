/** Excel reads a CSV file as UTF-8 only if it starts with a byte order mark. */
export const CSV_BOM = '\uFEFF'

/** Spreadsheets run cells that start like this as formulas. Some also start a new cell after a semicolon or a tab. */
const FORMULA_START_PATTERN = /(?<=^|[;\t])(?=[=+\-@\t\r\n＝＋－＠])/g
const GUARD_PATTERN = /(?<=^|[;\t])'(?=[=+\-@\t\r\n＝＋－＠])/g

export type CsvCell = string | number | null

/**
 * Formats the cells as RFC 4180 specifies, and guards texts that spreadsheets would run as formulas with an apostrophe.
 */
export function formatCsvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(formatCsvCell).join(',')}\r\n`
}

function formatCsvCell(cell: CsvCell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = cell.replace(FORMULA_START_PATTERN, "'")
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Removes the apostrophes that {@link formatCsvLine} puts before formulas. */
export function removeFormulaGuards(cell: string): string {
  return cell.replace(GUARD_PATTERN, '')
}
