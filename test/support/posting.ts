import { createApp } from '#server/app.ts'
import type { ServiceContext } from '#server/context.ts'

const ORIGIN = 'https://pamba.test'
const apps = new WeakMap<ServiceContext, ReturnType<typeof createApp>>()

/** Each context's app is created once, because creating thousands is slow. */
export function getApp(ctx: ServiceContext) {
  const app = apps.get(ctx) ?? createApp(ctx)
  apps.set(ctx, app)
  return app
}

export function postJson(
  ctx: ServiceContext,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) {
  return getApp(ctx).request(ORIGIN + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

export function postForm(
  ctx: ServiceContext,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) {
  return getApp(ctx).request(ORIGIN + path, {
    method: 'POST',
    headers: { Origin: ORIGIN, ...headers },
    body: new URLSearchParams(fields),
  })
}

export function get(ctx: ServiceContext, path: string, headers: Record<string, string> = {}) {
  return getApp(ctx).request(ORIGIN + path, { headers })
}
