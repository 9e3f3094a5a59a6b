import { eq, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { providerTokens } from '../db/schema.ts'
import type { TokenStore } from './daraja.ts'

/** A provider's access token in the database, for all isolates. */
export function storedTokens(provider: string, db: Database): TokenStore {
  return {
    async stored() {
      const isIt = eq(providerTokens.provider, provider)
      const row = await db
        .select()
        .from(providerTokens)
        .where(isIt)
        .get()
        .catch(() => undefined)
      return row ? { value: row.token, expiresAtMs: row.expiresAtMs } : null
    },
    async store({ value: token, expiresAtMs }) {
      // Of two isolates that fetch one at once, the later token counts.
      await db
        .insert(providerTokens)
        .values({ provider, token, expiresAtMs })
        .onConflictDoUpdate({
          target: providerTokens.provider,
          set: { token, expiresAtMs },
          setWhere: sql`excluded.expires_at_ms >= ${providerTokens.expiresAtMs}`,
        })
        // Not stored, it is fetched again.
        .catch(() => undefined)
    },
  }
}
