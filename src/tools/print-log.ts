/** One line the Worker logged. */
export type WorkerLog = { level: string; message: string }

/** Prints a Worker's line: requests as one aligned row with their failures below, anything else as it is. */
export function printLog({ level, message }: WorkerLog): void {
  const text = readableLog(message)
  if (level === 'error') console.error(text)
  else console.log(text)
}

const STATUS_WIDTH = 3
const METHOD_WIDTH = 4
const MS_WIDTH = 4
const PATH_WIDTH = 24
const INDENT = '          '

/** Characters that could steer a terminal, or show a text in another order, in texts of several lines. */
const STEERING = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** A structured line for people: `09:05:07  200  GET   /products      12 ms  5f3a…`; any other text is itself. */
export function readableLog(message: string): string {
  const line = parsed(message)
  if (!line) return escaped(message, STEERING)
  const { at, level: _level, status, method, path, ms, requestId, failures: _failures, ...rest } = line
  const time = new Date(String(at)).toLocaleTimeString('en-GB')
  if (method === undefined)
    return escaped([time, ...Object.entries(rest).map((field) => field.join(' '))].join('  '))
  const row = [
    time,
    String(status).padStart(STATUS_WIDTH),
    escaped(String(method)).padEnd(METHOD_WIDTH),
    escaped(String(path)).padEnd(PATH_WIDTH),
    `${String(ms).padStart(MS_WIDTH)} ms`,
    requestId,
  ].join('  ')
  return [row, ...readableFailures(line).map((failure) => failure.replace(/^/gm, INDENT))].join('\n')
}

/** What failed in the request of a structured line, with its id; undefined where nothing did. */
export function failuresIn(message: string): { requestId: string; failures: string[] } | undefined {
  const line = parsed(message)
  if (typeof line?.requestId !== 'string') return
  const failures = readableFailures(line)
  return failures.length > 0 ? { requestId: line.requestId, failures } : undefined
}

/** Each failure once, with paths from the project's folder and without the stack's lines in packages. */
function readableFailures({ failures }: Record<string, unknown>): string[] {
  if (!Array.isArray(failures)) return []
  const texts = failures.map((failure) =>
    escaped(String(failure), STEERING)
      .split('\n')
      .filter((line) => !/^\s+at .*node_modules/.test(line))
      .join('\n')
      .replaceAll(`${process.cwd()}/`, ''),
  )
  return [...new Set(texts)]
}

/** Characters that could steer a terminal, or look like a line of their own, as JSON writes them. */
function escaped(
  text: string,
  characters = /\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
): string {
  return text.replace(
    characters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function parsed(message: string): Record<string, unknown> | undefined {
  if (!message.startsWith('{')) return
  try {
    const line = JSON.parse(message) as Record<string, unknown>
    return typeof line.at === 'string' ? line : undefined
  } catch {
    return
  }
}
