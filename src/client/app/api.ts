import type * as z from 'zod/mini'
import type { Call } from '#shared/api-call.ts'
import type { ApiResult, CallOptions, CallSettings } from './send-request.ts'

// The server renders pages and makes no calls: this is set in the browser alone.
let settings: CallSettings = { apiBase: '/api', token: () => null, onUnauthorized: () => {} }

/** Sets up all calls. Called once, by the browser entry. */
export function startApi(browser: CallSettings): void {
  settings = { ...browser, apiBase: browser.apiBase.replace(/\/$/, '') }
}

/** A call of the contract, or the way to fetch it: its schemas are not part of a public page's first load. */
type LazyCall<Definition extends Call> = Definition | (() => Promise<Definition>)

/**
 * Makes a call of the contract, with the stored token as Bearer where there is one (§ 6). Never rejects: failures,
 * those of the network and of answers that are not as agreed included, are results. A 401 ends the session here (§ 8).
 */
export async function callApi<Definition extends Call>(
  call: LazyCall<Definition>,
  body?: z.input<Definition['request']>,
  options: CallOptions = {},
): Promise<ApiResult<z.output<Definition['response']>>> {
  try {
    const [{ makeCall }, definition] = await fetchCall(call)
    return await makeCall(definition, body, { ...options, ...settings })
  } catch {
    return { ok: false, status: 0, code: 'network', message: undefined, errors: {}, body: undefined }
  }
}

/** Fetches what a call needs, for a shopper who is about to make it. Failures wait until it is really made. */
export function prepareCall<Definition extends Call>(call: LazyCall<Definition>): void {
  fetchCall(call).catch(() => {})
}

function fetchCall<Definition extends Call>(call: LazyCall<Definition>) {
  return Promise.all([import('./send-request.ts'), typeof call === 'function' ? call() : call])
}
