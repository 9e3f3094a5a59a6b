import type { createStore } from 'jotai'
import * as z from 'zod/mini'
import type { Call } from '#shared/contract/call.ts'
import { href } from '#shared/routes.ts'
import { navigate } from './router/navigate.ts'
import { bootAtom } from './state/boot.ts'
import { signOutAtom } from './state/session.ts'
import { storedToken } from './state/stored-session.ts'

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

type Answer = { api: string; onUnauthorized: () => void }

// The server renders pages and makes no calls: this is set in the browser alone, by startApi.
let answer: Answer = { api: '/api', onUnauthorized: () => {} }

/** Says where calls go and what a 401 does to the session. Called once, by the browser entry. */
export function startApi(store: ReturnType<typeof createStore>): void {
  answer = {
    api: store.get(bootAtom).apiBase.replace(/\/$/, ''),
    onUnauthorized() {
      store.set(signOutAtom)
      if (location.pathname !== href('login')) navigate(href('login'), { replace: true })
    },
  }
}

const shopFailure = z.object({
  message: z.string(),
  code: z.optional(z.string()),
  errors: z.optional(z.record(z.string(), z.string())),
})
/** The identity service's own shape. */
const identityFailure = z.object({ error: z.object({ message: z.string() }) })

/**
 * Makes a call of the contract, with the stored token as Bearer where there is one (§ 6). Never rejects: failures,
 * those of the network and of answers that are not as agreed included, are results. A 401 ends the session here (§ 8).
 */
export async function callApi<Definition extends Call>(
  call: Definition,
  body?: z.input<Definition['request']>,
  { headers = {}, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<ApiResult<z.output<Definition['response']>>> {
  const token = storedToken()
  let response: Response
  let text: string
  try {
    response = await fetch(call.path.startsWith('/v1/') ? call.path : answer.api + call.path, {
      method: call.method,
      headers: {
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    })
    text = await response.text()
  } catch {
    return { ok: false, status: 0, code: 'network', message: undefined, errors: {}, body: undefined }
  }

  const { status } = response
  if (status === 401) {
    console.warn('Unauthorized access - please log in')
    answer.onUnauthorized()
  }
  const json = jsonOf(text)
  const data = response.ok ? call.response.safeParse(json) : undefined
  if (data?.success) return { ok: true, status, data: data.data as z.output<Definition['response']> }
  return { ok: false, status, ...failureOf(json), body: json }
}

function failureOf(json: unknown) {
  const shop = shopFailure.safeParse(json)
  if (shop.success) {
    const { message, code = 'unknown', errors = {} } = shop.data
    return { message, code, errors }
  }
  const identity = identityFailure.safeParse(json)
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
