import { createApp } from '#server/app.ts'
import type { Deps } from '#server/context.ts'

const ORIGIN = 'https://pamba.test'

/** Posts JSON to the app. */
export function postJson(deps: Deps, path: string, body: unknown, headers: Record<string, string> = {}) {
  return createApp(deps).request(ORIGIN + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** Posts a form to a page of the app, as a browser without scripts does. */
export function postForm(
  deps: Deps,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) {
  return createApp(deps).request(ORIGIN + path, {
    method: 'POST',
    headers: { Origin: ORIGIN, ...headers },
    body: new URLSearchParams(fields),
  })
}

/** Gets a path of the app. */
export function get(deps: Deps, path: string, headers: Record<string, string> = {}) {
  return createApp(deps).request(ORIGIN + path, { headers })
}
