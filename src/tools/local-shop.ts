import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { command, ToolError } from './command.ts'
import { migrate, openLocalDatabase, seed } from './local-database.ts'
import { printLog, type WorkerLog } from './print-log.ts'
import { catalogueFileProblem } from './vite/catalogue-check.ts'
import { wrangler } from './wrangler.ts'

const SECRETS_FILE = '.dev.vars'
const BUILT_CONFIG = 'dist/server/wrangler.json'
const SECRET_BYTES = 32
const DEFAULT_PORT = 5000

/** Where the local database and the platform's other stand-ins keep their files between runs. */
export const STATE_FOLDER = '.wrangler/state'

/** The port from `PORT`, 5000 unless set. Throws {@link ToolError} for anything that is not a port. */
export function portFrom(text = process.env.PORT): number {
  if (!text) return DEFAULT_PORT
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port > 0 && port < 65_536) return port
  throw new ToolError(`PORT must be a number from 1 to 65535; it is "${text}".`)
}

/** Throws {@link ToolError} when another program listens on the port already. */
export async function requireFreePort(port: number, script = 'npm start'): Promise<void> {
  if (!(await isTaken(port, '127.0.0.1')) && !(await isTaken(port, '::1'))) return
  const other = port === DEFAULT_PORT ? DEFAULT_PORT + 1 : DEFAULT_PORT
  throw new ToolError(
    `Port ${port} is in use. Stop what runs there, or choose another: PORT=${other} ${script}`,
  )
}

function isTaken(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    // Only these two count: a machine without IPv6 has no ::1 at all.
    probe.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(['EADDRINUSE', 'EACCES'].includes(code ?? '')),
    )
    probe.listen({ port, host }, () => probe.close(() => resolve(false)))
  })
}

/** Throws {@link ToolError} naming the item and the field when the catalogue file is broken. */
export function requireCatalogue(): void {
  const problem = catalogueFileProblem()
  if (problem) throw new ToolError(problem)
}

/** Writes the local secrets once, into a file that git ignores. */
export function ensureLocalSecrets(): void {
  if (existsSync(SECRETS_FILE)) return
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  writeFileSync(SECRETS_FILE, `# Made on first run, for this machine alone.\nCOOKIE_SECRET=${secret}\n`, {
    mode: 0o600,
  })
}

/** Builds browser and server files into `dist/`, for an environment of wrangler.toml. */
export async function build(environment?: 'production'): Promise<void> {
  await command('vite', ['build', '--logLevel', 'error'], 'The build failed; its message is above.', {
    output: 'on-failure',
    env: { CLOUDFLARE_ENV: environment ?? '' },
  })
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
  let isOpen = false
  let lastError = ''
  const { unstable_startWorker } = await wrangler()
  const worker = await unstable_startWorker({
    config: BUILT_CONFIG,
    ...(assetsFolder && { assets: assetsFolder }),
    bindings: Object.fromEntries(
      Object.entries(vars).map(([name, value]) => [name, { type: 'plain_text', value }]),
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
  const url = `http://localhost:${port}`
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
