import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type ErrorBody, type ErrorCode, errors } from '#shared/errors.ts'

/** Answers a failure in the API's one shape; `message` and `fieldErrors` say more than the code does. */
export function answerError(
  c: Context,
  code: ErrorCode,
  more: { message?: string; fieldErrors?: Record<string, string> } = {},
) {
  const { status, message } = errors[code]
  const body: ErrorBody = {
    message: more.message ?? message,
    code,
    ...(more.fieldErrors ? { errors: more.fieldErrors } : {}),
  }
  return c.json(body, status satisfies ContentfulStatusCode)
}
