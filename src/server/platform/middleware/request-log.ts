import { DrizzleQueryError } from 'drizzle-orm'
import { createMiddleware } from 'hono/factory'

/** Must contain no query strings, cookies, bodies or names. */
export type RequestLogLine = {
  level: 'info' | 'error'
  at: string
  requestId: string
  method: string
  path: string
  status: number
  /** The time until the response started. */
  ms: number
  failures?: string[]
}

/** Must contain no query strings and no page text. */
export type CspViolationLogLine = {
  level: 'error'
  at: string
  report: 'csp-violation'
  directive: string
  /** The origin or scheme of what was blocked, or a keyword such as `inline` or `eval`. */
  blocked: string
  page: string
}

/** `recordFailure` adds an error to the request's log line. */
export type RequestLogVariables = { requestId: string; recordFailure: (error: unknown) => void }

type RequestLogDeps = {
  clock: () => number
  randomBytes: (length: number) => Uint8Array
  log: (line: RequestLogLine) => void
}

const REQUEST_ID_BYTES = 12
/** Generates ids in batches, because a call for many random bytes costs about as much as a call for a few. */
const ID_BATCH_SIZE = 64
const CALLBACK_PATH_PATTERN = /^\/api\/(payments|incoming)\//
/** Matches the secret token in the path of a provider's callback. */
const CALLBACK_TOKEN_PATTERN = /(?<=^\/api\/(payments|incoming)\/)[0-9a-f]{64}(?=\/(check|refund)$|$)/

/** An error that is recorded after the response has started gets its own log line. */
export function requestLog(ctx: RequestLogDeps) {
  const startRequest = createRequestStarter(ctx)
  return createMiddleware<{ Variables: RequestLogVariables }>(async function requestLog(c, next) {
    const request = startRequest()
    const { method, path } = c.req
    const failures: string[] = []
    let isLogged = false
    c.set('requestId', request.id)
    c.header('X-Request-Id', request.id)
    c.set('recordFailure', (error) => {
      failures.push(describeError(error))
      if (isLogged) request.log({ method, path, status: c.res.status, failures: failures.splice(0) })
    })
    await next()
    request.log({ method, path, status: c.res.status, failures: failures.splice(0) })
    isLogged = true
  })
}

export function createRequestStarter({ clock, randomBytes, log }: RequestLogDeps) {
  let ids: string[] = []

  function generateIds(): string[] {
    const hex = randomBytes(ID_BATCH_SIZE * REQUEST_ID_BYTES).toHex()
    const characters = hex.length / ID_BATCH_SIZE
    return Array.from({ length: ID_BATCH_SIZE }, (_, n) => hex.slice(n * characters, (n + 1) * characters))
  }

  return () => {
    const startMs = clock()
    if (ids.length === 0) ids = generateIds()
    const id = ids.pop() ?? ''
    return {
      id,
      log({
        method,
        path,
        status,
        failures = [],
      }: Pick<RequestLogLine, 'method' | 'path' | 'status' | 'failures'>) {
        const hasFailed = failures.length > 0
        const line: RequestLogLine = {
          level: hasFailed ? 'error' : 'info',
          at: new Date(startMs).toISOString(),
          requestId: id,
          method,
          path: CALLBACK_PATH_PATTERN.test(path) ? path.replace(CALLBACK_TOKEN_PATTERN, '…') : path,
          status,
          ms: clock() - startMs,
        }
        if (hasFailed) line.failures = failures
        log(line)
      },
    }
  }
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause ? ` (cause: ${describeError(error.cause)})` : ''
  // Drizzle's message contains the values of the statement, such as names, addresses and hashes.
  if (error instanceof DrizzleQueryError) return `Failed query: ${error.query}${cause}`
  return (error.stack ?? error.message) + cause
}
