import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
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

const BINDINGS = z.object({
  d1_databases: z.array(z.object({ binding: z.string(), database_id: z.string() })).default([]),
  kv_namespaces: z.array(z.object({ binding: z.string(), id: z.string() })).default([]),
})
const CONFIG = BINDINGS.extend({ env: z.record(z.string(), BINDINGS).default({}) })

export type ShopDatabase = { db: D1Database; catalogueStore: CatalogueStore; close: () => Promise<void> }

/** Opens the local D1 and KV without loading wrangler, which is slow. Throws {@link ToolError} when wrangler.toml declares none. */
export async function openLocalDatabase(stateFolder: string): Promise<ShopDatabase> {
  const { databaseId, catalogueId } = await readIds()
  return openBindings({
    d1Databases: { DB: databaseId },
    kvNamespaces: { CATALOGUE: catalogueId },
    resourcePersistencePath: path.resolve(stateFolder, 'v3'),
  })
}

/** Opens the D1 and KV on Cloudflare that wrangler.toml names for the environment. Throws {@link ToolError}. */
export async function openRemoteDatabase(environment: string): Promise<ShopDatabase> {
  const { databaseId, catalogueId } = await readIds(environment)
  const { startRemoteProxySession } = await wrangler()
  const session = await startRemoteProxySession({
    DB: { type: 'd1', database_id: databaseId },
    CATALOGUE: { type: 'kv_namespace', id: catalogueId },
  }).catch((error: Error) => {
    throw new ToolError(`Couldn't connect to Cloudflare. ${error.message}`)
  })
  const { remoteProxyConnectionString } = session
  const { close, ...remote } = await openBindings({
    d1Databases: { DB: { id: databaseId, remoteProxyConnectionString } },
    kvNamespaces: { CATALOGUE: { id: catalogueId, remoteProxyConnectionString } },
  })
  return { ...remote, close: async () => void (await Promise.all([close(), session.dispose()])) }
}

async function openBindings(bindings: object): Promise<ShopDatabase> {
  const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = await import('miniflare')
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: 'export default {}',
      telemetry: { enabled: false },
      log: new Log(LogLevel.ERROR),
      ...bindings,
    }),
  )
  const [db, catalogueStore] = [await runtime.getD1Database('DB'), await runtime.getKVNamespace('CATALOGUE')]
  return { db, catalogueStore, close: () => runtime.dispose() }
}

async function readIds(environment?: string): Promise<{ databaseId: string; catalogueId: string }> {
  const { parse } = await import('smol-toml')
  let file: unknown
  try {
    file = parse(readFileSync(CONFIG_FILE, 'utf8'))
  } catch (error) {
    throw new ToolError(`Couldn't read ${CONFIG_FILE}: ${error instanceof Error ? error.message : error}`)
  }
  const { env, ...local } = CONFIG.parse(file)
  const config = environment === undefined ? local : env[environment]
  if (!config) throw new ToolError(`${CONFIG_FILE} has no environment named ${environment}.`)
  const databaseId = config.d1_databases.find(({ binding }) => binding === 'DB')?.database_id
  const catalogueId = config.kv_namespaces.find(({ binding }) => binding === 'CATALOGUE')?.id
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
  // Loading it blocks for seconds on a busy machine; this lets fetch notice connections that have timed out.
  await setImmediate()
  return unstable_splitSqlQuery(readFileSync(file, 'utf8')).map((statement) => db.prepare(statement))
}
