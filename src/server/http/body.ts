import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import type * as z from 'zod/mini'
import type { Call } from '#shared/contract/call.ts'
import type { Result } from '../result.ts'
import { errorResponse } from './errors.ts'

/** The largest request body that is read, in bytes. */
const MAX_BODY_BYTES = 64 * 1024
const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data']

const limitBody = bodyLimit({ maxSize: MAX_BODY_BYTES, onError: (c) => errorResponse(c, 'too_large') })

/** Answers 415 to a body that is not JSON, 413 to one over 64 KiB; goes before {@link parseJson}. */
export const requireJson = createMiddleware(async function requireJson(c, next) {
  if (contentTypeOf(c) !== 'application/json') return errorResponse(c, 'unsupported_media_type')
  return limitBody(c, next)
})

/** Parses a JSON body by the call's contract; `malformed_json`, or `invalid_fields` with a message for each field. */
export async function parseJson<Definition extends Call>(
  c: Context,
  call: Definition,
): Promise<Result<z.output<Definition['request']>>> {
  const body = await c.req.json<unknown>().then(
    (value) => ({ value }),
    () => undefined,
  )
  if (!body) return { ok: false, error: { code: 'malformed_json' } }
  const parsed = (call.request as Definition['request']).safeParse(body.value)
  if (parsed.success) return { ok: true, data: parsed.data as z.output<Definition['request']> }
  if (!isObject(body.value)) return { ok: false, error: { code: 'bad_request' } }

  const fieldErrors: Record<string, string> = {}
  for (const { path, message } of parsed.error.issues) fieldErrors[path.join('.')] ??= message
  const [message] = Object.values(fieldErrors)
  return { ok: false, error: { code: 'invalid_fields', fieldErrors, ...(message ? { message } : {}) } }
}

/** A posted form's fields; one that was not sent, or is a file, reads as empty. */
export type FormFields = (name: string) => string

/** Parses a posted form; `bad_request` for anything else, `too_large` over 64 KiB. */
export async function parseForm(c: Context): Promise<Result<FormFields>> {
  if (!FORM_TYPES.includes(contentTypeOf(c))) return { ok: false, error: { code: 'bad_request' } }
  const tooLarge = await limitBody(c, async () => {})
  if (tooLarge) return { ok: false, error: { code: 'too_large' } }
  const values = await c.req.parseBody().catch(() => undefined)
  if (!values) return { ok: false, error: { code: 'bad_request' } }
  const data = (name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : ''
    return typeof value === 'string' ? value.toWellFormed() : ''
  }
  return { ok: true, data }
}

/** The body's media type, lower case, without parameters. */
function contentTypeOf(c: Context): string {
  const [type = ''] = (c.req.header('Content-Type') ?? '').split(';')
  return type.trim().toLowerCase()
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
