import { spawn } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { findFreePort } from '../ports.ts'

const MICROSECONDS_PER_TICK = 10_000
const POLL_MS = 2
/** The first errors concern the start. Later ones, which are about missing bindings, are cut off. */
const MAX_ERROR_CHARACTERS = 4000
const START_DEADLINE_MS = 20_000
const COMPATIBILITY = 'compatibilityDate = "2026-10-01"'

export type Workerd = Awaited<ReturnType<typeof startWorkerd>>

export type StartOptions = {
  worker: { source: string } | { folder: string }
  assetsFolder?: string
  settings?: Record<string, string>
  readyPath?: string
  isInspected?: boolean
  workFolder: string
  /** The sources of Workers that replace the bindings `DB` and `CATALOGUE`. */
  database?: string
  store?: string
}

/** Resolves once the Worker responds. */
export async function startWorkerd(options: StartOptions) {
  const { readyPath = '/', isInspected, workFolder } = options
  const [port, inspectorPort] = [await findFreePort(), await findFreePort()]
  const file = path.join(workFolder, `workerd-${port}.capnp`)
  writeFileSync(file, createWorkerdConfig(options, port))
  // wrangler depends on workerd's npm package, whose main module is the path of the program.
  const wrangler = createRequire(createRequire(import.meta.url).resolve('wrangler'))
  const { default: program } = wrangler('workerd') as { default: string }
  const startedMs = performance.now()
  const inspected = isInspected ? [`-i127.0.0.1:${inspectorPort}`] : []
  const child = spawn(program, ['serve', ...inspected, file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(0, MAX_ERROR_CHARACTERS)
  })
  // On SIGTERM, workerd would wait for open connections.
  const close = () => void child.kill('SIGKILL')
  process.once('exit', close)
  child.once('exit', () => process.off('exit', close))
  const url = `http://127.0.0.1:${port}`
  const responds = () =>
    fetch(url + readyPath).then(
      (response) => response.bytes(),
      () => undefined,
    )
  while (!(await responds())) {
    if (child.exitCode !== null || performance.now() - startedMs > START_DEADLINE_MS) {
      close()
      throw new Error(`workerd didn't start: ${errors}`)
    }
    await setTimeout(POLL_MS)
  }
  return {
    url,
    startMs: performance.now() - startedMs,
    cpuMicroseconds() {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK
    },
    heapMegabytes: () => measureHeapMegabytes(url + readyPath, inspectorPort),
    close,
  }
}

export const EMPTY_WORKER_SOURCE = 'export default { fetch: () => new Response() }'
/** The source of an empty KV namespace. A KV binding treats 404 as a missing key. */
const EMPTY_STORE_SOURCE = 'export default { fetch: () => new Response(null, { status: 404 }) }'

function createWorkerdConfig(options: StartOptions, port: number): string {
  const {
    workFolder,
    worker,
    settings = {},
    database = EMPTY_WORKER_SOURCE,
    store = EMPTY_STORE_SOURCE,
  } = options
  const { assetsFolder = workFolder } = options
  const embed = (name: string, file: string) => `(name = "${name}", esModule = embed "${file}")`
  const embedSource = (name: string, source: string) => {
    writeFileSync(path.join(workFolder, `${name}-${port}.js`), source)
    return embed(name, `${name}-${port}.js`)
  }
  const embedFolder = (folder: string) =>
    globSync('**/*.js', { cwd: folder })
      .sort((a, b) => Number(b === 'index.js') - Number(a === 'index.js'))
      .map((name) => embed(name, path.relative(workFolder, path.join(folder, name))))
  const modules = 'source' in worker ? [embedSource('worker', worker.source)] : embedFolder(worker.folder)
  const d1 =
    'moduleName = "cloudflare-internal:d1-api", innerBindings = [(name = "fetcher", service = "database")]'
  const unused = ['MAIL', 'LIMIT_ATTEMPTS', 'LIMIT_NETWORK', 'LIMIT_EVERYONE', 'LIMIT_WRITES']
  const bindings = [
    '(name = "ASSETS", service = "assets")',
    `(name = "DB", wrapped = (${d1}))`,
    '(name = "CATALOGUE", kvNamespace = "store")',
    '(name = "PHOTOS", r2Bucket = "nothing")',
    ...unused.map((name) => `(name = "${name}", service = "nothing")`),
    ...Object.entries(settings).map(([name, value]) => `(name = "${name}", text = "${value}")`),
  ]
  const service = (name: string, source: string) =>
    `(name = "${name}", worker = (modules = [${embedSource(name, source)}], ${COMPATIBILITY}))`
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (modules = [${modules.join(', ')}], bindings = [${bindings.join(', ')}], ${COMPATIBILITY})),
    ${service('nothing', EMPTY_WORKER_SOURCE)},
    ${service('database', database)},
    ${service('store', store)},
    (name = "assets", disk = "${assetsFolder}"),
  ],
  sockets = [(name = "worker", address = "127.0.0.1:${port}", http = (), service = "worker")],
);
`
}

const BYTES_PER_MB = 1_000_000
/** Several collections are necessary, because one may free what references other objects. */
const GARBAGE_COLLECTIONS = 3
/** Matches the Worker's isolate in plain workerd and in miniflare. */
const ISOLATE_NAME_PATTERN = /^(worker|core:user:.*)$/

type Isolate = { id: string; webSocketDebuggerUrl: string }
type InspectorResponse = { id?: number; result: unknown }
type HeapUsage = { usedSize: number; backingStorageSize: number; embedderHeapUsedSize: number }

export async function measureHeapMegabytes(url: string, inspectorPort: number): Promise<number> {
  const isolates = (await (await fetch(`http://127.0.0.1:${inspectorPort}/json`)).json()) as Isolate[]
  const debuggerUrl = isolates.find(({ id }) => ISOLATE_NAME_PATTERN.test(id))?.webSocketDebuggerUrl
  if (!debuggerUrl) throw new Error('The inspector found no Worker.')
  const socket = new WebSocket(debuggerUrl)
  await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }))
  let lastId = 0
  const send = async (method: string) => {
    const id = ++lastId
    let answer: InspectorResponse | undefined
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data)) as InspectorResponse
      if (message.id === id) answer = message
    }
    socket.send(JSON.stringify({ id, method }))
    // An isolate handles inspector commands only while it handles requests.
    while (!answer) await (await fetch(url)).bytes()
    return answer.result
  }
  for (let times = 0; times < GARBAGE_COLLECTIONS; times++) await send('HeapProfiler.collectGarbage')
  const usage = (await send('Runtime.getHeapUsage')) as HeapUsage
  socket.close()
  return (usage.usedSize + usage.backingStorageSize + usage.embedderHeapUsedSize) / BYTES_PER_MB
}
