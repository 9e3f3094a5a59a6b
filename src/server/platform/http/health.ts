import { sql } from 'drizzle-orm'
import { Hono } from 'hono'
import * as z from 'zod/mini'
import type { ServiceContext } from '#server/context.ts'
import { defineCall } from '#shared/api-call.ts'

/** The shop's health: its version and whether the database answers. 503 when it does not. */
const health = defineCall({
  method: 'GET',
  path: '/health',
  request: z.undefined(),
  response: z.object({
    status: z.enum(['ok', 'degraded']),
    version: z.string(),
    database: z.enum(['ok', 'unavailable']),
  }),
})

/** The shop's health. Never rejects. */
async function checkHealth({ db, version }: ServiceContext): Promise<z.infer<typeof health.response>> {
  const database = await db.run(sql`select 1`).then(
    () => 'ok' as const,
    () => 'unavailable' as const,
  )
  return { status: database === 'ok' ? 'ok' : 'degraded', version, database }
}

/** `GET /api/health`. */
export function healthRoutes(ctx: ServiceContext) {
  return new Hono().get(health.path, async (c) => {
    const report = await checkHealth(ctx)
    return c.json(report, report.status === 'ok' ? 200 : 503)
  })
}
