import { randomBytes } from 'node:crypto'
import { existsSync, globSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { V4WorkerOptions } from 'miniflare'
import { type Config, ConfigurationError, parseConfig } from '#server/env.ts'
import { ToolError } from './command.ts'
import { migrate, openLocalDatabase, seed } from './local-database.ts'
import { printLog, type WorkerLog } from './print-log.ts'
import { CONFIG_FILE, requireConfig, wrangler } from './wrangler.ts'

const SECRETS_FILE = '.dev.vars'
const SHOP_CONFIG = 'dist/server/wrangler.json'
const OFFICE_CONFIG = 'dist/office/wrangler.json'
const SECRET_BYTES = 32

/** Where the local database and the platform's other stand-ins keep their files between runs. */
export const STATE_FOLDER = '.wrangler/state'

/** Writes the local secrets once, into a file that git ignores. */
export function ensureLocalSecrets(): void {
  if (existsSync(SECRETS_FILE)) return
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  writeFileSync(SECRETS_FILE, `# Generated on first run, for this machine only.\nCOOKIE_SECRET=${secret}\n`, {
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
  /** Where the office is opened beside the shop, in the same workerd; without it the shop is alone. */
  officePort?: number
  stateFolder?: string
  /** The static files, the catalogue among them; the build's own unless given. */
  assetsFolder?: string
  /** Settings on top of those of wrangler.toml and .dev.vars. */
  vars?: Record<string, string>
  /** Where the isolates can be inspected, which costs speed. */
  inspectorPort?: number
  /** The folder of another Worker's modules, served with the shop's bindings. */
  modulesFolder?: string
  /** Gets each line the Workers log; printed for people unless given. */
  onLog?: (log: WorkerLog) => void
}

/** A shop that is open. */
export type ServedShop = {
  url: string
  /** Where the office answers; undefined for a shop that is served alone. */
  officeUrl: string | undefined
  /** What the platform's clock starts in production: housekeeping, with the mail that is due. */
  runSchedule: () => Promise<void>
  /** Ends it and everything it started. */
  close: () => Promise<void>
}

const HOST = 'localhost'

/** Serves the build in workerd; resolves once it answers. Throws {@link ToolError} with the reason when it cannot. */
export async function serve({
  port,
  officePort,
  stateFolder = STATE_FOLDER,
  assetsFolder,
  vars = {},
  inspectorPort,
  modulesFolder,
  onLog = printLog,
}: ServeOptions): Promise<ServedShop> {
  const url = `http://${HOST}:${port}`
  let isOpen = false
  let lastError = ''
  const shop = await builtWorker(SHOP_CONFIG)
  const bindings = { ...shop.bindings, LOCAL_ORIGIN: url, ...vars }
  const assets = assetsFolder && shop.assets && { ...shop.assets, directory: path.resolve(assetsFolder) }
  const modules = modulesFolder ? modulesIn(path.join(modulesFolder, 'index.js')) : {}
  const workers: V4WorkerOptions[] = [{ ...shop, ...modules, bindings, ...(assets ? { assets } : {}) }]
  if (officePort) {
    const office = await builtWorker(OFFICE_CONFIG)
    const settings = { ...office.bindings, SITE_ORIGIN: url }
    const unsafeDirectSockets = [{ host: HOST, port: officePort }]
    workers.push({ ...office, bindings: settings, unsafeDirectSockets })
  }
  const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = await import('miniflare')
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: HOST,
      port,
      ...(inspectorPort ? { inspectorPort } : {}),
      resourcePersistencePath: path.resolve(stateFolder, 'v3'),
      unsafeTriggerHandlers: true,
      logRequests: false,
      telemetry: { enabled: false },
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs(log) {
        if (isOpen) onLog(log)
        else if (log.level === 'error') lastError = log.message
      },
      workers,
    }),
  )
  await runtime.ready
  const { status } = await fetch(`${url}/api/health`)
  if (status === 200) {
    isOpen = true
    return {
      url,
      officeUrl: officePort ? `http://${HOST}:${officePort}` : undefined,
      runSchedule: async () => void (await fetch(`${url}/cdn-cgi/local/scheduled`)),
      close: () => runtime.dispose(),
    }
  }
  await runtime.dispose()
  throw new ToolError(problemIn(lastError) ?? `The shop isn't responding as expected: ${lastError}`)
}

type BuiltOptions = Omit<V4WorkerOptions, 'modules'> & { modulesRules?: unknown; rootPath?: unknown }

/** A Worker of the build as the local runtime takes it: the bindings of its configuration, and its modules. */
async function builtWorker(configFile: string): Promise<V4WorkerOptions & { name: string }> {
  const { unstable_getMiniflareWorkerOptions, unstable_readConfig } = await wrangler()
  const config = unstable_readConfig({ config: configFile }, { hideWarnings: true })
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config)
  const { modulesRules: _, rootPath: _path, ...options }: BuiltOptions = workerOptions
  return { ...options, name: config.name ?? '', ...modulesIn(config.main ?? '') }
}

function modulesIn(main: string) {
  const modulesRoot = path.dirname(main)
  const files = globSync('**/*.js', { cwd: modulesRoot }).map((file) => path.join(modulesRoot, file))
  const modules = [main, ...files.filter((file) => file !== main)].map((file) => ({
    type: 'ESModule' as const,
    path: file,
  }))
  return { modulesRoot, modules }
}

/** The sentence of the Worker's log line about its configuration. */
function problemIn(message: string): string | undefined {
  try {
    return (JSON.parse(message) as { failures?: string[] }).failures?.[0]
  } catch {
    return
  }
}
