import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { freePort } from '../ports.ts'
import { heapMegabytes, isolatesAt } from './memory.ts'

const MICROSECONDS_PER_TICK = 10_000
/** Characters: the lines that a Worker without records logs are of no use. */
const MOST_ERRORS = 4000
const POLL_MS = 2
const START_DEADLINE_MS = 20_000

/** However the measuring ends, nothing it started stays behind: asked kindly, workerd waits for its connections. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A Worker to serve: its folder of modules, and the static files it may read through `ASSETS`. */
export type ServedWorker = { folder: string; main?: string; assetsFolder?: string }

export type Workerd = {
  /** Where the Worker answers. */
  url: string
  /** From the start of the process to the Worker's first answer, in milliseconds. */
  startMs: number
  /** Processor time used so far, in microseconds. */
  cpuMicroseconds: () => number
  /** What the Worker's isolate holds, in MB; only where `isInspected`. */
  heapMegabytes: () => Promise<number>
  close: () => void
}

type StartOptions = {
  worker: ServedWorker
  settings?: Record<string, string>
  /** An address that shows that the Worker answers; the root unless given. */
  readyPath?: string
  /** Lets the isolate's memory be read, which costs speed. */
  isInspected?: boolean
  /** Holds the configuration. */
  workFolder: string
  /** Workers, as text, that answer for the database and the store of catalogues; nothing does unless given. */
  records?: { database: string; store: string }
}

/**
 * Starts raw workerd, without the local tools around it, and resolves once it answers. The bindings that pages
 * never wait for (database, mail, limits) lead to a Worker that answers nothing, unless `records` are given. Rejects
 * when it does not start.
 */
export async function startWorkerd({
  worker,
  settings = {},
  readyPath = '/',
  isInspected = false,
  workFolder,
  records,
}: StartOptions): Promise<Workerd> {
  const [port, inspectorPort] = [await freePort(), await freePort()]
  const file = path.join(workFolder, `workerd-${port}.capnp`)
  writeFileSync(file, configOf({ workFolder, worker, port, settings, records }))
  const startedMs = performance.now()
  const child = spawn(
    workerdPath(),
    ['serve', ...(isInspected ? [`-i127.0.0.1:${inspectorPort}`] : []), file],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  running.add(child)
  child.once('exit', () => running.delete(child))
  const url = `http://127.0.0.1:${port}`
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    if (errors.length < MOST_ERRORS) errors += chunk
  })
  if (!(await answers(url + readyPath, child))) throw new Error(`workerd did not start: ${errors}`)
  const { pid } = child
  return {
    url,
    startMs: performance.now() - startedMs,
    cpuMicroseconds: () => cpuMicroseconds(pid),
    heapMegabytes: () => shopHeapMegabytes(`http://127.0.0.1:${inspectorPort}`),
    close: () => child.kill('SIGKILL'),
  }
}

async function shopHeapMegabytes(inspectorUrl: string): Promise<number> {
  const isolate = (await isolatesAt(inspectorUrl)).find(({ id }) => id === 'worker')
  if (!isolate) throw new Error('workerd shows no Worker to inspect.')
  return heapMegabytes(isolate)
}

/** The workerd that wrangler brings; the program itself, not npm's script that starts it. */
function workerdPath(): string {
  const wrangler = createRequire(createRequire(import.meta.url).resolve('wrangler'))
  return (wrangler('workerd') as { default: string }).default
}

type Configured = Required<Omit<StartOptions, 'readyPath' | 'isInspected' | 'records'>> & {
  records: StartOptions['records']
} & { port: number }

const NOTHING = 'export default { fetch: () => new Response() }'
/** To a KV binding, 404 is a key without a value. */
const EMPTY_STORE = 'export default { fetch: () => new Response(null, { status: 404 }) }'

function configOf(options: Configured): string {
  const { workFolder, worker, port, settings, records } = options
  const modules = modulesIn(worker).map(
    (file) =>
      `(name = "${file}", esModule = embed "${path.relative(workFolder, path.join(worker.folder, file))}")`,
  )
  const bindings = [
    '(name = "ASSETS", service = "assets")',
    records
      ? '(name = "DB", wrapped = (moduleName = "cloudflare-internal:d1-api", innerBindings = [(name = "fetcher", service = "database")]))'
      : '(name = "DB", service = "nothing")',
    ...['MAIL', 'LIMIT_ATTEMPTS', 'LIMIT_NETWORK', 'LIMIT_EVERYONE', 'LIMIT_WRITES'].map(
      (name) => `(name = "${name}", service = "nothing")`,
    ),
    '(name = "CATALOGUE", kvNamespace = "store")',
    '(name = "PHOTOS", r2Bucket = "nothing")',
    ...Object.entries(settings).map(([name, value]) => `(name = "${name}", text = "${value}")`),
  ]
  const compatibility = 'compatibilityDate = "2026-10-01"'
  /** A Worker of one module, in a file of its own. */
  const standIn = (name: string, text: string) => {
    writeFileSync(path.join(workFolder, `${name}-${port}.js`), text)
    return `const ${name} :Workerd.Worker = (modules = [(name = "${name}", esModule = embed "${name}-${port}.js")], ${compatibility});`
  }
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "nothing", worker = .nothing),
    (name = "database", worker = .database),
    (name = "store", worker = .store),
    (name = "assets", disk = "${worker.assetsFolder ?? workFolder}"),
  ],
  sockets = [
    (name = "worker", address = "127.0.0.1:${port}", http = (), service = "worker"),
  ],
);
${standIn('nothing', NOTHING)}
${standIn('database', records?.database ?? NOTHING)}
${standIn('store', records?.store ?? EMPTY_STORE)}
const worker :Workerd.Worker = (modules = [${modules.join(', ')}], bindings = [${bindings.join(', ')}], ${compatibility});
`
}

/** The Worker's modules, its main one first. */
function modulesIn({ folder, main = 'index.js' }: ServedWorker): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.js'),
  )
  return files.sort((a, b) => Number(b === main) - Number(a === main))
}

function cpuMicroseconds(pid = 0): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK
}

/** Whether a Worker answered in time; workerd is stopped when it did not. */
async function answers(url: string, child: ChildProcess): Promise<boolean> {
  const deadline = performance.now() + START_DEADLINE_MS
  while (child.exitCode === null && performance.now() < deadline) {
    try {
      await (await fetch(url)).arrayBuffer()
      return true
    } catch {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }
  child.kill()
  return false
}
