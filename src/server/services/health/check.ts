import { sql } from 'drizzle-orm'
import type { z } from 'zod/mini'
import type { health } from '#shared/contract/health.ts'
import type { Deps } from '../../deps.ts'

/** The shop's health. Never rejects. */
export async function checkHealth({
  db,
  version,
}: Pick<Deps, 'db' | 'version'>): Promise<z.infer<typeof health.response>> {
  const database = await db.run(sql`select 1`).then(
    () => 'ok' as const,
    () => 'unavailable' as const,
  )
  return { status: database === 'ok' ? 'ok' : 'degraded', version, database }
}
