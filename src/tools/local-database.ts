import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { CatalogueStore } from '#server/catalogue/published-catalogue.ts'
import { ToolError } from './command.ts'
import { CONFIG_FILE, wrangler } from './wrangler.ts'

const MIGRATIONS_FOLDER = 'migrations'
const SEED_FILE = 'src/tools/seed.sql'

/** The table that `wrangler d1 migrations` uses. */
export const APPLIED_TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

const CONFIG = z.object({
  d1_databases: z.array(z.object({ binding: z.string(), database_id: z.string() })).default([]),
  kv_namespaces: z.array(z.object({ binding: z.string(), id: z.string() })).default([]),
})

type LocalDatabase = { db: D1Database; catalogueStore: CatalogueStore; close: () => Promise<void> }

/** Opens the local D1 and KV without loading wrangler, which is slow. Throws {@link ToolError} when wrangler.toml declares none. */
export async function openLocalDatabase(stateFolder: string): Promise<LocalDatabase> {
  const { databaseId, catalogueId } = await readLocalIds()
  const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = await import('miniflare')
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: 'export default {}',
      d1Databases: { DB: databaseId },
      kvNamespaces: { CATALOGUE: catalogueId },
      resourcePersistencePath: path.resolve(stateFolder, 'v3'),
      telemetry: { enabled: false },
      log: new Log(LogLevel.ERROR),
    }),
  )
  const [db, catalogueStore] = [await runtime.getD1Database('DB'), await runtime.getKVNamespace('CATALOGUE')]
  return { db, catalogueStore, close: () => runtime.dispose() }
}

async function readLocalIds(): Promise<{ databaseId: string; catalogueId: string }> {
  const { parse } = await import('smol-toml')
  let config: unknown
  try {
    config = parse(readFileSync(CONFIG_FILE, 'utf8'))
  } catch (error) {
    throw new ToolError(`Couldn't read ${CONFIG_FILE}: ${error instanceof Error ? error.message : error}`)
  }
  const { d1_databases: databases, kv_namespaces: namespaces } = CONFIG.parse(config)
  const databaseId = databases.find(({ binding }) => binding === 'DB')?.database_id
  const catalogueId = namespaces.find(({ binding }) => binding === 'CATALOGUE')?.id
  if (databaseId && catalogueId) return { databaseId, catalogueId }
  const missing = databaseId ? 'CATALOGUE' : 'DB'
  throw new ToolError(`The shop isn't configured: the ${missing} binding is missing from ${CONFIG_FILE}.`)
}

/** Applies pending migrations, each in one batch with its record; returns their file names. */
export async function migrate(db: D1Database, folder = MIGRATIONS_FOLDER): Promise<string[]> {
  await db.prepare(APPLIED_TABLE).run()
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  const pending = readdirSync(folder)
    .filter((file) => file.endsWith('.sql') && !applied.has(file))
    .sort()
  for (const file of pending) {
    const record = db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(file)
    await db
      .batch([...(await readStatements(db, path.join(folder, file))), record])
      .catch((error: unknown) => {
        throw new ToolError(`The migration ${file} failed: ${error instanceof Error ? error.message : error}`)
      })
  }
  return pending
}

export async function seed(db: D1Database): Promise<void> {
  await db.batch(await readStatements(db, SEED_FILE))
}

async function readStatements(db: D1Database, file: string): Promise<D1PreparedStatement[]> {
  const { unstable_splitSqlQuery } = await wrangler()
  return unstable_splitSqlQuery(readFileSync(file, 'utf8')).map((statement) => db.prepare(statement))
}
