import { Hono } from 'hono'
import { health } from '#shared/contract/health.ts'
import type { Deps } from '../deps.ts'
import { checkHealth } from '../services/health/check.ts'

/** `GET /api/health`. */
export function healthApi(deps: Deps) {
  return new Hono().get(health.path, async (c) => {
    const report = await checkHealth(deps)
    return c.json(report, report.status === 'ok' ? 200 : 503)
  })
}
