import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { command, ToolError } from './command.ts'

const SECRETS_FILE = '.dev.vars'
const BUILT_CONFIG = 'dist/server/wrangler.json'
const SEED_FILE = 'src/tools/seed.sql'
const STATE_FOLDER = '.wrangler/state'
const DATABASE = 'DB'
const SECRET_BYTES = 32
const DEFAULT_PORT = 5000

/** The port from `PORT`, 5000 unless set. Throws {@link ToolError} for anything that is not a port. */
export function portFrom(text = process.env.PORT): number {
  const port = text ? Number(text) : DEFAULT_PORT
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new ToolError(`PORT must be a number from 1 to 65535; it is "${text}".`)
}

/** Throws {@link ToolError} when another program listens on the port already. */
export async function requireFreePort(port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const probe = createServer()
    probe.once('error', () =>
      reject(
        new ToolError(`Port ${port} is in use. Stop what runs there, or choose another: PORT=5001 npm start`),
      ),
    )
    probe.listen(port, () => probe.close(() => resolve()))
  })
}

/** Writes the local secrets once, into a file that git ignores. */
export function ensureLocalSecrets(): void {
  if (existsSync(SECRETS_FILE)) return
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  writeFileSync(SECRETS_FILE, `# Made on first run, for this machine alone.\nCOOKIE_SECRET=${secret}\n`, {
    mode: 0o600,
  })
}

/** Builds browser and server files into `dist/`. */
export async function build(): Promise<void> {
  await command('vite', ['build', '--logLevel', 'error'], 'The build failed; its message is above.', {
    output: 'on-failure',
  })
}

/** Brings the local database up to date: migrations, then the example promotions. What it holds already stays. */
export async function prepareDatabase(stateFolder = STATE_FOLDER): Promise<void> {
  const where = ['--local', '--persist-to', stateFolder]
  const options = { output: 'on-failure', env: { CI: 'true' } } as const
  await command(
    'wrangler',
    ['d1', 'migrations', 'apply', DATABASE, ...where],
    'The database could not be migrated.',
    options,
  )
  await command(
    'wrangler',
    ['d1', 'execute', DATABASE, ...where, '--yes', '--file', SEED_FILE],
    'The database could not be seeded.',
    options,
  )
}

type ServeOptions = {
  port: number
  stateFolder?: string
  vars?: Record<string, string>
  stdio?: 'inherit' | 'pipe'
}

/** Serves the build in workerd; resolves once it answers. The caller ends the process. */
export async function serve({
  port,
  stateFolder = STATE_FOLDER,
  vars = {},
  stdio = 'inherit',
}: ServeOptions): Promise<ChildProcess> {
  const child = spawn(
    'wrangler',
    [
      ...[
        'dev',
        '--config',
        BUILT_CONFIG,
        '--port',
        String(port),
        '--ip',
        '127.0.0.1',
        '--inspector-port',
        '0',
      ],
      ...[
        '--persist-to',
        path.resolve(stateFolder),
        '--show-interactive-dev-session=false',
        '--log-level',
        'warn',
      ],
      ...Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`]),
    ],
    { stdio: ['ignore', stdio, stdio] },
  )
  await answering(`http://localhost:${port}/api/health`, child)
  return child
}

const POLL_MS = 100
const START_DEADLINE_MS = 60_000

async function answering(address: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS
  while (Date.now() < deadline) {
    if (child.exitCode !== null)
      throw new ToolError('The server stopped before it answered; its message is above.')
    try {
      await fetch(address)
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }
  child.kill()
  throw new ToolError(`The server did not answer within ${START_DEADLINE_MS / 1000} seconds.`)
}
