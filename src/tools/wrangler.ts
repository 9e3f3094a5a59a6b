import { readFileSync, writeFileSync } from 'node:fs'
import type { V4WorkerOptions } from 'miniflare'
import type { Unstable_Config } from 'wrangler'
import { runProgram, ToolError } from './command.ts'

export const CONFIG_FILE = 'wrangler.toml'
export const OFFICE_CONFIG_FILE = 'src/office/wrangler.toml'

/** wrangler is imported only when it is needed, because it loads slowly. */
export function loadWrangler(): Promise<typeof import('wrangler')> {
  process.env.WRANGLER_LOG ??= 'error'
  return import('wrangler')
}

const BUILT_WORKERS = ['server', 'office'] as const
export type BuiltWorker = V4WorkerOptions & { name: string; main: string }
const getOptionsPath = (worker: (typeof BUILT_WORKERS)[number]) => `dist/${worker}/miniflare.json`

/** Writes miniflare's options during the build, so that the shop starts without loading wrangler. */
export async function writeMiniflareOptions(): Promise<void> {
  const { unstable_getMiniflareWorkerOptions, unstable_readConfig } = await loadWrangler()
  for (const worker of BUILT_WORKERS) {
    const config = unstable_readConfig({ config: `dist/${worker}/wrangler.json` }, { hideWarnings: true })
    const { workerOptions } = unstable_getMiniflareWorkerOptions(config)
    const { name, main } = config
    // JSON leaves out what is undefined.
    const options = { ...workerOptions, modulesRules: undefined, rootPath: undefined, name, main }
    writeFileSync(getOptionsPath(worker), JSON.stringify(options))
  }
}

export function readMiniflareOptions(worker: (typeof BUILT_WORKERS)[number]): BuiltWorker {
  return JSON.parse(readFileSync(getOptionsPath(worker), 'utf8'))
}

/** Runs without prompts. Throws {@link ToolError} if the command fails. */
export function runWrangler(
  args: string[],
  failure: Parameters<typeof runProgram>[2],
  output: 'show' | 'on-failure' = 'on-failure',
): Promise<string> {
  return runProgram('wrangler', args, failure, { output, env: { WRANGLER_LOG: 'log', CI: 'true' } })
}

export type ShopConfig = Pick<Unstable_Config, 'vars' | 'd1_databases' | 'kv_namespaces' | 'r2_buckets'> &
  Partial<Pick<Unstable_Config, 'routes' | 'send_email' | 'secrets'>>

export const getDatabaseId = ({ d1_databases = [] }: Partial<ShopConfig>) =>
  d1_databases.find(({ binding }) => binding === 'DB')?.database_id
export const getCatalogueId = ({ kv_namespaces = [] }: Partial<ShopConfig>) =>
  kv_namespaces.find(({ binding }) => binding === 'CATALOGUE')?.id

export async function requireConfig(environment?: 'production', file = CONFIG_FILE): Promise<ShopConfig> {
  const { unstable_readConfig } = await loadWrangler()
  let config: ShopConfig
  try {
    config = unstable_readConfig({ config: file, env: environment }, { hideWarnings: true })
  } catch (error) {
    throw new ToolError(`Couldn't read ${file}: ${formatReason(error)}`)
  }
  if (config.d1_databases.some(({ binding }) => binding === 'DB')) return config
  throw new ToolError(`The shop isn't configured: the DB binding is missing from ${file}.`)
}

function formatReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const line = (error as { location?: { line?: number } }).location?.line
  const [, ...problems] = error.message.split(/\n\s*- /)
  return (line ? `line ${line}: ` : '') + (problems.length > 0 ? problems.join(' ') : error.message)
}
