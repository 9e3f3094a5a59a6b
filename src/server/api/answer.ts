import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type ErrorBody, type ErrorCode, errors } from '#shared/errors.ts'

/**
 * Answers a failure in the API's one shape, under `/v1/` in the identity service's own; `message` and `fieldErrors`
 * say more than the code does.
 */
export function answerError(
  c: Context,
  code: ErrorCode,
  more: { message?: string; fieldErrors?: Record<string, string> } = {},
) {
  const { status, message } = errors[code]
  if (c.req.path.startsWith('/v1/')) return answerIdentityError(c, status, more.message ?? message)
  const body: ErrorBody = {
    message: more.message ?? message,
    code,
    ...(more.fieldErrors ? { errors: more.fieldErrors } : {}),
  }
  return c.json(body, status satisfies ContentfulStatusCode)
}

/** Answers a failure in the identity service's shape; its message is a sentence, or begins with one of its codes. */
export function answerIdentityError(c: Context, code: ContentfulStatusCode, message: string) {
  return c.json({ error: { code, message } }, code)
}

/** Whether a path is called by programs, which are answered with JSON, and not visited by people. */
export function isApiPath(path: string): boolean {
  return path.startsWith('/api/') || path.startsWith('/v1/')
}
