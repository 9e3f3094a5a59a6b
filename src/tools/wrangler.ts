import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Unstable_Config } from 'wrangler'
import { runProgram, ToolError } from './command.ts'

export const CONFIG_FILE = 'wrangler.toml'
export const OFFICE_CONFIG_FILE = 'src/office/wrangler.toml'

/** miniflare reads `request.cf` from this file. */
const EDGE_DATA_FILE = path.resolve('.wrangler/edge-data.json')

/** Loads wrangler as a library; `request.cf` gets this machine's time zone. */
export async function wrangler(): Promise<typeof import('wrangler')> {
  process.env.WRANGLER_LOG ??= 'error'
  if (process.env.CLOUDFLARE_CF_FETCH_PATH !== EDGE_DATA_FILE) {
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
    mkdirSync(path.dirname(EDGE_DATA_FILE), { recursive: true })
    writeFileSync(EDGE_DATA_FILE, JSON.stringify({ timezone: timeZone }))
    process.env.CLOUDFLARE_CF_FETCH_PATH = EDGE_DATA_FILE
  }
  return import('wrangler')
}

/** Runs a non-interactive wrangler command and returns its output. Throws {@link ToolError} with `failure`. */
export function wranglerCommand(
  args: string[],
  failure: Parameters<typeof runProgram>[2],
  output: 'show' | 'on-failure' = 'on-failure',
): Promise<string> {
  return runProgram('wrangler', args, failure, { output, env: { WRANGLER_LOG: 'log', CI: 'true' } })
}

export type ShopConfig = Pick<Unstable_Config, 'vars' | 'd1_databases' | 'kv_namespaces' | 'r2_buckets'> &
  Partial<Pick<Unstable_Config, 'routes' | 'send_email' | 'secrets'>>

export const databaseId = ({ d1_databases = [] }: Partial<ShopConfig>) =>
  d1_databases.find(({ binding }) => binding === 'DB')?.database_id
export const catalogueId = ({ kv_namespaces = [] }: Partial<ShopConfig>) =>
  kv_namespaces.find(({ binding }) => binding === 'CATALOGUE')?.id

export async function requireConfig(environment?: 'production', file = CONFIG_FILE): Promise<ShopConfig> {
  const { unstable_readConfig } = await wrangler()
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
