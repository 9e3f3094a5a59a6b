import { sql } from 'drizzle-orm'
import { Hono } from 'hono'
import * as z from 'zod/mini'
import type { ServiceContext } from '#server/context.ts'
import { defineCall } from '#shared/api-call.ts'

const checkHealthCall = defineCall({
  method: 'GET',
  path: '/health',
  request: z.undefined(),
  response: z.object({
    status: z.enum(['ok', 'degraded']),
    version: z.string(),
    database: z.enum(['ok', 'unavailable']),
  }),
})

async function checkHealth({
  db,
  version,
}: ServiceContext): Promise<z.infer<typeof checkHealthCall.response>> {
  const database = await db.run(sql`select 1`).then(
    () => 'ok' as const,
    () => 'unavailable' as const,
  )
  return { status: database === 'ok' ? 'ok' : 'degraded', version, database }
}

export function healthRoutes(ctx: ServiceContext) {
  return new Hono().get(checkHealthCall.path, async (c) => {
    const report = await checkHealth(ctx)
    return c.json(report, report.status === 'ok' ? 200 : 503)
  })
}
