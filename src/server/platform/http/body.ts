import { zValidator } from '@hono/zod-validator'
import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { Call } from '#shared/api-call.ts'
import { respondWithError } from './errors.ts'

const MAX_BODY_BYTES = 64 * 1024
const FORM_CONTENT_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data']

const limitBodySize = bodyLimit({ maxSize: MAX_BODY_BYTES, onError: (c) => respondWithError(c, 'too_large') })

/** Also limits the body to `MAX_BODY_BYTES`. Use it before {@link validateJson}. */
export const requireJson = createMiddleware(async function requireJson(c, next) {
  if (getContentType(c) !== 'application/json') return respondWithError(c, 'unsupported_media_type')
  return limitBodySize(c, next)
})

/**
 * Responds to an invalid object with `invalid_fields`, and to other values with `bad_request`. Malformed JSON throws an
 * HTTPException.
 */
export function validateJson<Definition extends Call>(call: Definition) {
  return zValidator('json', call.request as Definition['request'], (result, c) => {
    if (!result.success)
      return respondWithError(
        c,
        isObject(result.data) ? createInvalidBodyError(result.error.issues) : 'bad_request',
      )
  })
}

export function createInvalidBodyError(
  issues: readonly { path: PropertyKey[]; message: string }[],
): ServiceError {
  const fieldErrors: Record<string, string> = {}
  for (const { path, message } of issues) fieldErrors[path.join('.')] ??= message
  const [message] = Object.values(fieldErrors)
  return { code: 'invalid_fields', fieldErrors, ...(message ? { message } : {}) }
}

/** Returns an empty string for a missing field or a file. `names` has the form's order. */
export type FormFields = ((name: string) => string) & { names: readonly string[] }

export async function parseForm(c: Context): Promise<Result<FormFields>> {
  if (!FORM_CONTENT_TYPES.includes(getContentType(c))) return { ok: false, error: { code: 'bad_request' } }
  const tooLarge = await limitBodySize(c, async () => {})
  if (tooLarge) return { ok: false, error: { code: 'too_large' } }
  const values = await c.req.parseBody().catch(() => undefined)
  if (!values) return { ok: false, error: { code: 'bad_request' } }
  const data = (name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : ''
    return typeof value === 'string' ? value.toWellFormed() : ''
  }
  return { ok: true, data: Object.assign(data, { names: Object.keys(values) }) }
}

export function getContentType(c: Context): string {
  const [type = ''] = (c.req.header('Content-Type') ?? '').split(';')
  return type.trim().toLowerCase()
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
