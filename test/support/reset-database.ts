import { applyD1Migrations, type D1Migration } from 'cloudflare:test'
import { env } from 'cloudflare:workers'

// Test files share a workerd and its modules, because loading them is slow. This empties the tables before each
// file.
const { DB, TEST_MIGRATIONS } = env as unknown as { DB: D1Database; TEST_MIGRATIONS: D1Migration[] }
await applyD1Migrations(DB, TEST_MIGRATIONS)
const { results: tables } = await DB.prepare(
  `SELECT name FROM sqlite_schema
   WHERE type = 'table' AND name GLOB '[a-z]*' AND name NOT IN ('d1_migrations', 'sqlite_sequence')`,
).all<{ name: string }>()
await DB.batch([
  DB.prepare('PRAGMA defer_foreign_keys = on'),
  ...tables.map(({ name }) => DB.prepare(`DELETE FROM "${name}"`)),
])
