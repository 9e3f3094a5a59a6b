import { sql } from 'drizzle-orm'
import type { z } from 'zod/mini'
import type { health } from '#shared/contract/health.ts'
import type { Deps } from '../../deps.ts'

/** How long the database may take to answer before it counts as unavailable. */
const DATABASE_DEADLINE_MS = 1500

/** Whether the shop stands; never rejects. */
export async function checkHealth({
  db,
  version,
}: Pick<Deps, 'db' | 'version'>): Promise<z.infer<typeof health.response>> {
  const deadline = new Promise<'unavailable'>((resolve) =>
    setTimeout(() => resolve('unavailable'), DATABASE_DEADLINE_MS),
  )
  const answer = db.run(sql`select 1`).then(
    () => 'ok' as const,
    () => 'unavailable' as const,
  )
  const database = await Promise.race([answer, deadline])
  return { status: database === 'ok' ? 'ok' : 'degraded', version, database }
}
