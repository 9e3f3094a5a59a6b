import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Miniflare, V4MiniflareOptions } from 'miniflare'
import { parse } from 'smol-toml'
import type { CatalogueStore } from '#server/catalogue/published-catalogue.ts'
import { ToolError } from './command.ts'
import { CONFIG_FILE, getCatalogueId, getDatabaseId, loadWrangler, type ShopConfig } from './wrangler.ts'

const MIGRATIONS_FOLDER = 'migrations'
const SEED_FILE = 'src/tools/seed.sql'
/** The file that miniflare reads `request.cf` from. */
const EDGE_DATA_FILE = path.resolve('.wrangler/edge-data.json')

/** The table in which `wrangler d1 migrations` records applied migrations. */
export const CREATE_MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

export type ShopDatabase = { db: D1Database; catalogueStore: CatalogueStore; close: () => Promise<void> }

/** Doesn't load wrangler, which is slow. */
export async function openLocalDatabase(stateFolder: string): Promise<ShopDatabase> {
  const { database, catalogue } = readBindingIds()
  return openBindings({
    d1Databases: { DB: database },
    kvNamespaces: { CATALOGUE: catalogue },
    resourcePersistencePath: path.resolve(stateFolder, 'v3'),
  })
}

export async function openRemoteDatabase(): Promise<ShopDatabase> {
  const { database, catalogue } = readBindingIds('production')
  const { startRemoteProxySession } = await loadWrangler()
  const session = await startRemoteProxySession({
    DB: { type: 'd1', database_id: database },
    CATALOGUE: { type: 'kv_namespace', id: catalogue },
  }).catch((error: Error) => {
    throw new ToolError(`Couldn't connect to Cloudflare. ${error.message}`)
  })
  const { remoteProxyConnectionString } = session
  const { close, ...remote } = await openBindings({
    d1Databases: { DB: { id: database, remoteProxyConnectionString } },
    kvNamespaces: { CATALOGUE: { id: catalogue, remoteProxyConnectionString } },
  })
  return { ...remote, close: async () => void (await Promise.all([close(), session.dispose()])) }
}

/** Sets the time zone in `request.cf` to that of this machine. */
export function startMiniflare(options: V4MiniflareOptions): Miniflare {
  if (process.env.CLOUDFLARE_CF_FETCH_PATH !== EDGE_DATA_FILE) {
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
    mkdirSync(path.dirname(EDGE_DATA_FILE), { recursive: true })
    writeFileSync(EDGE_DATA_FILE, JSON.stringify({ timezone: timeZone }))
    process.env.CLOUDFLARE_CF_FETCH_PATH = EDGE_DATA_FILE
  }
  // With `import`, Node would parse Miniflare's bundle twice to detect its format and exports.
  const miniflare: typeof import('miniflare') = createRequire(import.meta.url)('miniflare')
  const log = new miniflare.Log(miniflare.LogLevel.ERROR)
  return new miniflare.Miniflare(
    miniflare.convertV4MiniflareOptions({ telemetry: { enabled: false }, log, ...options }),
  )
}

async function openBindings(bindings: object): Promise<ShopDatabase> {
  const runtime = startMiniflare({ modules: true, script: 'export default {}', ...bindings })
  const [db, catalogueStore] = [await runtime.getD1Database('DB'), await runtime.getKVNamespace('CATALOGUE')]
  return { db, catalogueStore, close: () => runtime.dispose() }
}

function readBindingIds(environment?: 'production') {
  let file: Partial<ShopConfig> & { env?: Record<string, Partial<ShopConfig>> }
  try {
    file = parse(readFileSync(CONFIG_FILE, 'utf8')) as typeof file
  } catch (error) {
    throw new ToolError(`Couldn't read ${CONFIG_FILE}: ${error instanceof Error ? error.message : error}`)
  }
  const config = environment === undefined ? file : file.env?.[environment]
  if (!config) throw new ToolError(`${CONFIG_FILE} has no environment named ${environment}.`)
  const [database, catalogue] = [getDatabaseId(config), getCatalogueId(config)]
  if (database && catalogue) return { database, catalogue }
  const missing = database ? 'CATALOGUE' : 'DB'
  throw new ToolError(`The shop isn't configured: the ${missing} binding is missing from ${CONFIG_FILE}.`)
}

/** Each migration runs in one batch with its record, so that neither applies alone. */
export async function migrateDatabase(db: D1Database, folder = MIGRATIONS_FOLDER): Promise<string[]> {
  await db.prepare(CREATE_MIGRATIONS_TABLE).run()
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  const pending = readdirSync(folder)
    .filter((file) => file.endsWith('.sql') && !applied.has(file))
    .sort()
  for (const file of pending) {
    const record = db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(file)
    await db.batch([prepareSqlFile(db, path.join(folder, file)), record]).catch((error: unknown) => {
      throw new ToolError(`The migration ${file} failed: ${error instanceof Error ? error.message : error}`)
    })
  }
  return pending
}

export async function seedDatabase(db: D1Database): Promise<void> {
  await prepareSqlFile(db, SEED_FILE).run()
}

/** Returns all of a file's statements as one. The local D1 runs it in a single transaction. */
function prepareSqlFile(db: D1Database, file: string): D1PreparedStatement {
  return db.prepare(readFileSync(file, 'utf8'))
}
