import { DrizzleQueryError } from 'drizzle-orm'
import { createMiddleware } from 'hono/factory'
import type { RequestIdVariables } from './request-id.ts'

/** One request, as one line of JSON. Never holds query strings, cookies, bodies or names. */
export type LogLine = {
  level: 'info' | 'error'
  at: string
  requestId: string
  method: string
  path: string
  status: number
  /** Until the response began, in milliseconds. */
  ms: number
  /** What kept the answer from being as it should, with its cause. */
  failures?: string[]
}

/** Set by {@link logLine}: call it with anything that went wrong on the way. */
export type LogVariables = { fail: (error: unknown) => void }

/** Writes one structured line a request; failures reported later, while a page still streams, get a line of their own. */
export function logLine(options: { clock: () => number; log: (line: LogLine) => void }) {
  return createMiddleware<{ Variables: RequestIdVariables & LogVariables }>(async function logLine(c, next) {
    const startMs = options.clock()
    const failures: string[] = []
    let isWritten = false
    const write = (status: number) => {
      options.log({
        level: failures.length > 0 ? 'error' : 'info',
        at: new Date(startMs).toISOString(),
        requestId: c.get('requestId'),
        method: c.req.method,
        path: c.req.path,
        status,
        ms: options.clock() - startMs,
        ...(failures.length > 0 ? { failures: failures.splice(0) } : {}),
      })
    }
    c.set('fail', (error) => {
      failures.push(causeOf(error))
      if (isWritten) write(c.res.status)
    })
    await next()
    write(c.res.status)
    isWritten = true
  })
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause ? ` (cause: ${causeOf(error.cause)})` : ''
  // Its message repeats the statement's values: names, addresses, hashes.
  if (error instanceof DrizzleQueryError) return `Failed query: ${error.query}${cause}`
  return (error.stack ?? error.message) + cause
}
