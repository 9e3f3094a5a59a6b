import { eq, sql } from 'drizzle-orm'
import type { Database } from '#server/platform/db/client.ts'
import { providerTokens } from '#server/platform/db/schema.ts'
import type { AccessToken } from './providers/provider.ts'

export function createTokenStore(provider: string, db: Database) {
  return {
    async readStored(): Promise<AccessToken | null> {
      const row = await db
        .select()
        .from(providerTokens)
        .where(eq(providerTokens.provider, provider))
        .get()
        .catch(() => undefined)
      return row ? { value: row.token, expiresAtMs: row.expiresAtMs } : null
    },
    async store({ value: token, expiresAtMs }: AccessToken): Promise<void> {
      // If two isolates store a token at the same time, this keeps the token that expires later.
      await db
        .insert(providerTokens)
        .values({ provider, token, expiresAtMs })
        .onConflictDoUpdate({
          target: providerTokens.provider,
          set: { token, expiresAtMs },
          setWhere: sql`excluded.expires_at_ms >= ${providerTokens.expiresAtMs}`,
        })
        .catch(() => undefined)
    },
  }
}
