export type WorkerLog = { level: string; message: string }

export function printLog({ level, message }: WorkerLog): void {
  const text = formatLog(message)
  if (level === 'error') console.error(text)
  else console.log(text)
}

const STATUS_WIDTH = 3
const METHOD_WIDTH = 4
const MS_WIDTH = 4
const PATH_WIDTH = 24
const INDENT = '          '

/** Terminal control and text direction characters, except line breaks and tabs. */
const CONTROL_CHARACTERS = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** Formats a request as `09:05:07  200  GET   /products      12 ms  5f3a…` with its failures below. Other text stays unchanged. */
export function formatLog(message: string): string {
  const line = parseLine(message)
  if (!line) return escapeControls(message, CONTROL_CHARACTERS)
  const { at, level: _level, status, method, path, ms, requestId, failures: _failures, ...rest } = line
  const time = new Date(String(at)).toLocaleTimeString('en-GB')
  if (method === undefined)
    return escapeControls([time, ...Object.entries(rest).map((field) => field.join(' '))].join('  '))
  const row = [
    time,
    String(status).padStart(STATUS_WIDTH),
    escapeControls(String(method)).padEnd(METHOD_WIDTH),
    escapeControls(String(path)).padEnd(PATH_WIDTH),
    `${String(ms).padStart(MS_WIDTH)} ms`,
    requestId,
  ].join('  ')
  return [row, ...formatFailures(line).map((failure) => failure.replace(/^/gm, INDENT))].join('\n')
}

export function findFailures(message: string): { requestId: string; failures: string[] } | undefined {
  const line = parseLine(message)
  if (typeof line?.requestId !== 'string') return
  const failures = formatFailures(line)
  return failures.length > 0 ? { requestId: line.requestId, failures } : undefined
}

function formatFailures({ failures }: Record<string, unknown>): string[] {
  if (!Array.isArray(failures)) return []
  const texts = failures.map((failure) =>
    escapeControls(String(failure), CONTROL_CHARACTERS)
      .split('\n')
      .filter((line) => !/^\s+at .*node_modules/.test(line))
      .join('\n')
      .replaceAll(`${process.cwd()}/`, ''),
  )
  return [...new Set(texts)]
}

function escapeControls(
  text: string,
  characters = /\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
): string {
  return text.replace(
    characters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
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
