import { CsvError, parse } from 'csv-parse/sync'
import { removeFormulaGuards } from '#server/platform/csv.ts'
import { formatNumber } from '#shared/format.ts'

/** The column names are in lower case, and empty rows are omitted. */
export type Table = { columns: readonly string[]; rows: readonly Row[] }

/**
 * `cell` returns the first non-empty cell of the named columns, or an empty string. `surplusCellCount` counts the
 * non-empty cells beyond the last column.
 */
export type Row = { line: number; cell: (...names: string[]) => string; surplusCellCount: number }

export type LineProblem = { line: number; problem: string; fix: string }

const MAX_ROWS = 20_000
const MAX_ROW_CHARACTERS = 100_000
const DELIMITERS = [',', ';', '\t']

/** Accepts UTF-8 and UTF-16, with commas, semicolons or tabs as separators. */
export function parseTable(bytes: Uint8Array): Table | LineProblem {
  const text = decodeText(bytes)
  if (typeof text !== 'string') return text
  const [firstLine = ''] = text.split(/\r?\n|\r/, 1)
  try {
    const records = parse(text, {
      delimiter: detectDelimiter(firstLine),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: MAX_ROW_CHARACTERS,
      to: MAX_ROWS + 2,
    }) as unknown as { record: string[]; info: { lines: number } }[]
    if (records.length > MAX_ROWS + 1)
      return {
        line: MAX_ROWS + 2,
        problem: `The file has more than ${formatNumber(MAX_ROWS)} rows`,
        fix: 'Split it into smaller files.',
      }
    return toTable(records)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return toLineProblem(error)
  }
}

function toTable(records: readonly { record: string[]; info: { lines: number } }[]): Table {
  const [header, ...others] = records
  const columns = (header?.record ?? []).map((name) => name.trim().toLowerCase())
  const indexes = new Map(columns.map((name, index) => [name, index]))
  let lastLine = header?.info.lines ?? 1
  const rows = others.map(({ record, info }): Row => {
    const line = Math.min(lastLine + 1, info.lines)
    lastLine = info.lines
    const readCell = (name: string) => removeFormulaGuards(record[indexes.get(name) ?? -1] ?? '').trim()
    return {
      line,
      cell: (...names) => names.map(readCell).find(Boolean) ?? '',
      surplusCellCount: record.slice(columns.length).filter((cell) => cell.trim()).length,
    }
  })
  return { columns, rows: rows.filter((row) => columns.some((name) => row.cell(name))) }
}

const NOT_TEXT_PROBLEM: LineProblem = {
  line: 1,
  problem: 'The file isn’t a CSV file',
  fix: 'In Excel, save it as “CSV UTF-8”; in Google Sheets, download it as CSV. Then import that file.',
}

function decodeText(bytes: Uint8Array): string | LineProblem {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    return text.includes('\0') || text.startsWith('PK\u0003\u0004') ? NOT_TEXT_PROBLEM : text
  } catch {
    return NOT_TEXT_PROBLEM
  }
}

function detectDelimiter(firstLine: string): string {
  const unquoted = firstLine.replaceAll(/"[^"]*"/g, '')
  const counts = DELIMITERS.map((delimiter) => unquoted.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

function toLineProblem(error: CsvError): LineProblem {
  const line = 'lines' in error && typeof error.lines === 'number' ? error.lines : 1
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return {
      line,
      problem: 'A row is too long',
      fix: 'Check the quotation marks on this line and the lines above it.',
    }
  return {
    line,
    problem: 'A quotation mark is in the wrong place or missing',
    fix: 'Double any quotation marks inside a cell and put the cell in quotation marks, or save the file again as “CSV UTF-8”.',
  }
}
