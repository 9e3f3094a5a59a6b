import { enableCompileCache } from 'node:module'
import { ToolError } from './command.ts'

type Wrangler = typeof import('wrangler')

/** Where the shop says what it needs of the platform. */
export const CONFIG_FILE = 'wrangler.toml'

/** Wrangler as a library: it starts in this process, quietly, and asks nobody about the visitor's place. */
export async function wrangler(): Promise<Wrangler> {
  process.env.WRANGLER_LOG ??= 'error'
  process.env.CLOUDFLARE_CF_FETCH_ENABLED ??= 'false'
  enableCompileCache()
  return import('wrangler')
}

/** Reads wrangler.toml for one of its environments. Throws {@link ToolError} saying what is wrong with it. */
export async function requireConfig(environment?: 'production') {
  const { unstable_readConfig } = await wrangler()
  try {
    return unstable_readConfig(
      { config: CONFIG_FILE, ...(environment ? { env: environment } : {}) },
      { hideWarnings: true },
    )
  } catch (error) {
    throw new ToolError(`${CONFIG_FILE} cannot be read: ${reasonOf(error)}`)
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const line = (error as { location?: { line?: number } }).location?.line
  const [, ...problems] = error.message.split(/\n\s*- /)
  return (line ? `line ${line}: ` : '') + (problems.length > 0 ? problems.join(' ') : error.message)
}
