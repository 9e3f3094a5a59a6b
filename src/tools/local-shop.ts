import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Config, ConfigurationError, parseConfig } from '#server/env.ts'
import { ToolError } from './command.ts'
import { migrate, openLocalDatabase, seed } from './local-database.ts'
import { printLog, type WorkerLog } from './print-log.ts'
import { CONFIG_FILE, requireConfig, wrangler } from './wrangler.ts'

const SECRETS_FILE = '.dev.vars'
const BUILT_CONFIG = 'dist/server/wrangler.json'
const SECRET_BYTES = 32

/** Where the local database and the platform's other stand-ins keep their files between runs. */
export const STATE_FOLDER = '.wrangler/state'

/** Writes the local secrets once, into a file that git ignores. */
export function ensureLocalSecrets(): void {
  if (existsSync(SECRETS_FILE)) return
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  writeFileSync(SECRETS_FILE, `# Made on first run, for this machine alone.\nCOOKIE_SECRET=${secret}\n`, {
    mode: 0o600,
  })
}

/**
 * Reads wrangler.toml and .dev.vars as the local Worker will. Throws {@link ToolError} with the problems of the file, or
 * with each setting that the Worker would refuse.
 */
export async function requireSettings(): Promise<Config> {
  const { vars } = await requireConfig()
  const { unstable_getVarsForDev } = await wrangler()
  const bindings = unstable_getVarsForDev(CONFIG_FILE, undefined, vars, undefined, true)
  try {
    return parseConfig(
      Object.fromEntries(
        Object.entries(bindings).map(([name, binding]) => [name, 'value' in binding && binding.value]),
      ),
    )
  } catch (error) {
    if (error instanceof ConfigurationError) throw new ToolError(error.message)
    throw error
  }
}

/** Brings the local database up to date: migrations, then the example promotions. What it holds already stays. */
export async function prepareDatabase(stateFolder = STATE_FOLDER): Promise<void> {
  const { db, close } = await openLocalDatabase(stateFolder)
  try {
    await migrate(db)
    await seed(db)
  } finally {
    await close()
  }
}

export type ServeOptions = {
  port: number
  stateFolder?: string
  /** The static files, the catalogue among them; the build's own unless given. */
  assetsFolder?: string
  /** Settings on top of those of wrangler.toml and .dev.vars. */
  vars?: Record<string, string>
  /** Lets the memory of its isolates be read, which costs speed. */
  isInspected?: boolean
  /** Gets each line the Worker logs; printed for people unless given. */
  onLog?: (log: WorkerLog) => void
}

/** A shop that is open. */
export type ServedShop = {
  url: string
  /** What the platform's clock starts in production: housekeeping, with the mail that is due. */
  runSchedule: () => Promise<void>
  /** Ends it and everything it started. */
  close: () => Promise<void>
}

/** Serves the build in workerd; resolves once it answers. Throws {@link ToolError} with the reason when it cannot. */
export async function serve({
  port,
  stateFolder = STATE_FOLDER,
  assetsFolder,
  vars = {},
  isInspected = false,
  onLog = printLog,
}: ServeOptions): Promise<ServedShop> {
  const url = `http://localhost:${port}`
  let isOpen = false
  let lastError = ''
  const { unstable_startWorker } = await wrangler()
  const worker = await unstable_startWorker({
    config: BUILT_CONFIG,
    ...(assetsFolder && { assets: assetsFolder }),
    bindings: Object.fromEntries(
      Object.entries({ LOCAL_ORIGIN: url, ...vars }).map(([name, value]) => [
        name,
        { type: 'plain_text', value },
      ]),
    ),
    dev: {
      server: { hostname: 'localhost', port },
      inspector: isInspected && { port: 0 },
      watch: false,
      persist: path.resolve(stateFolder),
      logLevel: 'error',
      structuredLogsHandler(log: WorkerLog) {
        if (isOpen) onLog(log)
        else if (log.level === 'error') lastError = log.message
      },
    },
  })
  await worker.ready
  const { status } = await fetch(`${url}/api/health`)
  if (status === 200) {
    isOpen = true
    return {
      url,
      runSchedule: async () => void (await fetch(`${url}/cdn-cgi/local/scheduled`)),
      close: () => worker.dispose(),
    }
  }
  await worker.dispose()
  throw new ToolError(problemIn(lastError) ?? `The shop does not answer as it should: ${lastError}`)
}

/** The sentence of the Worker's log line about its configuration. */
function problemIn(message: string): string | undefined {
  try {
    return (JSON.parse(message) as { failures?: string[] }).failures?.[0]
  } catch {
    return
  }
}
