import type * as z from 'zod/mini'
import { type Call, identityFailureSchema, shopFailureSchema } from '#shared/api-call.ts'

/** A call's outcome. `message` is the server's own, where it sent one; each page has its fallback (§ 8). */
export type ApiResult<Data> =
  | { ok: true; status: number; data: Data }
  | {
      ok: false
      /** 0 when there was no answer at all. */
      status: number
      code: string
      message: string | undefined
      /** Messages by field. */
      errors: Record<string, string>
      /** The whole answer, for calls whose failures say more; undefined when it was no JSON. */
      body: unknown
    }

export type CallSettings = {
  /** Where the shop's own calls go (§ 7). */
  apiBase: string
  /** The Bearer token as it is stored now; null without one. */
  token: () => string | null
  /** What a 401 does to the session (§ 8). */
  onUnauthorized: () => void
}

export type CallOptions = { headers?: Record<string, string>; signal?: AbortSignal }

/** Sends a call and reads its answer, for `api.ts`. Rejects without a connection. */
export async function makeCall<Definition extends Call>(
  call: Definition,
  body: z.input<Definition['request']> | undefined,
  { headers = {}, signal, apiBase, token, onUnauthorized }: CallOptions & CallSettings,
): Promise<ApiResult<z.output<Definition['response']>>> {
  const bearer = token()
  const response = await fetch(call.path.startsWith('/v1/') ? call.path : apiBase + call.path, {
    method: call.method,
    headers: {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(bearer ? { Authorization: `Bearer ${bearer}` } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  })
  const json = jsonOf(await response.text())
  const { status } = response
  if (status === 401) {
    console.warn('Unauthorized access - please log in')
    onUnauthorized()
  }
  const data = response.ok ? call.response.safeParse(json) : undefined
  if (data?.success) return { ok: true, status, data: data.data as z.output<Definition['response']> }
  return { ok: false, status, ...failureIn(json), body: json }
}

function failureIn(json: unknown) {
  const shop = shopFailureSchema.safeParse(json)
  if (shop.success) {
    const { message, code = 'unknown', errors = {} } = shop.data
    return { message, code, errors }
  }
  const identity = identityFailureSchema.safeParse(json)
  const message = identity.success ? identity.data.error.message : undefined
  return { message, code: message ? 'identity' : 'unreadable', errors: {} }
}

/** Undefined for an empty text, too. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
