import { zValidator } from '@hono/zod-validator'
import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import { HTTPException } from 'hono/http-exception'
import type * as z from 'zod/mini'
import type { Call } from '#shared/contract/call.ts'
import { answerError } from './answer.ts'

/** The largest request body the API reads, in bytes. */
const BODY_BYTES = 64 * 1024

const limit = bodyLimit({ maxSize: BODY_BYTES, onError: (c) => answerError(c, 'too_large') })

/** Refuses bodies over 64 KiB with 413, those that are not JSON with 415; stands before {@link validBody}. */
export const jsonOnly = createMiddleware(async function jsonOnly(c, next) {
  const [type = ''] = (c.req.header('Content-Type') ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/json') return answerError(c, 'unsupported_media_type')
  return limit(c, next)
})

/** Parses a call's JSON body by its contract: read it with `c.req.valid('json')`; 400 with the messages by field otherwise. */
export function validBody<Definition extends Call>(call: Definition) {
  return zValidator('json', call.request as Definition['request'], (result, c) => {
    if (!result.success) return answerInvalid(c, result.data, result.error.issues)
  })
}

/**
 * Does what {@link validBody} does, for calls that have something to find out before they answer: the body, or the
 * 400 to answer. A body that is not JSON throws, which is answered 400 as well.
 */
export async function parseBody<Definition extends Call>(c: Context, call: Definition) {
  const sent: unknown = await c.req.json().catch((cause) => {
    throw new HTTPException(400, { cause })
  })
  const result = (call.request as Definition['request']).safeParse(sent)
  return result.success
    ? { body: result.data as z.output<Definition['request']> }
    : { refuse: () => answerInvalid(c, sent, result.error.issues) }
}

function answerInvalid(
  c: Context,
  sent: unknown,
  issues: readonly { path: PropertyKey[]; message: string }[],
) {
  if (!isObject(sent)) return answerError(c, 'bad_request')
  const fieldErrors: Record<string, string> = {}
  for (const { path, message } of issues) fieldErrors[path.join('.')] ??= message
  const [first] = Object.values(fieldErrors)
  return answerError(c, 'invalid_fields', { fieldErrors, ...(first ? { message: first } : {}) })
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
