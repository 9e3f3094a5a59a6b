import { randomBytes } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { V4WorkerOptions } from 'miniflare'
import { type Config, ConfigurationError, parseConfig } from '#server/env.ts'
import { describeFirstIssue } from '#shared/catalogue/catalogue-issues.ts'
import { ToolError } from './command.ts'
import { migrateDatabase, openLocalDatabase, seedDatabase, startMiniflare } from './local-database.ts'
import { findFailures, printLog, type WorkerLog } from './print-log.ts'
import { CONFIG_FILE, loadWrangler, readMiniflareOptions, requireConfig } from './wrangler.ts'

const SECRETS_FILE = '.dev.vars'
const SECRET_BYTES = 32

export const STATE_FOLDER = '.wrangler/state'

export function ensureLocalSecrets(): void {
  if (existsSync(SECRETS_FILE)) return
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  writeFileSync(SECRETS_FILE, `# Generated on first run, for this machine only.\nCOOKIE_SECRET=${secret}\n`, {
    mode: 0o600,
  })
}

/** Reads wrangler.toml and .dev.vars as the local Worker does. */
export async function requireSettings(): Promise<Config> {
  const { vars } = await requireConfig()
  const { unstable_getVarsForDev } = await loadWrangler()
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

const CATALOGUE_FILE = 'public/Items.json'

export function requireCatalogue(): void {
  let problem: string | undefined
  try {
    problem = describeFirstIssue(JSON.parse(readFileSync(CATALOGUE_FILE, 'utf8')))
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error)
  }
  if (problem) throw new ToolError(`${CATALOGUE_FILE} is invalid. ${problem}`)
}

export async function prepareDatabase(stateFolder = STATE_FOLDER): Promise<void> {
  const { db, close } = await openLocalDatabase(stateFolder)
  try {
    await migrateDatabase(db)
    await seedDatabase(db)
  } finally {
    await close()
  }
}

export type ServeOptions = {
  port: number
  officePort?: number
  pushUrl?: string
  stateFolder?: string
  /** The folder with static files and the catalogue. The default is that of the build. */
  assetsFolder?: string
  vars?: Record<string, string>
  inspectorPort?: number
  /** The folder with the modules of another Worker, which gets the shop's bindings. */
  modulesFolder?: string
  onLog?: (log: WorkerLog) => void
}

export type ServedShop = Awaited<ReturnType<typeof serveShop>>

const HOST = 'localhost'

/** Resolves once the shop responds. Throws {@link ToolError} if it doesn't start. */
export async function serveShop({ port, officePort, pushUrl = '', vars = {}, ...options }: ServeOptions) {
  const { stateFolder = STATE_FOLDER, assetsFolder, inspectorPort, modulesFolder, onLog = printLog } = options
  const url = `http://${HOST}:${port}`
  const officeUrl = officePort ? `http://${HOST}:${officePort}` : undefined
  let isReady = false
  let lastError = ''
  const shopWorker = readBuiltWorker('server')
  const bindings = {
    ...shopWorker.bindings,
    LOCAL_ORIGIN: url,
    ...(officeUrl ? { OFFICE_ORIGIN: officeUrl } : {}),
    ...vars,
  }
  const assets = assetsFolder &&
    shopWorker.assets && { ...shopWorker.assets, directory: path.resolve(assetsFolder) }
  const modules = modulesFolder ? listModules(path.join(modulesFolder, 'index.js')) : {}
  const workers: V4WorkerOptions[] = [{ ...shopWorker, ...modules, bindings, ...(assets ? { assets } : {}) }]
  if (officePort) {
    const officeWorker = readBuiltWorker('office')
    const settings = { ...officeWorker.bindings, SITE_ORIGIN: url, PUSH_SANDBOX: pushUrl }
    const unsafeDirectSockets = [{ host: HOST, port: officePort }]
    workers.push({ ...officeWorker, bindings: settings, unsafeDirectSockets })
  }
  const runtime = startMiniflare({
    host: HOST,
    port,
    ...(inspectorPort ? { inspectorPort } : {}),
    resourcePersistencePath: path.resolve(stateFolder, 'v3'),
    unsafeTriggerHandlers: true,
    logRequests: false,
    handleStructuredLogs(log) {
      if (isReady) onLog(log)
      else if (log.level === 'error') lastError = log.message
    },
    workers,
  })
  await runtime.ready
  const { status } = await fetch(`${url}/api/health`)
  if (status === 200) {
    isReady = true
    return {
      url,
      officeUrl,
      runSchedule: async () => void (await fetch(`${url}/cdn-cgi/local/scheduled`)),
      close: () => runtime.dispose(),
    }
  }
  await runtime.dispose()
  const [failure = `The shop isn't responding as expected: ${lastError}`] = findFailures(lastError)
  throw new ToolError(failure)
}

function readBuiltWorker(worker: 'server' | 'office'): V4WorkerOptions & { name: string } {
  const { main, ...options } = readMiniflareOptions(worker)
  return { ...options, ...listModules(main) }
}

function listModules(main: string) {
  const modulesRoot = path.dirname(main)
  const files = globSync('**/*.js', { cwd: modulesRoot }).map((file) => path.join(modulesRoot, file))
  const modules = [main, ...files.filter((file) => file !== main)].map((file) => ({
    type: 'ESModule' as const,
    path: file,
  }))
  return { modulesRoot, modules }
}
