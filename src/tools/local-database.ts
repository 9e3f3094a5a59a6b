import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { CatalogueStore } from '#server/catalogue/published-catalogue.ts'
import { ToolError } from './command.ts'
import { wrangler } from './wrangler.ts'

const MIGRATIONS_FOLDER = 'migrations'
const SEED_FILE = 'src/tools/seed.sql'

/** Wrangler's own record of what was applied, so that `wrangler d1 migrations` and this agree. */
export const APPLIED_TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

type LocalDatabase = { db: D1Database; catalogueStore: CatalogueStore; close: () => Promise<void> }

/** Opens the local D1 and KV of wrangler.toml without a Worker. Throws {@link ToolError} when the file declares none. */
export async function openLocalDatabase(stateFolder: string): Promise<LocalDatabase> {
  const { getPlatformProxy } = await wrangler()
  const proxy = await getPlatformProxy<{ DB?: D1Database; CATALOGUE?: KVNamespace }>({
    configPath: 'wrangler.toml',
    persist: { path: path.join(stateFolder, 'v3') },
    remoteBindings: false,
  })
  const { DB: db, CATALOGUE: catalogueStore } = proxy.env
  if (!db || !catalogueStore) {
    await proxy.dispose()
    const missing = db ? 'CATALOGUE' : 'DB'
    throw new ToolError(`The shop is not configured: the binding ${missing} is missing from wrangler.toml.`)
  }
  return { db, catalogueStore, close: () => proxy.dispose() }
}

/** Applies the migrations the database lacks, each with its record in one batch; returns their file names. */
export async function migrate(db: D1Database, folder = MIGRATIONS_FOLDER): Promise<string[]> {
  await db.prepare(APPLIED_TABLE).run()
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  const pending = readdirSync(folder)
    .filter((file) => file.endsWith('.sql') && !applied.has(file))
    .sort()
  for (const file of pending) {
    const record = db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(file)
    await db.batch([...(await statementsOf(db, path.join(folder, file))), record]).catch((error: unknown) => {
      throw new ToolError(`The migration ${file} failed: ${error instanceof Error ? error.message : error}`)
    })
  }
  return pending
}

/** Inserts the example promotions that are not there yet. */
export async function seed(db: D1Database): Promise<void> {
  await db.batch(await statementsOf(db, SEED_FILE))
}

async function statementsOf(db: D1Database, file: string): Promise<D1PreparedStatement[]> {
  const { unstable_splitSqlQuery } = await wrangler()
  return unstable_splitSqlQuery(readFileSync(file, 'utf8')).map((statement) => db.prepare(statement))
}
