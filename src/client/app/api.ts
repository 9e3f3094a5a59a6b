import type * as z from 'zod/mini'
import type { Call } from '#shared/api-call.ts'
import type { ApiResult, CallOptions, CallSettings } from './send-request.ts'

let apiSettings: CallSettings = { apiBase: '/api', token: () => null, onUnauthorized: () => {} }

export function configureApi(browser: CallSettings): void {
  apiSettings = { ...browser, apiBase: browser.apiBase.replace(/\/$/, '') }
}

/** A function that imports the definition keeps the definition's schemas out of the first load. */
type LazyCall<Definition extends Call> = Definition | (() => Promise<Definition>)

/** Sends any stored token as Bearer (§ 6) and never rejects. A 401 ends the session (§ 8). */
export async function callApi<Definition extends Call>(
  call: LazyCall<Definition>,
  body?: z.input<Definition['request']>,
  options: CallOptions = {},
): Promise<ApiResult<z.output<Definition['response']>>> {
  try {
    const [{ performCall }, definition] = await loadCall(call)
    return await performCall(definition, body, { ...options, ...apiSettings })
  } catch {
    return { ok: false, status: 0, code: 'network', message: undefined, errors: {}, body: undefined }
  }
}

/** Ignores errors, because the call that follows reports them. */
export function preloadCall<Definition extends Call>(call: LazyCall<Definition>): void {
  loadCall(call).catch(() => {})
}

function loadCall<Definition extends Call>(call: LazyCall<Definition>) {
  return Promise.all([import('./send-request.ts'), typeof call === 'function' ? call() : call])
}
