import { createMiddleware } from 'hono/factory'

/** Set by {@link requestId}. */
export type RequestIdVariables = { requestId: string }

const REQUEST_ID_BYTES = 12

/** An id for one request. */
export function newRequestId(options: { randomBytes: (length: number) => Uint8Array }): string {
  return options.randomBytes(REQUEST_ID_BYTES).toHex()
}

/** Gives each request an id of its own, answered as `X-Request-Id`, repeated in the log line and in a 500's message. */
export function requestId(options: { randomBytes: (length: number) => Uint8Array }) {
  return createMiddleware<{ Variables: RequestIdVariables }>(async function requestId(c, next) {
    const id = newRequestId(options)
    c.set('requestId', id)
    c.header('X-Request-Id', id)
    await next()
  })
}
