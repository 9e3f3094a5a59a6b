import type * as z from 'zod/mini'
import { type Call, identityFailureSchema, shopFailureSchema } from '#shared/api-call.ts'

export type ApiFailure = {
  ok: false
  /** The HTTP status; 0 if there was no response. */
  status: number
  code: string
  /** The server's message, if it sent one. Pages have their own fallbacks (§ 8). */
  message: string | undefined
  errors: Record<string, string>
  /** The parsed body, because some errors contain more data. */
  body: unknown
}

export type ApiResult<Data> = { ok: true; status: number; data: Data } | ApiFailure

export type CallSettings = {
  apiBase: string
  token: () => string | null
  onUnauthorized: () => void
}

export type CallOptions = { headers?: Record<string, string>; signal?: AbortSignal }

/** Rejects if there is no response. */
export async function performCall<Definition extends Call>(
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
  const json = parseJson(await response.text())
  const { status } = response
  if (status === 401) {
    console.warn('Unauthorized access - please log in')
    onUnauthorized()
  }
  const data = response.ok ? call.response.safeParse(json) : undefined
  if (data?.success) return { ok: true, status, data: data.data as z.output<Definition['response']> }
  return { ok: false, status, ...parseFailure(json), body: json }
}

function parseFailure(json: unknown) {
  const shopFailure = shopFailureSchema.safeParse(json)
  if (shopFailure.success) {
    const { message, code = 'unknown', errors = {} } = shopFailure.data
    return { message, code, errors }
  }
  const identity = identityFailureSchema.safeParse(json)
  const message = identity.success ? identity.data.error.message : undefined
  return { message, code: message ? 'identity' : 'unreadable', errors: {} }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
