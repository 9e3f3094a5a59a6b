export type WorkerLog = { level: string; message: string }

export function printLog({ level, message }: WorkerLog): void {
  const text = formatLog(message)
  if (level === 'error') console.error(text)
  else console.log(text)
}

const COLUMN_WIDTHS = { status: 3, method: 4, path: 24, ms: 4 }
const INDENT = '          '
const LAYOUT_CHARACTERS = '\n\t'

const CONTROL_CHARACTER_PATTERN = /\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** Formats a request as `09:05:07 200 GET /products 12 ms 5f3a…` with its failures, and other JSON as its fields. */
export function formatLog(message: string): string {
  const line = parseLine(message)
  if (!line) return escapeControls(message, LAYOUT_CHARACTERS)
  const { at, level: _level, status, method, path, ms, requestId, failures: _failures, ...rest } = line
  const time = new Date(String(at)).toLocaleTimeString('en-GB')
  if (method === undefined)
    return escapeControls([time, ...Object.entries(rest).map((field) => field.join(' '))].join('  '))
  const row = [
    time,
    String(status).padStart(COLUMN_WIDTHS.status),
    escapeControls(String(method)).padEnd(COLUMN_WIDTHS.method),
    escapeControls(String(path)).padEnd(COLUMN_WIDTHS.path),
    `${String(ms).padStart(COLUMN_WIDTHS.ms)} ms`,
    requestId,
  ].join('  ')
  return [row, ...formatFailures(line).map((failure) => failure.replace(/^/gm, INDENT))].join('\n')
}

export function findFailures(message: string): string[] {
  return formatFailures(parseLine(message) ?? {})
}

function formatFailures({ failures }: Record<string, unknown>): string[] {
  if (!Array.isArray(failures)) return []
  const texts = failures.map((failure) =>
    escapeControls(String(failure), LAYOUT_CHARACTERS)
      .split('\n')
      .filter((line) => !/^\s+at .*node_modules/.test(line))
      .join('\n')
      .replaceAll(`${process.cwd()}/`, ''),
  )
  return [...new Set(texts)]
}

function escapeControls(text: string, kept = ''): string {
  return text.replace(CONTROL_CHARACTER_PATTERN, (character) =>
    kept.includes(character) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function parseLine(message: string): Record<string, unknown> | undefined {
  if (!message.startsWith('{')) return
  try {
    const line = JSON.parse(message) as Record<string, unknown>
    return typeof line.at === 'string' ? line : undefined
  } catch {
    return
  }
}
